// Checks that the Redis keys of 0.1.0 can be deleted as docs/operations.md says, without any key of this version.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../../local/tools/folders.ts'
import { getQueuePrefix, getRedisKey, getReplyChannel } from '../../../shared/identity/keys.ts'
import { QUEUES } from '../../../shared/schemas/job.ts'
import { openRedis } from '../../support/redis.ts'
import { useWorld } from '../../support/world.ts'

const KEYS = { prefix: 'berth', database: '5f0c3f6e-0000-4000-8000-000000000000' }

describe('the Redis keys of 0.1.0', () => {
  const world = useWorld({ workers: [] })

  it('match the documented deletion pattern, which matches no key of the current version', async () => {
    const text = readFileSync(join(projectDirectory, 'docs/operations.md'), 'utf8')
    const [, pattern = ''] = /--scan --pattern "(\S+)"/.exec(text) ?? []
    const old = QUEUES.map((queue) => `{berth:${queue}}:${queue}:wait`)
    const current = [
      ...QUEUES.map((queue) => `${getQueuePrefix(KEYS, queue)}:${queue}:wait`),
      getRedisKey(KEYS, 'rate:1'),
      getReplyChannel('berth', 'one'),
      '{berth:shared}:processes',
    ]
    const redis = openRedis(world.config)
    try {
      for (const key of [...old, ...current]) await redis.set(`test:${key}`, '1')
      const found = await Promise.all(
        QUEUES.map((queue) => redis.keys(`test:${pattern.replaceAll('$queue', queue)}`)),
      )
      expect(found.flat().sort()).to.deep.equal(old.map((key) => `test:${key}`).sort())
    } finally {
      redis.disconnect()
    }
  })
})
