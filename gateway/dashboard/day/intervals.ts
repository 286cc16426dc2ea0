// A row of the timeline: what of it is taken and what is free, in quarters of an hour, without a gap and without an overlap.
import type { DayClaim } from './queries.ts'

export const QUARTER = 15
export const DAY = 24 * 60
const HOUR = 60
const USUAL = { from: 7 * HOUR, to: 19 * HOUR }

/** Minutes of a day. */
export type Hours = { from: number; to: number }
export type Stretch = Hours & { claim?: DayClaim }

/** The hours of a usual day, and what is booked before and after them. */
export function hoursOf(claims: DayClaim[]): Hours {
  const starts = claims.map(({ from }) => from).filter((from) => from > 0)
  const ends = claims.map(({ to }) => to).filter((to) => to < DAY)
  const from = Math.floor(Math.min(USUAL.from, ...starts) / HOUR) * HOUR
  const to = Math.ceil(Math.max(USUAL.to, ...ends) / HOUR) * HOUR
  return { from, to: Math.min(to, DAY) }
}

/** In order. A claim that is shorter than a quarter has one; where two have the same, the later one begins later. */
export function stretchesOf(claims: DayClaim[], hours: Hours): Stretch[] {
  const stretches: Stretch[] = []
  let at = hours.from
  for (const claim of claims) {
    const from = Math.max(Math.floor(claim.from / QUARTER) * QUARTER, at)
    const to = Math.min(Math.max(Math.ceil(claim.to / QUARTER) * QUARTER, from + QUARTER), hours.to)
    if (claim.to <= hours.from || from >= hours.to) continue
    if (from > at) stretches.push({ from: at, to: from })
    stretches.push({ from, to, claim })
    at = to
  }
  if (at < hours.to) stretches.push({ from: at, to: hours.to })
  return stretches
}

/** “09:30”; the end of a day is 24:00. */
export function formatMinute(minute: number): string {
  const [hour, rest] = [Math.floor(minute / HOUR), minute % HOUR]
  return `${String(hour).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}
