// Settings: the invitation of an administrator, and the page of an administrator with their role, a link for
// a new password, and whether they may sign in. Administrators choose their password with a link, which is
// shown to be passed on, and mailed if mail is set up.
import { adminRoleInput } from '../../../../shared/administrators/admins.ts'
import { ROLES, type Role } from '../../../../shared/administrators/roles.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, required } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { type Sentence, sentence, t, tHtml, translate } from '../../locales/translate.ts'
import { canMail } from '../../pages/page/can-mail.ts'
import type { ActionCall, Breadcrumbs, Call, PageView } from '../../pages/page/page.ts'
import { formatRole, requirePasswords } from '../../pages/page/roles.ts'
import { typedEmail } from '../../pages/page/typed-email.ts'
import { defineFormPage, defineResourcePages } from '../../pages/ui/declared-pages.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { showCard, showSecretCard } from '../../pages/ui/parts.ts'
import { hashSecret } from '../../sessions/secrets.ts'
import {
  type AdministratorRow,
  findAdministrator,
  findProviderLabel,
  showMail,
} from './administrator-list.ts'

const LIST_PATH = '/settings/administrators'

const ROLE_EXPLANATIONS: Record<Role, Sentence> = {
  owner: sentence`Everything, including administrators.`,
  administrator: sentence`Everything except managing administrators.`,
  'front-desk': sentence`Can create and change bookings and meetings, and view places and people.`,
  reader: sentence`Can view bookings, meetings, places and people, but cannot change anything.`,
}

const ownerPageOptions = { section: 'Settings', readers: 'owner', writers: 'owner' } as const

const breadcrumbs = (): Breadcrumbs => [
  [t`Settings`, '/settings'],
  [t`Administrators`, LIST_PATH],
]

export const inviteAdministratorPage = defineFormPage({
  ...ownerPageOptions,
  path: `${LIST_PATH}/new`,
  title: sentence`Invite an administrator`,
  find: requirePasswords,
  breadcrumbs,
  action: 'invite',
  submit: sentence`Create link`,
  form: object({ email: required(typedEmail()), role: adminRoleInput() }),
  fields: (fields, _found, call) => [
    fields.text('email', t`E-mail`, {
      type: 'email',
      hint: canMail(call)
        ? t`They sign in with this address and receive the link there.`
        : t`They sign in with this address. Berth sends nothing to it.`,
      autofocus: true,
    }),
    showRoleField(fields, 'front-desk'),
  ],
  async act(call) {
    requirePasswords(call)
    const { secret, hash } = createLinkSecret(call)
    await call.dispatch('admins.invite', { ...call.form, hash, isMailed: canMail(call) })
    return { show: showLinkOnce(call, call.form.email, secret, t`The link works once, within seven days.`) }
  },
})

const administratorPages = defineResourcePages({
  ...ownerPageOptions,
  path: `${LIST_PATH}/{id}`,
  missing: message`This administrator does not exist.`,
  find: (call) => findAdministrator(call, call.params.id),
  above: breadcrumbs,
})

export const administratorPage = administratorPages.page({
  title: sentence`Administrator`,
  actions: (action) => ({
    'set-role': action(object({ role: adminRoleInput() }), async (call) => {
      const { role } = call.form
      await requireUnlinkedAdministrator(call)
      await call.dispatch('admins.set-role', { id: call.params.id, role })
      const isOwn = call.params.id === call.requireAdmin().id && role !== 'owner'
      return {
        redirectTo: isOwn ? call.link('/settings') : call.linkHere(),
        notice: t`Role changed to ${formatRole(role)}.`,
      }
    }),
    'create-link': action(object({}), async (call) => {
      requirePasswords(call)
      const { secret, hash } = createLinkSecret(call)
      const { email } = await requireUnlinkedAdministrator(call)
      await call.dispatch('admins.create-link', { id: call.params.id, hash, isMailed: canMail(call) })
      return { show: showLinkOnce(call, email, secret, t`The link works once, within 24 hours.`) }
    }),
    disable: action(object({}), async (call) => {
      await call.dispatch('admins.disable', { id: call.params.id })
      return { redirectTo: call.linkHere(), notice: t`Disabled and signed out.` }
    }),
    enable: action(object({}), async (call) => {
      await call.dispatch('admins.enable', { id: call.params.id })
      return { redirectTo: call.linkHere(), notice: t`Enabled again.` }
    }),
  }),
  show(call, found) {
    const { email, role, isDisabled, isLinked } = found
    const hasPassword = !isDisabled && !isLinked && call.services.config.signIn.isLocal
    return {
      title: email,
      lead: html`${formatRole(role)}${isDisabled && html` <span class="badge bad">${t`disabled`}</span>`}`,
      content: html`${showCard(
        t`Role`,
        isLinked
          ? html`<p>${t`They sign in with ${findProviderLabel(call)}, which sets their role at each sign-in.`}</p>`
          : form(call, { action: 'set-role', submit: t`Save role` }, (fields) => showRoleField(fields, role)),
      )}
${hasPassword && showCard(t`Password`, showPasswordForms(call, found))}
${showCard(t`Access`, showAccessForms(call, found))}`,
    }
  },
})

/** Refuses changes to administrators of the identity provider. The identity provider decides their roles, and
 * their next sign-in would undo the change. */
async function requireUnlinkedAdministrator(call: Call<{ id: number }>): Promise<AdministratorRow> {
  const found = await administratorPages.require(call)
  if (found.isLinked)
    throw new Refusal('in_use', message`This administrator signs in with ${findProviderLabel(call)}.`)
  return found
}

function showPasswordForms(call: Call, found: AdministratorRow): Html {
  return html`${showMail(call, found)}<p>${t`They choose a new password with a link. The current password works until then; earlier links stop working.`}</p>
${form(call, { action: 'create-link', submit: t`Create link`, tone: 'quiet' })}`
}

function showAccessForms(call: Call, { isDisabled }: AdministratorRow): Html {
  if (isDisabled)
    return html`<p>${t`This administrator cannot sign in. Their past changes stay in the audit log.`}</p>
${form(call, { action: 'enable', submit: t`Enable`, tone: 'quiet' })}`
  return html`<p>${t`Disabling an administrator signs them out immediately and prevents them from signing in. You can undo it.`}</p>
${form(call, { action: 'disable', submit: t`Disable`, tone: 'quiet' })}`
}

function showRoleField(fields: Fields, value: Role): Html {
  const options = ROLES.toReversed().map((role) => ({
    value: role,
    label: formatRole(role),
    hint: translate(ROLE_EXPLANATIONS[role]),
  }))
  return fields.radios('role', t`Role`, { options, value })
}

/** Derives the same secret for the same form, so that a form that is sent twice creates only one link. */
function createLinkSecret(call: ActionCall): { secret: string; hash: string } {
  const secret = call.deriveSecret('link of an administrator').toString('base64url')
  return { secret, hash: hashSecret(secret).toString('hex') }
}

/** Shows the link. The link can be shown only once, because it cannot be derived from what is stored.
 * `validity` is a sentence that says how long the link works. */
function showLinkOnce(call: Call, email: string, secret: string, validity: string): PageView {
  const who = html`<strong>${email}</strong>`
  return {
    title: t`Send this link`,
    breadcrumbs: breadcrumbs(),
    content: showSecretCard({
      id: 'link',
      secret: `${new URL(call.baseUrl).origin}${call.link('/password', { token: secret })}`,
      done: call.link(LIST_PATH),
      before: html`<p>${tHtml`${who} uses this link to choose a password and sign in.`} ${validity}
${canMail(call) && t`The person also gets a link by e-mail. Using one of the two links disables the other.`}</p>
`,
      warning: t`Copy it now: it is not stored, and cannot be shown again after you leave this page. Anyone with the link can use it, so send it only to them.`,
    }),
  }
}
