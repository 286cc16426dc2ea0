// The networks from which a token works (all if there are none), and its previous secret, which stays valid
// for a while after a rotation.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw(`
    ALTER TABLE tokens ADD COLUMN addresses cidr[], ADD COLUMN previous_hash bytea,
      ADD COLUMN previous_until timestamptz
  `)

export const down = (database: Knex) =>
  database.raw(
    'ALTER TABLE tokens DROP COLUMN addresses, DROP COLUMN previous_hash, DROP COLUMN previous_until',
  )
