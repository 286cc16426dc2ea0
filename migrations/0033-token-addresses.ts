// Adds the networks from which a token works (any network if there are none), and the token's previous secret, which
// stays valid for a while after a rotation.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE tokens ADD COLUMN addresses cidr[], ADD COLUMN previous_hash bytea,
      ADD COLUMN previous_until timestamptz
  `

export const down = sql`ALTER TABLE tokens DROP COLUMN addresses, DROP COLUMN previous_hash, DROP COLUMN previous_until`
