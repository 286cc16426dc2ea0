// The metrics of every process: CPU, memory, event loop lag, and its connections to Postgres.
import { createRequire } from 'node:module'
import type { Gauge, GaugeConfiguration, Registry } from 'prom-client'
import { listPools } from '../database/database.ts'

const require = createRequire(import.meta.url)

/** On first use: a worker without metrics does not need it, or its dependencies. */
export const loadPromClient = (): typeof import('prom-client') => require('prom-client')

export function createRegistry(): Registry {
  const { Registry } = loadPromClient()
  const registry = new Registry()
  measureOnDemand(registry)
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

// From the first scrape on: a timer that measures the event loop wakes the process a hundred times a second.
function measureOnDemand(registry: Registry) {
  const list = registry.getMetricsAsArray.bind(registry)
  registry.getMetricsAsArray = () => {
    registry.getMetricsAsArray = list
    loadPromClient().collectDefaultMetrics({ register: registry })
    return list()
  }
}

/** Every process reports this for itself. */
export const QUEUES_UP: Options = {
  name: 'berth_queues_up',
  help: 'Whether Redis answers this process and takes its jobs, and it is known which database it works with.',
  aggregator: 'max',
}

type Options = Pick<GaugeConfiguration<string>, 'name' | 'help'> & {
  labelNames?: string[]
  /** How the figures of several processes on one port become one. */
  aggregator: NonNullable<GaugeConfiguration<string>['aggregator']>
}

/** Adds a gauge that is read at each scrape; labels that `read` does not set are not shown. */
export function addGauge(registry: Registry, options: Options, read: (gauge: Gauge) => Promise<void> | void) {
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
