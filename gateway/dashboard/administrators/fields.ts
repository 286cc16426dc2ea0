// The form fields of an administrator, and the link with which they choose a password.
import { ROLES, type Role } from '../../../shared/administrators/roles.ts'
import { type Html, html } from '../../http/html.ts'
import type { ActionCall, Call, View } from '../kit/page.ts'
import { formatRole } from '../kit/roles.ts'
import { hashSecret } from '../kit/sessions/secrets.ts'
import { type Sentence, sentence, t, tHtml, translate } from '../locales/translate.ts'
import type { Fields } from '../ui/fields.ts'
import { showLink } from '../ui/links.ts'

const EXPLANATIONS: Record<Role, Sentence> = {
  owner: sentence`Everything, administrators included.`,
  administrator: sentence`Everything except managing administrators.`,
  'front-desk': sentence`Creates and changes bookings and events; sees places and people.`,
  reader: sentence`Sees bookings, events, places and people, and changes nothing.`,
}

export const administratorsBreadcrumbs = (): NonNullable<View['breadcrumbs']> => [
  [t`Settings`, '/settings'],
  [t`Administrators`, '/settings/administrators'],
]

/** The name of the provider; empty without single sign-on. */
export const providerLabel = ({ provider }: Call): string => provider?.label ?? ''

export function roleField(fields: Fields, value: Role): Html {
  const options = ROLES.toReversed().map((role) => ({
    value: role,
    label: formatRole(role),
    hint: translate(EXPLANATIONS[role]),
  }))
  return fields.radios({ name: 'role', label: t`Role`, options, value, required: true })
}

/** If mail is set up, links are sent as well as shown. */
export const isMailed = ({ services }: Call): boolean => services.config.mail !== undefined

/** The same secret for the same form, so that a form sent twice creates one link. */
export function createLinkSecret(call: ActionCall): { secret: string; hash: string } {
  const secret = call.deriveSecret('link of an administrator').toString('base64url')
  return { secret, hash: hashSecret(secret).toString('hex') }
}

/**
 * Shown only once: it cannot be derived from what is stored. `validity` is a sentence that says how long the
 * link works.
 */
export function linkView(call: Call, email: string, secret: string, validity: string): View {
  const who = html`<strong>${email}</strong>`
  const address = `${new URL(call.baseUrl).origin}${call.link('/password', { token: secret })}`
  return {
    title: t`Send this link`,
    breadcrumbs: administratorsBreadcrumbs(),
    content: html`<div class="card">
<p>${tHtml`${who} uses this link to choose a password and sign in.`} ${validity}
${isMailed(call) && t`They also get a link by mail. Using one of them disables the other.`}</p>
<div class="notice warn"><p>${t`Copy it now: it is not stored, and nobody can see it again once you have left this page. Anyone with the link can use it, so send it only to them.`}</p></div>
<div class="copied"><code id="link">${address}</code><button type="button" class="button quiet" data-copy="link" hidden>${t`Copy`}</button></div>
<div class="buttons">${showLink(call.link('/settings/administrators'), t`Done`, { class: 'button primary' })}</div></div>`,
  }
}
