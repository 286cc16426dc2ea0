// When a delivery is retried, and when it is given up.

const MINUTE = 60
const HOUR = 60 * MINUTE
const DELAYS_SECONDS = [5, 30, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR]
const RETRY_AFTER_MAX_SECONDS = 24 * HOUR
// So that deliveries that failed together are not retried together.
const JITTER = 0.2

/** The delay after this many attempts; undefined to give up. Retry-After can lengthen it, not shorten it. */
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
