// Defines the slots of a place, such as “Morning” and “Afternoon”, in the building's local time. Also defines the rule
// that allows only bookings of whole slots: one slot, or several in a row without a gap.
import * as yup from 'yup'
import { type Message, message } from '../messages/message.ts'
import { createFieldMessage } from '../messages/strict.ts'
import * as answer from '../schemas/answers.ts'
import { flag, list, object, required, text } from '../schemas/fields.ts'
import { notEmpty } from '../schemas/inputs.ts'
import { toWallClock } from '../schemas/wall-clock.ts'
import { clockSpanFields, parseMinutes } from './opening-hours.ts'
import { type BookingSql, type CheckedBooking, defineBookingRule } from './rule-checks.ts'

export const SLOTS_MAX = 12
export const SLOT_NAME_LENGTH_MAX = 40
const DAY_MINUTES = 24 * 60
const MINUTE_MS = 60_000

const slotSchema = object({
  name: required(text({ max: SLOT_NAME_LENGTH_MAX, min: 1 })),
  ...clockSpanFields(),
})
export type Slot = yup.InferType<typeof slotSchema>

export const slots = defineBookingRule({
  schema: notEmpty(list(required(slotSchema), { max: SLOTS_MAX }))
    .test(
      'names',
      createFieldMessage((name) => message`${name} must have different names.`),
      (value) => value == null || new Set(value.map((slot) => slot?.name)).size === value.length,
    )
    .nullable()
    .meta({
      description:
        'The slots that people are offered, such as “Morning”, in the building’s local time. Slots may overlap.',
    }),
  answer: answer.list(
    yup.object({ name: answer.text(), from: answer.text(), to: answer.text() }).meta({ component: 'Slot' }),
  ),
})

export const slotOnly = defineBookingRule({
  schema: flag().nullable().meta({
    description:
      'Whether each booking must be exactly one slot or several adjoining ones. Without slots, every time can be booked.',
  }),
  answer: answer.flag(),
  refusal: 'outside_slots',
  check: (isOn, booking) => (isOn ? checkSlots(booking) : undefined),
  allows: (isOn, requested) =>
    `(${isOn} #>> '{}' = 'false' OR ${requested.slots} #>> '{}' IS NULL OR ${isInSlotsSql(requested)})`,
})

/** Returns whether the times of a slot have a valid format and order. */
export const hasValidSlotTimes = ({ from, to }: Pick<Slot, 'from' | 'to'>) =>
  object(clockSpanFields()).isValidSync({ from, to })

/**
 * Returns the longest span of adjoining slots that begins with the first slot. With `from`, the span begins with the
 * slot that is under way at that time; if there are several, with the latest one. Returns undefined if no slot is left.
 */
export function findLongestSlotSpan(
  slots: readonly Slot[],
  from = '00:00',
): { from: string; to: string } | undefined {
  const left = slots.filter(({ to }) => to > from)
  const begun = left.filter((slot) => slot.from <= from)
  const starts = (begun.length > 0 ? begun : left).map((slot) => slot.from).sort()
  const start = begun.length > 0 ? starts.at(-1) : starts[0]
  if (start === undefined) return undefined
  const lastMinute = Math.max(...findSlotEnds(slots, parseMinutes(start)))
  const to = slots.find((slot) => parseMinutes(slot.to) === lastMinute)?.to
  return to === undefined ? undefined : { from: start, to }
}

export const formatSlot = ({ name, from, to }: Slot) => `${name} (${from}–${to})`

function checkSlots({ bookable, slots, zone, from, to }: CheckedBooking): Message | undefined {
  if (!slots || isInSlots(slots, zone, { from, to })) return undefined
  const all = slots.map(formatSlot).join(', ')
  return message`${bookable.name} can only be booked for whole slots: ${all} (${zone}).`
}

type Span = { from: string; to: string | null }

/** Returns whether the time span is exactly one slot or several adjoining slots, which may be on several days. */
export function isInSlots(slots: readonly Slot[], zone: string, { from, to }: Span): boolean {
  if (to === null || !isWholeSecond(from) || !isWholeSecond(to)) return false
  const [begins, ends] = [from, to].map((instant) => toWallClock(instant, zone) / MINUTE_MS)
  if (begins === undefined || ends === undefined || begins >= ends) return false
  const firstDay = Math.floor(begins / DAY_MINUTES)
  const lastDay = Math.ceil(ends / DAY_MINUTES) - 1
  const start = begins - firstDay * DAY_MINUTES
  const stop = ends - lastDay * DAY_MINUTES
  if (firstDay === lastDay) return findSlotEnds(slots, start).has(stop)
  const midnightEnds = findSlotEnds(slots, 0)
  return (
    findSlotEnds(slots, start).has(DAY_MINUTES) &&
    midnightEnds.has(stop) &&
    (lastDay === firstDay + 1 || midnightEnds.has(DAY_MINUTES))
  )
}

/** Returns the minutes of the day at which a booking that begins at minute `start` can end. */
function findSlotEnds(slots: readonly Slot[], start: number): Set<number> {
  const ends = new Set<number>()
  const sorted = slots
    .map(({ from, to }) => ({ from: parseMinutes(from), to: parseMinutes(to) }))
    .sort((a, b) => a.from - b.from)
  for (const { from, to } of sorted) if (from === start || ends.has(from)) ends.add(to)
  return ends
}

const isWholeSecond = (instant: string) => Date.parse(instant) % 1_000 === 0 && !/\.\d*[1-9]/.test(instant)

// A slot that ends at midnight ends at 24:00 of its day, so a booking that ends at midnight ends on the day before.
const isInSlotsSql = ({ slots, from, to, local }: BookingSql) => `(${to} IS NOT NULL AND (
  WITH RECURSIVE asked AS (
    SELECT begins::date AS first_day, begins::time AS start, ends - begins > interval '0' AS is_forward,
      CASE WHEN ends::time = '00:00' THEN ends::date - 1 ELSE ends::date END AS last_day,
      CASE WHEN ends::time = '00:00' THEN '24:00' ELSE ends::time END AS stop
    FROM (SELECT ${local(from)} AS begins, ${local(to)} AS ends) AS clocks
  ), reached (start, at) AS (
    SELECT start, start FROM (SELECT start FROM asked UNION SELECT '00:00'::time) AS starts
    UNION
    SELECT reached.start, (slot ->> 'to')::time
    FROM reached JOIN json_array_elements(${slots}) AS slot ON (slot ->> 'from')::time = reached.at
  )
  SELECT is_forward AND CASE WHEN first_day = last_day THEN (start, stop) IN (SELECT start, at FROM reached)
    ELSE (start, '24:00'::time) IN (SELECT start, at FROM reached)
      AND ('00:00'::time, stop) IN (SELECT start, at FROM reached)
      AND (last_day = first_day + 1 OR ('00:00'::time, '24:00'::time) IN (SELECT start, at FROM reached)) END
  FROM asked))`
