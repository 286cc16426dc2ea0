// The schedule of a seeding: how many bookings in which weeks, sparse enough to fit without an overlap.
import { CliError } from '../../local/tools/terminal.ts'

export type SeedOptions = {
  buildings: number
  locations: number
  bookables: number
  users: number
  bookings: number
  /** If absent, one per hundred bookings, up to what the rooms allow. */
  events?: number | undefined
  /** The same seed gives the same data, except ids and what depends on today. */
  seed: number
  /** Whole weeks before the present one (more if the bookings need them) and from the present one on. */
  weeksBefore: number
  weeksAhead: number
}

/** The number of slots per weekday: of all bookables, of the first one, and of parking spots. */
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

// Below 1, so that a rounded-up share of one bookable never exceeds its slots.
const FILL_MAX = 0.85

// Future bookings thin out: over all these weeks they fill half of what past weeks fill.
const FILL_AHEAD = 0.5

// One statement per period, to show progress and to sort in memory.
const PERIOD_WEEKS = 13

/** Spreads the bookings over periods of weeks, and extends the past if there are many. */
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

/** At most one event per weekday in each room that hosts events. */
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
