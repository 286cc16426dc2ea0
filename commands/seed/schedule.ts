// How much to make, and over which span of weeks: so thinly that what is asked for always fits without an overlap.
import { Problem } from '../../local/terminal.ts'

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

export type Stretch = {
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

// One statement a stretch: progress to show, and sorting that fits into memory.
const STRETCH_WEEKS = 13

/** Spreads the bookings over stretches of weeks, widening the past where they are many. */
export function planStretches(options: SeedOptions, bookings: number, slots: DailySlots): Stretch[] {
  const perWeek = slots.all * WEEKDAYS
  const slotsAhead = (slots.all - slots.first) * WEEKDAYS * options.weeksAhead * FILL_AHEAD
  const fill = Math.min(FILL_MAX, bookings / (perWeek * options.weeksBefore + slotsAhead))
  const ahead = Math.floor(fill * slotsAhead)
  const before = bookings - ahead
  const weeksBefore = Math.max(options.weeksBefore, Math.ceil(before / (perWeek * FILL_MAX)))
  if (weeksBefore > WEEKS_BEFORE_MAX)
    throw new Problem(
      'Nothing was made: so many bookings fill so few bookables for more than 50 years. Ask for more bookables.',
    )
  return [
    ...pastStretches(before, weeksBefore),
    { bookings: ahead, weekFirst: 0, weeks: options.weeksAhead, thinningOut: true },
  ].filter((stretch) => stretch.bookings > 0)
}

/** At most one event a weekday in each of the rooms that are homes of events. */
export function planEvents(options: SeedOptions, homes: number): number {
  const eventsMax = homes * WEEKDAYS * (options.weeksBefore + options.weeksAhead)
  const events = options.events ?? Math.min(eventsMax, Math.floor(options.bookings / 100))
  if (events <= eventsMax) return events
  throw new Problem(
    `Nothing was made: there is room for ${eventsMax} events. Ask for fewer, or for more bookables.`,
  )
}

function pastStretches(bookings: number, weeks: number): Stretch[] {
  const upTo = (week: number) => Math.floor((bookings * week) / weeks)
  return Array.from({ length: Math.ceil(weeks / STRETCH_WEEKS) }, (_, index) => {
    const first = index * STRETCH_WEEKS
    const end = Math.min(weeks, first + STRETCH_WEEKS)
    return {
      bookings: upTo(end) - upTo(first),
      weekFirst: first - weeks,
      weeks: end - first,
      thinningOut: false,
    }
  })
}
