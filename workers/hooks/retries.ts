// When a delivery is tried again, and when no more.

const MINUTE = 60
const HOUR = 60 * MINUTE
const DELAYS_SECONDS = [5, 30, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR]
const RETRY_AFTER_MAX_SECONDS = 24 * HOUR
// So that what failed together does not come together again.
const JITTER = 0.2

/** After so many attempts, in seconds; undefined where it is given up. A receiver may ask for more time, not for less. */
export function retryDelaySeconds(
  attempts: number,
  retryAfter: string | undefined,
  nowMs: number,
  random: () => number = Math.random,
): number | undefined {
  const delay = DELAYS_SECONDS[attempts - 1]
  if (delay === undefined) return undefined
  const asked = Math.min(parseRetryAfter(retryAfter, nowMs), RETRY_AFTER_MAX_SECONDS)
  return Math.max(delay * (1 + JITTER * random()), asked)
}

function parseRetryAfter(value: string | undefined, nowMs: number): number {
  if (value === undefined) return 0
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const atMs = Date.parse(value)
  return Number.isNaN(atMs) ? 0 : Math.max(0, (atMs - nowMs) / 1_000)
}
