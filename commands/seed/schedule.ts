// The schedule of a seeding: how much to book, and in which weeks; so thinly that it always fits without an overlap.
import { CliError } from '../../local/terminal.ts'

export type SeedOptions = {
  buildings: number
  locations: number
  bookables: number
  users: number
  bookings: number
  /** Absent: one for a hundred bookings, as far as the rooms allow. */
  events?: number | undefined
  /** The same number gives the same data, apart from ids and from what depends on today. */
  seed: number
  /** Whole weeks before the present one, more where the bookings need them, and from the present one on. */
  weeksBefore: number
  weeksAhead: number
}

/** How many slots a weekday has: on all bookables together, on the first one, and on parking spots. */
export type DailySlots = { all: number; first: number; parking: number }

export type Period = {
  bookings: number
  /** 0 is the present week. */
  weekFirst: number
  weeks: number
  thinningOut: boolean
}

export const WEEKDAYS = 5
const WEEKS_BEFORE_MAX = 50 * 52

// Below 1, so that rounding up the share of one bookable can never ask for more slots than it has.
const FILL_MAX = 0.85

// Bookings thin out ahead; over all these weeks they fill half of what the past fills.
const FILL_AHEAD = 0.5

// One statement a period: progress to show, and sorting that fits into memory.
const PERIOD_WEEKS = 13

/** Spreads the bookings over periods of weeks, widening the past where they are many. */
export function schedulePeriods(options: SeedOptions, bookings: number, slots: DailySlots): Period[] {
  const perWeek = slots.all * WEEKDAYS
  const slotsAhead = (slots.all - slots.first) * WEEKDAYS * options.weeksAhead * FILL_AHEAD
  const fill = Math.min(FILL_MAX, bookings / (perWeek * options.weeksBefore + slotsAhead))
  const ahead = Math.floor(fill * slotsAhead)
  const before = bookings - ahead
  const weeksBefore = Math.max(options.weeksBefore, Math.ceil(before / (perWeek * FILL_MAX)))
  if (weeksBefore > WEEKS_BEFORE_MAX)
    throw new CliError(
      'Nothing was created: that many bookings would fill these bookables for more than 50 years. Ask for more bookables.',
    )
  return [
    ...pastPeriods(before, weeksBefore),
    { bookings: ahead, weekFirst: 0, weeks: options.weeksAhead, thinningOut: true },
  ].filter((period) => period.bookings > 0)
}

/** At most one event a weekday in each of the rooms that host events. */
export function scheduleEvents(options: SeedOptions, hosts: number): number {
  const eventsMax = hosts * WEEKDAYS * (options.weeksBefore + options.weeksAhead)
  const events = options.events ?? Math.min(eventsMax, Math.floor(options.bookings / 100))
  if (events <= eventsMax) return events
  throw new CliError(
    `Nothing was created: there is only room for ${eventsMax} events. Ask for fewer events, or for more bookables.`,
  )
}

function pastPeriods(bookings: number, weeks: number): Period[] {
  const upTo = (week: number) => Math.floor((bookings * week) / weeks)
  return Array.from({ length: Math.ceil(weeks / PERIOD_WEEKS) }, (_, index) => {
    const first = index * PERIOD_WEEKS
    const end = Math.min(weeks, first + PERIOD_WEEKS)
    return {
      bookings: upTo(end) - upTo(first),
      weekFirst: first - weeks,
      weeks: end - first,
      thinningOut: false,
    }
  })
}
