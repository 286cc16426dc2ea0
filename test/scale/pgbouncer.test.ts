// Runs Berth through PgBouncer in transaction mode, without prepared statements and, with PgBouncer 1.21 or later, with
// prepared statements. `PGBOUNCER` selects another version than Debian's.
import { expect } from 'chai'
import type pg from 'pg'
import type { Finding } from '../../commands/doctor/findings.ts'
import { checkPooler } from '../../commands/doctor/pooler.ts'
import { ListingReader } from '../../gateway/server/http/listing-reader.ts'
import { connectDatabase, connectPool } from '../../shared/database/database.ts'
import { readMigrationStatus } from '../../shared/database/migrations.ts'
import { runAgainst } from '../commands/support/run.ts'
import { readServerUrls, useDatabase } from '../support/databases.ts'
import { createManyBookings } from '../support/factories.ts'
import { createOffice } from '../support/office.ts'
import { eventually } from '../support/time.ts'
import { use } from '../support/use.ts'
import { useClient, useWorld } from '../support/world.ts'
import { findNewestPostgres, startDebianPostgres } from './stage/debian-postgres.ts'
import { type Pooler, startPgBouncer } from './stage/pgbouncer.ts'
import { runSuiteOn } from './stage/suite.ts'

// Excludes tests that check how a connection begins, which a pooler hides.
const SUITE_FILES = [
  'test/gateway/api/rest/bookings/bookings.test.ts',
  'test/gateway/api/rest/events/events.test.ts',
  'test/gateway/api/rest/users/users-export.test.ts',
  'test/gateway/api/rest/users/users-import-formats.test.ts',
]
const UNNAMED_STATEMENTS_OPTION = 'prepared_statements=false'
const WEEK_QUERY = 'from=2026-03-02T00:00:00Z&to=2026-03-09T00:00:00Z'
const LISTED_BOOKING_COUNT = 8_000
const through = (pooler: Pooler, databaseUrl: string, options = '') => {
  const url = new URL(databaseUrl)
  url.port = new URL(pooler.url).port
  url.search = options
  return url.href
}

describe('PgBouncer in transaction mode', function () {
  this.timeout(3_600_000)
  const pooler = use(() => startPgBouncer(readServerUrls().databaseUrl), { close: (made) => made.stop() })
  const strict = use(() => startPgBouncer(readServerUrls().databaseUrl, { ignore_startup_parameters: '' }), {
    close: (made) => made.stop(),
  })
  const database = useDatabase({ empty: true })
  const settings = () => ({ REDIS_URL: readServerUrls().redisUrl })

  const examine = async (databaseUrl: string, gatewayUrl = '') => {
    const environment = { ...settings(), GATEWAY_DATABASE_URL: gatewayUrl }
    const { stdout } = await runAgainst({ databaseUrl }, environment)('doctor', ['--json'])
    const { findings } = JSON.parse(stdout) as { findings: Finding[] }
    return new Map(findings.map((finding) => [finding.about, finding]))
  }

  it('can be used to migrate a database', async () => {
    const databaseUrl = through(pooler, database.databaseUrl, UNNAMED_STATEMENTS_OPTION)
    // Runs two migrations at the same time. The migration lock belongs to a transaction, so it works with
    // PgBouncer.
    const all = await Promise.all([1, 2].map(() => runAgainst({ databaseUrl }, settings())('migrate', [])))
    expect(all.map(({ code, stderr }) => [code, stderr])).to.deep.equal([
      [0, ''],
      [0, ''],
    ])
    expect(all.filter(({ stdout }) => /up to date/.test(stdout))).to.have.length(1)
    const direct = connectDatabase(database.databaseUrl)
    const { pending } = await readMigrationStatus(direct)
    await direct.destroy()
    expect(pending).to.deep.equal([])
  })

  it('passes the checks of npm run doctor, which explain the limitations of PgBouncer', async () => {
    const named = await examine(through(pooler, database.databaseUrl))
    expect(named.get('prepared statements')?.level).to.equal(pooler.keepsStatements ? 'ok' : 'problem')
    const unnamed = await examine(through(pooler, database.databaseUrl, UNNAMED_STATEMENTS_OPTION))
    expect(unnamed.get('prepared statements')?.level).to.equal('ok')
    expect(unnamed.get('settings of connections')?.level).to.equal('warning')
    const ofWorkers = await examine(through(pooler, database.databaseUrl), database.databaseUrl)
    expect(ofWorkers.get('prepared statements')?.level).to.equal('ok')
    expect(ofWorkers.get('prepared statements of workers')?.level).to.equal(
      pooler.keepsStatements ? 'ok' : 'problem',
    )
    const refused = await examine(through(strict, database.databaseUrl, UNNAMED_STATEMENTS_OPTION))
    expect(refused.get('settings of connections')?.level).to.equal('problem')
    expect(refused.get('settings of connections')?.todo).to.include('ignore_startup_parameters')
  })

  it('is reported by npm run doctor if the Postgres behind PgBouncer compiles statements', async () => {
    const packaged = await startDebianPostgres(findNewestPostgres(), { fsync: 'off' })
    const before = await startPgBouncer(packaged.url)
    const url = `${before.url}?${UNNAMED_STATEMENTS_OPTION}`
    const direct = await eventually(() => checkPooler(packaged.url, 'workers'))
    const pooled = await checkPooler(url, 'workers')
    await before.stop()
    await packaged.stop()
    expect(direct.map(({ level }) => level)).to.deep.equal(['ok'])
    expect(pooled.map(({ level, todo }) => [level, todo])).to.deep.equal([
      ['ok', undefined],
      ['warning', 'ALTER ROLE berth SET jit = off;'],
    ])
  })

  it('answers many simultaneous statements correctly, on any connection', async () => {
    const url = through(pooler, database.databaseUrl, UNNAMED_STATEMENTS_OPTION)
    const pools = Array.from({ length: 4 }, () => connectPool(url, { connectionsMax: 1, pipeline: true }))
    const clients = await Promise.all(pools.map((pool) => pool.connect()))
    const numbers = Array.from({ length: 200 }, (_, number) => number)
    const ask = async (client: pg.PoolClient, number: number) => {
      // Every tenth statement fails, which must not affect later statements.
      const divisor = number % 10 === 0 ? 0 : 1
      const query = { name: 'asked', text: 'SELECT $1::int / $2::int AS number', values: [number, divisor] }
      const { rows } = await client.query<{ number: number }>(query)
      return rows[0]?.number
    }
    const answers = await Promise.all(
      clients.map((client) => Promise.allSettled(numbers.map((number) => ask(client, number)))),
    )
    for (const client of clients) client.release(true)
    await Promise.all(pools.map((pool) => pool.end()))
    for (const each of answers)
      expect(each.map((answer) => (answer.status === 'fulfilled' ? answer.value : 'failed'))).to.deep.equal(
        numbers.map((number) => (number % 10 === 0 ? 'failed' : number)),
      )
  })

  describe('PgBouncer with a long listing', () => {
    const own = useDatabase()
    const throughPooler = () => through(pooler, own.databaseUrl, UNNAMED_STATEMENTS_OPTION)
    const world = useWorld(() => ({
      databaseUrl: own.databaseUrl,
      environment: { DATABASE_URL: throughPooler() },
      workers: [],
    }))
    const client = useClient(world, 'read')

    it('streams the whole listing', async () => {
      const { home, user } = await createOffice(world.database)
      const row = { bookable_id: home.id, user_id: user.id }
      await createManyBookings(world.database, { ...row, number: LISTED_BOOKING_COUNT })
      const { status, text, json } = await client.get(`bookings?${WEEK_QUERY}`)
      expect([status, json.data.length]).to.deep.equal([200, LISTED_BOOKING_COUNT])
      expect(Buffer.byteLength(text), 'what is finished before it is sent').to.be.above(1024 * 1024)
    })

    it('ends the transaction in Postgres when the reader of the listing stops', async () => {
      const pool = connectPool(throughPooler(), { connectionsMax: 1 })
      const reading = await pool.connect()
      const reader = new ListingReader(
        { client: reading, release: (destroy) => reading.release(destroy) },
        { all: 'SELECT pg_sleep(600)::text AS item', beginning: undefined, range: undefined },
        [],
      )
      const atWork = async () => {
        const { rows } = await world.database.raw<{ rows: object[] }>(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%'
             AND state = 'active'`,
        )
        return rows.length
      }
      const broken = reader.next().catch((error: Error) => error)
      await eventually(async () => expect(await atWork()).to.equal(1))
      reader.stop()
      expect(await broken).to.be.an('error')
      await eventually(async () => expect(await atWork()).to.equal(0))
      await pool.end()
    })
  })

  it('passes the core of the HTTP test suite without prepared statements', async () => {
    const { databaseUrl: ownerUrl } = readServerUrls()
    await runSuiteOn(
      { databaseUrl: through(pooler, ownerUrl, UNNAMED_STATEMENTS_OPTION), ownerUrl },
      SUITE_FILES,
    )
  })

  it('passes the core of the HTTP test suite with prepared statements, if PgBouncer supports them', async function () {
    if (!pooler.keepsStatements) {
      console.log(`PgBouncer ${pooler.version} keeps no prepared statements.`)
      return this.skip()
    }
    const { databaseUrl: ownerUrl } = readServerUrls()
    await runSuiteOn({ databaseUrl: through(pooler, ownerUrl), ownerUrl }, SUITE_FILES)
  })
})
