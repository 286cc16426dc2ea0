// Steps on a table in use, without blocking readers or writers. They run outside a transaction, so each must
// be the only step of its migration, and be repeatable after an aborted try.
import type { Knex } from 'knex'

type Step = {
  config: { transaction: boolean }
  up(database: Knex): Promise<unknown>
  down(database: Knex): Promise<unknown>
}

const config = { transaction: false }

/** `on` is what follows the index's name: the table, the columns, and the condition. */
export function addIndex(name: string, on: string, { unique = false } = {}): Step {
  const drop = (database: Knex) => database.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
  const up = async (database: Knex) => {
    // Left by an aborted try.
    await drop(database)
    await database.raw(`CREATE ${unique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY ${name} ON ${on}`)
  }
  return { config, up, down: drop }
}

/** Checks existing rows against a constraint that was added as NOT VALID. */
export function validateConstraint(table: string, name: string): Step {
  const up = (database: Knex) => database.raw(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${name}`)
  // Validation needs no reverting.
  return { config, up, down: async () => undefined }
}
