// Kills Redis and restarts it, with or without its data: no acknowledged write is lost, no write takes effect twice,
// and all processes recover by themselves.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startRedis } from '../../local/redis/redis.ts'
import type { Server } from '../../local/tools/servers.ts'
import { expectAnswers, Observer } from '../support/faults/observer.ts'
import { waitForRecovery } from '../support/faults/outages.ts'
import { useClient, useWorld } from '../support/world.ts'

describe('a Redis server that was killed', function () {
  this.timeout(120_000)
  let folder: string
  let redis: Server

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-redis-'))
    redis = await startRedis({ directory: join(folder, 'first') })
  })
  const world = useWorld(() => ({
    environment: { REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '1000000' },
  }))
  const client = useClient(world)
  after(async () => {
    await redis.stop()
    await rm(folder, { recursive: true, force: true })
  })

  for (const [title, directory] of [
    ['with its data', 'first'],
    ['without its data', 'second'],
  ] as const) {
    it(`causes no false response, and delays writes by two seconds at most, if Redis returns ${title}`, async () => {
      const observer = await Observer.start(world, client)
      await observer.recovery('write', 0)
      const { port } = redis
      const goneMs = Date.now()
      redis.kill('SIGKILL')
      await redis.ended
      const deadMs = Date.now()
      await wait(1_000)
      redis = await startRedis({ directory: join(folder, directory), port })
      const overMs = Date.now()
      const settledMs = await waitForRecovery(observer, ['write'], overMs)
      await observer.stop()
      // Writes whose jobs were lost with Redis are cancelled at their deadline. All other writes are answered
      // quickly.
      expectAnswers(observer.samples('read', goneMs), { statuses: ['200'], ms: 1_000 })
      expectAnswers(observer.samples('write', deadMs + 50, overMs - 200), {
        statuses: ['503 unavailable'],
        ms: 2_500,
      })
      expectAnswers(observer.samples('write', settledMs), { statuses: ['200'], ms: 1_000 })
      await observer.expectTruth()
    })
  }
})
