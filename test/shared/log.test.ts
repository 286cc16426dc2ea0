// What the log keeps to itself.
import { once } from 'node:events'
import { expect } from 'chai'
import { createLog } from '../../shared/log.ts'
import { connectRedis } from '../../shared/redis.ts'
import { useWorld } from '../support/world.ts'

describe('the log', () => {
  const world = useWorld({ workers: [] })

  it('says what Redis has refused, and not with which contents', async () => {
    const lines: string[] = []
    const log = createLog('test', 'info', { write: (line) => void lines.push(line) })
    const redis = connectRedis(world.redisUrl, 'fail-fast', log)
    if (redis.status !== 'ready') await once(redis, 'ready')
    try {
      const error = await redis
        .evalsha('0'.repeat(40), 0, '{"email":"ada@example.com"}')
        .catch((caught) => caught)
      log.warn({ err: error }, 'Not added')
    } finally {
      redis.disconnect()
    }
    const line = lines.find((each) => each.includes('Not added'))
    expect(line).to.include('NOSCRIPT').and.to.include('evalsha')
    expect(line).to.not.include('ada@example.com')
  })
})
