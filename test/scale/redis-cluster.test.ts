// Tests Berth on a Redis Cluster: the distribution of keys, the core of the suite, and masters that fail under load.
import { expect } from 'chai'
import { checkQueues } from '../../commands/doctor/queues.ts'
import { checkRedis } from '../../commands/doctor/redis.ts'
import { REDIS_PARTS } from '../../shared/identity/keys.ts'
import { findPermanentRefusal } from '../../shared/runtime/connection-check.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { eventually } from '../support/time.ts'
import { use } from '../support/use.ts'
import { useClient, useWorld } from '../support/world.ts'
import { testFailOver } from './stage/fail-over.ts'
import { RedisCluster } from './stage/redis-cluster.ts'
import type { RedisProcess } from './stage/redis-servers.ts'
import { runSuite } from './stage/suite.ts'

describe('a Redis Cluster of three masters', () => {
  const cluster = use(() => RedisCluster.start(), { close: (made) => made.stop() })

  it('passes the core of the HTTP test suite', () =>
    runSuite({
      settings: cluster.settings,
      empty: cluster.masters.map(({ address }) => `redis://${address}`),
    }))
})

describe('a Redis Cluster with replicas', () => {
  const cluster = use(() => RedisCluster.start({ replicas: 1 }), { close: (made) => made.stop() })
  const world = useWorld(() => ({
    environment: cluster.settings,
    workers: ['writes', 'imports', 'exports', 'upkeep'],
  }))
  const client = useClient(world)

  it('distributes queues over its masters', async () => {
    const holders = await Promise.all(REDIS_PARTS.map((part) => cluster.masterOf(part)))
    expect(new Set(holders.map(({ port }) => port)).size).to.equal(3)
  })

  it('passes the checks of npm run doctor, which show the master of each queue', async () => {
    // Nodes announce a new replica to each other within seconds.
    const findings = await eventually(async () => {
      const found = await checkRedis(world.config, () => checkQueues(world.config))
      expect(found.filter(({ level }) => level !== 'ok')).to.deep.equal([])
      return found
    }, 30_000)
    const { address } = await cluster.masterOf('writes')
    const [whole] = findings.filter(({ about }) => about === 'Redis Cluster')
    expect(whole?.says)
      .to.match(/^3 masters: /)
      .and.include(`${address} (writes)`)
    expect(findings.map(({ about }) => about)).to.include.members([`eviction (${address})`, 'queue writes'])
  })

  it('is recognized as a cluster when a process starts', async () => {
    const [node] = cluster.masters
    const redis = { redisUrl: `redis://${node?.address}`, redisPrefix: 'berth' }
    const { message } = await findPermanentRefusal(
      [{ setting: 'REDIS_URL', server: 'Redis', redis }],
      createLog('test', 'silent'),
      { everyMs: 20, limitMs: 60 },
    )
    expect(message).to.equal(
      'Redis is a cluster: REDIS_URL names a node of a Redis Cluster, but REDIS_CLUSTER is not set. See REDIS_URL',
    )
  })

  it('continues after the write queue’s master is killed, without false responses', () =>
    failOver(async (master) => {
      await master.kill()
      return () => master.restart()
    }))

  it('replaces the write queue’s master when it hangs, and ignores the old master later', () =>
    failOver(async (master) => {
      master.freeze()
      return () => master.resume()
    }))

  it('continues when an operator promotes a replica', () =>
    failOver(async (master) => {
      const replicas = await findReplicas(master)
      await replicas[0]?.ask((redis) => redis.cluster('FAILOVER'))
      return () => undefined
    }))

  async function failOver(
    fail: (master: RedisProcess) => Promise<() => Promise<void> | void>,
  ): Promise<void> {
    // The witness is another master, which does not fail.
    const witness = await cluster.masterOf('upkeep')
    await testFailOver({ world, client, findMaster: () => cluster.masterOf('writes', witness), fail })
  }

  async function findReplicas(master: RedisProcess): Promise<RedisProcess[]> {
    const ports = await master.ask(async (redis) => {
      const id = await redis.cluster('MYID')
      const lines = (await redis.cluster('REPLICAS', id)) as string[]
      return lines.map((line) => Number(/:(\d+)@/.exec(line)?.[1]))
    })
    return cluster.servers.filter(({ port }) => ports.includes(port))
  }
})
