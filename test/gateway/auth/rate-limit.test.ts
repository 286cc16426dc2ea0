// The rate limit of a token, which all gateways share.
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { RateLimiter } from '../../../gateway/overload/rate-limiter.ts'
import { keyOf } from '../../../shared/identity/keys.ts'
import { isReady } from '../../../shared/redis/connections.ts'
import { createToken } from '../../../shared/tokens/token-store.ts'
import { KEYS } from '../../support/databases.ts'
import { type Answered, Client } from '../../support/http/http.ts'
import { openRedis } from '../../support/redis.ts'
import { eventually } from '../../support/time.ts'
import { use } from '../../support/use.ts'
import { useWorld } from '../../support/world.ts'

const LIMIT = 200

describe('the rate limit of a token, over two gateways', () => {
  const world = useWorld({ workers: [], environment: { RATE_LIMIT_PER_MINUTE: String(LIMIT) } })
  let urls: string[]

  before(async () => {
    urls = [world.url, (await world.startGateway()).url]
  })

  async function ask(times: number, token?: string): Promise<Answered[]> {
    const clients = urls.map((url) => new Client(url, token))
    const requests = Array.from({ length: times }, (_, number) => clients[number % clients.length])
    return Promise.all(requests.map((client) => (client as Client).get('groups')))
  }
  const allowed = (answers: Answered[]) => answers.filter(({ status }) => status === 200).length

  it('admits its limit out of a burst of three times as much, and at most 10 % more', async () => {
    const { token } = await world.client()
    const answers = await ask(3 * LIMIT, token)
    const refused = answers.filter(({ status }) => status === 429)
    // A gateway without processor time admits fewer at once: it may have counted requests without answering them.
    const busy = answers.filter(({ status }) => status === 503).length
    expect(allowed(answers)).to.be.within(LIMIT - busy, LIMIT * 1.1)
    expect(allowed(answers) + refused.length + busy).to.equal(3 * LIMIT)
    for (const { json, headers } of refused) {
      expect(json.code).to.equal('rate_limited')
      expect(Number(headers.get('Retry-After'))).to.be.within(1, 60)
      expect(headers.get('RateLimit')).to.equal(`default;r=0;t=${headers.get('Retry-After')}`)
    }
  })

  it('admits its limit out of a steady stream, and at most 10 % more', async () => {
    const { token } = await world.client()
    let count = 0
    for (let batch = 0; batch < LIMIT / 5; batch++) count += allowed(await ask(10, token))
    expect(count).to.be.within(LIMIT, LIMIT * 1.1)
  })

  it('is shown in the headers of every answer', async () => {
    const { token } = await world.client()
    const answers = await ask(10, token)
    for (const { headers } of answers) {
      expect(headers.get('RateLimit-Policy')).to.equal(`default;q=${LIMIT};w=60`)
      const [, left, seconds] = /^default;r=(\d+);t=(\d+)$/.exec(headers.get('RateLimit') ?? '') ?? []
      expect(Number(left)).to.be.within(LIMIT - 10, LIMIT)
      expect(Number(seconds)).to.be.within(1, 60)
    }
  })

  it('is the token’s own limit if it has one', async () => {
    const own = { name: 'own', abilities: ['read'] as const, createdBy: 'test', rateLimitPerMinute: 20 }
    const { token } = await createToken(world.database, own)
    const answers = await ask(60, token)
    expect(allowed(answers)).to.be.within(20, 22)
    expect(answers[0]?.headers.get('RateLimit-Policy')).to.equal('default;q=20;w=60')
  })

  it('does not affect other tokens', async () => {
    const { token } = await world.client()
    expect(allowed(await ask(20, token))).to.equal(20)
  })
})

const RATES = keyOf(KEYS, 'rate')

describe('the rate limiter, far from a limit', () => {
  const world = useWorld({ workers: [] })
  const redis = use(
    async () => {
      const connection = openRedis(world.config, { kind: 'fail-fast' })
      if (!isReady(connection)) await once(connection, 'ready')
      return connection
    },
    { close: (connection) => connection.disconnect() },
  )

  /** A limiter, and how often it has called Redis. */
  function countingLimiter() {
    const told = { times: 0 }
    const counting = Object.create(redis, {
      pipeline: {
        value: () => {
          told.times++
          return redis.pipeline()
        },
      },
    }) as typeof redis
    return {
      limiter: new RateLimiter({ redis: counting, isRedisUp: () => true, nameOf: (key) => keyOf(KEYS, key) }),
      told,
    }
  }

  it('reports all tokens to Redis at once, at most ten times a second', async () => {
    const { limiter, told } = countingLimiter()
    const beganMs = performance.now()
    for (let batch = 0; batch < 60; batch++) {
      for (const token of ['a', 'b', 'c']) await limiter.take(token, 1_000_000)
      await wait(10)
    }
    const seconds = (performance.now() - beganMs) / 1_000
    // One at the beginning, and one for timers that fire a millisecond early.
    expect(told.times).to.be.within(2, 10 * seconds + 2)
    await eventually(async () => {
      for (const token of ['a', 'b', 'c']) expect(await redis.get(`${RATES}:${token}`)).to.equal('60')
    })
  })

  it('also reports the last request if no other follows, and when the minute ends', async () => {
    const { limiter } = countingLimiter()
    for (let number = 0; number < 5; number++) await limiter.take('last', 1_000_000)
    await eventually(async () => expect(await redis.get(`${RATES}:last`)).to.equal('5'))
    expect(await redis.pttl(`${RATES}:last`)).to.be.within(1, 60_000)
  })

  it('learns from Redis what the others have counted', async () => {
    const [first, second] = [countingLimiter(), countingLimiter()]
    for (let number = 0; number < 100; number++) await first.limiter.take('shared', 1_000_000)
    let own = 0
    await eventually(async () => {
      own++
      const { remaining } = await second.limiter.take('shared', 1_000_000)
      expect(remaining).to.be.at.most(1_000_000 - 100 - own)
    })
  })

  it('gives a key without an expiry in Redis an expiry', async () => {
    await redis.set(`${RATES}:endless`, 7)
    const { limiter } = countingLimiter()
    await limiter.take('endless', 1_000_000)
    await eventually(async () => expect(await redis.pttl(`${RATES}:endless`)).to.be.within(1, 60_000))
  })
})
