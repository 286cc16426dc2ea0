// Links that create the first administrator: printed when the gateway starts, used once, stored as hashes.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw(`
    CREATE TABLE setup_links (
      hash bytea CONSTRAINT setup_links__key PRIMARY KEY,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL
    );
  `)

export const down = (database: Knex) => database.raw('DROP TABLE setup_links')
