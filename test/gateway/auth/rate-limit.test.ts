// Tests the rate limit of a token, which all gateways share.
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { RateLimiter } from '../../../gateway/overload/rate-limiter.ts'
import { getRedisKey } from '../../../shared/identity/keys.ts'
import { isRedisReady } from '../../../shared/redis/connections.ts'
import { createToken } from '../../../shared/tokens/token-store.ts'
import { KEYS } from '../../support/databases.ts'
import { type ApiAnswer, Client } from '../../support/http/http.ts'
import { openRedis } from '../../support/redis.ts'
import { eventually } from '../../support/time.ts'
import { use } from '../../support/use.ts'
import { useWorld } from '../../support/world.ts'

const REQUESTS_PER_MINUTE = 200

describe('the rate limit of a token, across two gateways', () => {
  const world = useWorld({ workers: [], environment: { RATE_LIMIT_PER_MINUTE: String(REQUESTS_PER_MINUTE) } })
  let urls: string[]

  before(async () => {
    urls = [world.url, (await world.startGateway()).url]
  })

  async function ask(times: number, token?: string): Promise<ApiAnswer[]> {
    const clients = urls.map((url) => new Client(url, token))
    const requests = Array.from({ length: times }, (_, number) => clients[number % clients.length])
    return Promise.all(requests.map((client) => (client as Client).get('groups')))
  }
  const allowed = (answers: ApiAnswer[]) => answers.filter(({ status }) => status === 200).length

  it('admits as many requests as its limit and at most 10 % more, from a burst of three times the limit', async () => {
    const { token } = await world.client()
    const answers = await ask(3 * REQUESTS_PER_MINUTE, token)
    const refused = answers.filter(({ status }) => status === 429)
    // A busy gateway may answer 503 to requests that it has already counted.
    const busy = answers.filter(({ status }) => status === 503).length
    expect(allowed(answers)).to.be.within(REQUESTS_PER_MINUTE - busy, REQUESTS_PER_MINUTE * 1.1)
    expect(allowed(answers) + refused.length + busy).to.equal(3 * REQUESTS_PER_MINUTE)
    for (const { json, headers } of refused) {
      expect(json.code).to.equal('rate_limited')
      expect(Number(headers.get('Retry-After'))).to.be.within(1, 60)
      expect(headers.get('RateLimit')).to.equal(`default;r=0;t=${headers.get('Retry-After')}`)
    }
  })

  it('admits as many requests as its limit and at most 10 % more, from a steady stream', async () => {
    const { token } = await world.client()
    let count = 0
    for (let batch = 0; batch < REQUESTS_PER_MINUTE / 5; batch++) count += allowed(await ask(10, token))
    expect(count).to.be.within(REQUESTS_PER_MINUTE, REQUESTS_PER_MINUTE * 1.1)
  })

  it('appears in the headers of every response', async () => {
    const { token } = await world.client()
    const answers = await ask(10, token)
    for (const { headers } of answers) {
      expect(headers.get('RateLimit-Policy')).to.equal(`default;q=${REQUESTS_PER_MINUTE};w=60`)
      const [, left, seconds] = /^default;r=(\d+);t=(\d+)$/.exec(headers.get('RateLimit') ?? '') ?? []
      expect(Number(left)).to.be.within(REQUESTS_PER_MINUTE - 10, REQUESTS_PER_MINUTE)
      expect(Number(seconds)).to.be.within(1, 60)
    }
  })

  it('is the limit of the token itself if the token has one', async () => {
    const own = { name: 'own', abilities: ['read'] as const, createdBy: 'test', rateLimitPerMinute: 20 }
    const { token } = await createToken(world.database, own)
    const answers = await ask(60, token)
    expect(allowed(answers)).to.be.within(20, 22)
    expect(answers[0]?.headers.get('RateLimit-Policy')).to.equal('default;q=20;w=60')
  })

  it('does not limit other tokens', async () => {
    const { token } = await world.client()
    expect(allowed(await ask(20, token))).to.equal(20)
  })
})

const RATES_KEY = getRedisKey(KEYS, 'rate')

describe('the rate limiter, far below a limit', () => {
  const world = useWorld({ workers: [] })
  const redis = use(
    async () => {
      const connection = openRedis(world.config, { kind: 'fail-fast' })
      if (!isRedisReady(connection)) await once(connection, 'ready')
      return connection
    },
    { close: (connection) => connection.disconnect() },
  )

  /** Creates a limiter that counts its calls to Redis. */
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
      limiter: new RateLimiter({
        redis: counting,
        isRedisUp: () => true,
        nameOf: (key) => getRedisKey(KEYS, key),
      }),
      told,
    }
  }

  it('reports the counts of all tokens to Redis together, at most ten times a second', async () => {
    const { limiter, told } = countingLimiter()
    const beganMs = performance.now()
    for (let batch = 0; batch < 60; batch++) {
      for (const token of ['a', 'b', 'c']) await limiter.take(token, 1_000_000)
      await wait(10)
    }
    const seconds = (performance.now() - beganMs) / 1_000
    // Allows one extra call at the beginning, and one for timers that fire a millisecond early.
    expect(told.times).to.be.within(2, 10 * seconds + 2)
    await eventually(async () => {
      for (const token of ['a', 'b', 'c']) expect(await redis.get(`${RATES_KEY}:${token}`)).to.equal('60')
    })
  })

  it('counts the last request in Redis even if no other follows, and lets the count expire at the end of the minute', async () => {
    const { limiter } = countingLimiter()
    for (let number = 0; number < 5; number++) await limiter.take('last', 1_000_000)
    await eventually(async () => expect(await redis.get(`${RATES_KEY}:last`)).to.equal('5'))
    expect(await redis.pttl(`${RATES_KEY}:last`)).to.be.within(1, 60_000)
  })

  it('learns from Redis how many requests the other gateways have counted', async () => {
    const [first, second] = [countingLimiter(), countingLimiter()]
    for (let number = 0; number < 100; number++) await first.limiter.take('shared', 1_000_000)
    let own = 0
    await eventually(async () => {
      own++
      const { remaining } = await second.limiter.take('shared', 1_000_000)
      expect(remaining).to.be.at.most(1_000_000 - 100 - own)
    })
  })

  it('sets an expiry on a key in Redis that has none', async () => {
    await redis.set(`${RATES_KEY}:endless`, 7)
    const { limiter } = countingLimiter()
    await limiter.take('endless', 1_000_000)
    await eventually(async () => expect(await redis.pttl(`${RATES_KEY}:endless`)).to.be.within(1, 60_000))
  })
})
