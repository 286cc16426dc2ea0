// Tests connection URLs of Redis: which URLs are accepted, and what they mean.
import { expect } from 'chai'
import { findRedisProblem, parseRedisAddress, type RedisSettings } from '../../../shared/redis/address.ts'

const settings = (redisUrl: string, others: Partial<RedisSettings> = {}) => ({ redisUrl, ...others })

describe('the Redis connection URL', () => {
  it('means a single server if it has one host', () => {
    for (const url of ['redis://r', 'rediss://u:p@r:6380/3', 'redis://[::1]:7000/0?family=6']) {
      expect(findRedisProblem(settings(url)), url).to.equal(undefined)
      expect(parseRedisAddress(settings(url)), url).to.deep.equal({ kind: 'server', url })
    }
  })

  it('is parsed as a cluster if it has several hosts or `redisCluster` is set', () => {
    const nodes = [
      { host: 'a', port: 7000 },
      { host: '::1', port: 6379 },
    ]
    const several = settings('rediss://berth:p%40ss@a:7000,[::1]')
    expect(findRedisProblem(several)).to.equal(undefined)
    expect(parseRedisAddress(several)).to.deep.equal({
      kind: 'cluster',
      nodes,
      login: { username: 'berth', password: 'p@ss', tls: {} },
    })
    const one = settings('redis://a', { redisCluster: true })
    expect(parseRedisAddress(one)).to.deep.include({ kind: 'cluster', nodes: [{ host: 'a', port: 6379 }] })
  })

  it('can name sentinels, with separate passwords for sentinels and servers', () => {
    const address = settings('redis://:secret@my-master/2', { redisSentinels: 'a:26380, b' })
    expect(findRedisProblem(address)).to.equal(undefined)
    expect(parseRedisAddress(address)).to.deep.equal({
      kind: 'sentinel',
      master: 'my-master',
      sentinels: [
        { host: 'a', port: 26380 },
        { host: 'b', port: 26379 },
      ],
      sentinelLogin: {},
      login: { password: 'secret', db: 2 },
    })
    const { redisSentinels } = { redisSentinels: 'rediss://watch:word@a,b' }
    expect(parseRedisAddress(settings('redis://m', { redisSentinels }))).to.deep.include({
      sentinelLogin: { username: 'watch', password: 'word', tls: {} },
    })
  })

  it('is refused if it is invalid, in a sentence without the password', () => {
    const cases: Array<[Partial<RedisSettings>, RegExp]> = [
      [{ redisUrl: '' }, /^REDIS_URL is not set\.$/],
      [
        { redisUrl: 'http://u:hunter2@a' },
        /^REDIS_URL must be a URL that starts with redis:\/\/ or rediss:\/\/\.$/,
      ],
      [{ redisUrl: 'redis://u:hunter2@a,b:x' }, /^REDIS_URL must be a URL/],
      [{ redisUrl: 'redis://a/name' }, /^REDIS_URL may end with the number of a database/],
      [{ redisUrl: 'redis://a,b/1' }, /^REDIS_URL may not name a database of a Redis Cluster/],
      [
        { redisUrl: 'redis://a/1', redisCluster: true },
        /^REDIS_URL may not name a database of a Redis Cluster/,
      ],
      [
        { redisUrl: 'redis://m:6379', redisSentinels: 'a' },
        /^With REDIS_SENTINELS the host of REDIS_URL is the name/,
      ],
      [
        { redisUrl: 'redis://m', redisSentinels: 'a', redisCluster: true },
        /^REDIS_SENTINELS cannot be combined/,
      ],
      [{ redisUrl: 'redis://m', redisSentinels: 'redis://:hunter2@a:b' }, /^REDIS_SENTINELS must look like/],
    ]
    for (const [changes, sentence] of cases) {
      const problem = findRedisProblem({ redisUrl: 'redis://a', ...changes })
      expect(problem, JSON.stringify(changes)).to.match(sentence)
      expect(problem).to.not.include('hunter2')
    }
  })
})
