// Splits a row of the timeline into taken and free segments of whole quarters of an hour, without gaps.

export const QUARTER_MINUTES = 15
export const DAY_MINUTES = 24 * 60
const HOUR_MINUTES = 60
const USUAL_HOURS = { from: 7 * HOUR_MINUTES, to: 19 * HOUR_MINUTES }

export type MinuteRange = { from: number; to: number }
export type Segment<Claim> = MinuteRange & { claim?: Claim }

/** Returns the hours of a usual day, extended to include earlier and later bookings. */
export function extendUsualHours(claims: MinuteRange[]): MinuteRange {
  const starts = claims.map(({ from }) => from).filter((from) => from > 0)
  const ends = claims.map(({ to }) => to).filter((to) => to < DAY_MINUTES)
  const from = Math.floor(Math.min(USUAL_HOURS.from, ...starts) / HOUR_MINUTES) * HOUR_MINUTES
  const to = Math.ceil(Math.max(USUAL_HOURS.to, ...ends) / HOUR_MINUTES) * HOUR_MINUTES
  return { from, to: Math.min(to, DAY_MINUTES) }
}

// Splits a day into segments. A claim shorter than a quarter of an hour takes a whole quarter; if two claims
// share a quarter, the later claim starts after it.
export function splitIntoSegments<Claim extends MinuteRange>(
  claims: Claim[],
  hours: MinuteRange,
): Segment<Claim>[] {
  const segments: Segment<Claim>[] = []
  let at = hours.from
  for (const claim of claims) {
    const from = Math.max(Math.floor(claim.from / QUARTER_MINUTES) * QUARTER_MINUTES, at)
    const to = Math.min(
      Math.max(Math.ceil(claim.to / QUARTER_MINUTES) * QUARTER_MINUTES, from + QUARTER_MINUTES),
      hours.to,
    )
    if (claim.to <= hours.from || from >= hours.to) continue
    if (from > at) segments.push({ from: at, to: from })
    segments.push({ from, to, claim })
    at = to
  }
  if (at < hours.to) segments.push({ from: at, to: hours.to })
  return segments
}

/** Formats a minute of the day, such as “09:30”. Formats the end of the day as “24:00”. */
export function formatMinute(minute: number): string {
  const [hour, rest] = [Math.floor(minute / HOUR_MINUTES), minute % HOUR_MINUTES]
  return `${String(hour).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}
