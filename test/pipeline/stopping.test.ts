// Tests processes as an operator runs them: on SIGTERM they finish what they have begun and exit with 0, and several
// processes share the work.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { projectDirectory } from '../../local/tools/folders.ts'
import { countBookings, createSlot, type NewBooking, startProxies } from '../support/faults/pipeline.ts'
import { closeProxies } from '../support/faults/proxy.ts'
import { Client } from '../support/http/http.ts'
import { openApiOf } from '../support/http/openapi.ts'
import { type Child, killChildren, startGatewayProcess, startWorkerProcess } from '../support/processes.ts'
import { eventually, promised, within } from '../support/time.ts'
import { useWorld } from '../support/world.ts'

const ENDED_MS_MAX = promised(5_000)

describe('stopping processes with SIGTERM', function () {
  this.timeout(120_000)
  // Processes start slowly on a busy machine.
  const world = useWorld({ workers: [], environment: { WRITE_WAIT_MS: '60000' } })
  let token: string | undefined
  let slot: NewBooking
  let environment: Record<string, string>
  let holder: Knex.Transaction | undefined

  before(async () => {
    token = (await world.client()).token
    environment = {
      DATABASE_URL: world.databaseUrl,
      REDIS_URL: world.redisUrl,
      WRITE_WAIT_MS: '60000',
    }
  })
  beforeEach(async () => {
    slot = await createSlot(world)
  })
  afterEach(async () => {
    if (holder && !holder.isCompleted()) await holder.rollback()
    await killChildren()
    await closeProxies()
  })

  /** Blocks requests that read groups or book the slot. */
  async function holdUp() {
    holder = await world.database.transaction()
    await holder.raw('LOCK TABLE groups IN ACCESS EXCLUSIVE MODE')
    await holder('bookables').where({ id: slot.bookable_id }).forUpdate()
  }

  async function waiting(count: number) {
    await eventually(async () => {
      const { rows } = await world.database.raw(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      expect(rows).to.have.length(count)
    })
  }

  async function expectAlive(child: Child) {
    const ended = await Promise.race([child.ended, wait(300, 'alive')])
    expect(ended).to.equal('alive')
  }

  it('stops a process whose parent ended before the process could receive SIGTERM', async () => {
    const program = join(projectDirectory, 'dist/workers/main.js')
    const child = spawn(process.execPath, [program], {
      env: { PATH: process.env.PATH, DATABASE_URL: world.databaseUrl, REDIS_URL: world.redisUrl },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    child.disconnect()
    const ended = once(child, 'exit')
    const [code] = await Promise.race([ended, wait(promised(5_000), ['alive'])])
    child.kill('SIGKILL')
    expect(code).to.equal(0)
  })

  it('lets a gateway finish its running requests and exit with code 0', async () => {
    const workers = await world.startWorkers(['writes'])
    const gateway = await startGatewayProcess(environment)
    const client = new Client(gateway.url, token)
    // Fetches the OpenAPI document first, because a stopping gateway accepts no new connections. The idle connection
    // stays open and must not delay the exit.
    await openApiOf(gateway.url)
    await holdUp()
    const booked = client.post('bookings', slot)
    await waiting(1)
    // This request begins last: Postgres ends a read after two seconds.
    const asked = Promise.all([client.get('groups'), booked])
    await waiting(2)
    gateway.kill('SIGTERM')
    await gateway.line('draining')
    await expectAlive(gateway)
    expect(await fetch(`${gateway.url}/healthz`).catch(() => 'refused')).to.equal('refused')
    await holder?.rollback()
    expect((await asked).map(({ status }) => status)).to.deep.equal([200, 200])
    expect(await within(ENDED_MS_MAX, gateway.ended)).to.equal(0)
    await workers.stop()
  })

  it('ends a gateway despite an open connection that has sent no request', async () => {
    const gateway = await startGatewayProcess(environment)
    const { hostname, port } = new URL(gateway.url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    // Waits until the gateway has accepted the connection.
    await openApiOf(gateway.url)
    gateway.kill('SIGTERM')
    expect(await within(ENDED_MS_MAX, gateway.ended)).to.equal(0)
    socket.destroy()
  })

  it('lets a worker finish its job and exit with code 0, while other workers take new jobs', async () => {
    const [first, second] = [await startWorkerProcess(environment), await startWorkerProcess(environment)]
    const client = new Client(world.url, token)
    await holdUp()
    const asked = client.post('bookings', slot)
    await waiting(1)
    // One of the two workers has the job, and must run until the job is done.
    for (const child of [first, second]) child.kill('SIGTERM')
    const idle = await Promise.race([first, second].map((child) => child.ended.then(() => child)))
    const busy = idle === first ? second : first
    await expectAlive(busy)
    const third = await startWorkerProcess(environment)
    expect((await client.post('bookings', await createSlot(world))).status).to.equal(200)
    await holder?.rollback()
    expect((await asked).status).to.equal(200)
    expect(await countBookings(world, slot)).to.equal(1)
    expect([await idle.ended, await within(ENDED_MS_MAX, busy.ended)]).to.deep.equal([0, 0])
    const done = (child: Child) => child.lines.filter(({ msg }) => msg === 'done').length
    // A process writes its log lines with a short delay.
    await eventually(() => expect([idle, busy, third].map(done)).to.deep.equal([0, 1, 1]))
  })

  it('ends gateways and workers with exit code 0 while Redis is down', async () => {
    const { redis, environment: proxied } = await startProxies(world)
    const gateway = await startGatewayProcess(proxied)
    const worker = await startWorkerProcess(proxied, [])
    await redis.cut()
    await wait(500)
    for (const child of [gateway, worker]) child.kill('SIGTERM')
    const ends = [gateway, worker].map((child) => within(ENDED_MS_MAX, child.ended))
    expect(await Promise.all(ends)).to.deep.equal([0, 0])
  })

  it('ends a worker with exit code 0 right after Redis has become reachable again', async () => {
    const { redis, environment: proxied } = await startProxies(world)
    const worker = await startWorkerProcess(proxied, [])
    await redis.cut()
    await wait(1_000)
    await redis.restore()
    worker.kill('SIGTERM')
    expect(await within(ENDED_MS_MAX, worker.ended)).to.equal(0)
  })

  it('ends gateways and workers with exit code 0 while Postgres is down', async () => {
    const { postgres, environment: proxied } = await startProxies(world)
    const gateway = await startGatewayProcess(proxied)
    const worker = await startWorkerProcess(proxied)
    expect((await new Client(gateway.url, token).post('bookings', slot)).status).to.equal(200)
    await postgres.cut()
    for (const child of [gateway, worker]) child.kill('SIGTERM')
    const ends = [gateway, worker].map((child) => within(ENDED_MS_MAX, child.ended))
    expect(await Promise.all(ends)).to.deep.equal([0, 0])
  })
})

describe('several gateways and several workers', function () {
  this.timeout(120_000)
  const world = useWorld({ workers: [] })
  // Runs after the test, because closing the world would wait for these processes.
  afterEach(() => killChildren())

  it('share the work, and answer every request correctly', async () => {
    const environment = {
      DATABASE_URL: world.databaseUrl,
      REDIS_URL: world.redisUrl,
      WRITES_CONCURRENCY: '2',
      RATE_LIMIT_PER_MINUTE: '100000',
      WRITE_WAIT_MS: '60000',
    }
    const [gateways, workers] = await Promise.all([
      Promise.all([startGatewayProcess(environment), startGatewayProcess(environment)]),
      Promise.all([startWorkerProcess(environment), startWorkerProcess(environment)]),
    ])
    const { token } = await world.client()
    const clients = gateways.map(({ url }) => new Client(url, token))
    const slots = await Promise.all(Array.from({ length: 50 }, () => createSlot(world)))
    // Both gateways receive a request for each slot.
    const answers = await Promise.all(
      slots.map((slot) => Promise.all(clients.map((client) => client.post('bookings', slot)))),
    )
    for (const [index, pair] of answers.entries()) {
      expect(pair.map(({ status }) => status).sort(), pair.map(({ text }) => text).join(' ')).to.deep.equal([
        200, 409,
      ])
      const winner = pair.find(({ status }) => status === 200)
      expect(winner?.json.data[0].bookable.id).to.equal(slots[index]?.bookable_id)
    }
    // A process writes its log lines with a short delay.
    await Promise.all(workers.map((worker) => worker.line('done')))
  })
})
