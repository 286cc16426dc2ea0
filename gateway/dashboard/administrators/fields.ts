// What a form says of an administrator, and the link that leads them to their password.
import { formatRole, ROLES, type Role } from '../../../shared/contracts/administrators/roles.ts'
import { type Html, html } from '../../http/html.ts'
import type { ActionCall, Call, View } from '../framework/page.ts'
import { hashSecret } from '../framework/sessions/secrets.ts'
import type { Fields } from '../ui/fields.ts'

const EXPLANATIONS: Record<Role, string> = {
  owner: 'Everything, administrators included.',
  administrator: 'Everything but administrators.',
  'front-desk': 'Creates and changes bookings and events; sees places and people.',
  reader: 'Sees bookings, events, places and people, and changes nothing.',
}

export const administratorsBreadcrumbs: NonNullable<View['breadcrumbs']> = [
  ['Settings', '/settings'],
  ['Administrators', '/settings/administrators'],
]

export function roleField(fields: Fields, value: Role): Html {
  const options = ROLES.toReversed().map((role) => ({
    value: role,
    label: formatRole(role),
    hint: EXPLANATIONS[role],
  }))
  return fields.radios({ name: 'role', label: 'Role', options, value, required: true })
}

/** Where mail is set up, a link is sent as well as shown. */
export const isMailed = ({ services }: Call): boolean => services.config.mail !== undefined

/** The same for the same form: sent twice, it is one link. */
export function createLinkSecret(call: ActionCall): { secret: string; hash: string } {
  const secret = call.deriveSecret('link of an administrator').toString('base64url')
  return { secret, hash: hashSecret(secret).toString('hex') }
}

/** Shown only now: nobody can make it from what is stored. */
export function linkView(call: Call, email: string, secret: string, hours: string): View {
  const address = `${new URL(call.baseUrl).origin}${call.link('/password', { token: secret })}`
  return {
    title: 'Send this link',
    breadcrumbs: administratorsBreadcrumbs,
    content: html`<div class="card">
<p>With it <strong>${email}</strong> chooses a password and is signed in. It works once, within ${hours}.
${isMailed(call) && html`They also get one by mail; whichever is used first, the other stops working.`}</p>
<div class="notice warn"><p>Copy it now: it is not stored, and nobody can see it again once you have left this page. Whoever
has it can use it, so send it to them alone.</p></div>
<div class="copied"><code id="link">${address}</code><button type="button" class="button quiet" data-copy="link" hidden>Copy</button></div>
<div class="buttons"><a class="button primary" href="${call.link('/settings/administrators')}">Done</a></div></div>`,
  }
}
