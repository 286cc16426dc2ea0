// Berth with a master that sentinels name: the core of the suite, and masters that are lost under load.
import { use } from '../support/use.ts'
import { useClient, useWorld } from '../support/world.ts'
import { sitOutFailOver } from './stage/fail-over.ts'
import { RedisSentinel } from './stage/redis-sentinel.ts'
import type { RedisProcess } from './stage/redis-servers.ts'
import { runSuite } from './stage/suite.ts'

describe('a master that three sentinels name', () => {
  const set = use(() => RedisSentinel.start(), { close: (made) => made.stop() })

  it('serves the core of the suite', () => runSuite({ settings: set.settings, empty: set.urls }))

  describe('under load', () => {
    const world = useWorld(() => ({ environment: set.settings }))
    const client = useClient(world)
    const failOver = (fail: (master: RedisProcess) => Promise<() => Promise<void> | void>) =>
      sitOutFailOver({ world, client, findMaster: () => set.master(), fail })

    it('is followed by another one when it is killed, and no answer was a lie', () =>
      failOver(async (master) => {
        await master.kill()
        return () => master.restart()
      }))

    it('is followed by another one when it falls silent, and is not taken for the master when it is back', () =>
      failOver(async (master) => {
        master.freeze()
        return () => master.resume()
      }))
  })
})
