// The metrics of the webhook process at METRICS_PORT: its own attempts, and the late deliveries of all processes. No
// label contains a receiver's address, because the number of addresses is unlimited.
import type { Knex } from 'knex'
import type { Counter, Histogram, Registry } from 'prom-client'
import { OUTBOX_MOVED_AT_SQL } from '../../shared/changes/cluster.ts'
import { HORIZON_HELD_SECONDS_SQL, OUTBOX_AGE_SQL } from '../../shared/changes/read.ts'
import { OLDEST_DUE_PUSH_SQL } from '../../shared/mail/mail-figures.ts'
import { MetricsServer } from '../../shared/metrics/metrics-server.ts'
import { addGauge, createRegistry, loadPromClient } from '../../shared/metrics/registry.ts'
import { REQUEST_OUTCOMES, type RequestOutcome } from '../../shared/room-calendars/request-outcomes.ts'
import type { CalendarProviderName } from '../../shared/room-calendars/room-calendars.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { addCalendarGauges } from './calendar-gauges.ts'
import { PUSH_OUTCOMES, type PushOutcome } from './push-outcomes.ts'
import { GONE_STATUS, isDelivered, type SendResult } from './send.ts'

const DELIVERY_OUTCOMES = ['delivered', 'refused', 'gone', 'unanswered'] as const
type Outcome = (typeof DELIVERY_OUTCOMES)[number]

/**
 * The states of a webhook. `failing` means that the last attempts failed, and `disabled` means that Berth turned the
 * webhook off.
 */
const WEBHOOK_STATES = ['on', 'failing', 'off', 'disabled'] as const

// The number at which counting stops, because counting a large backlog is slow.
const COUNTED_DELIVERIES_MAX = 100_000

export class HookMetrics {
  readonly #outcomes: Counter
  readonly #durations: Histogram
  readonly #pushes: Counter
  readonly #registry: Registry
  readonly #server: MetricsServer

  constructor(database: Knex, address: { host: string; port: number }, log: Log) {
    const registry = createRegistry()
    this.#registry = registry
    const registers = [registry]
    const { Counter, Histogram } = loadPromClient()
    this.#outcomes = new Counter({
      name: 'berth_webhook_attempts_total',
      help: 'Delivery attempts by outcome: delivered, refused, gone (410), or unanswered.',
      labelNames: ['outcome'],
      registers,
    })
    // Initializes the counter of each outcome to 0. Otherwise, a counter that first appears with a failure would show
    // no increase.
    for (const outcome of DELIVERY_OUTCOMES) this.#outcomes.inc({ outcome }, 0)
    this.#durations = new Histogram({
      name: 'berth_webhook_attempt_duration_seconds',
      help: 'How long a receiver took, or until it was given up.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    })
    this.#pushes = new Counter({
      name: 'berth_push_attempts_total',
      help: `Notifications to browsers by outcome: ${PUSH_OUTCOMES.join(', ')}.`,
      labelNames: ['outcome'],
      registers,
    })
    for (const outcome of PUSH_OUTCOMES) this.#pushes.inc({ outcome }, 0)
    addDeliveryGauges(registry, database)
    addCalendarGauges(registry, database)
    const isReady = () =>
      database.raw('SELECT 1').then(
        () => true,
        () => false,
      )
    this.#server = new MetricsServer({ registry, isReady }, address, log)
  }

  attempted(sent: SendResult) {
    this.#outcomes.inc({ outcome: getOutcome(sent) })
    this.#durations.observe(sent.tookMs / 1_000)
  }

  pushed(outcome: PushOutcome) {
    this.#pushes.inc({ outcome })
  }

  /** Adds the counter of requests to providers of room calendars. Returns a function that counts one request. */
  addCalendarRequests(providers: CalendarProviderName[]) {
    const { Counter } = loadPromClient()
    const requests = new Counter({
      name: 'berth_room_calendar_requests_total',
      help: `Requests to providers of room calendars by outcome: ${REQUEST_OUTCOMES.join(', ')}.`,
      labelNames: ['provider', 'outcome'],
      registers: [this.#registry],
    })
    for (const provider of providers)
      for (const outcome of REQUEST_OUTCOMES) requests.inc({ provider, outcome }, 0)
    return (provider: CalendarProviderName, { outcome }: { outcome: RequestOutcome }) =>
      requests.inc({ provider, outcome })
  }

  stop() {
    this.#server.stop()
  }
}

function getOutcome(sent: SendResult): Outcome {
  if (sent.status === undefined) return 'unanswered'
  if (sent.status === GONE_STATUS) return 'gone'
  return isDelivered(sent) ? 'delivered' : 'refused'
}

// These figures are totals of all processes, so every process reports the same values. They are missing while Postgres
// is down.
function addDeliveryGauges(registry: Registry, database: Knex) {
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
    `Deliveries of webhooks that are on whose time has come, ${COUNTED_DELIVERIES_MAX} at most.`,
    `SELECT count(*) FROM (
       SELECT FROM webhooks JOIN webhook_deliveries ON webhook_id = webhooks.id
       WHERE enabled AND next_at <= now() LIMIT ${COUNTED_DELIVERIES_MAX}
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
    'berth_push_oldest_due_seconds',
    'For how long the oldest due notification to a browser has been due.',
    OLDEST_DUE_PUSH_SQL,
  )
  add(
    'berth_outbox_age_seconds',
    'For how long the first change has been waiting of which webhooks were not told: a transaction is open for so long.',
    OUTBOX_AGE_SQL,
  )
  add(
    'berth_horizon_held_seconds',
    'How long the oldest transaction of Berth that holds up the change feed has been open. Imports are left out.',
    HORIZON_HELD_SECONDS_SQL,
  )
  add(
    'berth_outbox_moved_timestamp_seconds',
    'When webhooks and the feed went on in another cluster of Postgres: after a dump was restored, say. 0 where they never did.',
    `extract(epoch FROM ${OUTBOX_MOVED_AT_SQL})`,
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
    for (const state of WEBHOOK_STATES) gauge.set({ state }, 0)
    for (const { state, count } of rows) gauge.set({ state }, count)
  })
}
