// The metrics of the webhook process at METRICS_PORT: its attempts, and late deliveries overall. No label
// contains a receiver's address, because their number is unlimited.
import type { Knex } from 'knex'
import type { Counter, Histogram, Registry } from 'prom-client'
import { MOVED_AT } from '../../shared/changes/cluster.ts'
import { HORIZON_HELD, OUTBOX_AGE } from '../../shared/changes/read.ts'
import { MetricsServer } from '../../shared/metrics/metrics-server.ts'
import { addGauge, createRegistry, loadPromClient } from '../../shared/metrics/registry.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { GONE, isSuccess, type Sent } from './send.ts'

const OUTCOMES = ['delivered', 'refused', 'gone', 'unanswered'] as const
type Outcome = (typeof OUTCOMES)[number]

/** The states of a webhook: `failing` since an attempt failed, `disabled` by Berth. */
const STATES = ['on', 'failing', 'off', 'disabled'] as const

// Larger backlogs are not counted exactly.
const COUNTED_MAX = 100_000

export class HookMetrics {
  readonly #outcomes: Counter
  readonly #durations: Histogram
  readonly #server: MetricsServer

  constructor(database: Knex, address: { host: string; port: number }, log: Log) {
    const registry = createRegistry()
    const registers = [registry]
    const { Counter, Histogram } = loadPromClient()
    this.#outcomes = new Counter({
      name: 'berth_webhook_attempts_total',
      help: 'Delivery attempts by outcome: delivered, refused, gone (410), or unanswered.',
      labelNames: ['outcome'],
      registers,
    })
    // Starts at 0: a counter that first appears with a failure shows no increase.
    for (const outcome of OUTCOMES) this.#outcomes.inc({ outcome }, 0)
    this.#durations = new Histogram({
      name: 'berth_webhook_attempt_duration_seconds',
      help: 'How long a receiver took, or until it was given up.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    })
    showDeliveries(registry, database)
    const isReady = () =>
      database.raw('SELECT 1').then(
        () => true,
        () => false,
      )
    this.#server = new MetricsServer({ registry, isReady }, address, log)
  }

  attempted(sent: Sent) {
    this.#outcomes.inc({ outcome: outcomeOf(sent) })
    this.#durations.observe(sent.tookMs / 1_000)
  }

  stop() {
    this.#server.stop()
  }
}

function outcomeOf(sent: Sent): Outcome {
  if (sent.status === undefined) return 'unanswered'
  if (sent.status === GONE) return 'gone'
  return isSuccess(sent) ? 'delivered' : 'refused'
}

// Totals of all processes, so each reports the same values. Left out while Postgres is down.
function showDeliveries(registry: Registry, database: Knex) {
  const ask = <Row>(sql: string): Promise<Row[] | undefined> =>
    database.raw<{ rows: Row[] }>(sql).then(
      ({ rows }) => rows,
      () => undefined,
    )
  const add = (name: string, help: string, sql: string) =>
    addGauge(registry, { name, help, aggregator: 'max' }, async (gauge) => {
      const [row] = (await ask<{ value: number }>(`SELECT coalesce((${sql}), 0)::float8 AS value`)) ?? []
      if (row) gauge.set(row.value)
      else gauge.remove()
    })
  add(
    'berth_webhook_deliveries_due',
    `Deliveries of webhooks that are on whose time has come, ${COUNTED_MAX} at most.`,
    `SELECT count(*) FROM (
       SELECT FROM webhooks JOIN webhook_deliveries ON webhook_id = webhooks.id
       WHERE enabled AND next_at <= now() LIMIT ${COUNTED_MAX}
     ) AS due`,
  )
  add(
    'berth_webhook_oldest_due_seconds',
    'For how long the time of the oldest of them has come.',
    `SELECT extract(epoch FROM now() - min(next_at)) FROM webhooks, LATERAL (
       SELECT next_at FROM webhook_deliveries
       WHERE webhook_id = webhooks.id AND next_at <= now() ORDER BY next_at LIMIT 1
     ) AS due WHERE enabled`,
  )
  add(
    'berth_outbox_age_seconds',
    'For how long the first change has been waiting of which webhooks were not told: a transaction is open for so long.',
    OUTBOX_AGE,
  )
  add(
    'berth_horizon_held_seconds',
    'How long the oldest transaction of Berth that holds up the change feed has been open. Imports are left out.',
    HORIZON_HELD,
  )
  add(
    'berth_outbox_moved_timestamp_seconds',
    'When webhooks and the feed went on in another cluster of Postgres: after a dump was restored, say. 0 where they never did.',
    `extract(epoch FROM ${MOVED_AT})`,
  )
  const states = 'Webhooks by state; disabled are those that Berth has switched off because they failed.'
  const webhooks = { name: 'berth_webhooks', help: states, labelNames: ['state'], aggregator: 'max' as const }
  addGauge(registry, webhooks, async (gauge) => {
    const rows = await ask<{ state: string; count: number }>(
      `SELECT CASE WHEN enabled AND failing_since IS NULL THEN 'on' WHEN enabled THEN 'failing'
         WHEN disabled_reason IS NULL THEN 'off' ELSE 'disabled' END AS state, count(*)::int AS count
       FROM webhooks GROUP BY 1`,
    )
    if (!rows) return
    for (const state of STATES) gauge.set({ state }, 0)
    for (const { state, count } of rows) gauge.set({ state }, count)
  })
}
