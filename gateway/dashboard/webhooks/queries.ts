// Reads the webhooks and deliveries that the dashboard lists.
import type pg from 'pg'
import { type Message, message } from '../../../shared/messages/message.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { deliveryMessage } from '../../../shared/webhooks/webhooks-shape.ts'
import { COUNTED_MAX, type Listed, type Slice, toListed, totalSql } from '../ui/paging.ts'
import { type Order, orderSql } from '../ui/sorting.ts'

export const missingWebhook = message`This webhook does not exist.`

export type WebhookRow = {
  id: number
  url: string
  description: string
  types: string[]
  isEnabled: boolean
  disabledReason: string | null
  failingSince: string | null
  /** Until when the previous secret also signs. */
  previousSecretUntil: string | null
  createdAt: string
  lastDeliveredAt: string | null
}

export type DeliveryRow = {
  id: number
  message: string
  type: string
  sequence: number
  attempts: number
  nextAt: string | null
  status: number | null
  error: string | null
  /** Null if an older release wrote only the sentence. */
  errorMessage: Message | null
  answer: string | null
  tookMs: number | null
  deliveredAt: string | null
  createdAt: string
}

type WebhookOrder = 'created' | 'receiver' | 'url'

const ORDERS: Record<WebhookOrder, string> = {
  created: 'created_at',
  receiver: "lower(coalesce(nullif(description, ''), url))",
  url: 'lower(url)',
}
export const WEBHOOK_ORDERS = Object.keys(ORDERS) as WebhookOrder[]

const COLUMNS = `
  id, url, description, types, enabled AS "isEnabled", disabled_reason AS "disabledReason",
    ${timestampText('failing_since')} AS "failingSince", ${timestampText('created_at')} AS "createdAt",
    CASE WHEN previous_secret_until > now() THEN ${timestampText('previous_secret_until')} END AS "previousSecretUntil",
    (SELECT ${timestampText('delivered_at')} FROM webhook_deliveries
     WHERE webhook_id = webhooks.id AND delivered_at IS NOT NULL ORDER BY id DESC LIMIT 1) AS "lastDeliveredAt"`

export type DeliveryOrder = 'created' | 'type' | 'state' | 'answer' | 'took' | 'attempts' | 'next'

// Ids increase with the time of creation, and have an index.
const DELIVERY_KEYS: Record<DeliveryOrder, string> = {
  created: 'id',
  type: 'type',
  // The order of the states in words.ts: failed, trying again, waiting, delivered.
  state: `CASE WHEN delivered_at IS NOT NULL THEN 4 WHEN next_at IS NULL THEN 1
    WHEN attempts = 0 OR took_ms IS NULL THEN 3 ELSE 2 END`,
  answer: 'coalesce(status, 0)',
  took: 'coalesce(took_ms, -1)',
  attempts: 'attempts',
  next: "coalesce(next_at, 'infinity')",
}
export const DELIVERY_ORDERS = Object.keys(DELIVERY_KEYS) as DeliveryOrder[]

const DELIVERY_COLUMNS = `
  id, ${deliveryMessage('webhook_deliveries')} AS message, type, change_sequence AS sequence, attempts, ${timestampText('next_at')} AS "nextAt", status, error,
    error_message AS "errorMessage", answer, took_ms AS "tookMs", ${timestampText('delivered_at')} AS "deliveredAt", ${timestampText('created_at')} AS "createdAt"`

export async function listWebhooks(
  reads: pg.Pool,
  { offset, limit }: Slice,
  order: Order<WebhookOrder>,
): Promise<Listed<WebhookRow>> {
  const { rows } = await reads.query<WebhookRow & { total: number }>(
    `SELECT ${COLUMNS}, ${totalSql('webhooks')} AS total FROM webhooks
     ORDER BY ${orderSql(ORDERS, order, 'id')} LIMIT $1 OFFSET $2`,
    [limit, offset],
  )
  return toListed(rows)
}

export async function findWebhook(reads: pg.Pool, id: number): Promise<WebhookRow | undefined> {
  const { rows } = await reads.query<WebhookRow>(`SELECT ${COLUMNS} FROM webhooks WHERE id = $1`, [id])
  return rows[0]
}

export type DeliverySearch = { webhookId: number; isUndelivered: boolean }

const NEWEST_FIRST: Order<DeliveryOrder> = { key: 'created', isDescending: true }
const foundDeliveries = ({ isUndelivered }: DeliverySearch) =>
  `webhook_deliveries WHERE webhook_id = $1${isUndelivered ? ' AND delivered_at IS NULL' : ''}`

/**
 * If there are more rows than are counted, they are sorted only by creation, because only that has an index.
 */
export async function findDeliveryOrder(
  reads: pg.Pool,
  search: DeliverySearch,
  asked: Order<DeliveryOrder>,
): Promise<Order<DeliveryOrder>> {
  if (asked.key === 'created') return asked
  const { rows } = await reads.query<{ total: number }>(
    `SELECT ${totalSql(foundDeliveries(search))} AS total`,
    [search.webhookId],
  )
  return (rows[0]?.total ?? 0) > COUNTED_MAX ? NEWEST_FIRST : asked
}

export async function listDeliveries(
  reads: pg.Pool,
  search: DeliverySearch,
  { offset, limit }: Slice,
  order: Order<DeliveryOrder>,
): Promise<Listed<DeliveryRow>> {
  const found = foundDeliveries(search)
  const { rows } = await reads.query<DeliveryRow & { total: number }>(
    `SELECT ${DELIVERY_COLUMNS}, ${totalSql(found)} AS total FROM ${found}
     ORDER BY ${orderSql(DELIVERY_KEYS, order, 'id')} LIMIT $2 OFFSET $3`,
    [search.webhookId, limit, offset],
  )
  return toListed(rows)
}

export async function findDelivery(
  reads: pg.Pool,
  webhookId: number,
  id: number,
): Promise<DeliveryRow | undefined> {
  const { rows } = await reads.query<DeliveryRow>(
    `SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries WHERE webhook_id = $1 AND id = $2`,
    [webhookId, id],
  )
  return rows[0]
}

type DisabledWebhook = { id: number; name: string; reason: string }

/** The webhooks that Berth has disabled, and that no administrator has enabled or disabled since. */
export async function listDisabledWebhooks(reads: pg.Pool, limit: number): Promise<DisabledWebhook[]> {
  const { rows } = await reads.query<DisabledWebhook>(
    `SELECT id, coalesce(nullif(description, ''), url) AS name, disabled_reason AS reason FROM webhooks
     WHERE NOT enabled AND disabled_reason IS NOT NULL ORDER BY updated_at DESC LIMIT $1`,
    [limit],
  )
  return rows
}
