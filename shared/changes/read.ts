// Reads the outbox in its one order, and never past a transaction that is still open, so that no gap in what
// it serves fills up later (docs/decisions/0031-one-outbox.md).

import { LOCKS } from '../database/locks.ts'

export const CHANGES_KEPT_DAYS = 30

/**
 * A position in the outbox: after the row with this horizon and sequence. The time tells which partitions
 * come after it.
 */
export type ChangePosition = { horizon: number; sequence: number; atMs: number }

/** SQL: changes before this horizon are served. */
export const SERVED_UNTIL = 'changes_offset() + pg_snapshot_xmin(pg_current_snapshot())::text::bigint'

/**
 * SQL: the rows after a position that are served already. A transaction that was open at the position's time
 * may have written an older row after it; no transaction takes a day.
 */
export const servedChanges = (position: Record<'horizon' | 'sequence' | 'at', string>) => `
  FROM changes
  WHERE (horizon, sequence) > (${position.horizon}, ${position.sequence})
    AND horizon < ${SERVED_UNTIL}
    AND at >= ${position.at} - interval '24 hours'`

/** The rows after the position given by $1 (horizon), $2 (sequence) and $3 (milliseconds). */
export const SERVED_CHANGES = servedChanges({
  horizon: '$1::bigint',
  sequence: '$2::bigint',
  at: 'to_timestamp($3::float8 / 1000)',
})

/** The one order, which does not follow any clock. */
export const CHANGES_ORDER = 'horizon, sequence'

/**
 * SQL: for how many seconds the oldest transaction of Berth that holds back pg_snapshot_xmin has been open. An import, which
 * holds its lock alone, may take minutes. A transaction that only reads has no transaction id and holds back nothing.
 */
export const HORIZON_HELD = `
  SELECT extract(epoch FROM max(clock_timestamp() - xact_start))::float8 AS seconds
  FROM pg_stat_activity
  WHERE datname = current_database() AND backend_xid IS NOT NULL AND application_name LIKE 'berth%'
    AND NOT EXISTS (
      SELECT FROM pg_locks WHERE pg_locks.pid = pg_stat_activity.pid AND locktype = 'advisory' AND granted
        AND mode = 'ExclusiveLock' AND (classid, objid, objsubid) = (0, ${LOCKS.imports}, 1))`

/**
 * SQL: for how many seconds the first change that was not sent to webhooks yet has been waiting: because an
 * earlier transaction is still open, or because no process makes deliveries. No row if no change waits, or if
 * no process has ever made deliveries.
 */
export const OUTBOX_AGE = `
  SELECT extract(epoch FROM now() - waiting.at)::float8 AS seconds
  FROM webhook_position AS position, LATERAL (
    SELECT changes.at FROM changes
    WHERE (changes.horizon, changes.sequence) > (position.horizon, position.sequence)
      AND changes.at >= position.at - interval '24 hours'
    ORDER BY ${CHANGES_ORDER} LIMIT 1
  ) AS waiting`
