// Links that create the first administrator: printed when the gateway starts, used once, stored as hashes.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE setup_links (
      hash bytea CONSTRAINT setup_links__key PRIMARY KEY,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL
    );
  `

export const down = sql`DROP TABLE setup_links`
