// Tests what the benchmark measures: CPU time, round trips and commands; and runs a short benchmark with a built Berth.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { createFindings } from '../../bench/figures.ts'
import { type Loader, startLoader } from '../../bench/load/load.ts'
import { measureLoad } from '../../bench/measure-load.ts'
import {
  BOOKING_SCENARIOS,
  FEW_READ_SCENARIOS,
  getRequests,
  type Scenario,
} from '../../bench/parts/scenarios.ts'
import type { Runner } from '../../bench/runner.ts'
import { openCommandCounter } from '../../bench/stage/command-counter.ts'
import { createCompany } from '../../bench/stage/company.ts'
import { startCountingProxy } from '../../bench/stage/counting-proxy.ts'
import { measureCpuUs } from '../../bench/stage/process-table.ts'
import { connectToServers, type Servers } from '../../bench/stage/servers.ts'
import { startBerth, startRival, type Target } from '../../bench/stage/targets.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { readServerUrls, useConnection, useDatabase } from '../support/databases.ts'
import { eventually } from '../support/time.ts'
import { use, useWith } from '../support/use.ts'

// Test worlds count Redis databases up from 1, so these tests use the highest numbers.
const redisUrl = (number: number) => `${readServerUrls().redisUrl}/${number}`
const SMALL_BENCHMARK_LIMITS = { seconds: 60, requestsMax: 12 }

describe('the measurements of a benchmark', () => {
  it('include the CPU time of all child processes, even of those that have ended', async () => {
    const burn = 'const end = process.cpuUsage().user + 200_000; while (process.cpuUsage().user < end);'
    const say = 'const { user, system } = process.cpuUsage(); process.send(user + system)'
    const child = spawn(
      process.execPath,
      [
        '-e',
        `require('node:child_process').spawnSync(process.execPath, ['-e', '${burn}']); ${burn} ${say}; setInterval(() => {}, 1000)`,
      ],
      { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
    )
    try {
      const [own] = (await once(child, 'message')) as [number]
      const all = measureCpuUs([child.pid as number])
      expect(all - own).to.be.within(190_000, 2_000_000)
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  })

  const database = useDatabase()

  it('count one round trip for each time that a process waits for Postgres', async () => {
    const proxy = await startCountingProxy(database.databaseUrl)
    const connection = connectDatabase(proxy.url, { connectionsMax: 1 })
    await connection.raw('SELECT 1')
    const before = proxy.roundTrips()
    for (let number = 0; number < 5; number++) await connection.raw('SELECT ?::int', [number])
    expect(proxy.roundTrips() - before).to.equal(5)
    await connection.destroy()
    await proxy.stop()
  })

  it('distinguish Redis commands sent by clients from Redis commands sent by scripts', async () => {
    const counter = await openCommandCounter(redisUrl(998))
    const redis = new Redis(redisUrl(998))
    const elsewhere = new Redis(redisUrl(997))
    const twice = "redis.call('incr', KEYS[1]); return redis.call('get', KEYS[1])"
    for (let number = 0; number < 50; number++) {
      await redis.eval(twice, 1, 'bench')
      await elsewhere.eval(twice, 1, 'bench')
    }
    // The monitor reports over its own connection.
    await eventually(() => expect(counter.read().inScripts).to.equal(100))
    // This includes the commands that a client sends when it connects.
    expect(counter.read().sent).to.be.within(50, 60)
    await Promise.all([redis.del('bench'), elsewhere.del('bench')])
    counter.stop()
    redis.disconnect()
    elsewhere.disconnect()
  })
})

describe('a benchmark run', () => {
  const database = useDatabase()
  const connection = useConnection(database)
  const directory = use(async () => ({ path: await mkdtemp(join(tmpdir(), 'berth-bench-test-')) }), {
    close: ({ path }) => rm(path, { recursive: true, force: true }),
  })
  const servers: Servers = useWith(directory, () =>
    connectToServers(database.databaseUrl, redisUrl(999), directory.path),
  )
  const company = useWith(servers, () =>
    createCompany(connection, 200, { buildings: 1, locations: 1, bookables: 20, users: 20 }),
  )
  const options = () => ({ servers, company, databaseUrl: database.databaseUrl })
  const berth: Target = useWith(
    company,
    () => startBerth({ ...options(), name: 'Berth', redisUrl: servers.redisUrl }),
    (each) => each.stop(),
  )
  const bare: Target = useWith(
    company,
    () => startRival('bare', { ...options(), name: 'bare' }),
    (each) => each.stop(),
  )
  const loader: Loader = use(startLoader, { close: (each) => each.stop() })

  const [users, week] = FEW_READ_SCENARIOS as [Scenario, Scenario]
  const [, several] = BOOKING_SCENARIOS as [Scenario, Scenario]

  it('measures Berth and competing products, and the resource usage of each process group', async () => {
    const runner: Runner = { ...createFindings(), loader }
    for (const target of [berth, bare]) {
      for (const scenario of [users, week, several]) {
        const { perSecond, p99Ms, cpuUs } = await measureLoad(
          runner,
          target,
          scenario,
          SMALL_BENCHMARK_LIMITS,
        )
        expect(perSecond).to.be.above(0)
        expect(p99Ms).to.be.above(0)
        expect(cpuUs.gateway, `${target.name}, ${scenario.name}`).to.be.above(0)
        if (scenario.books && target.name === 'Berth') expect(cpuUs.worker).to.be.above(0)
      }
    }
    expect(Object.fromEntries(runner.failures)).to.deep.equal({})
    const booked = await connection('bookings').select('id').whereRaw("lower(during) >= '2090-01-01Z'")
    expect(booked).to.have.length(2 * SMALL_BENCHMARK_LIMITS.requestsMax)
  })

  it('reports responses other than 2xx', async () => {
    const runner: Runner = { ...createFindings(), loader }
    const known = company.users[0]
    const strangers = {
      ...users,
      requests: () => getRequests([`/api/v1/users/${known}`, '/api/v1/users/999999999']),
    }
    await measureLoad(runner, berth, strangers, SMALL_BENCHMARK_LIMITS)
    expect(Object.fromEntries(runner.failures)).to.deep.equal({
      [`Berth, ${users.name}: 404`]: SMALL_BENCHMARK_LIMITS.requestsMax / 2,
    })
  })
})
