// Adds links that create the first administrator. The gateway prints such a link when it starts. A link works once, and
// is stored as a hash.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE setup_links (
      hash bytea CONSTRAINT setup_links__key PRIMARY KEY,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL
    );
  `

export const down = sql`DROP TABLE setup_links`
