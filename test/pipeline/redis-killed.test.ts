// A Redis that is killed and comes back, with its data or without: nothing is lost that was promised, nothing happens
// twice, and gateway and workers go on by themselves.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { startRedis } from '../../local/redis.ts'
import { itAtOnce } from '../support/at-once.ts'
import { expectAnswers, Observer } from '../support/observer.ts'
import { RECOVERY_MS, REFUSED_MS, USUAL_MS } from '../support/outages.ts'
import { createWorld } from '../support/world.ts'

describe('a Redis that was killed', () => {
  itAtOnce({
    'and comes back with its data costs no truth, and two seconds at most': () => killRedis({ keeps: true }),
    'and comes back without its data costs no truth, and two seconds at most': () =>
      killRedis({ keeps: false }),
  })
})

async function killRedis({ keeps }: { keeps: boolean }) {
  const folder = await mkdtemp(join(tmpdir(), 'berth-redis-'))
  let redis = await startRedis({ directory: join(folder, 'first') })
  const world = await createWorld({ workers: [], environment: { REDIS_URL: redis.url } })
  await world.startWorkers(['writes'])
  const observer = await Observer.start(world, await world.client())
  await observer.recovery('write', 0, 5_000)

  const goneMs = Date.now()
  redis.kill('SIGKILL')
  await redis.ended
  await wait(1_500)
  redis = await startRedis({ directory: join(folder, keeps ? 'first' : 'second'), port: redis.port })
  const overMs = Date.now()
  expect(await observer.recovery('write', overMs, 10_000)).to.be.lessThan(RECOVERY_MS)
  await wait(RECOVERY_MS + 500 - (Date.now() - overMs))
  await observer.stop()
  // Redis answers a little before its starter knows.
  const refused = { statuses: ['503 unavailable'], ms: REFUSED_MS }
  expectAnswers(observer.samples('read', goneMs), { statuses: ['200'], ms: USUAL_MS })
  expectAnswers(observer.samples('write', goneMs + 100, goneMs + 1_500), refused)
  expectAnswers(observer.samples('write', overMs + RECOVERY_MS), { statuses: ['200'], ms: USUAL_MS })
  await observer.expectTruth()
  await world.close()
  await redis.stop()
  await rm(folder, { recursive: true, force: true })
}
