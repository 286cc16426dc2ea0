// Shows the replica in /metrics: whether reads go to it, how far it is behind, and how many reads the primary
// answered.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Observer } from '../data/reads.ts'
import type { Replica } from '../data/replica.ts'

/** Returns an observer to call for every read. */
export function observeReplica(registry: Registry, replica: Replica): Observer {
  const registers = [registry]
  const up: Gauge = new Gauge({
    name: 'berth_replica_up',
    help: 'Whether reads go to the replica: it responds, and is not further behind than REPLICA_LAG_MS_MAX.',
    // One process that cannot use the replica is enough.
    aggregator: 'min',
    registers,
    collect: () => up.set(replica.problem === undefined ? 1 : 0),
  })
  const lag: Gauge = new Gauge({
    name: 'berth_replica_lag_seconds',
    help: 'How far the replica is behind the primary; absent where it does not respond.',
    aggregator: 'max',
    registers,
    collect: () => {
      lag.reset()
      if (replica.lagMs === undefined) lag.remove()
      else lag.set(replica.lagMs / 1_000)
    },
  })
  const reads = new Counter({
    name: 'berth_reads_total',
    help: 'Reads by the server that answered them, and why it was not the replica.',
    labelNames: ['server', 'reason'],
    registers,
  })
  return (server, reason) => reads.inc({ server, reason })
}
