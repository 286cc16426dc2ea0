// Measures processes that have just been started, as after a deployment, and compares them with the same processes once they are warm.
import { type Goal, recordFigure } from '../figures.ts'
import { formatMs, printTable } from '../measure.ts'
import { computeMedian, type LoadLimits, type Measurement, measureLoad } from '../measure-load.ts'
import type { RunLength, Runner } from '../runner.ts'
import { getRedisUrl, type Servers } from '../stage/servers.ts'
import { startBerth, type Target } from '../stage/targets.ts'
import { warmUp } from './processes.ts'
import { createBookingScenario, FEW_READ_SCENARIOS, type Scenario } from './scenarios.ts'

const REDIS_NUMBER = 2
const FIRST_REQUESTS = 1_000
const FIRST_SECONDS = 10
const CALLERS = 32
const SLOWER_MAX: Goal = { most: 2 }

const BOOKINGS = createBookingScenario(CALLERS, {})
const [POINT_READS] = FEW_READ_SCENARIOS

// A process is cold only once, so each measurement of a scenario starts new processes in each round.
const SCENARIOS: Scenario[] = [...(POINT_READS ? [{ ...POINT_READS, withWrk: false }] : []), BOOKINGS]
const LOADS: Array<[what: string, limits: LoadLimits, goal?: Goal]> = [
  [`the first ${FIRST_REQUESTS}`, { seconds: FIRST_SECONDS, requestsMax: FIRST_REQUESTS }],
  [`the first ${FIRST_SECONDS} s`, { seconds: FIRST_SECONDS }, SLOWER_MAX],
]

export async function compareColdProcesses(
  runner: Runner,
  servers: Servers,
  { company, databaseUrl }: Target,
  { rounds }: RunLength,
): Promise<void> {
  const rows: string[][] = []
  for (const scenario of SCENARIOS)
    for (const [what, limits, goal] of LOADS) {
      const cold: Measurement[] = []
      const warm: Measurement[] = []
      for (let round = 0; round < rounds; round++) {
        const redisUrl = getRedisUrl(servers, REDIS_NUMBER)
        const target = await startBerth({ servers, company, databaseUrl, redisUrl, name: `cold-${round}` })
        try {
          cold.push(await measureLoad(runner, target, scenario, limits))
          await warmUp(runner, target)
          warm.push(await measureLoad(runner, target, scenario, limits))
        } finally {
          await target.stop()
        }
      }
      rows.push(
        describeRow(runner, `${scenario.name}, ${what}`, computeMedian(cold), computeMedian(warm), goal),
      )
    }
  printTable(['cold, warm', 'p50 ms', 'p99 ms', 'p99, times warm', 'CPU µs an answer'], rows)
}

function describeRow(
  runner: Runner,
  name: string,
  cold: Measurement,
  warm: Measurement,
  goal: Goal | undefined,
): string[] {
  const times = cold.p99Ms / warm.p99Ms
  const aim = goal
    ? `, goal ${recordFigure(runner, `${name} of cold processes: p99, times warm`, times, goal)}`
    : ''
  return [
    name,
    `${formatMs(cold.p50Ms)}, ${formatMs(warm.p50Ms)}`,
    `${formatMs(cold.p99Ms)}, ${formatMs(warm.p99Ms)}`,
    `**${times.toFixed(2)}**${aim}`,
    `${cold.totalCpuUs.toFixed(0)}, ${warm.totalCpuUs.toFixed(0)}`,
  ]
}
