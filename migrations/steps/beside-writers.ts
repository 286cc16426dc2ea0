// What a migration does to a table that is in use, while others read and write it. No transaction is around such a step, so it
// is the only one of its migration, and can be repeated after a try that died.
import type { Knex } from 'knex'

type Step = {
  config: { transaction: boolean }
  up(database: Knex): Promise<unknown>
  down(database: Knex): Promise<unknown>
}

const config = { transaction: false }

/** `on` is what follows the index's name: the table, what it is ordered by, and which rows are in it. */
export function addIndex(name: string, on: string, { unique = false } = {}): Step {
  const drop = (database: Knex) => database.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
  const up = async (database: Knex) => {
    // What a try that died has left.
    await drop(database)
    await database.raw(`CREATE ${unique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY ${name} ON ${on}`)
  }
  return { config, up, down: drop }
}

/** Holds a constraint that was added as NOT VALID against the rows that were there before it. */
export function validateConstraint(table: string, name: string): Step {
  const up = (database: Knex) => database.raw(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${name}`)
  // What is known to hold needs no way back.
  return { config, up, down: async () => undefined }
}
