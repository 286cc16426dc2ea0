// Bookables in words: what they are, the state that they have, and the fields of forms that ask for either.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES, TAGS_MAX } from '../../../shared/contracts/bookables.ts'
import { choice, text } from '../../../shared/contracts/fields.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import type { Option } from './fields.ts'

const TYPES: Record<number, string> = {
  [BOOKABLE_TYPES.desk]: 'Desk',
  [BOOKABLE_TYPES.parkingSpot]: 'Parking spot',
  [BOOKABLE_TYPES.meetingRoom]: 'Meeting room',
  [BOOKABLE_TYPES.homeOffice]: 'Home office',
}
const STATUSES: Record<number, { label: string; tone: string }> = {
  [BOOKABLE_STATUSES.flexible]: { label: 'Flexible', tone: 'good' },
  [BOOKABLE_STATUSES.blocked]: { label: 'Blocked', tone: 'warn' },
  [BOOKABLE_STATUSES.assigned]: { label: 'Assigned', tone: 'accent' },
}

export const formatBookableType = (type: number): string => TYPES[type] ?? 'Bookable'

export function showBookableStatus(status: number): Html {
  const { label, tone } = STATUSES[status] ?? { label: '', tone: '' }
  return html`<span class="badge ${tone}">${label.toLowerCase()}</span>`
}

export const TYPE_OPTIONS: Option[] = Object.values(BOOKABLE_TYPES).map((value) => ({
  value,
  label: formatBookableType(value),
}))

const statusOption = (value: number, hint?: string): Option => ({
  value,
  label: STATUSES[value]?.label ?? '',
  ...(hint === undefined ? {} : { hint }),
})

/** Those that a form sets: a bookable is assigned on a page of its own. */
export const STATUS_OPTIONS: Option[] = [
  statusOption(BOOKABLE_STATUSES.flexible, 'Anyone can book it.'),
  statusOption(BOOKABLE_STATUSES.blocked, 'Nobody can book it. Existing bookings stay.'),
]
export const STATUS_FILTERS: Option[] = Object.values(BOOKABLE_STATUSES).map((value) => statusOption(value))

/** One of these numbers, as a form or a query writes it. */
export function numberChoice<Value extends number>(values: readonly Value[]) {
  return choice(values, (name) => `${name} must be one of the choices.`).transform(
    (_value: unknown, original: unknown) =>
      typeof original === 'string' && /^\d{1,3}$/.test(original) ? Number(original) : original,
  )
}

export const typeChoice = () => numberChoice(Object.values(BOOKABLE_TYPES))
export const statusChoice = () => numberChoice(Object.values(BOOKABLE_STATUSES))

/** Tags in one field of a form, with commas between them. */
export const tagsText = () => text({ max: TAGS_MAX * 256 })

export function splitTags(tags: string | undefined): string[] {
  return (tags ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean)
}

/** Many names in a box that scrolls, where there are too many for the page. */
export function showNames(names: readonly string[]): Html {
  return html`<span class="names" role="region" aria-label="Names" tabindex="0">${names.map((name) => html`<span class="badge">${name}</span> `)}</span>`
}

/** What is deleted has no page any more. */
export function showBookableLink(
  call: Call,
  { bookableId, bookable, isDeleted }: { bookableId: number; bookable: string; isDeleted: boolean },
): Content {
  if (isDeleted) return html`${bookable} <span class="badge">deleted</span>`
  return html`<a href="${call.link(`/places/bookables/${bookableId}`)}">${bookable}</a>`
}
