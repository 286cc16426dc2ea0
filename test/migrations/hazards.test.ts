// Checks that migrations expand before they contract: a migration either only adds to the schema, or is marked as
// contracting and says why that is safe. Checks the statements that Postgres actually receives.
import { expect } from 'chai'
import type { Knex } from 'knex'
import { connectDatabase } from '../../shared/database/database.ts'
import { importMigration, listMigrations } from '../../shared/database/migrations.ts'
import { useDatabase } from '../support/databases.ts'
import { use } from '../support/use.ts'
import { findHazards, findUnrepeatableIndexes } from './hazards.ts'

// Lists migrations older than the rule. They need no check, because an upgrade from 0.1.0 stops all
// processes.
const OLDER_MIGRATIONS: Record<string, string[]> = {
  '0007-listings': ['builds an index while nobody may write: bookings'],
  '0011-audit-log-searches': ['builds an index while nobody may write: audit_log'],
  '0012-import-plans': ['builds an index while nobody may write: users'],
  '0013-import-columns': ['renames: jobs', 'adds a constraint: jobs', 'requires a value: jobs'],
  '0014-floor-plan-pictures': ['adds a constraint: locations', 'drops: locations'],
  '0015-positions-and-ordinals': ['renames: bookables', 'renames: import_plan_rows'],
  '0016-erasures': ['builds an index while nobody may write: users'],
  '0017-accepted-jobs': ['adds a constraint: jobs'],
  '0018-long-bookings': ['builds an index while nobody may write: bookings'],
}

describe('migrations while processes run', () => {
  const database = useDatabase({ empty: true })
  const statements = use(() => recordStatements(database.databaseUrl))

  it('only add to the schema, unless a migration is marked as contracting', async () => {
    const found: Record<string, string[]> = {}
    for (const name of await listMigrations()) {
      const { contracts } = await importMigration(name)
      const hazards = findHazards((statements.get(name) ?? []).join(';'))
      if (contracts !== undefined) {
        expect(contracts, `${name} says why`).to.be.a('string').with.length.greaterThan(20)
        expect(hazards, `${name} contracts nothing`).to.not.deep.equal([])
      } else if (hazards.length > 0) found[name] = hazards
    }
    expect(found).to.deep.equal(OLDER_MIGRATIONS)
  })

  it('can be repeated if they run outside a transaction', async () => {
    for (const [name, sent] of statements) {
      expect(findUnrepeatableIndexes(sent.join(';')), name).to.deep.equal([])
      const { config } = await importMigration(name)
      // A migration that validates a constraint must not be in a transaction, which would hold locks while Postgres
      // reads all rows.
      if (/\bVALIDATE CONSTRAINT\b/.test(sent.join(';'))) expect(config?.transaction, name).to.equal(false)
    }
  })

  const hazardous: Record<string, string> = {
    'ALTER TABLE bookings DROP COLUMN license_plate': 'drops: bookings',
    'DROP TABLE vehicles': 'drops: drop table vehicles',
    'ALTER TABLE users RENAME COLUMN upn TO login': 'renames: users',
    'ALTER TABLE users ALTER COLUMN id TYPE integer': 'changes a type: users',
    'ALTER TABLE users ALTER upn SET NOT NULL': 'requires a value: users',
    'ALTER TABLE users ADD COLUMN city text NOT NULL': 'requires a value: users',
    "ALTER TABLE users ADD COLUMN a text NOT NULL, ADD COLUMN b text DEFAULT ''": 'requires a value: users',
    'ALTER TABLE users ADD COLUMN code uuid NOT NULL DEFAULT gen_random_uuid()': 'rewrites: users',
    'ALTER TABLE users ADD CONSTRAINT users__code CHECK (true)': 'adds a constraint: users',
    'ALTER TABLE users ADD COLUMN home bigint REFERENCES bookables': 'adds a constraint: users',
    'CREATE INDEX bookings__x ON bookings (id)': 'builds an index while nobody may write: bookings',
    'CREATE UNIQUE INDEX users__x ON users (id)': 'builds an index while nobody may write: users',
    'UPDATE bookings SET exclusive = true': 'writes all rows: bookings',
    'LOCK TABLE users': 'locks: users',
  }
  for (const [sql, hazard] of Object.entries(hazardous))
    it(`are reported as hazardous with the statement “${sql}”`, () =>
      expect(findHazards(sql)).to.deep.equal([hazard]))

  it('are not reported as hazardous if they only add to the schema', () => {
    for (const sql of [
      'CREATE TABLE feeds (id bigint NOT NULL CHECK (id > 0)); CREATE INDEX feeds__id ON feeds (id)',
      "ALTER TABLE users ADD COLUMN city text NOT NULL DEFAULT ''",
      'ALTER TABLE users ADD CONSTRAINT users__city CHECK (true) NOT VALID',
      'ALTER TABLE users VALIDATE CONSTRAINT users__city',
      'DROP INDEX CONCURRENTLY IF EXISTS bookings__x; CREATE INDEX CONCURRENTLY bookings__x ON bookings (id)',
      'ALTER TABLE users ADD COLUMN a text, ADD COLUMN b text -- DROP COLUMN c',
    ])
      expect(findHazards(sql), sql).to.deep.equal([])
    expect(findUnrepeatableIndexes('CREATE INDEX CONCURRENTLY bookings__x ON bookings (id)')).to.deep.equal([
      'bookings__x',
    ])
  })
})

/** Runs each migration, and returns the statements that it sent. */
async function recordStatements(databaseUrl: string): Promise<Map<string, string[]>> {
  const database = connectDatabase(databaseUrl, { connectionsMax: 1 })
  const recorded = new Map<string, string[]>()
  let sent: string[] = []
  database.on('query', ({ sql }: { sql: string }) => sent.push(sql))
  try {
    for (const name of await listMigrations()) {
      sent = []
      recorded.set(name, sent)
      await (await importMigration(name)).up(database as Knex)
    }
  } finally {
    await database.destroy()
  }
  return recorded
}
