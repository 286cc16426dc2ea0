// Choosing people by search: a form that changes only the page's address, and the people found, each with a
// link that chooses them. Works without scripts.
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { searchForm } from '../ui/forms.ts'
import { showLink } from '../ui/links.ts'
import { type Column, table } from '../ui/tables.ts'
import { type BookableChoice, CHOICES_MAX, type UserChoice } from './choices.ts'

type Chooser = {
  /** The name of the search field in the address. */
  name: string
  label: string
  hint?: string
  /** The words that were searched for; undefined without a search. */
  search: string | undefined
  found: UserChoice[]
  /** The link's text. */
  linkText: string
  /** The address that chooses the person; undefined if they are already chosen. */
  addressOf(choice: UserChoice): string | undefined
}

export function userChooser(
  call: Call,
  { name, label, hint, search, found, linkText, addressOf }: Chooser,
): Html {
  const columns: Column<UserChoice>[] = [
    { label: t`Name`, isHead: true, show: ({ name }) => name },
    { label: t`E-mail`, show: ({ email }) => email },
    {
      label: t`Choose`,
      isTools: true,
      show(choice) {
        const address = addressOf(choice)
        if (address === undefined) return html`<span class="soft">${t`chosen`}</span>`
        return showLink(address, linkText, { 'aria-label': `${linkText} ${choice.name}` })
      },
    },
  ]
  const box = searchForm(call, t`Search`, (fields) =>
    fields.text({ name, label, hint, type: 'search', value: search, required: true, maxlength: 255 }),
  )
  if (search === undefined) return box
  return html`${box}<div class="found">${table(t`Results`, columns, found.slice(0, CHOICES_MAX), t`No active people found.`)}
${found.length > CHOICES_MAX && html`<p class="soft">${t`There are more matches. Add another word to narrow them down.`}</p>`}</div>`
}

export function showExceptionalStatus({
  status,
  isDeleted,
}: Pick<BookableChoice, 'status' | 'isDeleted'>): Content {
  if (isDeleted) return html`<span class="badge bad">${t`deleted`}</span>`
  if (status === BOOKABLE_STATUSES.blocked) return html`<span class="badge warn">${t`blocked`}</span>`
  return status === BOOKABLE_STATUSES.assigned && html`<span class="badge accent">${t`assigned`}</span>`
}
