// Measures a rolling restart under load, as behind a load balancer. There are two gateways with a worker each. The second gateway and
// its worker restart while the first gateway gets all requests, and then the other way round.
import { type Goal, recordFigure } from '../figures.ts'
import { formatMs, printTable } from '../measure.ts'
import { computeMedian, type Measurement, measureLoad } from '../measure-load.ts'
import type { RunLength, Runner } from '../runner.ts'
import { getRedisUrl, type Servers } from '../stage/servers.ts'
import { startBerth, type Target } from '../stage/targets.ts'
import { warmUp } from './processes.ts'
import { createBookingScenario, FEW_READ_SCENARIOS, type Scenario } from './scenarios.ts'

const REDIS_NUMBER = 2
const SECONDS = 10
const CALLERS = 32
const SLOWER_MAX: Goal = { most: 2 }

const [POINT_READS] = FEW_READ_SCENARIOS
const SCENARIOS: Scenario[] = [
  ...(POINT_READS ? [{ ...POINT_READS, withWrk: false }] : []),
  createBookingScenario(CALLERS, {}),
]

export async function measureRollingRestarts(
  runner: Runner,
  servers: Servers,
  { company, databaseUrl }: Target,
  { rounds }: RunLength,
): Promise<void> {
  const start = (name: string) =>
    startBerth({ servers, company, databaseUrl, redisUrl: getRedisUrl(servers, REDIS_NUMBER), name })
  const rows: string[][] = []
  for (const scenario of SCENARIOS) {
    const found: Record<'calm' | 'besideRestart' | 'afterRestart', Measurement[]> = {
      calm: [],
      besideRestart: [],
      afterRestart: [],
    }
    const load = (target: Target) => measureLoad(runner, target, scenario, { seconds: SECONDS })
    for (let round = 0; round < rounds; round++) {
      let [first, second] = [await start('first'), await start('second')]
      const restart = async (target: Target) => {
        await target.stop()
        return start(target.name)
      }
      try {
        for (const target of [first, second]) await warmUp(runner, target)
        found.calm.push(await load(first))
        const [besideRestart, restartedSecond] = await Promise.all([load(first), restart(second)])
        second = restartedSecond
        const [afterRestart, restartedFirst] = await Promise.all([load(second), restart(first)])
        first = restartedFirst
        found.besideRestart.push(besideRestart)
        found.afterRestart.push(afterRestart)
      } finally {
        await first.stop()
        await second.stop()
      }
    }
    const calm = computeMedian(found.calm)
    for (const [what, measured] of [
      ['while the other gateway and worker restart', computeMedian(found.besideRestart)],
      [
        'by a gateway that has just restarted, while the other gateway and worker restart',
        computeMedian(found.afterRestart),
      ],
    ] as const)
      rows.push(describeRow(runner, `${scenario.name}, ${what}`, measured, calm))
  }
  printTable(['rolling restart', 'p50 ms, calm', 'p99 ms, calm', 'p99, times calm'], rows)
}

function describeRow(runner: Runner, name: string, measured: Measurement, calm: Measurement): string[] {
  const times = measured.p99Ms / calm.p99Ms
  const goal = recordFigure(runner, `${name}: p99, times calm`, times, SLOWER_MAX)
  return [
    name,
    `${formatMs(measured.p50Ms)}, ${formatMs(calm.p50Ms)}`,
    `${formatMs(measured.p99Ms)}, ${formatMs(calm.p99Ms)}`,
    `**${times.toFixed(2)}**, goal ${goal}`,
  ]
}
