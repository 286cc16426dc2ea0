// Keeps the outbox in order when the database moves to another Postgres cluster, which has other transaction
// ids: by a dump that is restored there, or by logical replication. Earlier changes come first; the ids of
// the new cluster count from a horizon after them. So webhooks continue after the last change that they were
// sent. A copy of a whole cluster keeps its ids, and nothing is moved.
import type { Knex } from 'knex'
import { onlyRow } from '../database/database.ts'
import { LOCKS, waitForLock } from '../database/locks.ts'
import { type Ask, clusterOf, readIdentity } from '../identity/identity.ts'

type State = { known: string | null; isForeign: boolean; newest: number }
/** `toldAgain`: changes that were written here before the move was noticed, and are sent to webhooks now. */
type Moved = { before: string | null; cluster: string; firstHorizon: number; toldAgain: number }

// Ids that are not given out yet must come from another cluster. There is no other sign if this role may not
// query the identifier, or if an earlier release has not stored it.
const FIND_STATE = `
  SELECT cluster AS known, newest,
    newest >= changes_offset() + pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS "isForeign"
  FROM identity, LATERAL (
    SELECT greatest((SELECT max(horizon) FROM changes), (SELECT horizon FROM webhook_position), 0) AS newest
  ) AS horizons`

export async function findCluster(ask: Ask): Promise<State & { cluster: string; isMoved: boolean }> {
  const [row] = (await ask(FIND_STATE)) as State[]
  if (!row) throw new Error('The database has no identity: its table “identity” is empty')
  const cluster = clusterOf(await readIdentity(ask))
  return { ...row, cluster, isMoved: row.isForeign || (!!row.known && !!cluster && row.known !== cluster) }
}

/** Returns what was moved; undefined if this is still the same cluster. */
export async function followCluster(database: Knex): Promise<Moved | undefined> {
  const found = await findCluster(askOf(database))
  if (!found.isMoved) {
    if (!found.known && found.cluster) await note(database, found.cluster)
    return undefined
  }
  return database.transaction(async (trx) => {
    await trx.raw(`SELECT ${waitForLock(LOCKS.deliveries)}`)
    // Waits for writes that use the former ids, and holds back new ones until the ids have changed.
    await trx.raw('LOCK TABLE changes IN SHARE ROW EXCLUSIVE MODE')
    // Another process may have been faster.
    const { isMoved, known, newest } = await findCluster(askOf(trx, found.cluster))
    return isMoved ? moveOutbox(trx, { before: known, cluster: found.cluster, newest }) : undefined
  })
}

/** A failing query would abort the transaction, so this answers with the place that is already known. */
const askOf =
  (database: Knex, cluster?: string): Ask =>
  async (sql) => {
    if (cluster !== undefined && sql.includes('pg_control_system')) return [{ place: cluster }]
    return (await database.raw<{ rows: Array<Record<string, unknown>> }>(sql)).rows
  }

const note = (database: Knex, cluster: string) =>
  database.raw('UPDATE identity SET cluster = ? WHERE cluster IS NULL', [cluster])

// Uses the clock, so that this cluster has no horizon that another cluster has given out since the dump.
const FIRST_HORIZON = `
  SELECT first AS "firstHorizon", first - pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS added
  FROM (SELECT greatest(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, CAST(? AS bigint) + 2) AS first) AS horizons`

// If ids are lower than before, changes written here since lie before the last change sent to webhooks. No
// receiver still waits for changes that are older than a day.
const RESEND = `
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
): Promise<Moved> {
  const { rows } = await trx.raw<{ rows: Array<{ firstHorizon: number; added: number }> }>(FIRST_HORIZON, [
    newest,
  ])
  const { firstHorizon, added } = onlyRow(rows)
  const { rowCount: toldAgain } = await trx.raw(RESEND, { last: firstHorizon - 1 })
  await trx.raw(
    `CREATE OR REPLACE FUNCTION changes_offset() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
     AS 'SELECT ${Number(added)}::bigint'`,
  )
  await trx.raw(
    "UPDATE identity SET cluster = nullif(?, ''), moved_at = clock_timestamp(), first_horizon = ?",
    [cluster, firstHorizon],
  )
  return { before, cluster, firstHorizon, toldAgain }
}

/** The message in the log. */
export const MOVED =
  'the database is in another cluster of Postgres: webhooks continue after the last change that they received'

/** SQL: when the outbox was moved to this cluster; null if it never was. */
export const MOVED_AT = '(SELECT moved_at FROM identity)'
