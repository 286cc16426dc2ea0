// Compares the bookings of sixteen callers in Berth with those in MRBS.
import { recordFailures, recordFigure } from '../figures.ts'
import { computeQuantile, formatMs, printTable } from '../measure.ts'
import { measureLoad } from '../measure-load.ts'
import { SESSION_COUNT, startMrbs } from '../rivals/mrbs.ts'
import type { RunLength, Runner } from '../runner.ts'
import type { Servers } from '../stage/servers.ts'
import type { Target } from '../stage/targets.ts'
import { createBookingScenario } from './scenarios.ts'

const RATE_RATIO_GOAL = 50

export async function compareMrbs(
  runner: Runner,
  servers: Servers,
  berth: Target,
  checkout: string,
  { rounds, seconds }: RunLength,
): Promise<void> {
  const mrbs = await startMrbs(servers, checkout)
  const figures: Array<{ own: number; ownMs: number; other: number; otherMs: number }> = []
  try {
    // The first round warms up and does not count.
    for (let round = -1; round < rounds; round++) {
      const own = await measureLoad(runner, berth, createBookingScenario(SESSION_COUNT, {}), { seconds })
      const others = await mrbs.book(2 * seconds)
      recordFailures(runner, 'MRBS', others.failures)
      const other = others.timesMs.length / others.seconds
      if (round >= 0)
        figures.push({
          own: own.perSecond,
          ownMs: own.p50Ms,
          other,
          otherMs: computeQuantile(others.timesMs, 0.5),
        })
    }
  } finally {
    await mrbs.stop()
  }
  const median = (read: (each: (typeof figures)[number]) => number) => computeQuantile(figures.map(read), 0.5)
  const times = median(({ own, other }) => own / other)
  const goal = recordFigure(runner, `POST bookings, ${SESSION_COUNT} at a time: times MRBS’s rate`, times, {
    least: RATE_RATIO_GOAL,
  })
  printTable(
    [`bookings, ${SESSION_COUNT} at a time`, 'a second', 'p50 ms'],
    [
      ['Berth', median(({ own }) => own).toFixed(0), formatMs(median(({ ownMs }) => ownMs))],
      ['MRBS', median(({ other }) => other).toFixed(1), formatMs(median(({ otherMs }) => otherMs))],
      ['times', `${times.toFixed(1)}, goal ${goal}`, ''],
    ],
  )
}
