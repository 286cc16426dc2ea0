// The endpoints for operators: liveness, readiness and metrics.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { openQueue } from '../../../../shared/runtime/queues.ts'
import { QUEUES } from '../../../../shared/schemas/job.ts'
import { KEYS } from '../../../support/databases.ts'
import { type Figure, parseFigures, sumOf } from '../../../support/figures.ts'
import { Client } from '../../../support/http/http.ts'
import { startGatewayProcess } from '../../../support/processes.ts'
import { openRedis } from '../../../support/redis.ts'
import { eventually, promised } from '../../../support/time.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const DURATION = 'berth_http_request_duration_seconds'
const NOWHERE = { databaseUrl: 'postgres://nobody@127.0.0.1:1/none', redisUrl: 'redis://127.0.0.1:1' }

async function figuresOf(url: string): Promise<Figure[]> {
  const answer = await new Client(url).get('/metrics')
  expect(answer.status).to.equal(200)
  expect(answer.headers.get('Content-Type')).to.match(/^text\/plain; version=0\.0\.4/)
  return parseFigures(answer.text)
}

describe('the health of a gateway', () => {
  const world = useWorld({ workers: [...QUEUES] })
  let nobody: Client
  before(async () => {
    nobody = new Client(world.url)
  })

  it('is shown as alive at /healthz', async () => {
    const answer = await nobody.get('/healthz')
    expect(answer.status).to.equal(200)
    expect(answer.json).to.deep.equal({ status: 'ok' })
  })

  it('is shown as ready at /readyz', async () => {
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

  it('is shown as not ready at /readyz with pending migrations, which it names', async () => {
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

  it('is shown as ready at /readyz with a newer database', async () => {
    await world.database('migrations').insert({ name: '9999-later', batch: 9, migration_time: new Date() })
    const answer = await nobody.get('/readyz')
    await world.database('migrations').where({ name: '9999-later' }).delete()
    expect(answer.json).to.deep.include({ status: 'ready', migrations: { ok: true } })
  })

  describe('/metrics', () => {
    it('counts requests and their durations by method, declared path and status', async () => {
      const client = await world.client('read')
      const before = await figuresOf(world.url)
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
        const figures = await figuresOf(world.url)
        for (const [labels, number] of asked) {
          const counted =
            sumOf(figures, `${DURATION}_count`, labels) - sumOf(before, `${DURATION}_count`, labels)
          expect(counted, JSON.stringify(labels)).to.equal(number)
        }
        return figures
      })
      const groups = { method: 'GET', route: '/api/v1/groups', status: '200' }
      expect(sumOf(after, `${DURATION}_sum`, groups)).to.be.within(0, 5)
      const buckets = after.filter(
        ({ name, labels }) =>
          name === `${DURATION}_bucket` && labels.route === groups.route && labels.status === '200',
      )
      for (const [index, { value }] of buckets.entries())
        expect(value >= (buckets[index - 1]?.value ?? 0)).to.equal(true)
      expect(sumOf(buckets, `${DURATION}_bucket`, { le: '+Inf' })).to.equal(
        sumOf(after, `${DURATION}_count`, groups),
      )
    })

    it('has a bounded number of routes, whatever clients request', async () => {
      for (let number = 0; number < 20; number++) await nobody.get(`/random-${number}`)
      const routes = new Set((await figuresOf(world.url)).map(({ labels }) => labels.route).filter(Boolean))
      expect([...routes].filter((route) => route?.includes('random'))).to.deep.equal([])
    })

    it('shows the process itself', async () => {
      const figures = await figuresOf(world.url)
      expect(sumOf(figures, 'process_resident_memory_bytes')).to.be.greaterThan(10_000_000)
      expect(figures.some(({ name }) => name === 'nodejs_eventloop_lag_p99_seconds')).to.equal(true)
    })
  })
})

describe('the health of a gateway without workers', () => {
  const world = useWorld({ workers: [] })

  it('is shown as ready at /readyz, which names the queues without workers', async () => {
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

  it('includes at /metrics how full the queues are, and how long the oldest job has been waiting', async () => {
    const redis = openRedis(world.config)
    const queue = openQueue('writes', redis, KEYS)
    const old = Date.now() - 5_000
    await queue.add('bookings.create', {}, { timestamp: old })
    await queue.add('bookings.create', {})
    await queue.add('bookings.create', {}, { delay: 60_000 })
    const scheduled = openQueue('exports', redis, KEYS)
    const due = await scheduled.add('users.export', {}, { timestamp: old - 60_000, delay: 60_000 })
    await due.promote()
    const figures = await figuresOf(world.url)
    await Promise.all([queue.close(), scheduled.close()])
    redis.disconnect()
    const jobs = (queue: string, state: string) => sumOf(figures, 'berth_queue_jobs', { queue, state })
    expect(sumOf(figures, 'berth_queues_up')).to.equal(1)
    expect([jobs('writes', 'waiting'), jobs('writes', 'delayed'), jobs('imports', 'waiting')]).to.deep.equal([
      2, 1, 0,
    ])
    expect(sumOf(figures, 'berth_queue_oldest_wait_seconds', { queue: 'writes' })).to.be.within(5, 15)
    expect(sumOf(figures, 'berth_queue_oldest_wait_seconds', { queue: 'imports' })).to.equal(0)
    const sinceDue = sumOf(figures, 'berth_queue_oldest_wait_seconds', { queue: 'exports' })
    expect(sinceDue, 'scheduled for later').to.be.within(5, 15)
  })
})

describe('the metrics of a gateway without workers', () => {
  const world = useWorld({ workers: [], environment: { WRITE_WAIT_MS: '300' } })
  const client = useClient(world)

  // How long the oldest job waits rises and falls, because callers call off.
  it('always show that no worker runs, while writes arrive and are cancelled', async () => {
    let isOver = false
    const writing = Promise.all(
      [1, 2, 3].map(async () => {
        while (!isOver) await client.patch('bookables/1', { name: 'Desk' })
      }),
    )
    const waits: number[] = []
    for (let look = 0; look < 20; look++) {
      const figures = await figuresOf(world.url)
      waits.push(sumOf(figures, 'berth_queue_oldest_wait_seconds', { queue: 'writes' }))
      expect(figures).to.deep.include({ name: 'berth_queue_workers', labels: { queue: 'writes' }, value: 0 })
      await wait(50)
    }
    isOver = true
    await writing
    expect(new Set(waits).size, waits.join(' ')).to.be.above(1)
    const workers = await world.startWorkers(['writes'])
    await eventually(async () => {
      const figures = await figuresOf(world.url)
      expect(sumOf(figures, 'berth_queue_workers', { queue: 'writes' })).to.equal(1)
      expect(sumOf(figures, 'berth_queue_workers', { queue: 'imports' })).to.equal(0)
    })
    await workers.stop()
  })
})

describe('the health of a gateway without Postgres and Redis', () => {
  const world = useWorld({ workers: [], gateway: NOWHERE })
  let nobody: Client
  before(async () => {
    nobody = new Client(world.url)
  })

  it('is shown as alive at /healthz, and as not ready at /readyz, which says what is missing', async () => {
    expect((await nobody.get('/healthz')).status).to.equal(200)
    const answer = await nobody.get('/readyz')
    expect(answer.status).to.equal(503)
    for (const part of ['postgres', 'migrations', 'redis']) expect(answer.json[part].ok, part).to.equal(false)
    for (const queue of QUEUES) expect(answer.json.workers[queue].ok, queue).to.equal(false)
    expect(answer.json.status).to.equal('not ready')
  })

  it('is described at /readyz in Berth’s own words, without the message of a driver', async () => {
    const { json, text } = await nobody.get('/readyz')
    expect(text).to.not.match(/127\.0\.0\.1|ECONN|connect|nobody|:1\b/)
    expect(json.postgres.detail).to.equal('Postgres is not responding.')
    expect(json.migrations.detail).to.equal('The migrations could not be read.')
    for (const part of [json.redis, ...Object.values(json.workers)])
      expect(part).to.deep.include({ ok: false, detail: 'Redis is not responding.' })
  })

  it('is shown at /metrics without figures that are unknown', async () => {
    const figures = await figuresOf(world.url)
    expect(sumOf(figures, 'berth_queues_up')).to.equal(0)
    expect(figures.filter(({ name }) => name === 'berth_queue_jobs')).to.deep.equal([])
  })
})

describe('several gateway processes on one port', () => {
  const world = useWorld({ workers: [] })

  it('add up their figures in every process, and replace one that dies', async function several() {
    this.timeout(300_000)
    const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = world
    const gateway = await startGatewayProcess({ DATABASE_URL, REDIS_URL, WEB_CONCURRENCY: '2' })
    const processes = () => gateway.lines.filter(({ msg }) => msg === 'listening').map(({ pid }) => pid)
    await eventually(() => expect(new Set(processes()).size).to.equal(2), promised(10_000))
    // Each uses its own connection, so that both processes get some.
    const ask = () => new Client(gateway.url).get('/healthz', { Connection: 'close' })
    for (let number = 0; number < 20; number++) expect((await ask()).status).to.equal(200)
    const expectFigures = async (waiting: number) => {
      const healthz = { method: 'GET', route: '/healthz', status: '200' }
      for (let look = 0; look < 4; look++) {
        await eventually(async () => {
          const figures = await figuresOf(gateway.url)
          expect(sumOf(figures, `${DURATION}_count`, healthz)).to.equal(20)
          expect(sumOf(figures, 'berth_queues_up')).to.equal(1)
          expect(sumOf(figures, 'berth_queue_jobs', { queue: 'writes', state: 'waiting' })).to.equal(waiting)
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
