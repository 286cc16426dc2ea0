// Migrates the database to the version of this code, and checks whether it has been migrated.
import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Knex } from 'knex'
import { getOnlyRow } from './database.ts'
import { isLockTimeout } from './faults.ts'
import { isExclusiveLockSql, LOCKS, tryLockSql } from './locks.ts'

const migrationsDirectory = join(import.meta.dirname, '../../migrations')
const MIGRATIONS_TABLE = 'migrations'

// Reads queue up behind a migration that waits for their table, so a migration waits no longer than a read may take.
// Then the migration lets the reads pass and tries again, for about five minutes.
const LOCK_TIMEOUT_MS = 1_000
const RETRY_AFTER_MS = 2_000
const TRIES_MAX = 100
const LOCK_POLL_MS = 100
const REPORT_WAIT_AFTER_MS = 10_000

type MigrationOptions = {
  /** Called once if another process still holds the migration lock after `onWaitAfterMs`. The sentence names the process. */
  onWait?: (sentence: string) => void
  onWaitAfterMs?: number
}

type Migration = {
  up(database: Knex): Promise<unknown>
  down(database: Knex): Promise<unknown>
  /** Set `transaction: false` to build an index without blocking writers. Such a migration must be safe to repeat. */
  config?: { transaction?: boolean }
  /**
   * Explains why no running process needs what this migration removes. A migration without this text removes nothing.
   */
  contracts?: string
}

/** Thrown if a newer release has applied migrations that are not in this code. */
export class NewerDatabaseError extends Error {
  constructor(names: string[]) {
    super(`The database is newer than this release: it has ${names.join(', ')}.`)
  }
}

/**
 * Lists the names of this code's migrations. The names have no extension, so that .ts files and the .js files built
 * from them match.
 */
export async function listMigrations(): Promise<string[]> {
  return (await listMigrationFiles()).map(toMigrationName)
}

export async function importMigration(name: string): Promise<Migration> {
  const file = (await listMigrationFiles()).find((each) => toMigrationName(each) === name)
  if (file === undefined) throw new Error(`There is no migration ${name}`)
  return import(pathToFileURL(join(migrationsDirectory, file)).href)
}

export async function migrateUp(database: Knex, options: MigrationOptions = {}): Promise<string[]> {
  return runWithLock(database, options, () => database.migrate.latest(migratorSettings))
}

/** Reverts the newest migration, or all migrations. Refuses if the newest one belongs to a newer release. */
export async function migrateDown(
  database: Knex,
  options: MigrationOptions & { all?: boolean } = {},
): Promise<string[]> {
  return runWithLock(database, options, async () => {
    const { newer } = await readMigrationStatus(database)
    if (newer.length > 0) throw new NewerDatabaseError(newer)
    return options.all
      ? database.migrate.rollback(migratorSettings, true)
      : database.migrate.down(migratorSettings)
  })
}

/**
 * `newer` lists the migrations of a newer release. These migrations only add things, so this release still works: a
 * rollback of Berth leaves the database as it is.
 */
export async function readMigrationStatus(
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
  const exists = await database.schema.hasTable(MIGRATIONS_TABLE)
  const rows: Array<{ name: string }> = exists
    ? await database(MIGRATIONS_TABLE).select('name').orderBy('id')
    : []
  return rows.map(({ name }) => name)
}

// When migrating, knex runs all pending migrations in one transaction, so that a failed attempt leaves nothing behind.
// When reverting, each migration has its own transaction, so that those already reverted stay reverted.
const migratorSettings: Knex.MigratorConfigWithLifecycleHooks = {
  tableName: MIGRATIONS_TABLE,
  // Berth accepts a database that has migrations of a newer release.
  disableMigrationsListValidation: true,
  beforeEach: async (connection) => {
    if (connection.isTransaction) await connection.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
  },
  migrationSource: {
    getMigrations: () => listMigrationFiles(),
    getMigrationName: toMigrationName,
    getMigration: (file: string) => importMigration(toMigrationName(file)),
  },
}

function toMigrationName(file: string): string {
  return file.slice(0, -extname(file).length)
}

async function listMigrationFiles(): Promise<string[]> {
  const files = await readdir(migrationsDirectory)
  return files.filter((file) => /^\d{4}-[a-z-]+\.(ts|js)$/.test(file)).sort()
}

// Runs `work` while holding Berth's own lock, and returns what was applied or reverted. Knex's lock is a row in a
// table, which a killed process leaves locked for good. An advisory lock ends with its connection, and its holder may
// clear the row that a dead process left.
async function runWithLock(
  database: Knex,
  { onWait, onWaitAfterMs = REPORT_WAIT_AFTER_MS }: MigrationOptions,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const reportAtMs = performance.now() + onWaitAfterMs
  let notice: string | undefined
  for (;;) {
    const changed = await database.transaction(async (trx) =>
      (await tryMigrationLock(trx)) ? runAndCompare(database, work) : undefined,
    )
    if (changed) return changed
    if (onWait && !notice && performance.now() >= reportAtMs) {
      notice = await describeLockHolder(database)
      if (notice) onWait(notice)
    }
    await wait(LOCK_POLL_MS)
  }
}

/** Returns a sentence that names the process that holds the migration lock, or undefined if no process holds the lock. */
async function describeLockHolder(database: Knex): Promise<string | undefined> {
  const { rows } = await database.raw<{ rows: Array<{ pid: number; name: string; since: string }> }>(
    `SELECT pid, coalesce(nullif(application_name, ''), 'an unnamed program') AS name,
       coalesce(to_char(xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'), 'an unknown time') AS since
     FROM pg_locks LEFT JOIN pg_stat_activity USING (pid) WHERE ${isExclusiveLockSql('migrations')}`,
  )
  const [found] = rows
  if (!found) return undefined
  const { pid, name, since } = found
  return `Another process is migrating: ${name} (pid ${pid}), since ${since}. If it hangs, end it: SELECT pg_terminate_backend(${pid});`
}

// Each try needs its own transaction. Building an index without blocking writers waits for older transactions with a snapshot.
// If such a transaction waited for the lock, which the builder holds, both would wait forever. The statement has no
// parameter, because the driver keeps the snapshot of a statement with parameters open.
async function tryMigrationLock(trx: Knex.Transaction): Promise<boolean> {
  const { rows } = await trx.raw(`SELECT ${tryLockSql(LOCKS.migrations)} AS is_locked`)
  const { is_locked: isLocked } = getOnlyRow<{ is_locked: boolean }>(rows)
  // This transaction is idle while migrations run on other connections, so Postgres must not end it for being idle.
  if (isLocked) await trx.raw('SET LOCAL idle_in_transaction_session_timeout = 0')
  return isLocked
}

async function runAndCompare(database: Knex, work: () => Promise<unknown>): Promise<string[]> {
  if (await database.schema.hasTable(`${MIGRATIONS_TABLE}_lock`))
    await database.migrate.forceFreeMigrationsLock(migratorSettings)
  const before = await readMigrationStatus(database)
  await retryWhereLocked(work)
  const after = await readMigrationStatus(database)
  const applied = after.applied.filter((name) => before.pending.includes(name))
  const reverted = before.applied.filter((name) => after.pending.includes(name))
  return [...applied, ...reverted.reverse()]
}

async function retryWhereLocked(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await work()
      return
    } catch (error) {
      if (!isLockTimeout(error) || tries === TRIES_MAX) throw error
      await wait(RETRY_AFTER_MS)
    }
  }
}
