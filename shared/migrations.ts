// Brings the database to the version of this code, and tells whether it is there.
import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Knex } from 'knex'

const directory = join(import.meta.dirname, '../migrations')
const table = 'migrations'

// Any number that nobody else uses: one migration at a time, over all machines.
const LOCK = 7_301_001

export type MigrationStatus = { applied: string[]; pending: string[] }

/** The migrations of this code, by name: without extension, so that .ts and the .js built from it are the same. */
export async function listMigrations(): Promise<string[]> {
  return (await migrationFiles()).map(nameOf)
}

export async function migrateUp(database: Knex): Promise<string[]> {
  return withLock(database, async () => {
    const [, names] = (await database.migrate.latest(settings)) as [number, string[]]
    return names
  })
}

/** Takes back the newest migration, or all of them. */
export async function migrateDown(database: Knex, options: { all?: boolean } = {}): Promise<string[]> {
  return withLock(database, async () => {
    const undo = options.all ? database.migrate.rollback(settings, true) : database.migrate.down(settings)
    const [, names] = (await undo) as [number, string[]]
    return names
  })
}

export async function migrationStatus(database: Knex): Promise<MigrationStatus> {
  const known = await listMigrations()
  const exists = await database.schema.hasTable(table)
  const rows: Array<{ name: string }> = exists ? await database(table).select('name') : []
  const applied = new Set(rows.map((row) => row.name))
  return {
    applied: known.filter((name) => applied.has(name)),
    pending: known.filter((name) => !applied.has(name)),
  }
}

const settings: Knex.MigratorConfig = {
  tableName: table,
  migrationSource: {
    getMigrations: () => migrationFiles(),
    getMigrationName: nameOf,
    getMigration: (file: string) => import(pathToFileURL(join(directory, file)).href),
  },
}

function nameOf(file: string): string {
  return file.slice(0, -extname(file).length)
}

async function migrationFiles(): Promise<string[]> {
  const files = await readdir(directory)
  return files.filter((file) => /^\d{4}-[a-z-]+\.(ts|js)$/.test(file)).sort()
}

// knex keeps a lock of its own in a table, which a killed process leaves locked for good. An advisory lock ends with
// its connection; whoever holds it may free what a dead process left.
async function withLock<T>(database: Knex, work: () => Promise<T>): Promise<T> {
  return database.transaction(async (trx) => {
    await trx.raw('SELECT pg_advisory_xact_lock(?)', [LOCK])
    if (await database.schema.hasTable(`${table}_lock`))
      await database.migrate.forceFreeMigrationsLock(settings)
    return work()
  })
}
