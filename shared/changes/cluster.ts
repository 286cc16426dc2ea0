// Keeps the outbox in order when the database moves to another Postgres cluster, which has other transaction ids, by
// restoring a dump or by logical replication. Changes from the former cluster come first, because the ids of the new
// cluster count from a higher horizon. Webhooks therefore continue after the last change that they were sent. A copy of
// a whole cluster keeps its ids, so nothing needs to move.
import type { Knex } from 'knex'
import { getOnlyRow } from '../database/database.ts'
import { LOCKS, waitForLockSql } from '../database/locks.ts'
import { getCluster, type RunQuery, readIdentity } from '../identity/identity.ts'

type ClusterState = { known: string | null; isForeign: boolean; newest: number }
/**
 * `resentChanges` counts the changes that were written to the new cluster before Berth noticed the move. Webhooks are
 * sent these changes now.
 */
type OutboxMove = { before: string | null; cluster: string; firstHorizon: number; resentChanges: number }

// If the outbox contains ids that this cluster has not assigned yet, the outbox comes from another cluster. Berth has
// no other sign of a move if its role may not query the cluster's identifier, or if an earlier release has not stored
// the identifier.
const FIND_STATE_SQL = `
  SELECT cluster AS known, newest,
    newest >= changes_offset() + pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS "isForeign"
  FROM identity, LATERAL (
    SELECT greatest((SELECT max(horizon) FROM changes), (SELECT horizon FROM webhook_position), 0) AS newest
  ) AS horizons`

export async function findCluster(
  ask: RunQuery,
): Promise<ClusterState & { cluster: string; isMoved: boolean }> {
  const [row] = (await ask(FIND_STATE_SQL)) as ClusterState[]
  if (!row) throw new Error('The database has no identity: its table “identity” is empty')
  const cluster = getCluster(await readIdentity(ask))
  return { ...row, cluster, isMoved: row.isForeign || (!!row.known && !!cluster && row.known !== cluster) }
}

/** Returns what was moved, or undefined if the database is still in the same cluster. */
export async function followCluster(database: Knex): Promise<OutboxMove | undefined> {
  const found = await findCluster(createQuery(database))
  if (!found.isMoved) {
    if (!found.known && found.cluster) await storeCluster(database, found.cluster)
    return undefined
  }
  return database.transaction(async (trx) => {
    await trx.raw(`SELECT ${waitForLockSql(LOCKS.deliveries)}`)
    // Waits for open writes that use the former ids, and blocks new writes until the ids have changed.
    await trx.raw('LOCK TABLE changes IN SHARE ROW EXCLUSIVE MODE')
    // Another process may have moved the outbox in the meantime.
    const { isMoved, known, newest } = await findCluster(createQuery(trx, found.cluster))
    return isMoved ? moveOutbox(trx, { before: known, cluster: found.cluster, newest }) : undefined
  })
}

/** A failing query would abort the transaction, so the query returns the cluster that is already known. */
const createQuery =
  (database: Knex, cluster?: string): RunQuery =>
  async (sql) => {
    if (cluster !== undefined && sql.includes('pg_control_system')) return [{ place: cluster }]
    return (await database.raw<{ rows: Array<Record<string, unknown>> }>(sql)).rows
  }

const storeCluster = (database: Knex, cluster: string) =>
  database.raw('UPDATE identity SET cluster = ? WHERE cluster IS NULL', [cluster])

// The first horizon comes from the clock, so that this cluster reuses no horizon that another cluster has assigned
// since the dump.
const FIRST_HORIZON_SQL = `
  SELECT first AS "firstHorizon", first - pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS added
  FROM (SELECT greatest(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, CAST(? AS bigint) + 2) AS first) AS horizons`

// If ids are lower than before, the changes that were written to this cluster since the move sort before the last
// change sent to webhooks. Changes older than a day are not sent again, because no receiver still waits for them.
const RESEND_SQL = `
  UPDATE changes SET horizon = :last
  FROM webhook_position AS position
  WHERE changes.at > greatest(position.at, now() - interval '24 hours')
    AND (changes.horizon, changes.sequence) <= (position.horizon, position.sequence)
    AND NOT EXISTS (
      SELECT FROM webhook_deliveries
      WHERE change_horizon = changes.horizon AND change_sequence = changes.sequence AND change_at = changes.at)`

async function moveOutbox(
  trx: Knex.Transaction,
  { before, cluster, newest }: { before: string | null; cluster: string; newest: number },
): Promise<OutboxMove> {
  const { rows } = await trx.raw<{ rows: Array<{ firstHorizon: number; added: number }> }>(
    FIRST_HORIZON_SQL,
    [newest],
  )
  const { firstHorizon, added } = getOnlyRow(rows)
  const { rowCount: resentChanges } = await trx.raw(RESEND_SQL, { last: firstHorizon - 1 })
  await trx.raw(
    `CREATE OR REPLACE FUNCTION changes_offset() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
     AS 'SELECT ${Number(added)}::bigint'`,
  )
  await trx.raw(
    "UPDATE identity SET cluster = nullif(?, ''), moved_at = clock_timestamp(), first_horizon = ?",
    [cluster, firstHorizon],
  )
  return { before, cluster, firstHorizon, resentChanges }
}

/** The log message for an outbox that has been moved. */
export const OUTBOX_MOVED_MESSAGE =
  'the database is in another cluster of Postgres: webhooks continue after the last change that they received'

/** SQL for the time when the outbox was moved to this cluster, or null if it never was. */
export const OUTBOX_MOVED_AT_SQL = '(SELECT moved_at FROM identity)'
