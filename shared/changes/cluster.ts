// The outbox is ordered by transaction ids, which mean something in one cluster of Postgres only. After a dump was restored, or
// logical replication has taken the data to another cluster, they are made to mean something there.
import type { Knex } from 'knex'
import { onlyRow } from '../database.ts'
import type { Log } from '../log.ts'
import { MAKER_LOCK } from './read.ts'

type Place = { known: string | null; current: string }

// The error of a role that may not ask which cluster it is.
const INSUFFICIENT_PRIVILEGE = '42501'

/** Returns whether webhooks go on in another cluster than before. */
export async function followCluster(database: Knex, log: Log): Promise<boolean> {
  const place = await findPlace(database)
  if (!place || place.known === place.current) return false
  const moved = await database.transaction(async (trx) => {
    await trx.raw('SELECT pg_advisory_xact_lock(?)', [MAKER_LOCK])
    // Another process may have been faster.
    const { known } = (await findPlace(trx)) ?? place
    return known === place.current ? undefined : moveOutbox(trx, place.current, known !== null)
  })
  if (!moved?.isMoved) return false
  log.warn(
    moved,
    'this is another cluster of Postgres than before: webhooks go on from what was delivered last',
  )
  return true
}

async function findPlace(database: Knex): Promise<Place | undefined> {
  try {
    const { rows } = await database.raw<{ rows: Place[] }>(
      `SELECT identity.cluster AS known, system_identifier::text AS current FROM identity, pg_control_system()`,
    )
    return rows[0]
  } catch (error) {
    if ((error as { code?: string }).code === INSUFFICIENT_PRIVILEGE) return undefined
    throw error
  }
}

type Moved = { isMoved: boolean; before: string | null; newest: number | null; delivered: number | null }

// Where ids are lower than before, those of before would come after all that is written from now on: they come first instead, in
// the order of their sequence. Where ids are higher nothing has to be changed. A release before this one has not noted which
// cluster it was: then only ids that are not given out yet tell that it is another one.
async function moveOutbox(trx: Knex.Transaction, current: string, wasKnown: boolean): Promise<Moved> {
  const { rows } = await trx.raw<{ rows: Array<Omit<Moved, 'isMoved' | 'before'>> }>(FIND_FOREIGN)
  const { newest, delivered } = onlyRow(rows)
  const isMoved = wasKnown || newest !== null
  if (newest !== null) {
    await trx.raw('UPDATE changes SET horizon = 0 WHERE sequence <= ?', [newest])
    await trx.raw('UPDATE webhook_position SET horizon = 0, sequence = ?', [delivered ?? newest])
  }
  // Logical replication brings no sequences.
  await trx.raw(
    `SELECT setval('changes_sequence', newest) FROM (SELECT max(sequence) AS newest FROM changes) AS changes, changes_sequence
     WHERE newest > last_value`,
  )
  const { rows: former } = await trx.raw(
    `UPDATE identity SET cluster = :current, cluster_since = CASE WHEN :isMoved THEN clock_timestamp() END
     FROM (SELECT cluster FROM identity) AS former RETURNING former.cluster AS before`,
    { current, isMoved },
  )
  return { isMoved, before: former[0]?.before ?? null, newest, delivered }
}

// `newest` of those whose ids are not given out here yet; `delivered` is before the first that webhooks were not told of.
const FIND_FOREIGN = `
  WITH foreign_changes AS (
    SELECT max(sequence) AS newest FROM changes
    WHERE horizon >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  )
  SELECT newest, least(newest, (
    SELECT min(sequence) - 1 FROM changes, webhook_position AS position
    WHERE (changes.horizon, changes.sequence) > (position.horizon, position.sequence)
  )) AS delivered FROM foreign_changes`

/** SQL: since when this is another cluster; null where it is the one that it always was. */
export const CLUSTER_SINCE = '(SELECT cluster_since FROM identity)'
