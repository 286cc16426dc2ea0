// Expand, then contract: a migration only adds what does not disturb processes of the previous release, or says that it
// contracts, and why nothing minds that any more. Read from the statements that Postgres is really sent.
import { expect } from 'chai'
import type { Knex } from 'knex'
import { connectDatabase } from '../../shared/database/database.ts'
import { importMigration, listMigrations } from '../../shared/database/migrations.ts'
import { useDatabase } from '../support/databases.ts'
import { use } from '../support/use.ts'
import { findHazards, findUnrepeatable } from './hazards.ts'

// Those of before this rule, as they are: 0.1.0 is left with all processes stopped.
const BEFORE: Record<string, string[]> = {
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

describe('migrations under running processes', () => {
  const database = useDatabase({ empty: true })
  const statements = use(() => recordStatements(database.databaseUrl))

  it('only add to the schema unless they are marked as contracting', async () => {
    const found: Record<string, string[]> = {}
    for (const name of await listMigrations()) {
      const { contracts } = await importMigration(name)
      const hazards = findHazards((statements.get(name) ?? []).join(';'))
      if (contracts !== undefined) {
        expect(contracts, `${name} says why`).to.be.a('string').with.length.greaterThan(20)
        expect(hazards, `${name} contracts nothing`).to.not.deep.equal([])
      } else if (hazards.length > 0) found[name] = hazards
    }
    expect(found).to.deep.equal(BEFORE)
  })

  it('can be repeated if they are not a transaction', async () => {
    for (const [name, sent] of statements) {
      expect(findUnrepeatable(sent.join(';')), name).to.deep.equal([])
      const { config } = await importMigration(name)
      // Else the locks of all that is pending are held while all rows are read.
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
    it(`report the hazard “${sql}”`, () => expect(findHazards(sql)).to.deep.equal([hazard]))

  it('report no hazard in statements that only add to the schema', () => {
    for (const sql of [
      'CREATE TABLE feeds (id bigint NOT NULL CHECK (id > 0)); CREATE INDEX feeds__id ON feeds (id)',
      "ALTER TABLE users ADD COLUMN city text NOT NULL DEFAULT ''",
      'ALTER TABLE users ADD CONSTRAINT users__city CHECK (true) NOT VALID',
      'ALTER TABLE users VALIDATE CONSTRAINT users__city',
      'DROP INDEX CONCURRENTLY IF EXISTS bookings__x; CREATE INDEX CONCURRENTLY bookings__x ON bookings (id)',
      'ALTER TABLE users ADD COLUMN a text, ADD COLUMN b text -- DROP COLUMN c',
    ])
      expect(findHazards(sql), sql).to.deep.equal([])
    expect(findUnrepeatable('CREATE INDEX CONCURRENTLY bookings__x ON bookings (id)')).to.deep.equal([
      'bookings__x',
    ])
  })
})

/** Runs each migration, and returns what it has sent. */
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
