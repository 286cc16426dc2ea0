// Sends ten times the load that the machine can handle: admitted requests are answered quickly, the rest is
// refused immediately, and the processes recover within seconds. Uses built processes. `SECONDS` sets the
// duration, `TIMES` the factor, and `CONNECTIONS` the number of callers.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { extname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type Loader, startLoader } from '../../bench/load/load.ts'
import type { LoadResult } from '../../bench/load/work.ts'
import { type Company, createCompany } from '../../bench/stage/company.ts'
import { measureCpuUs, measureResidentMb } from '../../bench/stage/process-table.ts'
import { listNodeOptions } from '../../bench/stage/scripts.ts'
import { projectDirectory } from '../../local/tools/folders.ts'
import { getOnlyRow } from '../../shared/database/database.ts'
import { Client } from '../support/http/http.ts'
import { type Child, startGatewayProcess, startWorkerProcess } from '../support/processes.ts'
import { measureTime, promised } from '../support/time.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'
import type { Arrivals, LatencySummary, Outcome } from './load/arrivals.ts'

const SECONDS = Number(process.env.SECONDS ?? 60)
const TIMES = Number(process.env.TIMES ?? 10)
const CAPACITY_SECONDS = 5
const QUIET_LOAD = { seconds: 3, writesPerSecond: 5, readsPerSecond: 20 }
const COMPANY_SIZE = { buildings: 1, locations: 4, bookables: 1_000, users: 500 }
const CONNECTIONS_MAX = Number(process.env.CONNECTIONS ?? 2_000)
const RECOVERED_MS_MAX = 5_000

// The documented maximum on a machine without other load.
const WRITE_MS_MAX = 2_000
const REFUSAL_MS_MAX = 1_000
const READ_MS_MAX = 1_000
const HEALTH_MS_MAX = 1_500
const GROWTH_MB_MAX = 200

type OperatorView = { slowestReadyMs: number; slowestMetricsMs: number; mostMb: number; notReady: number }

describe('a load of ten times the capacity', () => {
  const world = useWorld({ workers: [] })
  const stage = use(() => startStage(), { close: (made) => made.stop() })

  for (const kind of ['writes', 'reads'] as const) {
    it(`has ${kind} beyond the capacity refused immediately, and all others answered soon`, async () => {
      const { company, gateway, ask } = stage
      const readPath = `/api/v1/users/${company.users[0]}`
      const capacity = await stage.capacityOf(kind, readPath)
      const load = { url: gateway.url, readPath, company }
      const before = await ask({ ...load, ...QUIET_LOAD })
      const beforeMb = measureResidentMb(gateway.pid)
      const rate = Math.round(TIMES * capacity)
      const cpuBeforeUs = measureCpuUs([gateway.pid])
      const watching = watchGateway(gateway)
      const during = await ask({
        ...load,
        seconds: SECONDS,
        writesPerSecond: kind === 'writes' ? rate : QUIET_LOAD.writesPerSecond,
        readsPerSecond: kind === 'reads' ? rate : QUIET_LOAD.readsPerSecond,
      })
      const watched = await watching.end()
      const gatewayCpuUs = Math.round((measureCpuUs([gateway.pid]) - cpuBeforeUs) / countOf(during))
      await wait(RECOVERED_MS_MAX)
      const after = await ask({ ...load, ...QUIET_LOAD })
      const afterMb = measureResidentMb(gateway.pid)
      const figures = {
        kind,
        capacity,
        rate,
        before,
        beforeMb,
        during,
        watched,
        gatewayCpuUs,
        after,
        afterMb,
      }
      console.log(JSON.stringify(figures, null, 2))

      for (const outcome of [before, during, after]) expectHonest(outcome)
      expectFast(during.writes['200'], WRITE_MS_MAX)
      expectFast(during.reads['200'], READ_MS_MAX)
      expectFast(during[kind]['503'], REFUSAL_MS_MAX)
      expect(watched.notReady, 'readiness').to.equal(0)
      expect(watched.slowestReadyMs).to.be.below(promised(HEALTH_MS_MAX))
      expect(watched.slowestMetricsMs).to.be.below(promised(HEALTH_MS_MAX))
      expect(watched.mostMb).to.be.below(beforeMb + GROWTH_MB_MAX)
      expect(Object.keys({ ...after.writes, ...after.reads }), 'five seconds later').to.deep.equal(['200'])
      expectFast(after.writes['200'], 3 * (before.writes['200']?.p50Ms ?? 0) + 100)
      await expectAllThere()
    })
  }

  async function startStage() {
    const environment = {
      DATABASE_URL: world.databaseUrl,
      REDIS_URL: world.redisUrl,
      RATE_LIMIT_PER_MINUTE: '1000000000',
    }
    const company = await createCompany(world.database, 500, COMPANY_SIZE)
    const worker = await startWorkerProcess(environment, ['writes', 'upkeep'])
    const gateway = await startGatewayProcess(environment)
    const loader = await startLoader()
    const arriving = await startArriving()
    let accepted = 0
    return {
      company,
      gateway,
      accepted: () => accepted,
      async capacityOf(kind: 'writes' | 'reads', readPath: string): Promise<number> {
        const loaded = await askAgainAndAgain(loader, gateway, company, kind, readPath)
        if (kind === 'writes') accepted += loaded.answered - sumCounts(loaded.failures)
        return loaded.answered / loaded.seconds
      },
      async ask({ url, company, ...load }: LoadOptions): Promise<Outcome> {
        const { token, office, nextSlot: firstSlot } = company
        const arrivals: Arrivals = {
          urls: [url],
          token,
          office,
          firstSlot,
          connectionsMax: CONNECTIONS_MAX,
          ...load,
        }
        arriving.send(arrivals)
        const [outcome] = (await once(arriving, 'message')) as [Outcome]
        company.nextSlot = outcome.nextSlot
        accepted += outcome.writes['200']?.count ?? 0
        return outcome
      },
      async stop() {
        arriving.kill()
        await loader.stop()
        // Stops the processes, which would otherwise take the jobs of later tests.
        for (const child of [gateway, worker]) {
          child.kill('SIGTERM')
          await child.ended
        }
      },
    }
  }

  /** Expects each write that was answered with 200 to exist exactly once, and no other writes to exist. */
  async function expectAllThere() {
    const { rows } = await world.database.raw<{ rows: Array<{ count: number }> }>(
      "SELECT count(*)::int FROM bookings WHERE lower(during) >= '2090-01-01'",
    )
    expect(getOnlyRow(rows).count).to.equal(stage.accepted())
  }
})

type LoadOptions = { url: string; company: Company } & Pick<
  Arrivals,
  'seconds' | 'writesPerSecond' | 'readsPerSecond' | 'readPath'
>

async function startArriving(): Promise<ChildProcess> {
  const file = join(import.meta.dirname, `load/arrivals${extname(import.meta.filename)}`)
  const child = fork(file, { execArgv: listNodeOptions(file), cwd: projectDirectory })
  await once(child, 'message')
  return child
}

async function askAgainAndAgain(
  loader: Loader,
  { url }: { url: string },
  company: Company,
  kind: 'writes' | 'reads',
  readPath: string,
): Promise<LoadResult> {
  const { token, office, nextSlot: firstSlot } = company
  const writes = kind === 'writes'
  const loaded = await loader.run({
    url,
    headers: { Authorization: `Bearer ${token}` },
    connections: 128,
    seconds: CAPACITY_SECONDS,
    requests: writes ? [] : [{ method: 'GET', path: readPath }],
    bookings: writes ? { office, firstSlot } : undefined,
  })
  if (writes) company.nextSlot += loaded.sent
  return loaded
}

/** Returns the total number of responses. */
const countOf = ({ writes, reads }: Outcome) =>
  [...Object.values(writes), ...Object.values(reads)].reduce((sum, { count }) => sum + count, 0)

const sumCounts = (counts: Record<string, number>) =>
  Object.values(counts).reduce((sum, each) => sum + each, 0)

/** Records the logs and metrics that an operator would see during the load. */
function watchGateway(gateway: Child & { url: string }): { end(): Promise<OperatorView> } {
  const client = new Client(gateway.url)
  const watched: OperatorView = { slowestReadyMs: 0, slowestMetricsMs: 0, mostMb: 0, notReady: 0 }
  let isOver = false
  const looking = (async () => {
    while (!isOver) {
      const ready = await measureTime(() => client.get('/readyz'))
      const metrics = await measureTime(() => client.get('/metrics'))
      if (ready.answer.status !== 200) watched.notReady++
      watched.slowestReadyMs = Math.max(watched.slowestReadyMs, Math.round(ready.tookMs))
      watched.slowestMetricsMs = Math.max(watched.slowestMetricsMs, Math.round(metrics.tookMs))
      watched.mostMb = Math.max(watched.mostMb, Math.round(measureResidentMb(gateway.pid)))
      await wait(500)
    }
  })()
  return {
    async end() {
      isOver = true
      await looking
      return watched
    },
  }
}

function expectHonest({ writes, reads, withoutRetryAfter }: Outcome) {
  expect([...Object.keys(writes), ...Object.keys(reads)]).to.satisfy((results: string[]) =>
    results.every((result) => ['200', '503'].includes(result)),
  )
  expect(withoutRetryAfter).to.equal(0)
}

function expectFast(counted: LatencySummary | undefined, msMax: number) {
  if (counted) expect(counted.p99Ms).to.be.below(promised(msMax))
}
