// Creates the tables for work in progress and its results: the receipt of an attempt (so that a job that is delivered
// twice takes effect once, and a cancelled job never does), the response stored for an idempotency key, accepted jobs,
// and the chunks of uploads and exports (so that gateway and workers need no shared disk).
import { sql } from './steps/sql.ts'

// Outcomes are json instead of jsonb, so that responses can be repeated byte for byte.
export const up = sql`
    CREATE TABLE receipts (
      attempt uuid CONSTRAINT receipts__key PRIMARY KEY,
      outcome json,
      abandoned_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT receipts__abandoned_without_outcome CHECK (abandoned_at IS NULL OR outcome IS NULL)
    ) WITH (fillfactor = 70);
    CREATE INDEX receipts__age ON receipts (created_at);

    CREATE TABLE idempotency_keys (
      scope text NOT NULL,
      key text NOT NULL CONSTRAINT idempotency_keys__key_length CHECK (char_length(key) BETWEEN 1 AND 255),
      fingerprint bytea NOT NULL,
      outcome json NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT idempotency_keys__key PRIMARY KEY (scope, key)
    );
    CREATE INDEX idempotency_keys__age ON idempotency_keys (created_at);

    CREATE TABLE files (
      id uuid CONSTRAINT files__key PRIMARY KEY DEFAULT gen_random_uuid(),
      name text NOT NULL,
      content_type text,
      size_bytes bigint,
      created_at timestamptz NOT NULL DEFAULT now(),
      completed_at timestamptz,
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX files__expiry ON files (expires_at);

    CREATE TABLE file_chunks (
      file_id uuid NOT NULL CONSTRAINT file_chunks__file REFERENCES files ON DELETE CASCADE,
      number integer NOT NULL,
      data bytea NOT NULL,
      CONSTRAINT file_chunks__key PRIMARY KEY (file_id, number)
    );
    ALTER TABLE file_chunks ALTER COLUMN data SET STORAGE EXTERNAL;

    CREATE TABLE jobs (
      id uuid CONSTRAINT jobs__key PRIMARY KEY,
      name text NOT NULL,
      ability text NOT NULL,
      token_id bigint CONSTRAINT jobs__token REFERENCES tokens,
      envelope jsonb NOT NULL,
      state text NOT NULL DEFAULT 'queued'
        CONSTRAINT jobs__state_known CHECK (state IN ('queued', 'running', 'done', 'failed')),
      progress smallint NOT NULL DEFAULT 0 CONSTRAINT jobs__progress_range CHECK (progress BETWEEN 0 AND 100),
      outcome json,
      file_id uuid CONSTRAINT jobs__file REFERENCES files ON DELETE SET NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      finished_at timestamptz
    );
    CREATE INDEX jobs__token_lookup ON jobs (token_id);
    CREATE INDEX jobs__file_lookup ON jobs (file_id);
    CREATE INDEX jobs__unfinished ON jobs (created_at) WHERE finished_at IS NULL;
    CREATE INDEX jobs__age ON jobs (created_at);
  `

export const down = sql`DROP TABLE jobs, file_chunks, files, idempotency_keys, receipts`
