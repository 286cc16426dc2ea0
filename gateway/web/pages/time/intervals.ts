// Splits a row of the timeline into taken and free segments of whole quarters of an hour, without gaps.

export const QUARTER = 15
export const DAY = 24 * 60
const HOUR = 60
const USUAL = { from: 7 * HOUR, to: 19 * HOUR }

export type Hours = { from: number; to: number }
export type Segment<Claim> = Hours & { claim?: Claim }

/** The hours of a usual day, extended to earlier and later bookings. */
export function hoursOf(claims: Hours[]): Hours {
  const starts = claims.map(({ from }) => from).filter((from) => from > 0)
  const ends = claims.map(({ to }) => to).filter((to) => to < DAY)
  const from = Math.floor(Math.min(USUAL.from, ...starts) / HOUR) * HOUR
  const to = Math.ceil(Math.max(USUAL.to, ...ends) / HOUR) * HOUR
  return { from, to: Math.min(to, DAY) }
}

// A claim shorter than a quarter takes a whole one; if two claims share a quarter, the later one starts after it.
export function splitIntoSegments<Claim extends Hours>(claims: Claim[], hours: Hours): Segment<Claim>[] {
  const segments: Segment<Claim>[] = []
  let at = hours.from
  for (const claim of claims) {
    const from = Math.max(Math.floor(claim.from / QUARTER) * QUARTER, at)
    const to = Math.min(Math.max(Math.ceil(claim.to / QUARTER) * QUARTER, from + QUARTER), hours.to)
    if (claim.to <= hours.from || from >= hours.to) continue
    if (from > at) segments.push({ from: at, to: from })
    segments.push({ from, to, claim })
    at = to
  }
  if (at < hours.to) segments.push({ from: at, to: hours.to })
  return segments
}

/** Formats a minute as “09:30”, and the end of the day as 24:00. */
export function formatMinute(minute: number): string {
  const [hour, rest] = [Math.floor(minute / HOUR), minute % HOUR]
  return `${String(hour).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}
