// Migrates the database to the version of this code, and checks whether it is there.
import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Knex } from 'knex'
import { onlyRow } from './database.ts'
import { isLockTimeout } from './faults.ts'
import { LOCKS, tryLock } from './locks.ts'

const directory = join(import.meta.dirname, '../../migrations')
const table = 'migrations'

// Reads queue up behind a migration that waits for their table, so a migration waits no longer than a read
// may take. Then it lets them pass, and tries again for some five minutes.
const LOCK_TIMEOUT_MS = 1_000
const RETRY_AFTER_MS = 2_000
const TRIES = 100
const LOCKED_LOOK_EVERY_MS = 100

type Migration = {
  up(database: Knex): Promise<unknown>
  down(database: Knex): Promise<unknown>
  /** `transaction: false` if it builds an index beside writers; then it must be safe to repeat. */
  config?: { transaction?: boolean }
  /** Why no process needs any more what this migration removes. Without it, a migration only adds. */
  contracts?: string
}

/** A newer release has applied migrations that this release does not know. */
export class NewerDatabaseError extends Error {
  constructor(names: string[]) {
    super(`The database is newer than this release: it has ${names.join(', ')}.`)
  }
}

/**
 * The names of this code's migrations, without extension, so that .ts and the .js built from it are the same.
 */
export async function listMigrations(): Promise<string[]> {
  return (await migrationFiles()).map(nameOf)
}

export async function importMigration(name: string): Promise<Migration> {
  const file = (await migrationFiles()).find((each) => nameOf(each) === name)
  if (file === undefined) throw new Error(`There is no migration ${name}`)
  return import(pathToFileURL(join(directory, file)).href)
}

export async function migrateUp(database: Knex): Promise<string[]> {
  return withLock(database, () => database.migrate.latest(settings))
}

/** Reverts the newest migration, or all; refuses if the newest belongs to a newer release. */
export async function migrateDown(database: Knex, options: { all?: boolean } = {}): Promise<string[]> {
  return withLock(database, async () => {
    const { newer } = await migrationStatus(database)
    if (newer.length > 0) throw new NewerDatabaseError(newer)
    return options.all ? database.migrate.rollback(settings, true) : database.migrate.down(settings)
  })
}

/**
 * `newer` are the migrations of a newer release. They only add, so this release still works: a rollback leaves
 * the database as it is.
 */
export async function migrationStatus(
  database: Knex,
): Promise<Record<'applied' | 'pending' | 'newer', string[]>> {
  const known = await listMigrations()
  const all = await listApplied(database)
  return {
    applied: known.filter((name) => all.includes(name)),
    pending: known.filter((name) => !all.includes(name)),
    newer: all.filter((name) => !known.includes(name)),
  }
}

async function listApplied(database: Knex): Promise<string[]> {
  const exists = await database.schema.hasTable(table)
  const rows: Array<{ name: string }> = exists ? await database(table).select('name').orderBy('id') : []
  return rows.map(({ name }) => name)
}

// knex runs all pending migrations in one transaction, so that a failed try leaves nothing behind. Reverting
// uses one transaction per migration, each of which stays reverted.
const settings: Knex.MigratorConfigWithLifecycleHooks = {
  tableName: table,
  // Migrations of a newer release are no reason to fail.
  disableMigrationsListValidation: true,
  beforeEach: async (connection) => {
    if (connection.isTransaction) await connection.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
  },
  migrationSource: {
    getMigrations: () => migrationFiles(),
    getMigrationName: nameOf,
    getMigration: (file: string) => importMigration(nameOf(file)),
  },
}

function nameOf(file: string): string {
  return file.slice(0, -extname(file).length)
}

async function migrationFiles(): Promise<string[]> {
  const files = await readdir(directory)
  return files.filter((file) => /^\d{4}-[a-z-]+\.(ts|js)$/.test(file)).sort()
}

// knex keeps its own lock in a table, which a killed process leaves locked for good. An advisory lock ends
// with its connection, and its holder may free what a dead process left. Returns what was applied or
// reverted.
async function withLock(database: Knex, work: () => Promise<unknown>): Promise<string[]> {
  return database.transaction(async (trx) => {
    await lock(trx)
    if (await database.schema.hasTable(`${table}_lock`))
      await database.migrate.forceFreeMigrationsLock(settings)
    const before = await migrationStatus(database)
    await retryWhereLocked(work)
    const after = await migrationStatus(database)
    const applied = after.applied.filter((name) => before.pending.includes(name))
    const reverted = before.applied.filter((name) => after.pending.includes(name))
    return [...applied, ...reverted.reverse()]
  })
}

// Building an index beside writers waits for every older snapshot. A statement that waited for the lock would
// hold one, and the two would wait for each other for ever; so would a statement with a parameter, whose
// snapshot the driver leaves open.
async function lock(trx: Knex.Transaction): Promise<void> {
  for (;;) {
    const { rows } = await trx.raw(`SELECT ${tryLock(LOCKS.migrations)} AS is_locked`)
    if (onlyRow<{ is_locked: boolean }>(rows).is_locked) return
    await wait(LOCKED_LOOK_EVERY_MS)
  }
}

async function retryWhereLocked(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await work()
      return
    } catch (error) {
      if (!isLockTimeout(error) || tries === TRIES) throw error
      await wait(RETRY_AFTER_MS)
    }
  }
}
