// How many buildings a token has is held for those that were there before, too.
import type { Knex } from 'knex'

export const config = { transaction: false }

export const up = (database: Knex) =>
  database.raw('ALTER TABLE tokens VALIDATE CONSTRAINT tokens__building_ids_number')

// What is known to hold needs no way back.
export const down = async () => undefined
