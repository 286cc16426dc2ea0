// Adds links with which administrators choose a password, for invitations and resets. An administrator passes them on.
// A link works once, and is stored as a hash.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE admin_links (
      hash bytea CONSTRAINT admin_links__key PRIMARY KEY,
      admin_id bigint NOT NULL CONSTRAINT admin_links__admin REFERENCES admins ON DELETE CASCADE,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX admin_links__admin_lookup ON admin_links (admin_id);
  `

export const down = sql`DROP TABLE admin_links`
