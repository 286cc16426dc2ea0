// The fields that several searches and forms have, and choosing people by search: a form that changes only the page's
// address, and the people found, each with a link that chooses them. Works without scripts.
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { TYPE_OPTIONS } from '../ui/bookables.ts'
import type { Fields, Option } from '../ui/fields.ts'
import { searchForm } from '../ui/forms.ts'
import { showLink } from '../ui/links.ts'
import { type Column, table } from '../ui/tables.ts'
import { type BookableChoice, CHOICES_MAX, type UserChoice } from './choices.ts'

type Named = { id: number; name: string }
type Value = string | number | null | undefined

export const optionsOf = (things: readonly Named[]): Option[] =>
  things.map(({ id, name }) => ({ value: id, label: name }))

// Home offices are never full, and come last.
export const EXCLUSIVE_TYPES = TYPE_OPTIONS.slice(0, -1)

/** A choice that may be left open. */
export function anyOf(
  fields: Fields,
  field: { name: string; label: string; value: Value; options: Option[]; any?: string },
): Html {
  const { any = t`Any`, options, ...rest } = field
  return fields.select({ ...rest, options: [{ value: '', label: any }, ...options] })
}

export const buildingFilter = (fields: Fields, buildings: readonly Named[], value: Value, any?: string) =>
  anyOf(fields, { name: 'building', label: t`Building`, value, options: optionsOf(buildings), any })

export const floorFilter = (fields: Fields, floors: readonly Named[], value: Value) =>
  anyOf(fields, { name: 'location', label: t`Floor`, value, options: optionsOf(floors) })

export const typeFilter = (fields: Fields, value: Value, options = TYPE_OPTIONS) =>
  anyOf(fields, { name: 'type', label: t`Type`, value, options })

export const tagsFilter = (fields: Fields, value: Value) =>
  fields.text({ name: 'tags', label: t`Tags`, value, placeholder: t`window, quiet`, maxlength: 1_000 })

export const wordsFilter = (
  fields: Fields,
  name: string,
  label: string,
  value: Value,
  placeholder?: string,
) => fields.text({ name, label, type: 'search', value, placeholder, maxlength: 255 })

type LocalTime = { name: string; label: string; value?: Value; hint?: string; entered?: Value }

/** A day and a time on the clocks of a place. */
export const localTimeField = (
  fields: Fields,
  field: LocalTime & { required?: boolean; emptyWhen?: string },
) => fields.text({ type: 'datetime-local', required: true, ...field })

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
