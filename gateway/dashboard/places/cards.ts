// Cards that the pages of buildings and locations share below their lists: editing the details, and deleting.
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { mayOpen } from '../kit/roles.ts'
import { sentence, t, translate } from '../locales/translate.ts'
import type { Fields } from '../ui/fields.ts'
import { form } from '../ui/forms.ts'
import { showLink } from '../ui/links.ts'

const DELETIONS = {
  building: { heading: sentence`Delete this building`, link: sentence`Delete building` },
  location: { heading: sentence`Delete this location`, link: sentence`Delete location` },
}

/** The form's action is the page's `update`. The card is open if the form was refused. */
export function detailsCard(
  call: Call,
  { summary, version }: { summary: string; version: string },
  fields: (fields: Fields) => Content,
): Html {
  return html`<section class="card" aria-labelledby="edit"><h2 id="edit">${t`Details`}</h2>
<details${call.refusedForm?.action === 'update' ? html` open` : ''}><summary>${summary}</summary>
<div class="narrow">${form(call, { action: 'update', submit: t`Save changes`, version }, fields)}</div></details></section>`
}

/** Shown to users who may delete. Offers deletion only if it is possible. */
export function deletionCard(
  thing: 'building' | 'location',
  { isEmpty, condition, address }: { isEmpty: boolean; condition: string; address: string },
): Html | null {
  if (!mayOpen(address)) return null
  const { heading, link } = DELETIONS[thing]
  const offer = isEmpty ? showLink(address, translate(link)) : condition
  return html`<section class="card" aria-labelledby="delete"><h2 id="delete">${translate(heading)}</h2>
<p>${offer}</p></section>`
}
