// Counts what a request makes Postgres and Redis do: statements, buffers, round trips and commands. Unlike times, these
// counts are the same on every machine.
import { setTimeout as sleep } from 'node:timers/promises'
import { printTable } from '../measure.ts'
import { measureLoad } from '../measure-load.ts'
import type { Runner } from '../runner.ts'
import { type CommandCounter, openCommandCounter } from '../stage/command-counter.ts'
import type { Company } from '../stage/company.ts'
import { type CountingProxy, startCountingProxy } from '../stage/counting-proxy.ts'
import { getRedisUrl, type Servers } from '../stage/servers.ts'
import { openStatementCounter, type StatementCounter } from '../stage/statement-counter.ts'
import { type RivalName, startBerth, startRival, type Target } from '../stage/targets.ts'
import { BOOKING_SCENARIOS, FEW_READ_SCENARIOS, type Scenario } from './scenarios.ts'

const MEASURED_REQUEST_COUNT = 200
const WARM_UP_REQUEST_COUNT = 64
const LOAD_SECONDS_MAX = 60
const SETTLE_MS = 300
const REDIS_NUMBER = 1
const COUNTED_RIVALS = ['bare', 'direct'] as const

const COUNTED_SCENARIOS: Scenario[] = [
  ...FEW_READ_SCENARIOS.map((scenario) => ({
    ...scenario,
    name: scenario.name.replace(/, \d+ at a time/, ''),
    connections: 1,
  })),
  ...BOOKING_SCENARIOS.slice(0, 2),
]

type CountOptions = { servers: Servers; company: Company; databaseUrl: string }

/** A target and the proxies in front of its servers. Only Berth has a proxy in front of Redis. */
type CountedTarget = {
  target: Target
  rival?: RivalName
  postgres: CountingProxy[]
  redis?: CountingProxy
}

type Counters = { statements: StatementCounter; commands: CommandCounter }

export async function countWork(options: CountOptions & { runner: Runner }): Promise<void> {
  const { runner } = options
  const counters = {
    statements: await openStatementCounter(options.databaseUrl),
    commands: await openCommandCounter(getRedisUrl(options.servers, REDIS_NUMBER)),
  }
  const counted = [await startCountedBerth(options)]
  for (const rival of COUNTED_RIVALS) counted.push(await startCountedRival(rival, options))
  const rows: string[][] = []
  for (const scenario of COUNTED_SCENARIOS) {
    for (const each of counted) {
      if (each.rival && !scenario.rivals.includes(each.rival)) continue
      rows.push(await countScenario(runner, each, scenario, counters))
    }
  }
  for (const { target, postgres, redis } of counted) {
    await target.stop()
    for (const proxy of redis ? [...postgres, redis] : postgres) await proxy.stop()
  }
  counters.commands.stop()
  await counters.statements.stop()
  printCounts(rows)
}

async function startCountedBerth({ servers, company, databaseUrl }: CountOptions): Promise<CountedTarget> {
  const gateway = await startCountingProxy(databaseUrl)
  const worker = await startCountingProxy(databaseUrl)
  const redis = await startCountingProxy(getRedisUrl(servers, REDIS_NUMBER))
  const target = await startBerth({
    servers,
    company,
    name: 'counted-berth',
    databaseUrl: gateway.url,
    workerDatabaseUrl: worker.url,
    redisUrl: redis.url,
  })
  return { target, postgres: [gateway, worker], redis }
}

async function startCountedRival(rival: RivalName, options: CountOptions): Promise<CountedTarget> {
  const proxy = await startCountingProxy(options.databaseUrl)
  const target = await startRival(rival, { ...options, name: `counted-${rival}`, databaseUrl: proxy.url })
  return { target, rival, postgres: [proxy] }
}

async function countScenario(
  runner: Runner,
  { target, rival, postgres, redis }: CountedTarget,
  scenario: Scenario,
  { statements, commands }: Counters,
): Promise<string[]> {
  const ask = async (requestsMax: number) => {
    await measureLoad(runner, target, scenario, { seconds: LOAD_SECONDS_MAX, requestsMax })
    await sleep(SETTLE_MS)
  }
  const readTrips = () => [...postgres, redis].map((proxy) => proxy?.roundTrips() ?? 0)
  // Prepares the statements and opens the connections before anything is counted.
  await ask(WARM_UP_REQUEST_COUNT)
  const before = readTrips()
  await statements.reset()
  commands.reset()
  await ask(MEASURED_REQUEST_COUNT)
  const trips = readTrips().map((number, index) => number - (before[index] ?? 0))
  const done = await statements.read()
  const { sent, inScripts } = commands.read()
  return [
    `${scenario.name}: ${rival ?? 'Berth'}`,
    formatPerRequest(done.statements),
    trips.slice(0, -1).map(formatPerRequest).join(' + '),
    formatPerRequest(done.buffers),
    formatPerRequest(done.walBytes),
    ...(redis ? [trips.at(-1), sent, inScripts].map(formatPerRequest) : ['', '', '']),
  ]
}

function printCounts(rows: string[][]): void {
  const head = [
    `counts a request, of ${MEASURED_REQUEST_COUNT}`,
    'statements',
    'round trips to Postgres (gateway + worker)',
    'buffers',
    'WAL bytes',
    'round trips to Redis',
    'Redis commands',
    'and in scripts',
  ]
  printTable(head, rows)
}

function formatPerRequest(number = Number.NaN): string {
  const value = number / MEASURED_REQUEST_COUNT
  if (!Number.isFinite(value)) return '–'
  return value < 100 ? value.toFixed(1) : value.toFixed(0)
}
