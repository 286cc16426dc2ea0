// Keeps the outbox in order when the database moves to another cluster of Postgres, where transaction ids are others: by a dump
// that is restored there, or by logical replication. What was written before comes first; ids of the new cluster count from a
// horizon behind it. So webhooks go on from what was told last. A copy of a whole cluster keeps its ids, and nothing is moved.
import type { Knex } from 'knex'
import { onlyRow } from '../database.ts'
import { type Ask, clusterOf, readIdentity } from '../identity/identity.ts'
import { MAKER_LOCK } from './read.ts'

type State = { known: string | null; isForeign: boolean; newest: number }
/** `toldAgain`: changes that were written here before anybody noticed, of which webhooks are told now. */
type Moved = { before: string | null; cluster: string; firstHorizon: number; toldAgain: number }

// Ids that are not given out yet are those of another cluster. It is all there is to go by where a role may not ask for the
// identifier, or where a release before this one has not noted it.
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

/** Returns what was moved; undefined where this is the cluster that it was. */
export async function followCluster(database: Knex): Promise<Moved | undefined> {
  const found = await findCluster(askOf(database))
  if (!found.isMoved) {
    if (!found.known && found.cluster) await note(database, found.cluster)
    return undefined
  }
  return database.transaction(async (trx) => {
    await trx.raw('SELECT pg_advisory_xact_lock(?)', [MAKER_LOCK])
    // What is being written with ids as they were ends first, and nothing begins until they are others.
    await trx.raw('LOCK TABLE changes IN SHARE ROW EXCLUSIVE MODE')
    // Another process may have been faster.
    const { isMoved, known, newest } = await findCluster(askOf(trx, found.cluster))
    return isMoved ? moveOutbox(trx, { before: known, cluster: found.cluster, newest }) : undefined
  })
}

/** An error would end the transaction, so the place that is known already is answered. */
const askOf =
  (database: Knex, cluster?: string): Ask =>
  async (sql) => {
    if (cluster !== undefined && sql.includes('pg_control_system')) return [{ place: cluster }]
    return (await database.raw<{ rows: Array<Record<string, unknown>> }>(sql)).rows
  }

const note = (database: Knex, cluster: string) =>
  database.raw('UPDATE identity SET cluster = ? WHERE cluster IS NULL', [cluster])

// By the clock, so that no horizon that another cluster has given out since the dump is one of this cluster's.
const FIRST_HORIZON = `
  SELECT first AS "firstHorizon", first - pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS added
  FROM (SELECT greatest(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, CAST(? AS bigint) + 2) AS first) AS horizons`

// Where ids are lower than they were, what has been written here since lies before what webhooks were told last. Older than a day
// is nothing that a receiver still waits for.
const TELL_AGAIN = `
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
  const { rowCount: toldAgain } = await trx.raw(TELL_AGAIN, { last: firstHorizon - 1 })
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

/** What the log says of it. */
export const MOVED =
  'the database is in another cluster of Postgres: webhooks go on from what they were told last'

/** SQL: when the outbox was moved to this cluster; null where it never was. */
export const MOVED_AT = '(SELECT moved_at FROM identity)'
