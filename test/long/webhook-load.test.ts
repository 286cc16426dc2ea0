// Measures bookings while 10,000 webhook deliveries become due at the same time: they must take about as long
// as without deliveries. Uses built processes, and receivers that answer, one slow and one dead. `ROUNDS`
// sets the number of comparisons.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { type Loader, startLoader } from '../../bench/load/load.ts'
import { type Company, createCompany } from '../../bench/stage/company.ts'
import { projectDirectory } from '../../local/tools/folders.ts'
import { createWebhook } from '../support/dashboard/webhook-examples.ts'
import { type Child, startGatewayProcess, startLine, startWorkerProcess } from '../support/processes.ts'
import { eventually } from '../support/time.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const SECONDS = 8
const CALLER_COUNT = 4
const WEBHOOK_COUNT = 100
const DELIVERY_COUNT = 10_000
const SLOWDOWN_FACTOR_MAX = 1.5
const COMPANY_SIZE = { buildings: 1, locations: 4, bookables: 1_000, users: 500 }

type LoadMeasurement = { p50Ms: number; p99Ms: number; perSecond: number }

describe('10,000 webhook deliveries that are due at the same time', function () {
  this.timeout(600_000)
  const world = useWorld({ workers: [] })
  const stage = use(() => startStage(), { close: (made) => made.stop() })

  it(`slow the 99th percentile of bookings by a factor of ${SLOWDOWN_FACTOR_MAX} at most`, async () => {
    const calm: LoadMeasurement[] = []
    const busy: LoadMeasurement[] = []
    const sent: number[] = []
    // The first round warms up the processes.
    for (let round = -1; round < ROUNDS; round++) {
      const [quiet, loaded] = [await measure(), await measureBusy(sent)]
      if (round < 0) continue
      calm.push(quiet)
      busy.push(loaded)
    }
    const figures = { calm, busy, sent, times: computeMedianP99(busy) / computeMedianP99(calm) }
    console.log(JSON.stringify(figures, null, 2))
    expect(Math.min(...sent), 'deliveries went out meanwhile').to.be.above(100)
    expect(figures.times).to.be.below(SLOWDOWN_FACTOR_MAX)
  })

  async function measureBusy(sent: number[]): Promise<LoadMeasurement> {
    const before = stage.received()
    await world
      .database('webhook_deliveries')
      .update({ next_at: new Date(), attempts: 0, delivered_at: null })
    await eventually(() => expect(stage.received()).to.be.above(before))
    const measured = await measure()
    sent.push(stage.received() - before)
    await world.database('webhook_deliveries').update({ next_at: null })
    await world.database('webhooks').update({ failing_since: null })
    return measured
  }

  async function measure(): Promise<LoadMeasurement> {
    const { company, loader, gateway } = stage
    const loaded = await loader.run({
      url: gateway.url,
      headers: { Authorization: `Bearer ${company.token}` },
      connections: CALLER_COUNT,
      seconds: SECONDS,
      requests: [],
      bookings: { office: company.office, firstSlot: company.nextSlot },
    })
    company.nextSlot += loaded.sent
    expect(loaded.failures).to.deep.equal({})
    const { p50Ms, p99Ms, answered, seconds } = loaded
    return { p50Ms, p99Ms, perSecond: Math.round(answered / seconds) }
  }

  async function startStage() {
    const environment = {
      DATABASE_URL: world.databaseUrl,
      REDIS_URL: world.redisUrl,
      RATE_LIMIT_PER_MINUTE: '1000000000',
      WEBHOOK_ALLOW_PRIVATE: '127.0.0.1',
    }
    const company: Company = await createCompany(world.database, 500, COMPANY_SIZE)
    const receivers = await startReceivers()
    await subscribe(receivers.urls)
    const worker = await startWorkerProcess(environment, ['writes', 'upkeep'])
    const gateway = await startGatewayProcess(environment)
    const hooks: Child = startLine('exec node dist/workers/hooks/main.js', environment, projectDirectory)
    await hooks.line('telling webhooks')
    const loader: Loader = await startLoader()
    return {
      company,
      gateway,
      loader,
      received: () => receivers.received(),
      async stop() {
        for (const child of [hooks, gateway, worker]) child.kill('SIGTERM')
        await loader.stop()
        receivers.close()
      },
    }
  }

  // All deliveries are for the same existing change, from which workers read the payload.
  async function subscribe(urls: string[]) {
    const { database } = world
    for (let index = 0; index < WEBHOOK_COUNT; index++)
      await createWebhook(database, { url: urls[index % urls.length], types: ['group.restored'] })
    await database.raw(
      `INSERT INTO changes (type, action, resource_id, data, actor_type, actor_id, actor_name, request_id)
       VALUES ('booking', 'created', 1, ?, 'system', NULL, 'test', 'test')`,
      [JSON.stringify({ id: 1, note: 'x'.repeat(500) })],
    )
    await database.raw(
      `INSERT INTO webhook_deliveries (webhook_id, type, change_horizon, change_sequence, change_at, next_at)
       SELECT webhooks.id, 'booking.created', horizon, sequence, at, NULL
       FROM webhooks, generate_series(1, ${DELIVERY_COUNT / WEBHOOK_COUNT}), (SELECT * FROM changes LIMIT 1) AS change`,
    )
  }
})

async function startReceivers() {
  let count = 0
  const answers = [
    ...Array.from({ length: 8 }, () => (server: Server) => {
      server.on('request', (_request, response) => response.end('ok'))
    }),
    // The first receiver is slow, the second is dead.
    (server: Server) => server.on('request', (_request, response) => setTimeout(() => response.end(), 3_000)),
    (server: Server) => server.on('request', () => undefined),
  ]
  const servers = await Promise.all(
    answers.map(async (answer) => {
      const server = createServer()
      server.on('request', (request) => {
        count++
        request.resume()
      })
      answer(server)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return server
    }),
  )
  return {
    urls: servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`),
    received: () => count,
    close() {
      for (const server of servers) server.close().closeAllConnections()
    },
  }
}

function computeMedianP99(all: LoadMeasurement[]): number {
  const sorted = all.map(({ p99Ms }) => p99Ms).sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
