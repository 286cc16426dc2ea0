// Reads the outbox in its fixed order. Stops at the first change of a transaction that is still open, so that no change
// appears later among those already served (docs/decisions/0031-one-outbox.md).

import { isExclusiveLockSql } from '../database/locks.ts'

export const CHANGES_KEPT_DAYS = 30

/**
 * A position in the outbox: after the row with this horizon and sequence. The time shows which partitions come after
 * the position.
 */
export type ChangePosition = { horizon: number; sequence: number; atMs: number }

/** SQL for the horizon up to which changes may be served. */
export const SERVED_HORIZON_SQL = 'changes_offset() + pg_snapshot_xmin(pg_current_snapshot())::text::bigint'

/** SQL for the rows after a position that may be served. A transaction that was open at the time of the
 * position may have written an older row since then; no transaction lasts a day. */
export const servedChangesSql = (position: Record<'horizon' | 'sequence' | 'at', string>) => `
  FROM changes
  WHERE (horizon, sequence) > (${position.horizon}, ${position.sequence})
    AND horizon < ${SERVED_HORIZON_SQL}
    AND at >= ${position.at} - interval '24 hours'`

/** SQL for the rows of the outbox after the position $1 (horizon), $2 (sequence) and $3 (milliseconds). */
export const SERVED_CHANGES_SQL = servedChangesSql({
  horizon: '$1::bigint',
  sequence: '$2::bigint',
  at: 'to_timestamp($3::float8 / 1000)',
})

/** The order of the outbox, which does not depend on any clock. */
export const OUTBOX_ORDER = 'horizon, sequence'

/** SQL for the number of seconds since Berth's oldest transaction that holds back pg_snapshot_xmin began. An
 * import, which holds its lock exclusively, may take minutes. A transaction that only reads has no
 * transaction id, so it does not count. */
export const HORIZON_HELD_SECONDS_SQL = `
  SELECT extract(epoch FROM max(clock_timestamp() - xact_start))::float8 AS seconds
  FROM pg_stat_activity
  WHERE datname = current_database() AND backend_xid IS NOT NULL AND application_name LIKE 'berth%'
    AND NOT EXISTS (
      SELECT FROM pg_locks WHERE pg_locks.pid = pg_stat_activity.pid AND ${isExclusiveLockSql('imports')})`

/** SQL for the number of seconds that the first change that has yet to be sent to webhooks has been waiting,
 * because an earlier transaction is still open or no process makes deliveries. Returns no row if no change
 * waits, or if no process has ever made deliveries. */
export const OUTBOX_AGE_SQL = `
  SELECT extract(epoch FROM now() - waiting.at)::float8 AS seconds
  FROM webhook_position AS position, LATERAL (
    SELECT changes.at FROM changes
    WHERE (changes.horizon, changes.sequence) > (position.horizon, position.sequence)
      AND changes.at >= position.at - interval '24 hours'
    ORDER BY ${OUTBOX_ORDER} LIMIT 1
  ) AS waiting`
