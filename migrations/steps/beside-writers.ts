// Migration steps that change a table in use without blocking readers or writers. The steps run outside a transaction,
// so each one must be the only step of its migration, and must be safe to repeat after a failed attempt.
import type { Knex } from 'knex'

type Step = {
  config: { transaction: boolean }
  up(database: Knex): Promise<unknown>
  down(database: Knex): Promise<unknown>
}

const config = { transaction: false }

/** Adds an index. `on` is the SQL after the index's name: the table, the columns, and the condition. */
export function addIndex(name: string, on: string, { unique = false } = {}): Step {
  const drop = (database: Knex) => database.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
  const up = async (database: Knex) => {
    // Drops the index first, because a failed attempt may have left an invalid one.
    await drop(database)
    await database.raw(`CREATE ${unique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY ${name} ON ${on}`)
  }
  return { config, up, down: drop }
}

/** Checks existing rows against a constraint that was added as NOT VALID. */
export function validateConstraint(table: string, name: string): Step {
  const up = (database: Knex) => database.raw(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${name}`)
  // A validation does not need to be reverted.
  return { config, up, down: async () => undefined }
}
