// When a connection to Redis is closed, and when not.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createLog } from '../../../shared/utilities/log.ts'
import { serverUrls, useDatabase } from '../../support/databases.ts'
import { startGatewayProcess, startWorkerProcess } from '../../support/processes.ts'
import { openRedis, REDIS_DATABASES } from '../../support/redis.ts'

// Longer than a Redis may be silent.
const HELD_UP_MS = 5_000

describe('a connection to Redis', () => {
  it('is not closed because this process was blocked: it first reads the answers that have arrived', async () => {
    const lines: string[] = []
    const log = createLog('test', 'trace', { write: (line) => lines.push(line) })
    const redis = openRedis({ redisUrl: serverUrls().redisUrl }, { log })
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

describe('a REDIS_URL with the number of a database that does not exist', () => {
  const database = useDatabase()

  for (const [name, start] of [
    ['a gateway', startGatewayProcess],
    ['a worker', startWorkerProcess],
  ] as const) {
    it(`ends ${name} with 1 and a sentence, and never means database 0`, async () => {
      const { databaseUrl: DATABASE_URL } = database
      const REDIS_URL = `${serverUrls().redisUrl}/${REDIS_DATABASES}`
      const end = await start({ DATABASE_URL, REDIS_URL }).then(
        // A gateway may have begun to listen before Redis has answered.
        (child) => child.ended.then((code) => `ended (${code}): ${JSON.stringify(child.lines)}`),
        (error: Error) => error.message,
      )
      expect(end).to.include('ended (1)')
      expect(end).to.include(`This Redis has no database ${REDIS_DATABASES}, which REDIS_URL names`)
    })
  }
})

function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
