// Tests the endpoints for operators: liveness, readiness and metrics.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { openQueue } from '../../../../shared/runtime/queues.ts'
import { QUEUES } from '../../../../shared/schemas/job.ts'
import { KEYS } from '../../../support/databases.ts'
import { type Metric, parseMetrics, sumMetrics } from '../../../support/figures.ts'
import { Client } from '../../../support/http/http.ts'
import { startGatewayProcess } from '../../../support/processes.ts'
import { openRedis } from '../../../support/redis.ts'
import { eventually, promised } from '../../../support/time.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const DURATION_METRIC = 'berth_http_request_duration_seconds'
const UNREACHABLE_SERVERS = {
  databaseUrl: 'postgres://nobody@127.0.0.1:1/none',
  redisUrl: 'redis://127.0.0.1:1',
}

async function readMetrics(url: string): Promise<Metric[]> {
  const answer = await new Client(url).get('/metrics')
  expect(answer.status).to.equal(200)
  expect(answer.headers.get('Content-Type')).to.match(/^text\/plain; version=0\.0\.4/)
  return parseMetrics(answer.text)
}

describe('the health endpoints of a gateway', () => {
  const world = useWorld({ workers: [...QUEUES] })
  let nobody: Client
  before(async () => {
    nobody = new Client(world.url)
  })

  it('answer at /healthz that the process is alive', async () => {
    const answer = await nobody.get('/healthz')
    expect(answer.status).to.equal(200)
    expect(answer.json).to.deep.equal({ status: 'ok' })
  })

  it('answer at /readyz that the gateway is ready', async () => {
    const { status, json } = await eventually(async () => {
      const answer = await nobody.get('/readyz')
      expect(answer.text).to.not.include('false')
      return answer
    })
    expect(status).to.equal(200)
    const ok = { ok: true }
    const one = { ok: true, count: 1 }
    expect(json).to.deep.equal({
      status: 'ready',
      postgres: ok,
      migrations: ok,
      redis: ok,
      clock: ok,
      workers: { writes: one, imports: one, exports: one, upkeep: one },
    })
  })

  it('answer at /readyz that it is not ready if migrations are pending, and name them', async () => {
    const [last] = await world.database('migrations').orderBy('name', 'desc').limit(1)
    await world.database('migrations').where({ name: last.name }).delete()
    const pending = await nobody.get('/readyz')
    await world.database('migrations').insert(last)
    expect(pending.status).to.equal(503)
    expect(pending.json).to.deep.include({
      status: 'not ready',
      postgres: { ok: true },
      migrations: { ok: false, detail: `Pending migrations: ${last.name}` },
    })
    expect((await nobody.get('/readyz')).status).to.equal(200)
  })

  it('answer at /readyz that it is ready if the database is newer', async () => {
    await world.database('migrations').insert({ name: '9999-later', batch: 9, migration_time: new Date() })
    const answer = await nobody.get('/readyz')
    await world.database('migrations').where({ name: '9999-later' }).delete()
    expect(answer.json).to.deep.include({ status: 'ready', migrations: { ok: true } })
  })

  describe('/metrics of a gateway', () => {
    it('counts requests and their durations by method, declared path and status', async () => {
      const client = await world.client('read')
      const before = await readMetrics(world.url)
      for (const path of ['users/1', 'users/2', 'users/x', 'groups']) await client.get(path)
      await nobody.get('groups')
      await nobody.get(`nothing-${Math.random()}`)
      await client.put('groups', {})
      const asked: Array<[Record<string, string>, number]> = [
        [{ method: 'GET', route: '/api/v1/users/{id}', status: '404' }, 3],
        [{ method: 'GET', route: '/api/v1/groups', status: '200' }, 1],
        [{ method: 'GET', route: '/api/v1/groups', status: '401' }, 1],
        [{ method: 'GET', route: 'unknown', status: '404' }, 1],
        [{ method: 'PUT', route: 'unknown', status: '405' }, 1],
      ]
      const after = await eventually(async () => {
        const figures = await readMetrics(world.url)
        for (const [labels, number] of asked) {
          const counted =
            sumMetrics(figures, `${DURATION_METRIC}_count`, labels) -
            sumMetrics(before, `${DURATION_METRIC}_count`, labels)
          expect(counted, JSON.stringify(labels)).to.equal(number)
        }
        return figures
      })
      const groups = { method: 'GET', route: '/api/v1/groups', status: '200' }
      expect(sumMetrics(after, `${DURATION_METRIC}_sum`, groups)).to.be.within(0, 5)
      const buckets = after.filter(
        ({ name, labels }) =>
          name === `${DURATION_METRIC}_bucket` && labels.route === groups.route && labels.status === '200',
      )
      for (const [index, { value }] of buckets.entries())
        expect(value >= (buckets[index - 1]?.value ?? 0)).to.equal(true)
      expect(sumMetrics(buckets, `${DURATION_METRIC}_bucket`, { le: '+Inf' })).to.equal(
        sumMetrics(after, `${DURATION_METRIC}_count`, groups),
      )
    })

    it('has a limited number of routes, regardless of the paths that clients request', async () => {
      for (let number = 0; number < 20; number++) await nobody.get(`/random-${number}`)
      const routes = new Set((await readMetrics(world.url)).map(({ labels }) => labels.route).filter(Boolean))
      expect([...routes].filter((route) => route?.includes('random'))).to.deep.equal([])
    })

    it('shows the memory use and the event loop lag of the process', async () => {
      const figures = await readMetrics(world.url)
      expect(sumMetrics(figures, 'process_resident_memory_bytes')).to.be.greaterThan(10_000_000)
      expect(figures.some(({ name }) => name === 'nodejs_eventloop_lag_p99_seconds')).to.equal(true)
    })
  })
})

describe('the health endpoints of a gateway without workers', () => {
  const world = useWorld({ workers: [] })

  it('answer at /readyz that it is ready, and name the queues without workers', async () => {
    await eventually(async () => {
      const { status, json } = await new Client(world.url).get('/readyz')
      expect(status).to.equal(200)
      expect(json.workers).to.deep.equal(
        Object.fromEntries(
          QUEUES.map((queue) => [
            queue,
            { ok: false, detail: `No worker is listening to “${queue}”.`, count: 0 },
          ]),
        ),
      )
    })
  })

  it('show at /metrics how full the queues are, and how long the oldest job has waited', async () => {
    const redis = openRedis(world.config)
    const queue = openQueue('writes', redis, KEYS)
    const old = Date.now() - 5_000
    await queue.add('bookings.create', {}, { timestamp: old })
    await queue.add('bookings.create', {})
    await queue.add('bookings.create', {}, { delay: 60_000 })
    const scheduled = openQueue('exports', redis, KEYS)
    const due = await scheduled.add('users.export', {}, { timestamp: old - 60_000, delay: 60_000 })
    await due.promote()
    const figures = await readMetrics(world.url)
    await Promise.all([queue.close(), scheduled.close()])
    redis.disconnect()
    const jobs = (queue: string, state: string) => sumMetrics(figures, 'berth_queue_jobs', { queue, state })
    expect(sumMetrics(figures, 'berth_queues_up')).to.equal(1)
    expect([jobs('writes', 'waiting'), jobs('writes', 'delayed'), jobs('imports', 'waiting')]).to.deep.equal([
      2, 1, 0,
    ])
    expect(sumMetrics(figures, 'berth_queue_oldest_wait_seconds', { queue: 'writes' })).to.be.within(5, 15)
    expect(sumMetrics(figures, 'berth_queue_oldest_wait_seconds', { queue: 'imports' })).to.equal(0)
    const sinceDue = sumMetrics(figures, 'berth_queue_oldest_wait_seconds', { queue: 'exports' })
    expect(sinceDue, 'scheduled for later').to.be.within(5, 15)
  })
})

describe('the metrics of a gateway without workers', () => {
  const world = useWorld({ workers: [], environment: { WRITE_WAIT_MS: '300' } })
  const client = useClient(world)

  // The age of the oldest job varies, because callers cancel their writes.
  it('show that no worker runs, while writes arrive and are cancelled', async () => {
    let isOver = false
    const writing = Promise.all(
      [1, 2, 3].map(async () => {
        while (!isOver) await client.patch('bookables/1', { name: 'Desk' })
      }),
    )
    const waits: number[] = []
    for (let look = 0; look < 20; look++) {
      const figures = await readMetrics(world.url)
      waits.push(sumMetrics(figures, 'berth_queue_oldest_wait_seconds', { queue: 'writes' }))
      expect(figures).to.deep.include({ name: 'berth_queue_workers', labels: { queue: 'writes' }, value: 0 })
      await wait(50)
    }
    isOver = true
    await writing
    expect(new Set(waits).size, waits.join(' ')).to.be.above(1)
    const workers = await world.startWorkers(['writes'])
    await eventually(async () => {
      const figures = await readMetrics(world.url)
      expect(sumMetrics(figures, 'berth_queue_workers', { queue: 'writes' })).to.equal(1)
      expect(sumMetrics(figures, 'berth_queue_workers', { queue: 'imports' })).to.equal(0)
    })
    await workers.stop()
  })
})

describe('the health endpoints of a gateway without Postgres and Redis', () => {
  const world = useWorld({ workers: [], gateway: UNREACHABLE_SERVERS })
  let nobody: Client
  before(async () => {
    nobody = new Client(world.url)
  })

  it('answer that it is alive at /healthz, but not ready at /readyz, and say what is missing', async () => {
    expect((await nobody.get('/healthz')).status).to.equal(200)
    const answer = await nobody.get('/readyz')
    expect(answer.status).to.equal(503)
    for (const part of ['postgres', 'migrations', 'redis']) expect(answer.json[part].ok, part).to.equal(false)
    for (const queue of QUEUES) expect(answer.json.workers[queue].ok, queue).to.equal(false)
    expect(answer.json.status).to.equal('not ready')
  })

  it('answer at /readyz in Berth’s own words, without the error message of a driver', async () => {
    const { json, text } = await nobody.get('/readyz')
    expect(text).to.not.match(/127\.0\.0\.1|ECONN|connect|nobody|:1\b/)
    expect(json.postgres.detail).to.equal('Postgres is not responding.')
    expect(json.migrations.detail).to.equal('The migrations could not be read.')
    for (const part of [json.redis, ...Object.values(json.workers)])
      expect(part).to.deep.include({ ok: false, detail: 'Redis is not responding.' })
  })

  it('omit figures at /metrics that the gateway cannot know', async () => {
    const figures = await readMetrics(world.url)
    expect(sumMetrics(figures, 'berth_queues_up')).to.equal(0)
    expect(figures.filter(({ name }) => name === 'berth_queue_jobs')).to.deep.equal([])
  })
})

describe('several gateway processes that share a port', () => {
  const world = useWorld({ workers: [] })

  it('show the sum of their metrics in every process, and replace a process that dies', async function several() {
    this.timeout(300_000)
    const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = world
    const gateway = await startGatewayProcess({ DATABASE_URL, REDIS_URL, WEB_CONCURRENCY: '2' })
    const processes = () => gateway.lines.filter(({ msg }) => msg === 'listening').map(({ pid }) => pid)
    await eventually(() => expect(new Set(processes()).size).to.equal(2), promised(10_000))
    // Each request uses a new connection, so that both processes receive requests.
    const ask = () => new Client(gateway.url).get('/healthz', { Connection: 'close' })
    for (let number = 0; number < 20; number++) expect((await ask()).status).to.equal(200)
    const expectFigures = async (waiting: number) => {
      const healthz = { method: 'GET', route: '/healthz', status: '200' }
      for (let look = 0; look < 4; look++) {
        await eventually(async () => {
          const figures = await readMetrics(gateway.url)
          expect(sumMetrics(figures, `${DURATION_METRIC}_count`, healthz)).to.equal(20)
          expect(sumMetrics(figures, 'berth_queues_up')).to.equal(1)
          expect(sumMetrics(figures, 'berth_queue_jobs', { queue: 'writes', state: 'waiting' })).to.equal(
            waiting,
          )
        }, promised(2_000))
      }
    }
    const redis = openRedis(world.config)
    const queue = openQueue('writes', redis, KEYS)
    const job = await queue.add('bookings.create', {})
    await expectFigures(1)
    await job.remove()
    await expectFigures(0)
    await queue.close()
    redis.disconnect()
    const [victim] = processes()
    process.kill(Number(victim), 'SIGKILL')
    await eventually(() => expect(processes()).to.have.length(3), promised(10_000))
    const died = await gateway.line('a gateway process died; starting another')
    expect([died.pid, died.gateway]).to.deep.equal([gateway.pid, victim])
    expect((await ask()).status).to.equal(200)
    gateway.kill('SIGTERM')
    expect(await gateway.ended).to.equal(0)
  })
})
