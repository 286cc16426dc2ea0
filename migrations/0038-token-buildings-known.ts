// Validates the constraint on the number of buildings for the existing tokens.
import type { Knex } from 'knex'

export const config = { transaction: false }

export const up = (database: Knex) =>
  database.raw('ALTER TABLE tokens VALIDATE CONSTRAINT tokens__building_ids_number')

// Validation needs no reverting.
export const down = async () => undefined
