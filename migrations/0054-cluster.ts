// Stores where the outbox continues after a move to another Postgres cluster. The outbox is ordered by transaction ids,
// which are valid in only one cluster. In the new cluster, the order continues at `first_horizon`, after all earlier
// changes (shared/changes/cluster.ts).
import { sql } from './steps/sql.ts'

export const contracts =
  'The new default in changes adds 0 to the previous one, so earlier releases write and read the same horizons until the database moves.'

const HORIZON_SQL = `greatest(
  pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)`

export const up = sql`
    -- The offset added to a transaction id. STABLE, so that replacing it invalidates cached plans.
    CREATE FUNCTION changes_offset() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS 'SELECT 0::bigint';
    ALTER TABLE changes ALTER COLUMN horizon SET DEFAULT changes_offset() + ${HORIZON_SQL};

    ALTER TABLE identity
      -- The system identifier of the cluster that the ids belong to; null until a process has read it.
      ADD COLUMN cluster text,
      ADD COLUMN moved_at timestamptz,
      ADD COLUMN first_horizon bigint NOT NULL DEFAULT 0;
  `

export const down = sql`
    ALTER TABLE identity DROP COLUMN first_horizon, DROP COLUMN moved_at, DROP COLUMN cluster;
    ALTER TABLE changes ALTER COLUMN horizon SET DEFAULT ${HORIZON_SQL};
    DROP FUNCTION changes_offset();
  `
