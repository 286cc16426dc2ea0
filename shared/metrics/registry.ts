// The metrics that every process has: CPU, memory, event loop lag, and connections to Postgres.
import { createRequire } from 'node:module'
import type { Gauge, GaugeConfiguration, Registry } from 'prom-client'
import { listPools } from '../database/database.ts'

const require = createRequire(import.meta.url)

/** Loads prom-client on first use: a worker without metrics needs neither the package nor its dependencies. */
export const loadPromClient = (): typeof import('prom-client') => require('prom-client')

export function createRegistry(): Registry {
  const { Registry } = loadPromClient()
  const registry = new Registry()
  measureEventLoopOnDemand(registry)
  const add = (name: string, help: string, labelNames: string[], read: (gauge: Gauge) => void) =>
    addGauge(registry, { name, help, labelNames, aggregator: 'sum' }, read)
  const connections = 'Connections to Postgres by pool: used, or idle.'
  add('berth_database_connections', connections, ['pool', 'state'], (gauge) => {
    for (const { pool, used, idle } of listPools()) {
      gauge.inc({ pool, state: 'used' }, used)
      gauge.inc({ pool, state: 'idle' }, idle)
    }
  })
  add('berth_database_connections_max', 'How many connections a pool may have.', ['pool'], (gauge) => {
    for (const { pool, max } of listPools()) gauge.inc({ pool }, max)
  })
  const awaited = 'How many wait for a connection of a pool.'
  add('berth_database_connections_awaited', awaited, ['pool'], (gauge) => {
    for (const { pool, waiting } of listPools()) gauge.inc({ pool }, waiting)
  })
  return registry
}

// Starts to measure the event loop at the first scrape, because the timer for that wakes the process a hundred times a
// second.
function measureEventLoopOnDemand(registry: Registry) {
  const list = registry.getMetricsAsArray.bind(registry)
  registry.getMetricsAsArray = () => {
    registry.getMetricsAsArray = list
    loadPromClient().collectDefaultMetrics({ register: registry })
    return list()
  }
}

/** The metric that shows whether the queues can be reached. Every process reports its own value. */
export const QUEUES_UP_GAUGE: GaugeOptions = {
  name: 'berth_queues_up',
  help: 'Whether Redis answers this process and takes its jobs, and it is known which database it works with.',
  aggregator: 'max',
}

type GaugeOptions = Pick<GaugeConfiguration<string>, 'name' | 'help'> & {
  labelNames?: string[]
  /** How the values from several processes on one port are combined. */
  aggregator: NonNullable<GaugeConfiguration<string>['aggregator']>
}

/** Adds a gauge whose value is read at each scrape. Labels that `read` does not set are not shown. */
export function addGauge(
  registry: Registry,
  options: GaugeOptions,
  read: (gauge: Gauge) => Promise<void> | void,
) {
  const { Gauge } = loadPromClient()
  const gauge: Gauge = new Gauge({
    ...options,
    registers: [registry],
    collect() {
      gauge.reset()
      return read(gauge)
    },
  })
}
