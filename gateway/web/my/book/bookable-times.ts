// Finds times at which a person could book a place, because nobody else has it and the rules of the place allow it.
import { claimsOfBookableSql } from '../../../../shared/affected-bookings/claims.ts'
import type { RefusalCode } from '../../../../shared/messages/refusal.ts'
import {
  findBrokenRules,
  RULES_SQL,
  type RuleFacts,
  type RulesRow,
  toRuleFacts,
} from '../../../../shared/rules/broken-rules.ts'
import { findLongestSlotSpan } from '../../../../shared/rules/slots.ts'
import {
  findStartOfDay,
  formatLocalDate,
  formatLocalDateTime,
  fromWallClock,
} from '../../../../shared/schemas/wall-clock.ts'
import { addHours, addMinutes } from '../../../../shared/utilities/date-times.ts'
import * as rows from '../../../reads/rows/rows.ts'
import type { Call } from '../../pages/page/page.ts'
import { addDaysToDate } from '../../pages/time/instants.ts'
import type { BookedSpan } from './seats.ts'
import { findOpenHours } from './wanted-time.ts'

const SEARCHED_DAYS = 31
const MINUTE_MS = 60_000

/**
 * The place to search. `except` is the id of a booking that the person wants to change, so it does not count as taken.
 */
type SearchedPlace = { bookableId: number; zone: string; except?: number }

export type PlaceTimes = {
  zone: string
  facts: RuleFacts | undefined
  taken: Array<{ from: string; to: string | null }>
}

/**
 * Reads the rules of the place, and the times at which others have it: within a month of `from`, but not before today.
 */
export async function readPlaceTimes(
  { reads, requirePerson, now }: Call,
  { bookableId, zone, except }: SearchedPlace,
  from: string,
): Promise<PlaceTimes> {
  const [today, wanted] = [formatLocalDate(now, zone), formatLocalDate(from, zone)]
  const [first = today] = [today, addDaysToDate(wanted, -SEARCHED_DAYS)].sort().slice(1)
  const found = await rows.selectRow(
    reads,
    {
      rules: rows.column<RulesRow | null>(RULES_SQL),
      taken: rows.listColumn(
        { ...rows.createSpanColumns('claims'), to: rows.nullableColumn(rows.createSpanColumns('claims').to) },
        `(${claimsOfBookableSql('bookables.id', '$3::timestamptz', '$4::timestamptz')}) AS claims
         WHERE claims.exclusive AND claims.id IS DISTINCT FROM $5::bigint`,
        'lower(claims.during)',
      ),
    },
    `bookables ${rows.JOIN_PLACES} JOIN users ON users.id = $2 WHERE bookables.id = $1`,
    [
      bookableId,
      requirePerson().id,
      findStartOfDay(first, zone),
      findStartOfDay(addDaysToDate(wanted, SEARCHED_DAYS + 1), zone),
      except ?? null,
    ],
  )
  return { zone, facts: toRuleFacts(found?.rules), taken: found?.taken ?? [] }
}

const IGNORED_RULES: RefusalCode[] = ['needs_approval']

export const isBookable = ({ facts, taken }: PlaceTimes, span: BookedSpan, now: string): boolean =>
  span.from < span.to &&
  span.to > now &&
  !taken.some(({ from, to }) => from < span.to && (to === null || to > span.from)) &&
  findBrokenRules(facts, span, now).every(({ code }) => IGNORED_RULES.includes(code))

/** Lists other times for a booking on its day: an hour earlier, an hour later, and until the place closes. */
export function listOtherTimes(place: PlaceTimes, booked: BookedSpan, now: string): BookedSpan[] {
  const { zone, facts } = place
  const date = formatLocalDate(booked.from, zone)
  const open = findOpenHours(date, facts?.rules.opening_hours ?? null)
  const evening = open && toInstant(date, open.to, zone)
  const ends = [
    addHours(booked.to, -1),
    addHours(booked.to, 1),
    ...(evening && evening > booked.to ? [evening] : []),
  ]
  const starts = booked.from > now ? [addHours(booked.from, -1), addHours(booked.from, 1)] : []
  const spans = [...starts.map((from) => ({ ...booked, from })), ...ends.map((to) => ({ ...booked, to }))]
  const known = new Set([formatKey(booked, zone)])
  return spans.filter((span) => {
    const key = formatKey(span, zone)
    const isOnDay =
      formatLocalDate(span.from, zone) === date && findLastDate(span, zone) === findLastDate(booked, zone)
    const isNew = !known.has(key) && isOnDay && (span.from === booked.from || span.from > now)
    known.add(key)
    return isNew && isBookable(place, span, now)
  })
}

const formatKey = ({ from, to }: BookedSpan, zone: string) =>
  `${formatLocalDateTime(from, zone)} ${formatLocalDateTime(to, zone)}`

/** Returns the last local date of a time span. A span that ends at midnight ends on the day before. */
const findLastDate = ({ to }: BookedSpan, zone: string) => formatLocalDate(addMinutes(to, -1), zone)

const toInstant = (date: string, time: string, zone: string): string =>
  fromWallClock(Date.parse(`${date}T00:00Z`) + parseMinutes(time) * MINUTE_MS, zone)

const parseMinutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))

/** Returns the slots of the place on a day, and the span of all adjoining slots. */
function listSlotTimes({ zone, facts }: PlaceTimes, date: string): BookedSpan[] {
  const slots = facts?.rules.slots ?? []
  const all = findLongestSlotSpan(slots)
  return [...slots, ...(all ? [all] : [])].map(({ from, to }) => ({
    from: toInstant(date, from, zone),
    to: toInstant(date, to, zone),
  }))
}

/** Finds the allowed time nearest to the wanted time: on the same day if possible, otherwise on another day. */
export function findNearestTime(place: PlaceTimes, wanted: BookedSpan, now: string): BookedSpan | undefined {
  const { zone } = place
  const date = formatLocalDate(wanted.from, zone)
  const [today, minutes] = [formatLocalDate(now, zone), countMinutes(wanted)]
  const clock = formatLocalDateTime(wanted.from, zone).slice(11, 16)
  for (let distance = 0; distance <= SEARCHED_DAYS; distance++) {
    const days = distance === 0 ? [date] : [addDaysToDate(date, -distance), addDaysToDate(date, distance)]
    for (const day of days.filter((each) => each >= today)) {
      const from = toInstant(day, clock, zone)
      const to = addMinutes(from, minutes)
      const found = listTimesOfDay(place, { date: day, wanted: { from, to } }).find((span) =>
        isBookable(place, span, now),
      )
      if (found) return found
    }
  }
  return undefined
}

/**
 * Lists times on a day, beginning with the wanted time. They are within the opening hours, and as long as rules allow.
 */
function listTimesOfDay(
  place: PlaceTimes,
  { date, wanted }: { date: string; wanted: BookedSpan },
): BookedSpan[] {
  const { zone, facts } = place
  const { minutes_min: least, minutes_max: most, opening_hours: hours } = facts?.rules ?? {}
  const open = findOpenHours(date, hours ?? null)
  const within =
    open && limitTo(wanted, { from: toInstant(date, open.from, zone), to: toInstant(date, open.to, zone) })
  const resize = (span: BookedSpan): BookedSpan[] => {
    const minutes = countMinutes(span)
    const fitting = Math.min(Math.max(minutes, least ?? minutes), most ?? Number.POSITIVE_INFINITY)
    return [
      span,
      { from: span.from, to: addMinutes(span.from, fitting) },
      { from: addMinutes(span.to, -fitting), to: span.to },
    ]
  }
  return [...[wanted, ...(within ? [within] : [])].flatMap(resize), ...listSlotTimes(place, date)]
}

const countMinutes = ({ from, to }: BookedSpan) => (Date.parse(to) - Date.parse(from)) / MINUTE_MS

const limitTo = (span: BookedSpan, limits: BookedSpan): BookedSpan =>
  span.from < limits.to && span.to > limits.from
    ? {
        from: span.from > limits.from ? span.from : limits.from,
        to: span.to < limits.to ? span.to : limits.to,
      }
    : limits
