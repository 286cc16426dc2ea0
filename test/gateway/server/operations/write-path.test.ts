// Tests how /readyz checks the write path: it sends a real job through each queue.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { startRedis } from '../../../../local/redis/redis.ts'
import type { Server } from '../../../../local/tools/servers.ts'
import { QUEUES } from '../../../../shared/schemas/job.ts'
import { createSlot, openQueueOf, startProxiedWorkers } from '../../../support/faults/pipeline.ts'
import { monitorRedis } from '../../../support/faults/redis-monitor.ts'
import { fetchMetrics, sumMetrics } from '../../../support/figures.ts'
import { Client } from '../../../support/http/http.ts'
import { eventually } from '../../../support/time.ts'
import { useClient, useWorld } from '../../../support/world.ts'

// Longer than the time for which the result is cached.
const RESULT_CACHED_MS = 5_100

async function readReadiness({ url }: { url: string }) {
  const { status, json } = await new Client(url).get('/readyz')
  return { status, ...json }
}

describe('the probe of the write path', () => {
  const world = useWorld({ workers: [...QUEUES] })

  it('sends a job through each queue at most every five seconds, and leaves no data behind', async () => {
    let probes = 0
    const monitor = await monitorRedis(world.redisUrl, ({ source, text }) => {
      if (source !== 'lua' && text.includes('probe')) probes++
    })
    const gateway = await world.startGateway()
    for (let asked = 0; asked < 5; asked++) await readReadiness(gateway)
    monitor.stop()
    expect(probes).to.equal(QUEUES.length)
    // A busy machine may answer the first request too late.
    await eventually(async () => expect((await readReadiness(gateway)).workers.writes.ok).to.equal(true))
    for (const name of QUEUES) {
      const { queue, close } = openQueueOf(world, name)
      await eventually(async () => {
        const { completed = 0, ...counts } = await queue.getJobCounts()
        // The upkeep queue may be busy with its own jobs.
        if (name === 'upkeep') return
        expect([completed, ...Object.values(counts)].every((number) => number === 0)).to.equal(true)
      })
      if (name === 'writes') expect((await queue.getMetrics('completed')).meta.count).to.equal(0)
      await close()
    }
    expect(await world.database('receipts')).to.deep.equal([])
  })

  it('counts the responsive workers of each queue', async () => {
    const more = await world.startWorkers(['writes', 'imports'])
    await eventually(async () => {
      const { workers } = await readReadiness(world)
      expect(QUEUES.map((name) => workers[name].count)).to.deep.equal([2, 2, 1, 1])
    })
    await more.stop()
    await eventually(async () => expect((await readReadiness(world)).workers.writes.count).to.equal(1))
  })

  it('counts a worker that is busy with one long import', async () => {
    const gateway = await world.startGateway()
    const { queue, close } = openQueueOf(world, 'imports')
    // Keeps a worker busy, as a large file would.
    const stuck = await world.database.transaction()
    await stuck.raw('LOCK TABLE import_plans, users')
    const client = await world.client('user-write')
    const asked = client.import('email,name\nann@example.com,Ann\n')
    await eventually(async () => expect(await queue.getActiveCount()).to.equal(1))
    await eventually(async () =>
      expect((await readReadiness(gateway)).workers.imports).to.deep.equal({ ok: true, count: 1 }),
    )
    await stuck.rollback()
    expect((await asked).status).to.equal(200)
    await close()
  })
})

describe('the probe of a broken write path', function suite() {
  this.timeout(180_000)
  const lines: string[] = []
  const world = useWorld({ workers: [], onLog: (line) => lines.push(line) })

  it('reports the path as broken if a worker cannot write to its database', async () => {
    const workers = await startProxiedWorkers(world)
    await eventually(async () => expect((await readReadiness(world)).workers.writes.ok).to.equal(true))
    await workers.postgres.cut()
    await eventually(async () => {
      const { status, redis, workers } = await readReadiness(world)
      expect([status, redis.ok]).to.deep.equal(['ready', true])
      expect(workers.writes.detail).to.match(
        /^(The workers of “writes” cannot write to their database|No worker)/,
      )
    })
    await eventually(async () => expect((await readReadiness(world)).workers.writes.count).to.equal(0))
    await workers.postgres.restore()
    await eventually(async () =>
      expect((await readReadiness(world)).workers.writes).to.deep.equal({ ok: true, count: 1 }),
    )
  })
})

describe('the probe of the write path while its table is locked', () => {
  const world = useWorld({ workers: ['writes'] })

  it('reports the path as down at /readyz and in a metric until the lock is released', async () => {
    const okOf = async () => sumMetrics(await fetchMetrics(world.url), 'berth_queue_ok', { queue: 'writes' })
    await eventually(async () => {
      expect((await readReadiness(world)).workers.writes.ok).to.equal(true)
      expect(await okOf()).to.equal(1)
    })
    const holder = await world.database.transaction()
    await holder.raw('LOCK TABLE bookings')
    await eventually(async () => {
      const { workers } = await readReadiness(world)
      expect(workers.writes).to.deep.include({
        ok: false,
        detail: 'The workers of “writes” cannot write to their database.',
      })
      expect(await okOf()).to.equal(0)
    })
    await holder.rollback()
    await eventually(async () => {
      expect((await readReadiness(world)).workers.writes.ok).to.equal(true)
      expect(await okOf()).to.equal(1)
    })
  })
})

describe('the probe of the write path while Redis is full', function suite() {
  this.timeout(180_000)
  const lines: string[] = []
  let folder: string
  let server: Server
  let redis: Redis
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-full-'))
    server = await startRedis({ directory: folder })
    redis = new Redis(server.url)
  })
  const world = useWorld(() => ({
    environment: { REDIS_URL: server.url },
    onLog: (line) => lines.push(line),
  }))
  const client = useClient(world, 'booking-write')
  after(async () => {
    redis.disconnect()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const linesOf = (level: string, ...words: string[]) =>
    lines.filter((line) => [`"severity":"${level}"`, ...words].every((word) => line.includes(word)))

  it('logs one warning instead of one per attempt, and a line when the path works again', async () => {
    await eventually(async () => expect((await readReadiness(world)).workers.writes.ok).to.equal(true))
    await redis.config('SET', 'maxmemory', '1')
    const slot = await createSlot(world)
    for (let tries = 0; tries < 5; tries++) {
      const { status, json } = await client.post('bookings', slot)
      expect([status, json.code]).to.deep.equal([503, 'unavailable'])
    }
    await wait(RESULT_CACHED_MS)
    const { status, redis: answers, workers } = await readReadiness(world)
    expect([status, answers.ok]).to.deep.equal(['ready', true])
    expect(workers.writes).to.deep.include({ ok: false, detail: 'The queue “writes” takes no jobs.' })
    const figures = await fetchMetrics(world.url)
    expect(sumMetrics(figures, 'berth_queues_up'), 'berth_queues_up').to.equal(0)
    expect(sumMetrics(figures, 'berth_queue_ok', { queue: 'writes' }), 'berth_queue_ok').to.equal(0)
    expect(sumMetrics(figures, 'berth_redis_memory_bytes')).to.be.above(
      sumMetrics(figures, 'berth_redis_memory_max_bytes'),
    )
    expect(linesOf('warn', 'OOM', 'a job was refused by its queue')).to.have.length(1)
    expect(linesOf('warn', 'OOM', 'the queue takes no jobs', '"queue":"writes"')).to.have.length(1)
    await redis.config('SET', 'maxmemory', '0')
    await eventually(async () => expect((await readReadiness(world)).workers.writes.ok).to.equal(true))
    expect(linesOf('info', 'writes work again', '"queue":"writes"')).to.have.length(1)
    expect((await client.post('bookings', slot)).status).to.equal(200)
    expect(sumMetrics(await fetchMetrics(world.url), 'berth_queues_up')).to.equal(1)
  })
})
