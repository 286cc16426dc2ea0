// The abilities of tokens are held for those that were there before, too.
import type { Knex } from 'knex'

export const config = { transaction: false }

export const up = (database: Knex) =>
  database.raw('ALTER TABLE tokens VALIDATE CONSTRAINT tokens__abilities_known')

// What is known to hold needs no way back.
export const down = async () => undefined
