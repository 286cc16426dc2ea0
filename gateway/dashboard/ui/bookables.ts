// Bookables in words: what they are, the state that they have, and the fields of forms that ask for either.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/contracts/bookables.ts'
import { choice } from '../../../shared/contracts/fields.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import type { Option } from './fields.ts'

const TYPE_WORDS: Record<number, string> = {
  [BOOKABLE_TYPES.desk]: 'Desk',
  [BOOKABLE_TYPES.parkingSpot]: 'Parking spot',
  [BOOKABLE_TYPES.meetingRoom]: 'Meeting room',
  [BOOKABLE_TYPES.homeOffice]: 'Home office',
}
const STATUS_WORDS: Record<number, [word: string, tone: string]> = {
  [BOOKABLE_STATUSES.flexible]: ['flexible', 'good'],
  [BOOKABLE_STATUSES.blocked]: ['blocked', 'warn'],
  [BOOKABLE_STATUSES.assigned]: ['assigned', 'accent'],
}

export const formatBookableType = (type: number): string => TYPE_WORDS[type] ?? 'Bookable'

export function showBookableStatus(status: number): Html {
  const [word, tone] = STATUS_WORDS[status] ?? ['', '']
  return html`<span class="badge ${tone}">${word}</span>`
}

export const TYPE_OPTIONS: Option[] = Object.values(BOOKABLE_TYPES).map((value) => ({
  value,
  label: formatBookableType(value),
}))

export const STATUS_OPTIONS: Option[] = [
  { value: BOOKABLE_STATUSES.flexible, label: 'Flexible', hint: 'Anyone can book it.' },
  { value: BOOKABLE_STATUSES.blocked, label: 'Blocked', hint: 'Nobody can book it. Existing bookings stay.' },
]

/** One of these numbers, as a form or a query writes it. */
export function numberChoice<Value extends number>(values: readonly Value[]) {
  return choice(values, (name) => `${name} must be one of the choices.`).transform(
    (_value: unknown, original: unknown) =>
      typeof original === 'string' && /^\d{1,3}$/.test(original) ? Number(original) : original,
  )
}

export const typeChoice = () => numberChoice(Object.values(BOOKABLE_TYPES))
export const statusChoice = () => numberChoice(Object.values(BOOKABLE_STATUSES))

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
