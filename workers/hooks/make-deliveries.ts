// Makes deliveries from the outbox: which webhook gets which change. The long statements only read, so they
// have no transaction id and do not hold up the feed; the write is one short statement of few rows.
import type { Knex } from 'knex'
import { actionInBuildings, concerns, dataInBuildings } from '../../shared/changes/limited.ts'
import { CHANGES_ORDER, SERVED_UNTIL, servedChanges } from '../../shared/changes/read.ts'
import { LOCKS, tryLock } from '../../shared/database/locks.ts'

// Deliveries that one statement inserts, unless there are more webhooks than that.
const ROWS_MAX = 1_000

type Position = { horizon: number; sequence: number; at: string }
type Turn = { isLocked: boolean; webhooks: number; position: Position | null }
type Found = Position & { type: string; receivers: Array<[webhookId: number, action: string]> }

/** Returns whether there may be more at once. Changes from before the first webhook are sent to nobody. */
export async function makeDeliveries(database: Knex): Promise<boolean> {
  return database.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: Turn[] }>(TAKE_TURN)
    const [turn] = rows
    if (!turn?.isLocked) return false
    if (!turn.position) {
      await trx.raw(BEGIN)
      return false
    }
    const limit = Math.max(1, Math.floor(ROWS_MAX / Math.max(1, turn.webhooks)))
    const last = await findLast(trx, turn.position, limit)
    if (!last) return false
    const found = await trx.raw<{ rows: Found[] }>(MATCH, {
      ...turn.position,
      last: last.horizon,
      end: last.sequence,
    })
    await insertDeliveries(trx, found.rows, last)
    return last.number === limit
  })
}

const TAKE_TURN = `
  SELECT ${tryLock(LOCKS.deliveries)} AS "isLocked", (SELECT count(*)::int FROM webhooks WHERE enabled) AS webhooks,
    (SELECT json_build_object('horizon', horizon, 'sequence', sequence, 'at', at) FROM webhook_position) AS position`

const BEGIN = `
  INSERT INTO webhook_position (horizon, sequence, at)
  VALUES (${SERVED_UNTIL}, 0, now()) ON CONFLICT DO NOTHING`

const behind = servedChanges({ horizon: ':horizon', sequence: ':sequence', at: 'CAST(:at AS timestamptz)' })

// Planned with its values, so that Postgres sees how little work it is.
const FIND_NEXT = `SELECT horizon, sequence, at ${behind} ORDER BY ${CHANGES_ORDER} LIMIT :limit`

async function findLast(trx: Knex.Transaction, position: Position, limit: number) {
  const { rows } = await trx.raw<{ rows: Position[] }>(FIND_NEXT, { ...position, limit })
  const last = rows.at(-1)
  return last && { ...last, number: rows.length }
}

const LIMITED_ACTION = actionInBuildings(
  'page',
  `(${dataInBuildings('page', 'data', 'asking.building_ids')})`,
)

// A limited webhook gets “deleted” for a change that moves something out of its buildings.
const MATCH = `
  SELECT page.horizon, page.sequence, page.at, page.type, json_agg(json_build_array(asking.id, seen.action) ORDER BY asking.id) AS receivers
  FROM (SELECT * ${behind} AND (horizon, sequence) <= (:last, :end)) AS page, LATERAL (
    SELECT id, types, building_ids FROM webhooks
    WHERE enabled AND (building_ids IS NULL OR ${concerns('page', 'building_ids')})
      AND types && ARRAY['*', page.type || '.*', page.type || '.' || page.action, page.type || '.deleted']
    OFFSET 0
  ) AS asking, LATERAL (
    SELECT CASE WHEN asking.building_ids IS NULL THEN page.action ELSE ${LIMITED_ACTION} END AS action OFFSET 0
  ) AS seen
  WHERE asking.types && ARRAY['*', page.type || '.*', page.type || '.' || seen.action]
  GROUP BY page.horizon, page.sequence, page.at, page.type`

async function insertDeliveries(trx: Knex.Transaction, found: Found[], last: Position): Promise<void> {
  const made = found.flatMap(({ receivers, ...change }) =>
    receivers.map(([webhookId, action]) => ({ ...change, webhookId, action })),
  )
  await trx.raw(INSERT, {
    webhooks: made.map(({ webhookId }) => webhookId),
    types: made.map(({ type, action }) => `${type}.${action}`),
    horizons: made.map(({ horizon }) => horizon),
    sequences: made.map(({ sequence }) => sequence),
    moments: made.map(({ at }) => at),
    ...last,
  })
}

const INSERT = `
  WITH made AS (
    INSERT INTO webhook_deliveries (webhook_id, type, change_horizon, change_sequence, change_at)
    SELECT delivery.* FROM unnest(CAST(:webhooks AS bigint[]), CAST(:types AS text[]), CAST(:horizons AS bigint[]),
      CAST(:sequences AS bigint[]), CAST(:moments AS timestamptz[])) AS delivery (webhook_id, type, horizon, sequence, at)
    WHERE EXISTS (SELECT FROM webhooks WHERE id = delivery.webhook_id)
    ORDER BY horizon, sequence, webhook_id
  )
  UPDATE webhook_position SET horizon = :horizon, sequence = :sequence, at = CAST(:at AS timestamptz)`
