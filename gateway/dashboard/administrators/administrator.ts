// Settings: one administrator: their role, a link to a new password, and whether they may sign in at all.
import { adminRole } from '../../../shared/contracts/administrators/admins.ts'
import { formatRole } from '../../../shared/contracts/administrators/roles.ts'
import { object, pathId } from '../../../shared/contracts/fields.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { type Html, html } from '../../http/html.ts'
import { type Call, page } from '../framework/page.ts'
import { card } from '../ui/cards.ts'
import { form } from '../ui/forms.ts'
import { administratorsBreadcrumbs, createLinkSecret, linkView, roleField } from './fields.ts'
import { type AdministratorRow, findAdministrator, missingAdministrator } from './queries.ts'

export const administrator = page({
  path: '/settings/administrators/{id}',
  title: 'Administrator',
  section: 'Settings',
  readers: 'owner',
  writers: 'owner',
  params: object({ id: pathId() }),
  missing: missingAdministrator,
  actions: (action) => ({
    'set-role': action(object({ role: adminRole() }), async (call) => {
      const { role } = call.form
      await call.dispatch('admins.set-role', { id: call.params.id, role })
      const isOwn = call.params.id === call.requireAdmin().id && role !== 'owner'
      return {
        redirectTo: isOwn ? call.link('/settings') : call.linkHere(),
        notice: `The role is ${formatRole(role)} now.`,
      }
    }),
    'create-link': action(object({}), async (call) => {
      const { secret, hash } = createLinkSecret(call)
      const { email } = await requireAdministrator(call, call.params.id)
      await call.dispatch('admins.create-link', { id: call.params.id, hash })
      return { show: linkView(call, email, secret, '24 hours') }
    }),
    disable: action(object({}), async (call) => {
      await call.dispatch('admins.disable', { id: call.params.id })
      return { redirectTo: call.linkHere(), notice: 'Disabled and signed out.' }
    }),
    enable: action(object({}), async (call) => {
      await call.dispatch('admins.enable', { id: call.params.id })
      return { redirectTo: call.linkHere(), notice: 'Enabled again.' }
    }),
  }),
  async show(call) {
    const found = await requireAdministrator(call, call.params.id)
    return {
      title: found.email,
      lead: html`${formatRole(found.role)}${found.isDisabled && html` <span class="badge bad">disabled</span>`}`,
      breadcrumbs: administratorsBreadcrumbs,
      content: html`${card(
        'Role',
        form(call, { action: 'set-role', submit: 'Save role' }, (fields) => roleField(fields, found.role)),
      )}
${found.isDisabled ? '' : card('Password', passwordForms(call))}
${card('Access', accessForms(call, found))}`,
    }
  },
})

async function requireAdministrator(call: Call, id: number): Promise<AdministratorRow> {
  const found = await findAdministrator(call.services.primary, id)
  if (!found) throw new Refusal('not_found', missingAdministrator)
  return found
}

function passwordForms(call: Call): Html {
  return html`<p>Who has forgotten it chooses a new one by a link. The present one works until then; links of before stop
working.</p>${form(call, { action: 'create-link', submit: 'Create link', tone: 'quiet' })}`
}

function accessForms(call: Call, { isDisabled }: AdministratorRow): Html {
  if (isDisabled)
    return html`<p>They cannot sign in. What they have done stays in the audit log.</p>
${form(call, { action: 'enable', submit: 'Enable', tone: 'quiet' })}`
  return html`<p>Who is disabled is signed out at once and cannot sign in. It can be undone.</p>
${form(call, { action: 'disable', submit: 'Disable', tone: 'danger' })}`
}
