// The outbox: a row for each change of what the API shows, in the change's own transaction. In partitions of a day, which
// upkeep makes ahead and drops; what finds none goes into the default one, so that no write ever fails for want of one.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw(`
    -- An identity of a partitioned table takes PostgreSQL 17.
    CREATE SEQUENCE changes_sequence;

    CREATE TABLE changes (
      sequence bigint NOT NULL DEFAULT nextval('changes_sequence'),
      -- The order of the feed, with the sequence: docs/decisions/0031-one-outbox.md says why it is no clock and no xid alone.
      horizon bigint NOT NULL DEFAULT greatest(
        pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1),
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      type text NOT NULL,
      action text NOT NULL,
      resource_id bigint NOT NULL,
      -- JSON, as the API shows the resource; null where it is gone.
      data text,
      actor_type text NOT NULL,
      actor_id bigint,
      actor_name text NOT NULL,
      request_id text NOT NULL,
      -- By which it is read.
      CONSTRAINT changes__key PRIMARY KEY (horizon, sequence, at)
    ) PARTITION BY RANGE (at);
    -- For whoever reads all of them piece by piece: a page of it for a hundred of the table.
    CREATE INDEX changes__sequence_lookup ON changes USING brin (sequence);
    CREATE TABLE changes_default PARTITION OF changes DEFAULT;
  `)

export const down = (database: Knex) => database.raw('DROP TABLE changes; DROP SEQUENCE changes_sequence')
