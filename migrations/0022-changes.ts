// Creates the outbox, with one row per change of a resource that the API shows, written in the same transaction. Upkeep
// creates daily partitions ahead and drops old ones. The default partition takes all other rows, so that no write
// fails.
import { sql } from './steps/sql.ts'

export const up = sql`
    -- Identity columns of partitioned tables need PostgreSQL 17.
    CREATE SEQUENCE changes_sequence;

    CREATE TABLE changes (
      sequence bigint NOT NULL DEFAULT nextval('changes_sequence'),
      -- The order of the change feed, together with the sequence (docs/decisions/0031-one-outbox.md).
      horizon bigint NOT NULL DEFAULT greatest(
        pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1),
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      type text NOT NULL,
      action text NOT NULL,
      resource_id bigint NOT NULL,
      -- The resource as JSON, as the API shows it; null if the resource was deleted.
      data text,
      actor_type text NOT NULL,
      actor_id bigint,
      actor_name text NOT NULL,
      request_id text NOT NULL,
      -- The order in which the outbox is read.
      CONSTRAINT changes__key PRIMARY KEY (horizon, sequence, at)
    ) PARTITION BY RANGE (at);
    -- This index, a hundredth of the size of the table, is for reading all changes in batches.
    CREATE INDEX changes__sequence_lookup ON changes USING brin (sequence);
    CREATE TABLE changes_default PARTITION OF changes DEFAULT;
  `

export const down = sql`DROP TABLE changes; DROP SEQUENCE changes_sequence`
