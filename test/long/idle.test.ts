// Measures how many commands an idle worker sends to Redis.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { monitorRedis } from '../support/faults/redis-monitor.ts'
import { startWorkerProcess } from '../support/processes.ts'
import { useWorld } from '../support/world.ts'

const COMMANDS_PER_SECOND = 5
const SETTLED_MS = 5_000
const SECONDS = 60

describe('an idle worker', () => {
  const world = useWorld({ workers: [] })

  it('sends at most five commands a second to Redis', async () => {
    const { databaseUrl, redisUrl } = world
    const number = new URL(redisUrl).pathname.slice(1) || '0'
    const counts = new Map<string, number>()
    const { stop } = await monitorRedis(redisUrl, ({ database, source }) => {
      if (database === number && source !== 'lua') counts.set(source, (counts.get(source) ?? 0) + 1)
    })
    // Waits until each connection of the gateway has sent its first command.
    await sleep(SETTLED_MS)
    const others = [...counts.keys()]
    const queues = ['writes', 'upkeep']
    const worker = await startWorkerProcess({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }, queues)
    await sleep(SETTLED_MS)
    counts.clear()
    await sleep(SECONDS * 1_000)
    stop()
    worker.kill('SIGTERM')
    await worker.ended
    for (const other of others) counts.delete(other)
    const perSecond = [...counts.values()].reduce((sum, number) => sum + number, 0) / SECONDS
    console.log(`      ${perSecond.toFixed(1)} a second`)
    expect(perSecond).to.be.within(1, COMMANDS_PER_SECOND)
  })
})
