// How far another clock is from this machine's, as far as that is certain.
import { type Finding, ok } from './findings.ts'

const DIFFERENCE_MS_MAX = 1_000

/** By how much this machine is ahead at least. What it took to ask is no difference of clocks. */
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

/** `wrong` says what it means where they differ by more than a second. */
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
