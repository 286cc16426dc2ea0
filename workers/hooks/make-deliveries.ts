// Creates webhook deliveries from the outbox: one for each change and each webhook that matches the change. The long
// statements only read, so they have no transaction id and do not delay the change feed. Only one short statement
// writes, and it inserts few rows.
import type { Knex } from 'knex'
import {
  actionInBuildingsSql,
  dataInBuildingsSql,
  isChangeInBuildingsSql,
} from '../../shared/changes/limited-changes.ts'
import { OUTBOX_ORDER, SERVED_HORIZON_SQL, servedChangesSql } from '../../shared/changes/read.ts'
import { LOCKS, tryLockSql } from '../../shared/database/locks.ts'

// The limit on deliveries that one statement inserts, unless there are more webhooks than this.
const DELIVERIES_PER_INSERT_MAX = 1_000

type Position = { horizon: number; sequence: number; at: string }
type DeliveryTurn = { isLocked: boolean; webhooks: number; position: Position | null }
type FoundChange = Position & { type: string; receivers: Array<[webhookId: number, action: string]> }

/**
 * Creates deliveries. Returns whether there may be more to create immediately. Changes from before the first webhook
 * are never sent.
 */
export async function makeDeliveries(database: Knex): Promise<boolean> {
  return database.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: DeliveryTurn[] }>(TAKE_TURN_SQL)
    const [turn] = rows
    if (!turn?.isLocked) return false
    if (!turn.position) {
      await trx.raw(BEGIN_SQL)
      return false
    }
    const limit = Math.max(1, Math.floor(DELIVERIES_PER_INSERT_MAX / Math.max(1, turn.webhooks)))
    const last = await findLastPosition(trx, turn.position, limit)
    if (!last) return false
    const found = await trx.raw<{ rows: FoundChange[] }>(MATCH_SQL, {
      ...turn.position,
      last: last.horizon,
      end: last.sequence,
    })
    await insertDeliveries(trx, found.rows, last)
    return last.number === limit
  })
}

const TAKE_TURN_SQL = `
  SELECT ${tryLockSql(LOCKS.deliveries)} AS "isLocked", (SELECT count(*)::int FROM webhooks WHERE enabled) AS webhooks,
    (SELECT json_build_object('horizon', horizon, 'sequence', sequence, 'at', at) FROM webhook_position) AS position`

const BEGIN_SQL = `
  INSERT INTO webhook_position (horizon, sequence, at)
  VALUES (${SERVED_HORIZON_SQL}, 0, now()) ON CONFLICT DO NOTHING`

const changesBehindSql = servedChangesSql({
  horizon: ':horizon',
  sequence: ':sequence',
  at: 'CAST(:at AS timestamptz)',
})

// This statement is not prepared, so that Postgres plans it with its actual values and sees how few rows it
// needs.
const FIND_NEXT_SQL = `SELECT horizon, sequence, at ${changesBehindSql} ORDER BY ${OUTBOX_ORDER} LIMIT :limit`

async function findLastPosition(trx: Knex.Transaction, position: Position, limit: number) {
  const { rows } = await trx.raw<{ rows: Position[] }>(FIND_NEXT_SQL, { ...position, limit })
  const last = rows.at(-1)
  return last && { ...last, number: rows.length }
}

const LIMITED_ACTION_SQL = actionInBuildingsSql(
  'page',
  `(${dataInBuildingsSql('page', 'data', 'asking.building_ids')})`,
)

// If a change moves a resource out of the buildings that a webhook is limited to, the webhook gets a change
// of type “deleted”.
const MATCH_SQL = `
  SELECT page.horizon, page.sequence, page.at, page.type, json_agg(json_build_array(asking.id, seen.action) ORDER BY asking.id) AS receivers
  FROM (SELECT * ${changesBehindSql} AND (horizon, sequence) <= (:last, :end)) AS page, LATERAL (
    SELECT id, types, building_ids FROM webhooks
    WHERE enabled AND (building_ids IS NULL OR ${isChangeInBuildingsSql('page', 'building_ids')})
      AND types && ARRAY['*', page.type || '.*', page.type || '.' || page.action, page.type || '.deleted']
    OFFSET 0
  ) AS asking, LATERAL (
    SELECT CASE WHEN asking.building_ids IS NULL THEN page.action ELSE ${LIMITED_ACTION_SQL} END AS action OFFSET 0
  ) AS seen
  WHERE asking.types && ARRAY['*', page.type || '.*', page.type || '.' || seen.action]
  GROUP BY page.horizon, page.sequence, page.at, page.type`

async function insertDeliveries(trx: Knex.Transaction, found: FoundChange[], last: Position): Promise<void> {
  const made = found.flatMap(({ receivers, ...change }) =>
    receivers.map(([webhookId, action]) => ({ ...change, webhookId, action })),
  )
  await trx.raw(INSERT_SQL, {
    webhooks: made.map(({ webhookId }) => webhookId),
    types: made.map(({ type, action }) => `${type}.${action}`),
    horizons: made.map(({ horizon }) => horizon),
    sequences: made.map(({ sequence }) => sequence),
    moments: made.map(({ at }) => at),
    ...last,
  })
}

const INSERT_SQL = `
  WITH made AS (
    INSERT INTO webhook_deliveries (webhook_id, type, change_horizon, change_sequence, change_at)
    SELECT delivery.* FROM unnest(CAST(:webhooks AS bigint[]), CAST(:types AS text[]), CAST(:horizons AS bigint[]),
      CAST(:sequences AS bigint[]), CAST(:moments AS timestamptz[])) AS delivery (webhook_id, type, horizon, sequence, at)
    WHERE EXISTS (SELECT FROM webhooks WHERE id = delivery.webhook_id)
    ORDER BY horizon, sequence, webhook_id
  )
  UPDATE webhook_position SET horizon = :horizon, sequence = :sequence, at = CAST(:at AS timestamptz)`
