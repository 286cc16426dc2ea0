// Shows bookables: their types and states in words, and form fields for types and states.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES, TAGS_MAX } from '../../../../shared/bookables/bookables.ts'
import { text } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import type { Call } from '../page/page.ts'
import { formatDate, formatDayAndTime } from '../time/instants.ts'
import { type Option, oneOfChoices } from './fields.ts'
import { showLinkOrText } from './parts.ts'

const TYPE_NAMES: Record<number, Sentence> = {
  [BOOKABLE_TYPES.desk]: sentence`Desk`,
  [BOOKABLE_TYPES.parkingSpot]: sentence`Parking spot`,
  [BOOKABLE_TYPES.meetingRoom]: sentence`Meeting room`,
  [BOOKABLE_TYPES.homeOffice]: sentence`Home office`,
}
const STATUS_WORDS: Record<number, { label: Sentence; badge: Sentence; tone: string }> = {
  [BOOKABLE_STATUSES.flexible]: { label: sentence`Flexible`, badge: sentence`flexible`, tone: 'good' },
  [BOOKABLE_STATUSES.blocked]: { label: sentence`Blocked`, badge: sentence`blocked`, tone: 'warn' },
  [BOOKABLE_STATUSES.assigned]: { label: sentence`Assigned`, badge: sentence`assigned`, tone: 'accent' },
}

const ANY_OF_TYPE: Record<number, Sentence> = {
  [BOOKABLE_TYPES.desk]: sentence`Any desk`,
  [BOOKABLE_TYPES.parkingSpot]: sentence`Any parking spot`,
  [BOOKABLE_TYPES.meetingRoom]: sentence`Any room`,
}

/** Returns the words for “any place of a type”, which a waitlist entry may be for. */
export const formatAnyOfType = (type: number): string => translate(ANY_OF_TYPE[type] ?? sentence`Any desk`)

export const formatBookableType = (type: number): string =>
  translate(TYPE_NAMES[type] ?? sentence`Desk or room`)

export function showBookableStatus(status: number): Html {
  const known = STATUS_WORDS[status]
  return html`<span class="badge ${known?.tone ?? ''}">${known && translate(known.badge)}</span>`
}

export type ClosedNow = { to: string; reason: string }

export const showClosedNow = ({ to, reason }: ClosedNow, zone: string): Html =>
  html`<span class="badge warn">${t`closed`}</span> <small>${t`until ${formatDayAndTime(to, zone)}: ${reason}`}</small>`

/** Shows until when the owner lends an assigned bookable. */
export const showLentUntil = (lentUntil: string | null): Content =>
  lentUntil !== null &&
  html` <span class="badge good">${t`lent until ${formatDate(lentUntil, 'weekday')}`}</span>`

// The option has getters, because the language is known only when the option is shown.
function createOption(value: number, label: Sentence | undefined, hint?: Sentence): Option {
  return {
    value,
    get label() {
      return label ? translate(label) : ''
    },
    get hint() {
      return hint && translate(hint)
    },
  }
}
const createStatusOption = (status: number, hint?: Sentence) =>
  createOption(status, STATUS_WORDS[status]?.label, hint)

export const TYPE_OPTIONS = Object.values(BOOKABLE_TYPES).map((type) => createOption(type, TYPE_NAMES[type]))
/** An additional choice of searches, next to the statuses: bookables that a rule closes at the moment. */
export const CLOSED_NOW_FILTER = 3
export const STATUS_FILTERS = [
  ...Object.values(BOOKABLE_STATUSES).map((status) => createStatusOption(status)),
  createOption(CLOSED_NOW_FILTER, sentence`Closed now`),
]

/** The statuses that a form sets. Assigning a bookable has a separate page. */
export const STATUS_OPTIONS = [
  createStatusOption(BOOKABLE_STATUSES.flexible, sentence`Anyone can book it.`),
  createStatusOption(BOOKABLE_STATUSES.blocked, sentence`Nobody can book it. Existing bookings stay.`),
]

/** A field for one of these numbers. A form or a query sends the number as text. */
export function numberChoice<Value extends number>(values: readonly Value[]) {
  return oneOfChoices(values).transform((_value: unknown, original: unknown) =>
    typeof original === 'string' && /^\d{1,3}$/.test(original) ? Number(original) : original,
  )
}

export const typeChoice = () => numberChoice(Object.values(BOOKABLE_TYPES))
export const statusFilter = () => numberChoice([...Object.values(BOOKABLE_STATUSES), CLOSED_NOW_FILTER])

/** A field with tags, separated by commas. */
export const tagsText = () => text({ max: TAGS_MAX * 256 })

export function splitTags(tags: string | undefined): string[] {
  return (tags ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean)
}

/** Shows names in a box that scrolls, because there may be too many names for the page. */
export function showNames(names: readonly string[]): Html {
  return html`<span class="names" role="region" aria-label="${t`Names`}" tabindex="0">${names.map((name) => html`<span class="badge">${name}</span> `)}</span>`
}

/**
 * Formats a place for a sentence: `Desk 7 (3rd floor, Harbour House)`. Several buildings may have desks with the same
 * name.
 */
export const formatPlace = (place: { bookable: string; location: string; building: string }): string =>
  `${place.bookable} (${place.location}, ${place.building})`

/** Links to the page of a bookable. Deleted bookables have no page. */
export function showBookableLink(
  call: Call,
  { bookableId, bookable, isDeleted }: { bookableId: number; bookable: string; isDeleted: boolean },
): Content {
  if (isDeleted) return html`${bookable} <span class="badge">${t`deleted`}</span>`
  return showLinkOrText(call.link(`/places/bookables/${bookableId}`), bookable)
}
