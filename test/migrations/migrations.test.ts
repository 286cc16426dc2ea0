// Tests the migrations: up, down and up again, from several processes at the same time, and the rules that
// every table follows.
import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { projectDirectory } from '../../local/tools/folders.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { LOCKS, tryLockSql } from '../../shared/database/locks.ts'
import {
  listMigrations,
  migrateDown,
  migrateUp,
  readMigrationStatus,
} from '../../shared/database/migrations.ts'
import { useConnection, useDatabase } from '../support/databases.ts'
import { describeSchema } from '../support/schema.ts'
import { eventually } from '../support/time.ts'

// Migrations that lock a table against readers: the first in a transaction, the second outside one.
const LOCKING_MIGRATIONS = { bookables: '0015-positions-and-ordinals', tokens: '0057-personal-tokens' }
const waitingForTableSql = (table: string) =>
  `SELECT FROM pg_locks WHERE relation = '${table}'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted`

const BETWEEN_TRIES =
  "SELECT FROM pg_stat_activity WHERE application_name = 'waiting' AND state = 'idle' AND query LIKE 'COMMIT%'"

const WAITING_FOR_TWO_SECONDS =
  "SELECT FROM pg_locks WHERE relation = 'migrations_lock'::regclass AND NOT granted AND waitstart < now() - interval '2 seconds'"

describe('migrations', () => {
  const own = useDatabase({ each: true, empty: true })
  const database = useConnection(own)
  let names: string[]
  beforeEach(async () => {
    names = await listMigrations()
  })

  it('create the same schema again after all of them were reverted', async () => {
    expect(await migrateUp(database)).to.deep.equal(names)
    const schema = await describeSchema(database)
    expect(schema.relations).to.have.length.greaterThan(50)

    expect(await migrateDown(database, { all: true })).to.deep.equal([...names].reverse())
    const left = (await describeSchema(database)).relations?.map(({ name }) => name)
    expect(left?.filter((name) => !String(name).startsWith('migrations'))).to.deep.equal([])
    await migrateUp(database)
    expect(await describeSchema(database)).to.deep.equal(schema)
  })

  it('revert exactly what they created', async () => {
    await migrateUp(database)
    for (const name of [...names].reverse()) {
      expect(await migrateDown(database)).to.deep.equal([name])
      const before = await describeSchema(database)
      expect((await readMigrationStatus(database)).pending[0]).to.equal(name)
      await database.migrate.up(await createMigratorConfig())
      await migrateDown(database)
      expect(await describeSchema(database), name).to.deep.equal(before)
    }
    expect(await migrateDown(database)).to.deep.equal([])
  })

  it('are reported as applied or pending, even for an empty database', async () => {
    expect(await readMigrationStatus(database)).to.deep.equal({ applied: [], pending: names, newer: [] })
    await migrateUp(database)
    expect(await readMigrationStatus(database)).to.deep.equal({ applied: names, pending: [], newer: [] })
    await migrateDown(database)
    expect(await readMigrationStatus(database)).to.deep.equal({
      applied: names.slice(0, -1),
      pending: names.slice(-1),
      newer: [],
    })
    expect(await migrateUp(database)).to.deep.equal(names.slice(-1))
    expect(await migrateUp(database)).to.deep.equal([])
  })

  it('run only once if several processes start them at the same time, and all processes succeed', async () => {
    const others = [connectDatabase(own.databaseUrl), connectDatabase(own.databaseUrl)]
    try {
      const applied = await Promise.all([database, ...others].map((each) => migrateUp(each)))
      expect(applied.flat()).to.deep.equal(names)
    } finally {
      await Promise.all(others.map((each) => each.destroy()))
    }
    expect((await readMigrationStatus(database)).pending).to.deep.equal([])
  })

  it('hold no transaction open between two tries to get the lock, because it would block building an index', async () => {
    const holder = await database.transaction()
    const waiting = connectDatabase(own.databaseUrl, { applicationName: 'waiting' })
    try {
      await holder.raw(`SELECT ${tryLockSql(LOCKS.migrations)}`)
      const migrated = migrateUp(waiting)
      await eventually(async () => {
        const { rows } = await database.raw(BETWEEN_TRIES)
        expect(rows).to.have.length(1)
      })
      await holder.commit()
      expect(await migrated).to.deep.equal(names)
    } finally {
      if (!holder.isCompleted()) await holder.rollback()
      await waiting.destroy()
    }
  })

  it('name the process that holds the lock, but only once and only if they wait', async () => {
    const other = connectDatabase(own.databaseUrl, { applicationName: 'slow-release' })
    const holder = await other.transaction()
    const said: string[] = []
    const options = { onWait: (sentence: string) => said.push(sentence), onWaitAfterMs: 0 }
    try {
      const { rows } = await holder.raw(`SELECT ${tryLockSql(LOCKS.migrations)}, pg_backend_pid() AS pid`)
      const migrated = migrateUp(database, options)
      await eventually(() => expect(said).to.have.length(1))
      await holder.commit()
      expect(await migrated).to.deep.equal(names)
      const [{ pid }] = rows
      expect(said.join()).to.match(
        new RegExp(
          `^Another process is migrating: slow-release \\(pid ${pid}\\), since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC\\. `,
        ),
      )
      await migrateUp(database, options)
      expect(said).to.have.length(1)
    } finally {
      if (!holder.isCompleted()) await holder.rollback()
      await other.destroy()
    }
  })

  it('keep the lock even if Postgres ends idle transactions', async () => {
    await migrateUp(database)
    const blocker = await database.transaction()
    await blocker.raw('LOCK TABLE migrations_lock')
    await database.raw(
      `ALTER DATABASE ${new URL(own.databaseUrl).pathname.slice(1)} SET idle_in_transaction_session_timeout = '1s'`,
    )
    const migrating = connectDatabase(own.databaseUrl, { applicationName: 'migrating' })
    try {
      const migrated = migrateUp(migrating)
      // By then, the transaction with the lock has been idle for longer than Postgres allows.
      await eventually(async () => {
        const { rows } = await database.raw(WAITING_FOR_TWO_SECONDS)
        expect(rows).to.have.length(1)
      })
      const { rows } = await database.raw(`SELECT ${tryLockSql(LOCKS.migrations)} AS is_free`)
      await blocker.commit()
      expect(await migrated).to.deep.equal([])
      expect(rows).to.deep.equal([{ is_free: false }])
    } finally {
      if (!blocker.isCompleted()) await blocker.rollback()
      await migrating.destroy()
    }
  })

  it('run even if a process died while it held the migration lock', async () => {
    await migrateUp(database)
    await migrateDown(database)
    await database('migrations_lock').update({ is_locked: 1 })
    expect(await migrateUp(database)).to.deep.equal(names.slice(-1))
    await database('migrations_lock').update({ is_locked: 1 })
    expect(await migrateDown(database)).to.deep.equal(names.slice(-1))
  })

  for (const [table, migration] of Object.entries(LOCKING_MIGRATIONS))
    it(`wait for the table ${table} while it is in use without blocking its readers`, async () => {
      await migrateUp(database)
      while (!(await readMigrationStatus(database)).pending.includes(migration)) await migrateDown(database)
      const { pending } = await readMigrationStatus(database)
      const others = connectDatabase(own.databaseUrl, { lockTimeoutMs: 10_000 })
      const longReader = await others.transaction()
      try {
        await longReader.raw(`SELECT FROM ${table}`)
        const migrated = migrateUp(database)
        await eventually(async () => {
          const { rows } = await others.raw(waitingForTableSql(table))
          expect(rows).to.have.length(1)
        })
        // The second reader queues behind the migration, which waits for the first reader.
        await others.raw(`SELECT FROM ${table}`)
        await longReader.commit()
        expect(await migrated).to.deep.equal(pending)
      } finally {
        if (!longReader.isCompleted()) await longReader.rollback()
        await others.destroy()
      }
    })

  it('are the same in the sources and in the build', async () => {
    const sources = await readdir(join(projectDirectory, 'migrations'))
    const migrations = sources.filter((file) => file.endsWith('.ts'))
    expect(names).to.deep.equal(migrations.map((file) => file.replace(/\.ts$/, '')).sort())
    const numbers = names.map((name) => name.slice(0, 4))
    expect(new Set(numbers).size, `two with one number: ${numbers}`).to.equal(numbers.length)
    const built = await import(
      pathToFileURL(join(projectDirectory, 'dist/shared/database/migrations.js')).href
    )
    expect(await built.listMigrations()).to.deep.equal(names)
    await migrateUp(database)
    expect(await built.readMigrationStatus(database)).to.deep.equal({
      applied: names,
      pending: [],
      newer: [],
    })
    expect(await built.migrateUp(database)).to.deep.equal([])
  })
})

/** The settings of shared/database/migrations.ts, for one migration. */
async function createMigratorConfig(): Promise<Knex.MigratorConfig> {
  const extension = extname(import.meta.filename)
  const folder = join(import.meta.dirname, '../../migrations')
  const files = (await listMigrations()).map((name) => `${name}${extension}`)
  return {
    tableName: 'migrations',
    migrationSource: {
      getMigrations: async () => files,
      getMigrationName: (file: string) => file.slice(0, -extension.length),
      getMigration: (file: string) => import(pathToFileURL(join(folder, file)).href),
    },
  }
}

describe('every table', () => {
  const database = useConnection(useDatabase())

  const rowsOf = async (question: string) => {
    const { rows } = await database.raw<{ rows: Array<Record<string, string>> }>(question)
    expect(rows, 'the question finds something').to.not.have.length(0)
    // Ignores partitions of the outbox, which have the same structure as the outbox itself.
    return rows.filter(({ relation }) => !/^(migrations|changes_)/.test(relation ?? ''))
  }

  it('names its constraints and indexes after the pattern table__meaning', async () => {
    // Ignores NOT NULL, which Postgres 18 and later list as constraints with generated names.
    const constraints = await rowsOf(`
      SELECT conrelid::regclass::text AS relation, conname AS name FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace AND contype <> 'n'`)
    const indexes = await rowsOf(
      "SELECT tablename AS relation, indexname AS name FROM pg_indexes WHERE schemaname = 'public'",
    )
    for (const { relation, name } of [...constraints, ...indexes]) {
      expect(name).to.match(new RegExp(`^${relation}__[a-z][a-z\\d_]+$`))
      expect(name?.length).to.be.at.most(63)
    }
  })

  it('has a complete index on every foreign key', async () => {
    const { rows } = await database.raw(`
      SELECT conname AS name
      FROM pg_constraint AS foreign_key
      WHERE contype = 'f' AND NOT EXISTS (
        SELECT FROM pg_index
        WHERE indrelid = conrelid
          AND (indkey::int2[])[0:cardinality(conkey) - 1] @> conkey
          AND (indpred IS NULL OR pg_get_expr(indpred, indrelid) = (
            SELECT format('(%I IS NOT NULL)', attname) FROM pg_attribute
            WHERE attrelid = conrelid AND attnum = conkey[1]
          ))
      )`)
    expect(rows).to.deep.equal([])
  })

  it('has a primary key, generated ids, and no discouraged column types', async () => {
    const keyless = await database.raw(`
      SELECT relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = pg_class.oid AND contype = 'p')`)
    expect(keyless.rows).to.deep.equal([])
    const columns = await rowsOf(`
      SELECT table_name AS relation, column_name AS name, data_type AS type, identity_generation AS identity, column_default AS value
      FROM information_schema.columns WHERE table_schema = 'public'`)
    for (const { relation, name, type, identity, value } of columns) {
      const place = `${relation}.${name}`
      expect(type, place).to.not.match(/^(character|timestamp without|time with|money|oid)/)
      // An identity column of a partitioned table requires PostgreSQL 17.
      if (place !== 'changes.sequence') expect(value ?? '', place).to.not.include('nextval')
      if (name === 'id' && type === 'bigint') expect(identity, place).to.equal('ALWAYS')
      if (/_at$|^at$/.test(String(name))) expect(type, place).to.equal('timestamp with time zone')
    }
  })
})
