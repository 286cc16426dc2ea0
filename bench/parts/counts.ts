// Counts what a request makes Postgres and Redis do: statements, buffers, round trips, commands. Counts
// instead of times, so the results are the same on every machine.
import { setTimeout as sleep } from 'node:timers/promises'
import { printTable } from '../measure.ts'
import { measure } from '../measure-load.ts'
import type { Runner } from '../runner.ts'
import { type CommandCounter, openCommandCounter } from '../stage/command-counter.ts'
import type { Company } from '../stage/company.ts'
import { type CountingProxy, startCountingProxy } from '../stage/counting-proxy.ts'
import { redisUrlOf, type Servers } from '../stage/servers.ts'
import { openStatementCounter, type StatementCounter } from '../stage/statement-counter.ts'
import { type RivalName, startBerth, startRival, type Target } from '../stage/targets.ts'
import { BOOKINGS, FEW_READS, type Scenario } from './scenarios.ts'

const REQUESTS = 200
const WARM_UP_REQUESTS = 64
const SECONDS_MAX = 60
const SETTLE_MS = 300
const REDIS_NUMBER = 1
const RIVALS_COUNTED = ['bare', 'direct'] as const

const COUNTED: Scenario[] = [
  ...FEW_READS.map((scenario) => ({
    ...scenario,
    name: scenario.name.replace(/, \d+ at a time/, ''),
    connections: 1,
  })),
  ...BOOKINGS.slice(0, 2),
]

type Options = { servers: Servers; company: Company; databaseUrl: string }

/** A target and the proxies in front of its servers; only Berth has `redis`. */
type Counted = {
  target: Target
  rival?: RivalName
  postgres: CountingProxy[]
  redis?: CountingProxy
}

type Counters = { statements: StatementCounter; commands: CommandCounter }

export async function countWork(options: Options & { runner: Runner }): Promise<void> {
  const { runner } = options
  const counters = {
    statements: await openStatementCounter(options.databaseUrl),
    commands: await openCommandCounter(redisUrlOf(options.servers, REDIS_NUMBER)),
  }
  const counted = [await startCountedBerth(options)]
  for (const rival of RIVALS_COUNTED) counted.push(await startCountedRival(rival, options))
  const rows: string[][] = []
  for (const scenario of COUNTED) {
    for (const each of counted) {
      if (each.rival && !scenario.rivals.includes(each.rival)) continue
      rows.push(await count(runner, each, scenario, counters))
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

async function startCountedBerth({ servers, company, databaseUrl }: Options): Promise<Counted> {
  const gateway = await startCountingProxy(databaseUrl)
  const worker = await startCountingProxy(databaseUrl)
  const redis = await startCountingProxy(redisUrlOf(servers, REDIS_NUMBER))
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

async function startCountedRival(rival: RivalName, options: Options): Promise<Counted> {
  const proxy = await startCountingProxy(options.databaseUrl)
  const target = await startRival(rival, { ...options, name: `counted-${rival}`, databaseUrl: proxy.url })
  return { target, rival, postgres: [proxy] }
}

async function count(
  runner: Runner,
  { target, rival, postgres, redis }: Counted,
  scenario: Scenario,
  { statements, commands }: Counters,
): Promise<string[]> {
  const ask = async (requestsMax: number) => {
    await measure(runner, target, scenario, { seconds: SECONDS_MAX, requestsMax })
    await sleep(SETTLE_MS)
  }
  const readTrips = () => [...postgres, redis].map((proxy) => proxy?.roundTrips() ?? 0)
  // Prepares the statements and opens the connections.
  await ask(WARM_UP_REQUESTS)
  const before = readTrips()
  await statements.reset()
  commands.reset()
  await ask(REQUESTS)
  const trips = readTrips().map((number, index) => number - (before[index] ?? 0))
  const done = await statements.read()
  const { sent, inScripts } = commands.read()
  return [
    `${scenario.name}: ${rival ?? 'Berth'}`,
    perRequest(done.statements),
    trips.slice(0, -1).map(perRequest).join(' + '),
    perRequest(done.buffers),
    perRequest(done.walBytes),
    ...(redis ? [trips.at(-1), sent, inScripts].map(perRequest) : ['', '', '']),
  ]
}

function printCounts(rows: string[][]): void {
  const head = [
    `counts a request, of ${REQUESTS}`,
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

function perRequest(number = Number.NaN): string {
  const value = number / REQUESTS
  if (!Number.isFinite(value)) return '–'
  return value < 100 ? value.toFixed(1) : value.toFixed(0)
}
