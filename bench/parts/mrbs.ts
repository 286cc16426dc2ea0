// Bookings of sixteen callers, compared with those of MRBS.
import { noteFailures, noteFigure } from '../figures.ts'
import { ms, printTable, quantile } from '../measure.ts'
import { measure } from '../measure-load.ts'
import { SESSIONS, startMrbs } from '../rivals/mrbs.ts'
import type { Lengths, Runner } from '../runner.ts'
import type { Servers } from '../stage/servers.ts'
import type { Target } from '../stage/targets.ts'
import { booking } from './scenarios.ts'

const GOAL = 50

export async function compareMrbs(
  runner: Runner,
  servers: Servers,
  berth: Target,
  checkout: string,
  { rounds, seconds }: Lengths,
): Promise<void> {
  const mrbs = await startMrbs(servers, checkout)
  const figures: Array<{ own: number; ownMs: number; other: number; otherMs: number }> = []
  try {
    // The first round warms up and does not count.
    for (let round = -1; round < rounds; round++) {
      const own = await measure(runner, berth, booking(SESSIONS, {}), { seconds })
      const others = await mrbs.book(2 * seconds)
      noteFailures(runner, 'MRBS', others.failures)
      const other = others.timesMs.length / others.seconds
      if (round >= 0)
        figures.push({ own: own.perSecond, ownMs: own.p50Ms, other, otherMs: quantile(others.timesMs, 0.5) })
    }
  } finally {
    await mrbs.stop()
  }
  const median = (read: (each: (typeof figures)[number]) => number) => quantile(figures.map(read), 0.5)
  const times = median(({ own, other }) => own / other)
  const goal = noteFigure(runner, `POST bookings, ${SESSIONS} at a time: times MRBS’s rate`, times, {
    least: GOAL,
  })
  printTable(
    [`bookings, ${SESSIONS} at a time`, 'a second', 'p50 ms'],
    [
      ['Berth', median(({ own }) => own).toFixed(0), ms(median(({ ownMs }) => ownMs))],
      ['MRBS', median(({ other }) => other).toFixed(1), ms(median(({ otherMs }) => otherMs))],
      ['times', `${times.toFixed(1)}, goal ${goal}`, ''],
    ],
  )
}
