// Settings: one administrator: their role, a link to a new password, and whether they may sign in.
import { adminRole } from '../../../shared/administrators/admins.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../http/html.ts'
import { requirePasswords } from '../kit/local-sign-in.ts'
import { type Call, page } from '../kit/page.ts'
import { formatRole } from '../kit/roles.ts'
import { sentence, t } from '../locales/translate.ts'
import { card } from '../ui/cards.ts'
import { form } from '../ui/forms.ts'
import {
  administratorsBreadcrumbs,
  createLinkSecret,
  isMailed,
  linkView,
  providerLabel,
  roleField,
} from './fields.ts'
import { showMail } from './mails.ts'
import { type AdministratorRow, findAdministrator, missingAdministrator } from './queries.ts'

export const administrator = page({
  path: '/settings/administrators/{id}',
  title: sentence`Administrator`,
  section: 'Settings',
  readers: 'owner',
  writers: 'owner',
  params: object({ id: pathId() }),
  missing: missingAdministrator,
  actions: (action) => ({
    'set-role': action(object({ role: adminRole() }), async (call) => {
      const { role } = call.form
      await requireUnlinked(call, call.params.id)
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
      const { email } = await requireUnlinked(call, call.params.id)
      await call.dispatch('admins.create-link', { id: call.params.id, hash, isMailed: isMailed(call) })
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
  async show(call) {
    const found = await requireAdministrator(call, call.params.id)
    return {
      title: found.email,
      lead: html`${formatRole(found.role)}${found.isDisabled && html` <span class="badge bad">${t`disabled`}</span>`}`,
      breadcrumbs: administratorsBreadcrumbs(),
      content: html`${
        found.isLinked
          ? card(t`Role`, linkedFacts(call))
          : card(
              t`Role`,
              form(call, { action: 'set-role', submit: t`Save role` }, (fields) =>
                roleField(fields, found.role),
              ),
            )
      }
${found.isDisabled || found.isLinked || !hasPasswords(call) ? '' : card(t`Password`, passwordForms(call, found))}
${card(t`Access`, accessForms(call, found))}`,
    }
  },
})

async function requireAdministrator(call: Call, id: number): Promise<AdministratorRow> {
  const found = await findAdministrator(call.services.primary, call.provider?.issuer, id)
  if (!found) throw new Refusal('not_found', missingAdministrator)
  return found
}

/** The provider decides the roles of linked administrators, and the next sign-in would undo a change here. */
async function requireUnlinked(call: Call, id: number): Promise<AdministratorRow> {
  const found = await requireAdministrator(call, id)
  if (found.isLinked)
    throw new Refusal('in_use', message`This administrator signs in with ${providerLabel(call)}.`)
  return found
}

const hasPasswords = (call: Call) => call.services.config.signIn.isLocal

function linkedFacts(call: Call): Html {
  return html`<p>${t`They sign in with ${providerLabel(call)}, which decides their role each time.`}</p>`
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
