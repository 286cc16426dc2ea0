// A Redis that is killed and comes back, with its data or without: nothing is lost that was promised, nothing happens
// twice, and gateway and workers go on by themselves.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startRedis } from '../../local/redis/redis.ts'
import type { Server } from '../../local/tools/servers.ts'
import { expectAnswers, Observer } from '../support/faults/observer.ts'
import { settle } from '../support/faults/outages.ts'
import { useClient, useWorld } from '../support/world.ts'

describe('a Redis that was killed', function () {
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
    it(`and returns ${title} causes no false answer, and a delay of two seconds at most`, async () => {
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
      const settledMs = await settle(observer, ['write'], overMs)
      await observer.stop()
      // Those whose job was lost with Redis are called off when their time is up; all others soon.
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
