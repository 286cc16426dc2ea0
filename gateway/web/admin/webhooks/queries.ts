// Queries for the webhooks and deliveries that the dashboard lists.
import type pg from 'pg'
import { type Message, message } from '../../../../shared/messages/message.ts'
import { timestampText } from '../../../../shared/schemas/json.ts'
import { versionSql } from '../../../../shared/schemas/versions.ts'
import { DELIVERED_RESOURCE_ID_SQL, webhookIdSql } from '../../../../shared/webhooks/webhooks.ts'
import { findRow, listRows, listSlice, requireRow } from '../../../reads/rows/rows.ts'
import { COUNTED_ROWS_MAX, type RowsWithTotal, type Slice, totalSql } from '../../../reads/rows/slices.ts'
import { type Order, orderSql } from '../../pages/ui/sorting.ts'

export type WebhookRow = {
  id: number
  url: string
  description: string
  types: string[]
  isEnabled: boolean
  disabledReason: string | null
  failingSince: string | null
  /** The time until which the previous secret also signs deliveries. */
  previousSecretUntil: string | null
  createdAt: string
  lastDeliveredAt: string | null
}

export type DeliveryRow = {
  id: number
  message: string
  type: string
  resourceId: number | null
  sequence: number
  attempts: number
  nextAt: string | null
  status: number | null
  error: string | null
  /** The error; null if an older release wrote only its sentence. */
  errorMessage: Message | null
  answer: string | null
  tookMs: number | null
  deliveredAt: string | null
  createdAt: string
}

export const WEBHOOK_SORT_KEYS = {
  created: 'created_at',
  receiver: "lower(coalesce(nullif(description, ''), url))",
  url: 'lower(url)',
}

const WEBHOOK_COLUMNS = `
  id, url, description, types, enabled AS "isEnabled", disabled_reason AS "disabledReason",
    ${timestampText('failing_since')} AS "failingSince", ${timestampText('created_at')} AS "createdAt",
    CASE WHEN previous_secret_until > now() THEN ${timestampText('previous_secret_until')} END AS "previousSecretUntil",
    (SELECT ${timestampText('delivered_at')} FROM webhook_deliveries
     WHERE webhook_id = webhooks.id AND delivered_at IS NOT NULL ORDER BY id DESC LIMIT 1) AS "lastDeliveredAt"`

// The SQL expressions by which deliveries are sorted. Ids increase with the time of creation, and have an
// index.
const DELIVERY_SORT_KEYS = {
  created: 'id',
  type: 'type',
  // Sorts states in the order failed, trying again, waiting, delivered. See showDeliveryState.
  state: `CASE WHEN delivered_at IS NOT NULL THEN 4 WHEN next_at IS NULL THEN 1
    WHEN attempts = 0 OR took_ms IS NULL THEN 3 ELSE 2 END`,
  answer: 'coalesce(status, 0)',
  took: 'coalesce(took_ms, -1)',
  attempts: 'attempts',
  next: "coalesce(next_at, 'infinity')",
}
export type DeliveryOrder = keyof typeof DELIVERY_SORT_KEYS
export const DELIVERY_ORDERS = Object.keys(DELIVERY_SORT_KEYS) as DeliveryOrder[]

const DELIVERY_COLUMNS = `
  id, ${webhookIdSql('webhook_deliveries')} AS message, type, ${DELIVERED_RESOURCE_ID_SQL} AS "resourceId",
    change_sequence AS sequence, attempts, ${timestampText('next_at')} AS "nextAt", status, error,
    error_message AS "errorMessage", answer, took_ms AS "tookMs", ${timestampText('delivered_at')} AS "deliveredAt", ${timestampText('created_at')} AS "createdAt"`

export function listWebhooks(
  reads: pg.Pool,
  slice: Slice,
  order: Order<keyof typeof WEBHOOK_SORT_KEYS>,
): Promise<RowsWithTotal<WebhookRow>> {
  const orderBy = orderSql(WEBHOOK_SORT_KEYS, order, 'id')
  return listSlice(reads, { columns: WEBHOOK_COLUMNS, from: 'webhooks', orderBy }, slice)
}

export const findWebhook = (reads: pg.Pool, id: number) =>
  findRow<WebhookRow & { version: string }>(
    reads,
    `SELECT ${WEBHOOK_COLUMNS}, ${versionSql('webhooks')} AS version FROM webhooks WHERE id = $1`,
    [id],
  )

export type DeliverySearch = { webhookId: number; isUndelivered: boolean }

const NEWEST_FIRST: Order<DeliveryOrder> = { key: 'created', isDescending: true }
const selectFoundDeliveries = ({ isUndelivered }: DeliverySearch) =>
  `webhook_deliveries WHERE webhook_id = $1${isUndelivered ? ' AND delivered_at IS NULL' : ''}`

/** Returns the sort order of the deliveries. If there are too many rows to count, sorts them only by time of
 * creation, because only this order has an index. */
export async function findDeliveryOrder(
  reads: pg.Pool,
  search: DeliverySearch,
  asked: Order<DeliveryOrder>,
): Promise<Order<DeliveryOrder>> {
  if (asked.key === 'created') return asked
  const text = `SELECT ${totalSql(selectFoundDeliveries(search))} AS total`
  const found = await findRow<{ total: number }>(reads, text, [search.webhookId])
  return (found?.total ?? 0) > COUNTED_ROWS_MAX ? NEWEST_FIRST : asked
}

export function listDeliveries(
  reads: pg.Pool,
  search: DeliverySearch,
  slice: Slice,
  order: Order<DeliveryOrder>,
): Promise<RowsWithTotal<DeliveryRow>> {
  const orderBy = orderSql(DELIVERY_SORT_KEYS, order, 'id')
  const list = {
    columns: DELIVERY_COLUMNS,
    from: selectFoundDeliveries(search),
    values: [search.webhookId],
    orderBy,
  }
  return listSlice(reads, list, slice)
}

export const missingDelivery = message`This delivery does not exist. Deliveries are kept for 30 days.`

export const requireDelivery = (reads: pg.Pool, webhookId: number, id: number): Promise<DeliveryRow> =>
  requireRow(
    missingDelivery,
    reads,
    `SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries WHERE webhook_id = $1 AND id = $2`,
    [webhookId, id],
  )

type DisabledWebhook = { id: number; name: string; reason: string }

/** Lists the webhooks that Berth has disabled and that no administrator has enabled or disabled since then. */
export const listDisabledWebhooks = (reads: pg.Pool, limit: number): Promise<DisabledWebhook[]> =>
  listRows(
    reads,
    `SELECT id, coalesce(nullif(description, ''), url) AS name, disabled_reason AS reason FROM webhooks
     WHERE NOT enabled AND disabled_reason IS NOT NULL ORDER BY updated_at DESC LIMIT $1`,
    [limit],
  )
