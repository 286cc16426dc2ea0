// Measures by how much another clock is certain to differ from this machine's.
import { type Finding, ok } from './findings.ts'

const DIFFERENCE_MS_MAX = 1_000

/** The minimum by which this machine is ahead. The duration of the request does not count as a difference. */
export async function leastAheadMs(
  ask: () => Promise<number>,
  now: () => number = Date.now,
): Promise<number> {
  const beforeMs = now()
  const thereMs = await ask()
  const afterMs = now()
  if (thereMs < beforeMs) return beforeMs - thereMs
  return Math.min(0, afterMs - thereMs)
}

/** `wrong` makes the finding for a difference of more than a second. */
export function judgeClock(
  about: string,
  aheadMs: number,
  wrong: (about: string, says: string, todo: string) => Finding,
): Finding {
  const awayMs = Math.round(Math.abs(aheadMs))
  const says =
    awayMs === 0 ? 'as this machine' : `${awayMs} ms ${aheadMs < 0 ? 'before' : 'behind'} this machine`
  return awayMs <= DIFFERENCE_MS_MAX ? ok(about, says) : wrong(about, says, 'Let all machines follow NTP.')
}
