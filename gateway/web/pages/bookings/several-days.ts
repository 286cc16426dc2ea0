// The fields that booking forms share, and creating bookings for several days at once: repeated days as a series,
// listed days as a batch.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { findOccurrences } from '../../../../shared/bookings/occurrences.ts'
import type { InputOf } from '../../../../shared/jobs/jobs.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalid } from '../../../../shared/messages/refusal.ts'
import { isRule } from '../../../../shared/messages/refusal-kinds.ts'
import { object, queryFlag, text } from '../../../../shared/schemas/fields.ts'
import {
  formatLocalDate,
  formatLocalDateTime,
  parseLocalDateTime,
} from '../../../../shared/schemas/wall-clock.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { plural, type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import type { ActionCall } from '../page/page.ts'
import { typedEmail } from '../page/typed-email.ts'
import type { VehicleChoice } from '../search/choices.ts'
import { localDate, localDateTime } from '../time/fields.ts'
import { addDaysToDate, formatDate } from '../time/instants.ts'
import { choices, type Fields } from '../ui/fields.ts'
import { formatFirst } from '../ui/parts.ts'
import { NOT_POSSIBLE, REFUSAL_WORDS } from './rule-words.ts'

const DAY_MS = 24 * 3_600_000
const DAYS_MAX = 60
const LEFT_OUT_NAMED = 8
const WORKDAYS = [1, 2, 3, 4, 5]

type Repeat = InputOf<'series.create'>['repeat']

const REPEATS = {
  day: { every: 'day' },
  workday: { every: 'week', on: WORKDAYS },
  week: { every: 'week' },
  fortnight: { every: 'week', interval: 2 },
} as const
export const REPEAT = choices(
  ['day', sentence`Every day`],
  ['workday', sentence`Monday to Friday`],
  ['week', sentence`Every week`],
  ['fortnight', sentence`Every two weeks`],
)

export const severalDaysFields = {
  repeat: REPEAT.rule(),
  repeat_until: localDate(),
  more_days: text({ max: 1_000 }),
  skips: queryFlag(),
}

const form = object(severalDaysFields)
type Typed = typeof form.__outputType
type Booking = InputOf<'bookings.create'>
/** A day on which it could not be booked, and why. */
export type LeftOut = { date: string; code: string | undefined }
type Span = { from: string; to: string }
type Created = { ids: number[]; leftOut: LeftOut[] }

export function isForSeveralDays({ repeat, more_days }: Typed): boolean {
  return repeat !== undefined || more_days !== undefined
}

/** The first booking begins at the given time, the others at the same local time in the building. */
export async function createOnSeveralDays(
  call: ActionCall,
  typed: Typed,
  { overrides_rules, ...booking }: Booking,
  zone: string,
): Promise<Created> {
  if (overrides_rules) {
    throw invalid({ overrides_rules: [message`Rules are overridden for a single booking only.`] })
  }
  const { repeat, repeat_until, more_days, skips } = typed
  if (repeat === undefined)
    return createBatch(call, daysOf(more_days, booking, call.now, zone), booking, zone, skips)
  if (more_days !== undefined)
    throw invalid({ more_days: [message`Choose a repeat or list days, not both.`] })
  if (repeat_until === undefined) throw invalid({ repeat_until: [message`Enter the last day.`] })
  const { data } = await call.dispatch('series.create', {
    ...booking,
    repeat: { ...REPEATS[repeat], until: repeat_until } as Repeat,
    on_conflict: skips ? 'skip' : 'refuse',
  })
  return {
    ids: data.created.map(({ id }) => id),
    leftOut: data.skipped.map(({ from, code }) => ({ date: formatLocalDate(from, zone), code })),
  }
}

/** When the bookings of these days would be. */
export function listSpans(typed: Typed, booking: Booking, now: string, zone: string): Span[] {
  const { repeat, repeat_until, more_days } = typed
  const first = spanOf(booking, now)
  if (repeat !== undefined && repeat_until !== undefined)
    return findOccurrences(first, zone, { ...REPEATS[repeat], until: repeat_until } as Repeat)
  const days = daysOf(more_days, booking, now, zone)
  return [first, ...days.map((day) => spanOf(moveToDay(booking, day, now, zone), now))]
}

const spanOf = ({ from_time, to_time }: Booking, now: string): Span => ({
  from: from_time ?? now,
  to: to_time,
})

export function describeCreated({ ids, leftOut }: Created, bookable: string, user: string): string {
  const created = plural(
    ids.length,
    '# booking of {0} created for {1}.',
    '# bookings of {0} created for {1}.',
    bookable,
    user,
  )
  return `${created}${describeLeftOut(leftOut)}`
}

const REASONS: Partial<Record<string, Sentence>> = {
  bookable_assigned: sentence`taken`,
  bookable_blocked: sentence`blocked`,
  booking_conflict: sentence`taken`,
}
const reasonOf = (code: string) =>
  isRule(code) ? REFUSAL_WORDS[code].skipped : (REASONS[code] ?? NOT_POSSIBLE)

/** “ Skipped: Sat 12 Dec, Sun 13 Dec (closed); Tue 15 Dec (taken).” Empty if there are none. */
export function describeLeftOut(leftOut: LeftOut[]): string {
  const reasons = leftOut.map(({ code = '' }) => reasonOf(code))
  const parts = [...new Set(reasons)].map((reason) => {
    const days = leftOut.filter((_each, index) => reasons[index] === reason)
    const named = formatFirst(
      days.map(({ date }) => formatDate(date, 'weekday')),
      LEFT_OUT_NAMED,
    )
    return `${named} (${translate(reason)})`
  })
  return parts.length === 0 ? '' : ` ${t`Skipped: ${parts.join('; ')}.`}`
}

export function showSeveralDays(fields: Fields): Html {
  const names = Object.keys(severalDaysFields)
  const inside = [
    fields.select('repeat', t`Repeat`, { any: t`Once`, options: REPEAT.options() }),
    fields.text('repeat_until', t`Last day`, { emptyWhen: t`required to repeat`, type: 'date' }),
    fields.text('more_days', t`Other days`, {
      hint: t`Days instead of a repeat, such as 2026-11-25, 2026-11-27.`,
    }),
    fields.checkbox('skips', t`Skip days when it is not available`, {
      hint: t`Otherwise nothing is booked if any day is taken.`,
    }),
  ]
  return html`<details class="more-fields"${fields.isFilled(...names) && html` open`}><summary>${t`Several days`}</summary>${inside}</details>`
}

async function createBatch(call: ActionCall, days: string[], booking: Booking, zone: string, skips = false) {
  const bookings = [booking, ...days.map((day) => moveToDay(booking, day, call.now, zone))]
  const { data } = await call.dispatch('bookings.create-batch', { bookings, atomic: !skips, needs_one: true })
  const created = data.flatMap(({ booking }) => (booking ? [booking.id] : []))
  const leftOut = data.flatMap(({ booking, code }, index) => {
    const from = bookings[index]?.from_time ?? call.now
    return booking ? [] : [{ date: formatLocalDate(from, zone), code }]
  })
  return { ids: created, leftOut }
}

function daysOf(typed: string | undefined, { from_time }: Booking, now: string, zone: string): string[] {
  const first = formatLocalDate(from_time ?? now, zone)
  const days = (typed ?? '').split(/[\s,;]+/).filter(Boolean)
  const wrong = days.find((day) => !localDate().isValidSync(day))
  if (wrong !== undefined)
    throw invalid({ more_days: [message`“${wrong}” is not a date, such as 2026-11-25.`] })
  const others = [...new Set(days)].filter((day) => day !== first).sort()
  if (others.length > DAYS_MAX) throw invalid({ more_days: [message`At most ${DAYS_MAX} days at once.`] })
  return others
}

function moveToDay(booking: Booking, day: string, now: string, zone: string): Booking {
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
export const openField = { is_open: queryFlag() }
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
    fields.text('guest_name', t`Guest name`, { hint: t`If the booking is for a guest.` }),
    fields.text('guest_email', t`Guest e-mail`, { type: 'email' }),
    fields.text('booking_info', t`Purpose`),
  ]
}
