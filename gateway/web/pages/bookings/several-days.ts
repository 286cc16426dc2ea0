// The shared fields of booking forms. Also creates bookings on several days at once: repeated days as a
// series, listed days as a batch.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import type { InputOf } from '../../../../shared/jobs/jobs.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { isBookingRule } from '../../../../shared/messages/refusal-kinds.ts'
import { list, object, queryFlag, required, text } from '../../../../shared/schemas/fields.ts'
import {
  formatLocalDate,
  formatLocalDateTime,
  parseLocalDateTime,
} from '../../../../shared/schemas/wall-clock.ts'
import { findOccurrences } from '../../../../shared/series/occurrences.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { plural, type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import type { ActionCall } from '../page/page.ts'
import { typedEmail } from '../page/typed-email.ts'
import type { VehicleChoice } from '../search/choices.ts'
import { localDate, localDateTime } from '../time/fields.ts'
import { addDaysToDate, formatDate, formatWeekday } from '../time/instants.ts'
import { choices, type Fields, oneOfChoices } from '../ui/fields.ts'
import { formatFirstItems } from '../ui/parts.ts'
import { NOT_POSSIBLE, REFUSAL_WORDS } from './rule-words.ts'

const DAY_MS = 24 * 3_600_000
const BATCH_DAYS_MAX = 60
const NAMED_SKIPPED_DAYS_MAX = 8
const WORKDAYS = [1, 2, 3, 4, 5]

type RepeatInput = InputOf<'series.create'>['repeat']

const REPEAT_RULES = {
  day: { every: 'day' },
  workday: { every: 'week', on: WORKDAYS },
  week: { every: 'week' },
  fortnight: { every: 'week', interval: 2 },
} as const
export const REPEAT_CHOICES = choices(
  ['day', sentence`Every day`],
  ['workday', sentence`Monday to Friday`],
  ['week', sentence`Every week`],
  ['fortnight', sentence`Every two weeks`],
)

const WEEKDAYS = ['1', '2', '3', '4', '5', '6', '7'] as const

export const severalDaysFields = {
  repeat: REPEAT_CHOICES.rule(),
  /** The weekdays of a weekly repeat, from 1 (Monday) to 7 (Sunday). */
  repeat_on: list(required(oneOfChoices(WEEKDAYS)), { max: WEEKDAYS.length, isDistinct: true }),
  /** Whether the weekdays repeat every second week only. */
  fortnightly: queryFlag(),
  repeat_until: localDate(),
  more_days: text({ max: 1_000 }),
  skips: queryFlag(),
}

const severalDaysForm = object(severalDaysFields)
type SeveralDaysForm = typeof severalDaysForm.__outputType
type BookingInput = InputOf<'bookings.create'>
/** A day that could not be booked, with the reason. */
export type SkippedDay = { date: string; code: string | undefined }
type TimeSpan = { from: string; to: string }
type CreatedBookings = { ids: number[]; leftOut: SkippedDay[] }

export const isForSeveralDays = (typed: SeveralDaysForm): boolean =>
  isRepeated(typed) || typed.more_days !== undefined

const isRepeated = ({ repeat, repeat_on }: SeveralDaysForm) =>
  repeat !== undefined || (repeat_on ?? []).length > 0

/** Creates bookings on several days. The first booking begins at the given time, and the others begin at the
 * same local time in the building. */
export async function createBookingsOnSeveralDays(
  call: ActionCall,
  typed: SeveralDaysForm,
  { overrides_rules, ...booking }: BookingInput,
  zone: string,
): Promise<CreatedBookings> {
  if (overrides_rules) {
    throw invalidFields({ overrides_rules: [message`Rules can be overridden only for a single booking.`] })
  }
  const { more_days, skips } = typed
  const repeat = parseRepeat(typed)
  if (repeat === undefined)
    return createBatch(call, parseDays(more_days, booking, call.now, zone), booking, zone, skips)
  const on_conflict = skips ? 'skip' : 'refuse'
  const { data } = await call.dispatch('series.create', { ...booking, repeat, on_conflict })
  return { ids: data.created.map(({ id }) => id), leftOut: skippedDays(data, zone) }
}

/** Returns how the bookings or meetings repeat, or undefined if the form does not repeat them. */
export function parseRepeat(typed: SeveralDaysForm): RepeatInput | undefined {
  if (!isRepeated(typed)) return undefined
  const { repeat, repeat_on = [], fortnightly, repeat_until, more_days } = typed
  if (more_days !== undefined)
    throw invalidFields({ more_days: [message`Choose a repeat or list single days, but not both.`] })
  if (repeat_until === undefined) throw invalidFields({ repeat_until: [message`Enter the last day.`] })
  if (repeat !== undefined) return { ...REPEAT_RULES[repeat], until: repeat_until } as RepeatInput
  const on = repeat_on.map(Number).sort()
  return { every: 'week', on, until: repeat_until, ...(fortnightly && { interval: 2 }) }
}

export const skippedDays = (
  { skipped }: { skipped: Array<{ from: string; code: string }> },
  zone: string,
): SkippedDay[] => skipped.map(({ from, code }) => ({ date: formatLocalDate(from, zone), code }))

/** Returns the time spans of the bookings on these days. */
export function listSpans(
  typed: SeveralDaysForm,
  booking: BookingInput,
  now: string,
  zone: string,
): TimeSpan[] {
  const first = findSpan(booking, now)
  const repeat = parseRepeat(typed)
  if (repeat) return findOccurrences(first, zone, repeat)
  const days = parseDays(typed.more_days, booking, now, zone)
  return [first, ...days.map((day) => findSpan(moveToDay(booking, day, now, zone), now))]
}

const findSpan = ({ from_time, to_time }: BookingInput, now: string): TimeSpan => ({
  from: from_time ?? now,
  to: to_time,
})

export function describeCreatedBookings(
  { ids, leftOut }: CreatedBookings,
  bookable: string,
  user: string,
): string {
  const created = plural(
    ids.length,
    '# booking of {0} created for {1}.',
    '# bookings of {0} created for {1}.',
    bookable,
    user,
  )
  return `${created}${describeSkippedDays(leftOut)}`
}

const SKIP_REASONS: Partial<Record<string, Sentence>> = {
  bookable_assigned: sentence`taken`,
  bookable_blocked: sentence`blocked`,
  booking_conflict: sentence`taken`,
}
const describeSkipReason = (code: string) =>
  isBookingRule(code) ? REFUSAL_WORDS[code].skipped : (SKIP_REASONS[code] ?? NOT_POSSIBLE)

/**
 * Returns a text such as “ Skipped: Sat 12 Dec, Sun 13 Dec (closed); Tue 15 Dec (taken).” The text is empty if no day
 * was skipped.
 */
export const describeSkippedDays = (leftOut: SkippedDay[]): string =>
  leftOut.length === 0 ? '' : ` ${t`Skipped: ${formatSkippedDays(leftOut)}.`}`

/** Formats days with the reason why they are skipped, such as “Sat 12 Dec (closed); Tue 15 Dec (taken)”. */
export function formatSkippedDays(leftOut: SkippedDay[]): string {
  const reasons = leftOut.map(({ code = '' }) => describeSkipReason(code))
  const parts = [...new Set(reasons)].map((reason) => {
    const days = leftOut.filter((_each, index) => reasons[index] === reason)
    const named = formatFirstItems(
      days.map(({ date }) => formatDate(date, 'weekday')),
      NAMED_SKIPPED_DAYS_MAX,
    )
    return `${named} (${translate(reason)})`
  })
  return parts.join('; ')
}

/** Shows the weekdays of a weekly repeat as chips, and until when it repeats. */
export const showWeekdays = (fields: Fields, values: readonly string[] = []): Html =>
  html`${fields.checkboxes('repeat_on', t`Every week on`, {
    options: WEEKDAYS.map((value) => ({ value, label: formatWeekday(Number(value), 'short') })),
    values,
    areChips: true,
  })}
${fields.text('repeat_until', t`Until`, { emptyWhen: t`required to repeat`, type: 'date' })}
${fields.checkbox('fortnightly', t`Only every second week`)}`

export function showSeveralDays(fields: Fields): Html {
  const names = Object.keys(severalDaysFields)
  const inside = [
    fields.select('repeat', t`Repeat`, { any: t`Once`, options: REPEAT_CHOICES.options() }),
    fields.text('repeat_until', t`Last day`, { emptyWhen: t`required to repeat`, type: 'date' }),
    fields.text('more_days', t`Other days`, {
      hint: t`Single days instead of a repeat, such as 2026-11-25, 2026-11-27.`,
    }),
    fields.checkbox('skips', t`Skip days when it is not available`, {
      hint: t`Otherwise, if any day is taken, nothing is booked.`,
    }),
  ]
  return html`<details class="more-fields"${fields.isFilled(...names) && html` open`}><summary>${t`Several days`}</summary>${inside}</details>`
}

async function createBatch(
  call: ActionCall,
  days: string[],
  booking: BookingInput,
  zone: string,
  skips = false,
) {
  const bookings = [booking, ...days.map((day) => moveToDay(booking, day, call.now, zone))]
  const { data } = await call.dispatch('bookings.create-batch', { bookings, atomic: !skips, needs_one: true })
  const created = data.flatMap(({ booking }) => (booking ? [booking.id] : []))
  const leftOut = data.flatMap(({ booking, code }, index) => {
    const from = bookings[index]?.from_time ?? call.now
    return booking ? [] : [{ date: formatLocalDate(from, zone), code }]
  })
  return { ids: created, leftOut }
}

function parseDays(
  typed: string | undefined,
  { from_time }: BookingInput,
  now: string,
  zone: string,
): string[] {
  const first = formatLocalDate(from_time ?? now, zone)
  const days = (typed ?? '').split(/[\s,;]+/).filter(Boolean)
  const wrong = days.find((day) => !localDate().isValidSync(day))
  if (wrong !== undefined)
    throw invalidFields({ more_days: [message`“${wrong}” is not a date, such as 2026-11-25.`] })
  const others = [...new Set(days)].filter((day) => day !== first).sort()
  if (others.length > BATCH_DAYS_MAX)
    throw invalidFields({ more_days: [message`At most ${BATCH_DAYS_MAX} days at once.`] })
  return others
}

function moveToDay(booking: BookingInput, day: string, now: string, zone: string): BookingInput {
  const from = booking.from_time ?? now
  const dayOffset = (Date.parse(day) - Date.parse(formatLocalDate(from, zone))) / DAY_MS
  const shift = (instant: string) => {
    const [date = '', time = ''] = formatLocalDateTime(instant, zone).split('T')
    return parseLocalDateTime(`${addDaysToDate(date, dayOffset)}T${time}`, zone, 'more_days')
  }
  return { ...booking, from_time: shift(from), to_time: shift(booking.to_time) }
}

const NO_VEHICLE = 'none'

export const timeFields = { from_time: localDateTime(), to_time: localDateTime() }
export const openEndedField = { is_open: queryFlag() }
export const guestFields = {
  guest_name: text({ max: 255 }),
  guest_email: typedEmail(),
  booking_info: text({ max: 1000 }),
}
export const vehicleField = {
  user_vehicle_id: text({ max: 20 }).matches(/^(none|\d{1,16})$/, () => message`Choose one of the vehicles.`),
}

export function parseVehicle(typed: string | undefined): number | null | undefined {
  if (typed === undefined) return undefined
  return typed === NO_VEHICLE ? null : Number(typed)
}

export function showVehicleField(
  fields: Fields,
  spot: { type: number; requiresVehicle: boolean },
  vehicles: VehicleChoice[],
  present?: number | null,
): Content {
  if (spot.type !== BOOKABLE_TYPES.parkingSpot) return null
  const none = { value: NO_VEHICLE, label: t`No vehicle` }
  const own = vehicles.map(({ id, plate }) => ({ value: id, label: plate }))
  const options = spot.requiresVehicle && own.length > 0 ? own : [none, ...own]
  return fields.select('user_vehicle_id', t`Vehicle`, {
    required: spot.requiresVehicle,
    hint: own.length === 0 ? t`This person has no vehicles. Add one on their page.` : undefined,
    options,
    value: present ?? options[0]?.value,
  })
}

export function showGuestFields(fields: Fields): Content {
  return [
    fields.text('guest_name', t`Guest name`, { hint: t`Only if the booking is for a guest.` }),
    fields.text('guest_email', t`Guest e-mail`, { type: 'email' }),
    fields.text('booking_info', t`Purpose`),
  ]
}
