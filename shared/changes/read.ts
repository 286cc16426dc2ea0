// Reads the outbox in its one order, and never past a transaction that is still open: what is served has no gaps that close
// later (docs/decisions/0031-one-outbox.md).

export const CHANGES_KEPT_DAYS = 30

/** Of whoever makes deliveries, or moves the position of webhooks. Any number that nobody else uses. */
export const MAKER_LOCK = 7_301_023

/** A place in the outbox: behind the row of this horizon and sequence. The moment says which partitions lie behind it. */
export type ChangePosition = { horizon: number; sequence: number; atMs: number }

/** SQL: what lies before this horizon is served. */
export const SERVED_UNTIL = 'changes_offset() + pg_snapshot_xmin(pg_current_snapshot())::text::bigint'

/**
 * SQL: the rows behind a position, as far as they are served. A transaction that was open at its moment may have written a row
 * behind it that is older; none takes a day.
 */
export const servedChanges = (position: Record<'horizon' | 'sequence' | 'at', string>) => `
  FROM changes
  WHERE (horizon, sequence) > (${position.horizon}, ${position.sequence})
    AND horizon < ${SERVED_UNTIL}
    AND at >= ${position.at} - interval '24 hours'`

/** Those behind the position that $1 (horizon), $2 (sequence) and $3 (milliseconds) are. */
export const SERVED_CHANGES = servedChanges({
  horizon: '$1::bigint',
  sequence: '$2::bigint',
  at: 'to_timestamp($3::float8 / 1000)',
})

/** In this order; it is no clock's. */
export const CHANGES_ORDER = 'horizon, sequence'

/**
 * SQL: for how many seconds the first change has been waiting of which webhooks were not told yet, because a transaction is open
 * that began before it, or because nobody makes deliveries. No row where none waits, or where nobody has ever made any.
 */
export const OUTBOX_AGE = `
  SELECT extract(epoch FROM now() - waiting.at)::float8 AS seconds
  FROM webhook_position AS position, LATERAL (
    SELECT changes.at FROM changes
    WHERE (changes.horizon, changes.sequence) > (position.horizon, position.sequence)
      AND changes.at >= position.at - interval '24 hours'
    ORDER BY ${CHANGES_ORDER} LIMIT 1
  ) AS waiting`
