// Redis away: writes are refused soon and truly, reads go on, and everything recovers by itself.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { itAtOnce } from '../support/at-once.ts'
import { Client } from '../support/http.ts'
import { expectAnswers, Observer } from '../support/observer.ts'
import { inProxiedWorld, startProxiedWorkers } from '../support/pipeline.ts'
import type { TcpProxy } from '../support/proxy.ts'
import { createWorld } from '../support/world.ts'

const OUTAGE_MS = 4_000
const RECOVERY_MS = 2_000
const REFUSED_MS = 2_500
// Far more than a read takes, far less than any timeout.
const USUAL_MS = 1_000

describe('Redis away', () => {
  itAtOnce({
    'gone: reads go on, writes are refused within 2.5 s, and all is well within 2 s of its return': () =>
      sitOut((redis) => redis.cut(), ['503 unavailable']),

    'frozen: reads go on, writes are refused within 2.5 s, and all is well within 2 s of its return': () =>
      sitOut((redis) => redis.freeze(), ['503 unavailable', '503 not_executed']),

    'counts the requests of a token in the process meanwhile': () =>
      inProxiedWorld({}, async ({ gateway, client }) => {
        await client.get('groups')
        await gateway.redis.cut()
        const left = []
        for (let request = 0; request < 20; request++) {
          const answer = await client.get('groups')
          left.push(Number(/r=(\d+)/.exec(answer.headers.get('RateLimit') ?? '')?.[1]))
        }
        const [first = 0] = left
        expect(left).to.deep.equal(left.map((_, request) => first - request))
      }),

    'refuses, after so many in one process, as if Redis were there': () =>
      inProxiedWorld({ RATE_LIMIT_PER_MINUTE: '30' }, async ({ gateway, client }) => {
        await gateway.redis.cut()
        const answers = await Promise.all(Array.from({ length: 40 }, () => client.get('groups')))
        expect(answers.filter(({ status }) => status === 200)).to.have.length(30)
        expect(answers.filter(({ status }) => status === 429)).to.have.length(10)
      }),

    'when a gateway starts: it answers reads, and writes once Redis is there': () =>
      inProxiedWorld({}, async ({ world, gateway, client: { token } }) => {
        await gateway.redis.cut()
        const client = new Client((await world.startGateway(gateway.environment)).url, token)
        expect((await client.get('groups')).status).to.equal(200)
        const observer = await Observer.start(world, client)
        await wait(1_000)
        const overMs = Date.now()
        await gateway.redis.restore()
        expect(await observer.recovery('write', overMs, 10_000)).to.be.lessThan(RECOVERY_MS)
        await observer.stop()
        expectAnswers(observer.samples('write', 0, overMs - 100), {
          statuses: ['503 unavailable'],
          ms: REFUSED_MS,
        })
        await observer.expectTruth()
      }),

    'when workers start: they work once it is there, for those too who are waiting': async () => {
      const world = await createWorld({ workers: [] })
      const { redis } = await startProxiedWorkers(world, (proxies) => proxies.redis.cut())
      const observer = await Observer.start(world, await world.client())
      await wait(500)
      const overMs = Date.now()
      await redis.restore()
      await observer.recovery('write', 0, 10_000)
      expect(Date.now() - overMs).to.be.lessThan(RECOVERY_MS)
      await observer.stop()
      expectAnswers(observer.samples('write'), { statuses: ['200'], ms: 500 + RECOVERY_MS })
      await observer.expectTruth()
      await world.close()
    },
  })
})

function sitOut(begin: (redis: TcpProxy) => Promise<void> | void, statuses: string[]): Promise<void> {
  return inProxiedWorld({}, async ({ world, gateway, workers, client }) => {
    const observer = await Observer.start(world, client)
    await observer.recovery('write', 0, 5_000)
    const sides = [gateway.redis, workers.redis]
    const beganMs = Date.now()
    await Promise.all(sides.map(begin))
    const begunMs = Date.now()
    await wait(OUTAGE_MS)
    const ready = await client.get('/readyz')
    expect([ready.status, ready.json.redis.ok, ready.json.postgres.ok]).to.deep.equal([200, false, true])
    expect((await client.get('/healthz')).status).to.equal(200)

    const overMs = Date.now()
    await Promise.all(sides.map((side) => side.restore()))
    expect(await observer.recovery('write', overMs, 10_000)).to.be.lessThan(RECOVERY_MS)
    await wait(RECOVERY_MS + 500 - (Date.now() - overMs))
    await observer.stop()
    expectAnswers(observer.samples('read', beganMs), { statuses: ['200'], ms: USUAL_MS })
    expectAnswers(observer.samples('write', begunMs, overMs - 100), { statuses, ms: REFUSED_MS })
    expectAnswers(observer.samples('write', overMs + RECOVERY_MS), { statuses: ['200'], ms: USUAL_MS })
    await observer.expectTruth()
    expect((await client.get('/readyz')).json.redis).to.deep.equal({ ok: true })
  })
}
