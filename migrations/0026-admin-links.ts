// Links to choose a password: for invitations and resets. Sent by hand, used once, stored as hashes.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw(`
    CREATE TABLE admin_links (
      hash bytea CONSTRAINT admin_links__key PRIMARY KEY,
      admin_id bigint NOT NULL CONSTRAINT admin_links__admin REFERENCES admins ON DELETE CASCADE,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX admin_links__admin_lookup ON admin_links (admin_id);
  `)

export const down = (database: Knex) => database.raw('DROP TABLE admin_links')
