// Checks sets of Redis servers: whether a cluster can fail over, and whether the sentinels agree.

import { parseRedisAddress } from '../../shared/redis/address.ts'
import { askSentinel, type Shard } from '../../shared/redis/masters.ts'
import type { RedisServer } from '../../shared/redis/servers.ts'
import type { Config } from '../../shared/settings/config.ts'
import { type Finding, ok, problem, warning } from './findings.ts'

const SLOTS = 16_384
// A fail-over needs a majority of them.
const VOTERS_MIN = 3

export function judgeCluster(servers: RedisServer[], shards: Shard[]): Finding[] {
  const about = 'Redis Cluster'
  const places = servers.map(({ name, parts }) => `${name} (${parts.join(', ') || 'nothing of Berth'})`)
  const slots = shards.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  if (slots < SLOTS) {
    return [
      problem(
        about,
        `nobody holds ${SLOTS - slots} of ${SLOTS} slots`,
        'Bring the missing masters back: redis-cli --cluster check says which.',
      ),
    ]
  }
  const findings = [ok(about, `${servers.length} masters: ${places.join(', ')}`)]
  if (servers.length < VOTERS_MIN)
    findings.push(
      warning(
        about,
        `a fail-over needs ${VOTERS_MIN} masters`,
        'Add masters: their majority elects the new one.',
      ),
    )
  const alone = new Set(shards.filter(({ nodes }) => nodes.length < 2).map(({ nodes }) => nameOf(nodes[0])))
  if (alone.size > 0)
    findings.push(
      warning(
        about,
        `no replica stands in for ${[...alone].join(', ')}`,
        'Give each master a replica: redis-cli --cluster add-node … --cluster-slave.',
      ),
    )
  return findings
}

/** Returns nothing if there are no sentinels. */
export async function checkSentinels(config: Config): Promise<Finding[]> {
  const address = parseRedisAddress(config)
  if (address.kind !== 'sentinel') return []
  const about = 'sentinels'
  const answers = await Promise.allSettled(address.sentinels.map((host) => askSentinel(host, address)))
  const masters = new Set(
    answers.flatMap((answer) => (answer.status === 'fulfilled' ? [nameOf(answer.value.master)] : [])),
  )
  const away = address.sentinels.filter((_host, index) => answers[index]?.status === 'rejected').map(nameOf)
  const says = `${answers.length - away.length} of ${answers.length} name ${[...masters].join(' or ')}`
  if (away.length > 0)
    return [warning(about, `${says}; not ${away.join(', ')}`, 'Start them, or see what they log.')]
  if (masters.size > 1)
    return [warning(about, says, 'Look again: during a fail-over they differ for a moment.')]
  if (answers.length < VOTERS_MIN)
    return [warning(about, says, `Run ${VOTERS_MIN} or more: their majority decides about a fail-over.`)]
  return [ok(about, says)]
}

function nameOf(host: { host: string; port: number } | undefined): string {
  return host ? `${host.host}:${host.port}` : 'a shard'
}
