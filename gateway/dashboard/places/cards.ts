// Cards that the pages of buildings, locations and bookables share: editing the details, and deleting.
import { attributes, type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { mayOpen } from '../kit/roles.ts'
import { t } from '../locales/translate.ts'
import type { Fields } from '../ui/fields.ts'
import { form } from '../ui/forms.ts'
import { card } from '../ui/parts.ts'

/** The form's action is the page's `update`. The card is open if the form was refused. */
export function detailsCard(
  call: Call,
  { summary, values }: { summary: string; values: object & { version: string } },
  fields: (fields: Fields) => Content,
): Html {
  const open = attributes({ open: call.refusedForm?.action === 'update' })
  const own = form(
    call,
    { action: 'update', submit: t`Save changes`, version: values.version, values },
    fields,
  )
  const content = html`<details${open}><summary>${summary}</summary>
<div class="narrow">${own}</div></details>`
  return card(t`Details`, content, 'edit')
}

/** Hidden from viewers who may not open the page that deletes, at this address. */
export function deletionCard(title: string, address: string, content: Content): Html | false {
  return mayOpen(address) && card(title, html`<p>${content}</p>`, 'delete')
}
