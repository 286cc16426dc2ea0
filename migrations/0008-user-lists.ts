// For imports and exports, stores the idempotency key of an accepted job, so that a repeated request finds the same
// job, and the attempt that wrote a file, so that the caller of an export finds the file.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE jobs
      ADD COLUMN idempotency_scope text,
      ADD COLUMN idempotency_key text,
      ADD COLUMN idempotency_fingerprint text;
    CREATE UNIQUE INDEX jobs__idempotency_once ON jobs (idempotency_scope, idempotency_key)
      WHERE idempotency_key IS NOT NULL;
    ALTER TABLE files ADD COLUMN attempt uuid, ADD COLUMN chunks integer;
    CREATE INDEX files__attempt_lookup ON files (attempt) WHERE attempt IS NOT NULL;
  `

export const down = sql`
    DROP INDEX files__attempt_lookup, jobs__idempotency_once;
    ALTER TABLE files DROP COLUMN attempt, DROP COLUMN chunks;
    ALTER TABLE jobs
      DROP COLUMN idempotency_scope, DROP COLUMN idempotency_key, DROP COLUMN idempotency_fingerprint;
  `
