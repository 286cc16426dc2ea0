// Settings: inviting an administrator, and their page: their role, a link to a new password, and whether they
// may sign in. They choose their password with a link, which is shown to be passed on, and mailed if mail is
// set up.
import { adminRole } from '../../../../shared/administrators/admins.ts'
import { ROLES, type Role } from '../../../../shared/administrators/roles.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, required } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { type Sentence, sentence, t, tHtml, translate } from '../../locales/translate.ts'
import type { ActionCall, Breadcrumbs, Call, View } from '../../pages/page/page.ts'
import { formatRole, requirePasswords } from '../../pages/page/roles.ts'
import { typedEmail } from '../../pages/page/typed-email.ts'
import { formPage, resource } from '../../pages/ui/declared-pages.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { card, secretCard } from '../../pages/ui/parts.ts'
import { hashSecret } from '../../sessions/secrets.ts'
import { type AdministratorRow, findAdministrator, providerLabel, showMail } from './administrator-list.ts'

const LIST = '/settings/administrators'

const EXPLANATIONS: Record<Role, Sentence> = {
  owner: sentence`Everything, administrators included.`,
  administrator: sentence`Everything except managing administrators.`,
  'front-desk': sentence`Creates and changes bookings and meetings; sees places and people.`,
  reader: sentence`Sees bookings, meetings, places and people, and changes nothing.`,
}

const owners = { section: 'Settings', readers: 'owner', writers: 'owner' } as const

const breadcrumbs = (): Breadcrumbs => [
  [t`Settings`, '/settings'],
  [t`Administrators`, LIST],
]

export const inviteAdministrator = formPage({
  ...owners,
  path: `${LIST}/new`,
  title: sentence`Invite an administrator`,
  find: requirePasswords,
  breadcrumbs,
  action: 'invite',
  submit: sentence`Create link`,
  form: object({ email: required(typedEmail()), role: adminRole() }),
  fields: (fields, _found, call) => [
    fields.text('email', t`E-mail`, {
      type: 'email',
      hint: canMail(call)
        ? t`They sign in with it and receive the link there.`
        : t`They sign in with it. We send nothing to it.`,
      autofocus: true,
    }),
    roleField(fields, 'front-desk'),
  ],
  async act(call) {
    requirePasswords(call)
    const { secret, hash } = createLinkSecret(call)
    await call.dispatch('admins.invite', { ...call.form, hash, isMailed: canMail(call) })
    return { show: linkView(call, call.form.email, secret, t`It works once, within seven days.`) }
  },
})

const administratorPages = resource({
  ...owners,
  path: `${LIST}/{id}`,
  missing: message`This administrator does not exist.`,
  find: (call) => findAdministrator(call, call.params.id),
  above: breadcrumbs,
})

export const administrator = administratorPages.page({
  title: sentence`Administrator`,
  actions: (action) => ({
    'set-role': action(object({ role: adminRole() }), async (call) => {
      const { role } = call.form
      await requireUnlinked(call)
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
      const { email } = await requireUnlinked(call)
      await call.dispatch('admins.create-link', { id: call.params.id, hash, isMailed: canMail(call) })
      return { show: linkView(call, email, secret, t`It works once, within 24 hours.`) }
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
      content: html`${card(
        t`Role`,
        isLinked
          ? html`<p>${t`They sign in with ${providerLabel(call)}, which decides their role each time.`}</p>`
          : form(call, { action: 'set-role', submit: t`Save role` }, (fields) => roleField(fields, role)),
      )}
${hasPassword && card(t`Password`, passwordForms(call, found))}
${card(t`Access`, accessForms(call, found))}`,
    }
  },
})

/** The provider decides the roles of linked administrators, and the next sign-in would undo a change here. */
async function requireUnlinked(call: Call<{ id: number }>): Promise<AdministratorRow> {
  const found = await administratorPages.require(call)
  if (found.isLinked)
    throw new Refusal('in_use', message`This administrator signs in with ${providerLabel(call)}.`)
  return found
}

function passwordForms(call: Call, found: AdministratorRow): Html {
  return html`${showMail(call, found)}<p>${t`They choose a new password with a link. The current password works until then; earlier links stop working.`}</p>
${form(call, { action: 'create-link', submit: t`Create link`, tone: 'quiet' })}`
}

function accessForms(call: Call, { isDisabled }: AdministratorRow): Html {
  if (isDisabled)
    return html`<p>${t`They cannot sign in. What they have done stays in the audit log.`}</p>
${form(call, { action: 'enable', submit: t`Enable`, tone: 'quiet' })}`
  return html`<p>${t`Disabling signs them out at once and blocks signing in. You can undo it.`}</p>
${form(call, { action: 'disable', submit: t`Disable`, tone: 'danger' })}`
}

function roleField(fields: Fields, value: Role): Html {
  const options = ROLES.toReversed().map((role) => ({
    value: role,
    label: formatRole(role),
    hint: translate(EXPLANATIONS[role]),
  }))
  return fields.radios('role', t`Role`, { options, value })
}

/** If mail is set up, links are sent as well as shown. */
const canMail = ({ services }: Call): boolean => services.config.mail !== undefined

/** The same secret for the same form, so that a form sent twice creates one link. */
function createLinkSecret(call: ActionCall): { secret: string; hash: string } {
  const secret = call.deriveSecret('link of an administrator').toString('base64url')
  return { secret, hash: hashSecret(secret).toString('hex') }
}

/**
 * Shown only once: it cannot be derived from what is stored. `validity` is a sentence that says how long the
 * link works.
 */
function linkView(call: Call, email: string, secret: string, validity: string): View {
  const who = html`<strong>${email}</strong>`
  return {
    title: t`Send this link`,
    breadcrumbs: breadcrumbs(),
    content: secretCard({
      id: 'link',
      secret: `${new URL(call.baseUrl).origin}${call.link('/password', { token: secret })}`,
      done: call.link(LIST),
      before: html`<p>${tHtml`${who} uses this link to choose a password and sign in.`} ${validity}
${canMail(call) && t`They also get a link by mail. Using one of them disables the other.`}</p>
`,
      warning: t`Copy it now: it is not stored, and cannot be shown again after you leave this page. Anyone with the link can use it, so send it only to them.`,
    }),
  }
}
