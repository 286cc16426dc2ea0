// What a connection to Redis is left for, and what not.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createLog } from '../../shared/log.ts'
import { connectRedis } from '../../shared/redis.ts'
import { serverUrls } from '../support/databases.ts'

// Longer than a Redis may be silent.
const HELD_UP_MS = 5_000

describe('a connection to Redis', () => {
  it('is not left because this process was held up: what was answered meanwhile is read first', async () => {
    const lines: string[] = []
    const log = createLog('test', 'trace', { write: (line) => lines.push(line) })
    const redis = connectRedis(serverUrls().redisUrl, 'persistent', log)
    await redis.ping()
    for (const ms of [HELD_UP_MS, 10]) {
      // Something is under way when it begins.
      redis.ping().catch(() => undefined)
      holdUp(ms)
      await wait(1_200)
    }
    redis.disconnect()
    expect(lines).to.deep.equal([])
  })
})

function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
