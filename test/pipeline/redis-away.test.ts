// Tests an outage of Redis: writes are refused quickly with a correct answer, reads continue, and Berth
// recovers by itself.

import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { expectAnswers, Observer } from '../support/faults/observer.ts'
import {
  RECOVERY_MS,
  REFUSED_MS_MAX,
  testRedisOutage,
  USUAL_ANSWER_MS_MAX,
} from '../support/faults/outages.ts'
import { startProxiedWorkers, withProxiedWorld } from '../support/faults/pipeline.ts'
import { Client } from '../support/http/http.ts'
import { itInParallel } from '../support/parallel-tests.ts'
import { eventually, promised } from '../support/time.ts'
import { createWorld } from '../support/world.ts'

const outageMs = 4_000
// The time for which a process waits for a reply from Redis.
const REPLY_TIMEOUT_MS = 4_000

/** Simulates a Redis machine that is replaced after it died: the earlier connections stay silent. */
async function loseConnections(side: 'gateway' | 'workers', kinds: string[]): Promise<void> {
  const logged: Array<{ redis?: string; msg?: string }> = []
  const linesOf = (msg: string) => [
    ...new Set(logged.filter((line) => line.msg === msg).map(({ redis }) => redis)),
  ]
  await withProxiedWorld(
    { WRITE_WAIT_MS: '2000' },
    async (proxied) => {
      const { redis } = proxied[side]
      const observer = await Observer.start(proxied.world, proxied.client)
      await observer.recovery('write', 0)
      logged.length = 0
      const lost = redis.links
      redis.freeze()
      await redis.restore({ lost: true })
      const overMs = Date.now()
      const limitMs = promised(REPLY_TIMEOUT_MS + RECOVERY_MS)
      const sinceMs = await observer.calm('write', overMs, limitMs + 2_000)
      expect(sinceMs - overMs).to.be.lessThan(limitMs)
      // All connections are lost, including idle ones.
      await eventually(() => {
        expect(redis.links.filter((link) => lost.includes(link) && !link.hasEnded)).to.deep.equal([])
        for (const msg of ['Redis is unavailable', 'Redis is available again'])
          expect(linesOf(msg), msg).to.have.members(kinds)
      }, limitMs)
      await observer.stop()
      expectAnswers(observer.samples('read', overMs), { statuses: ['200'], ms: USUAL_ANSWER_MS_MAX })
      await observer.expectTruth()
    },
    { onLog: (line) => logged.push(JSON.parse(line)) },
  )
}

describe('an outage of Redis', () => {
  itInParallel({
    'affects no reads, makes writes fail within 2.5 s while Redis is down, and ends within 2 s': () =>
      testRedisOutage({ begin: (redis) => redis.cut(), outageMs }, ['503 unavailable']),

    'affects no reads, makes writes fail within 2.5 s while Redis is frozen, and ends within 2 s': () =>
      testRedisOutage({ begin: (redis) => redis.freeze(), outageMs }, [
        '503 unavailable',
        '503 not_executed',
      ]),

    'ends within seconds even if new connections fall silent while they are being opened': () =>
      testRedisOutage(
        {
          begin: (redis) => redis.freeze(),
          outageMs: 6_000,
          lost: true,
          recoveryMs: REPLY_TIMEOUT_MS + RECOVERY_MS,
        },
        ['503 unavailable', '503 not_executed'],
      ),

    'ends within seconds after silent connections of the gateway are closed': () =>
      loseConnections('gateway', ['fail-fast', 'subscriber']),

    'ends within seconds after silent connections of the workers are closed': () =>
      loseConnections('workers', ['fail-fast', 'persistent']),
  })

  it('makes each process count the requests of a token by itself', () =>
    withProxiedWorld({ RATE_LIMIT_PER_MINUTE: '600' }, async ({ gateway, client }) => {
      await client.get('groups')
      await gateway.redis.cut()
      const left = []
      for (let request = 0; request < 20; request++) {
        const answer = await client.get('groups')
        left.push(Number(/r=(\d+)/.exec(answer.headers.get('RateLimit') ?? '')?.[1]))
      }
      const [first = 0] = left
      expect(left).to.deep.equal(left.map((_, request) => first - request))
    }))

  it('does not lift the rate limit, which each process then applies by itself', () =>
    withProxiedWorld({ RATE_LIMIT_PER_MINUTE: '30' }, async ({ gateway, client }) => {
      await gateway.redis.cut()
      const answers = await Promise.all(Array.from({ length: 40 }, () => client.get('groups')))
      expect(answers.filter(({ status }) => status === 200)).to.have.length(30)
      expect(answers.filter(({ status }) => status === 429)).to.have.length(10)
    }))

  it('does not prevent a starting gateway from answering reads', () =>
    withProxiedWorld({}, async ({ world, gateway, client: { token } }) => {
      await gateway.redis.cut()
      const client = new Client((await world.startGateway(gateway.environment)).url, token)
      expect((await client.get('groups')).status).to.equal(200)
      const observer = await Observer.start(world, client)
      await wait(1_000)
      const overMs = Date.now()
      await gateway.redis.restore()
      expect(await observer.recovery('write', overMs, promised(10_000))).to.be.lessThan(promised(RECOVERY_MS))
      await observer.stop()
      expectAnswers(observer.answered('write', 0, overMs), {
        statuses: ['503 unavailable'],
        ms: REFUSED_MS_MAX,
      })
      await observer.expectTruth()
    }))

  it('delays new workers no longer than until Redis is up', async () => {
    const world = await createWorld({ workers: [], environment: { RATE_LIMIT_PER_MINUTE: '1000000' } })
    const { redis } = await startProxiedWorkers(world, (proxies) => proxies.redis.cut())
    const observer = await Observer.start(world, await world.client())
    await wait(500)
    const overMs = Date.now()
    await redis.restore()
    await observer.recovery('write', 0)
    expect(Date.now() - overMs).to.be.lessThan(promised(RECOVERY_MS))
    await observer.stop()
    expectAnswers(observer.samples('write'), { statuses: ['200'], ms: 500 + RECOVERY_MS })
    await observer.expectTruth()
    await world.close()
  })
})
