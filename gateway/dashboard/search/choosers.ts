// Choosing people and places by search: a form that changes only the page's address, and what it finds, each with a
// link that chooses it. Works without scripts.
import { BOOKABLE_STATUSES } from '../../../shared/contracts/bookables.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import { formatBookableType } from '../ui/bookables.ts'
import { searchForm } from '../ui/forms.ts'
import { type Column, table } from '../ui/tables.ts'
import { type BookableChoice, CHOICES_MAX, type UserChoice } from './choices.ts'

type Chooser<Choice> = {
  /** The name of the search's field in the address. */
  name: string
  label: string
  hint?: string
  /** What was searched for; undefined where nothing was. */
  search: string | undefined
  found: Choice[]
  /** The link's text. */
  linkText: string
  /** The address at which it is chosen; undefined where it is already. */
  addressOf(choice: Choice): string | undefined
}

export function userChooser(call: Call, chooser: Chooser<UserChoice>): Html {
  const columns: Column<UserChoice>[] = [
    { label: 'Name', isHead: true, show: ({ name }) => name },
    { label: 'E-mail', show: ({ email }) => email },
  ]
  return showChooser(call, chooser, columns, 'No active people found.')
}

export function bookableChooser(call: Call, chooser: Chooser<BookableChoice>): Html {
  const columns: Column<BookableChoice>[] = [
    { label: 'Name', isHead: true, show: (choice) => html`${choice.name} ${showExceptionalStatus(choice)}` },
    { label: 'Type', show: ({ type }) => formatBookableType(type) },
    { label: 'Location', show: ({ location, building }) => `${location}, ${building}` },
  ]
  return showChooser(call, chooser, columns, 'No matches.')
}

export function showExceptionalStatus({
  status,
  isDeleted,
}: Pick<BookableChoice, 'status' | 'isDeleted'>): Content {
  if (isDeleted) return html`<span class="badge bad">deleted</span>`
  if (status === BOOKABLE_STATUSES.blocked) return html`<span class="badge warn">blocked</span>`
  return status === BOOKABLE_STATUSES.assigned && html`<span class="badge accent">assigned</span>`
}

function showChooser<Choice extends { name: string }>(
  call: Call,
  { name, label, hint, search, found, linkText, addressOf }: Chooser<Choice>,
  columns: Column<Choice>[],
  empty: string,
): Html {
  const pick: Column<Choice> = {
    label: 'Choose',
    isTools: true,
    show(choice) {
      const address = addressOf(choice)
      if (address === undefined) return html`<span class="soft">chosen</span>`
      return html`<a href="${address}" aria-label="${linkText} ${choice.name}">${linkText}</a>`
    },
  }
  const box = searchForm(call, 'Search', (fields) =>
    fields.text({ name, label, hint, type: 'search', value: search, required: true, maxlength: 255 }),
  )
  if (search === undefined) return box
  return html`${box}<div class="found">${table('Results', [...columns, pick], found.slice(0, CHOICES_MAX), empty)}
${found.length > CHOICES_MAX && html`<p class="soft">There are more matches. Add another word to narrow them down.</p>`}</div>`
}
