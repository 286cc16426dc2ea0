// Tests Berth with Redis Sentinel: the core of the suite, and masters that are lost under load.
import { expect } from 'chai'
import { checkRedis } from '../../commands/doctor/redis.ts'
import { findPermanentRefusal } from '../../shared/runtime/connection-check.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { use } from '../support/use.ts'
import { useClient, useWorld } from '../support/world.ts'
import { testFailOver } from './stage/fail-over.ts'
import { RedisSentinel } from './stage/redis-sentinel.ts'
import type { RedisProcess } from './stage/redis-servers.ts'
import { runSuite } from './stage/suite.ts'

describe('a Redis master that three sentinels monitor', () => {
  const set = use(() => RedisSentinel.start(), { close: (made) => made.stop() })

  it('passes the core of the HTTP test suite', () => runSuite({ settings: set.settings, empty: set.urls }))

  describe('a Redis master with sentinels under load', () => {
    const world = useWorld(() => ({ environment: set.settings }))
    const client = useClient(world)
    const failOver = (fail: (master: RedisProcess) => Promise<() => Promise<void> | void>) =>
      testFailOver({ world, client, findMaster: () => set.master(), fail })

    it('passes the checks of npm run doctor, which ask all sentinels', async () => {
      const findings = await checkRedis(world.config, async () => [])
      expect(findings.filter(({ level }) => level !== 'ok')).to.deep.equal([])
      const [sentinels] = findings.filter(({ about }) => about === 'sentinels')
      expect(sentinels?.says).to.equal(`3 of 3 name ${(await set.master()).address}`)
    })

    it('makes npm run doctor report a master name that the sentinels do not know', async () => {
      const { redisUrl, redisSentinels, redisPrefix } = world.config
      const redis = { redisUrl: redisUrl.replace('@berth', '@nobody'), redisSentinels, redisPrefix }
      const { message } = await findPermanentRefusal(
        [{ setting: 'REDIS_URL', server: 'Redis', redis }],
        createLog('test', 'silent'),
        { everyMs: 20, limitMs: 60 },
      )
      expect(message).to.equal(
        'Redis has no master of this name: The sentinels know no master “nobody”. See REDIS_URL',
      )
    })

    it('is replaced by a new master when it is killed, without false responses', () =>
      failOver(async (master) => {
        await master.kill()
        return () => master.restart()
      }))

    it('is replaced by a new master when it hangs, and is ignored when it returns', () =>
      failOver(async (master) => {
        master.freeze()
        return () => master.resume()
      }))
  })
})
