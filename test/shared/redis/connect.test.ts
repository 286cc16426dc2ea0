// Tests when a connection to Redis is closed, and when it stays open.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createLog } from '../../../shared/utilities/log.ts'
import { readServerUrls, useDatabase } from '../../support/databases.ts'
import { startGatewayProcess, startWorkerProcess } from '../../support/processes.ts'
import { openRedis, REDIS_DATABASES } from '../../support/redis.ts'

// Longer than the time for which Redis may be silent.
const BLOCKED_MS = 5_000

describe('a connection to Redis', () => {
  it('stays open when the process was blocked, and first reads the responses that have arrived', async () => {
    const lines: string[] = []
    const log = createLog('test', 'trace', { write: (line) => lines.push(line) })
    const redis = openRedis({ redisUrl: readServerUrls().redisUrl }, { log })
    await redis.ping()
    for (const ms of [BLOCKED_MS, 10]) {
      // Sends a command, which is running when the process gets blocked.
      redis.ping().catch(() => undefined)
      holdUp(ms)
      await wait(1_200)
    }
    redis.disconnect()
    expect(lines).to.deep.equal([])
  })
})

describe('a REDIS_URL with a database number that Redis does not have', () => {
  const database = useDatabase()

  for (const [name, start] of [
    ['a gateway', startGatewayProcess],
    ['a worker', startWorkerProcess],
  ] as const) {
    it(`makes ${name} exit with 1 and an explanation, and never use database 0`, async () => {
      const { databaseUrl: DATABASE_URL } = database
      const REDIS_URL = `${readServerUrls().redisUrl}/${REDIS_DATABASES}`
      const end = await start({ DATABASE_URL, REDIS_URL }).then(
        // A gateway may listen before Redis answers.
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
