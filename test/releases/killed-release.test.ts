// Kills the migrations of a release with SIGKILL and runs them again. The database ends up as if nothing had been
// killed. A transaction is rolled back; an index that was being built concurrently is rebuilt.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createLaterRelease, type NewMigration } from '../harness/built-copy.ts'
import { useConnection, useDatabase } from '../support/databases.ts'
import { describeSchema } from '../support/schema.ts'
import { eventually } from '../support/time.ts'
import { startRelease } from './release-command.ts'

// The migration waits for this lock until the test releases it.
const LOCK_GATE_SQL = 'SELECT pg_advisory_xact_lock(9997)'
const STARTED_MS_MAX = 60_000

describe('a release command that is killed', function suite() {
  this.timeout(180_000)
  const own = useDatabase({ each: true })
  const database = useConnection(own)
  const expected = useConnection(useDatabase({ each: true }))
  const environment = () => ({ DATABASE_URL: own.databaseUrl, REDIS_URL: 'redis://127.0.0.1:1' })
  const folders: string[] = []
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

  const create = async (options: { migrations: Record<string, NewMigration> }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-later-'))
    folders.push(folder)
    return createLaterRelease(folder, options)
  }
  /** Returns the id of the Postgres process that is running a statement with the given text. */
  const busyWith = async (statement: string) => {
    const { rows } = await database.raw<{ rows: Array<{ pid: number }> }>(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid() AND query LIKE ?`,
      [statement],
    )
    return rows[0]?.pid
  }

  it('leaves nothing of a migration in a transaction, and completes the migration next time', async () => {
    const first = ['ALTER TABLE bookings ADD COLUMN first text', 'CREATE TABLE firsts (id bigint)']
    const second = 'ALTER TABLE bookings ADD COLUMN second text'
    const folder = await create({
      migrations: { '9997-first': { up: [...first, LOCK_GATE_SQL] }, '9998-second': { up: second } },
    })
    const gate = await database.transaction()
    await gate.raw(LOCK_GATE_SQL)
    const killed = startRelease(folder, environment())
    await eventually(async () => expect(await busyWith(LOCK_GATE_SQL)).to.be.a('number'), STARTED_MS_MAX)
    await killed.kill()
    // Postgres is still running the statement, and the next migration waits for its end.
    expect(await busyWith(LOCK_GATE_SQL)).to.be.a('number')
    const again = startRelease(folder, environment())
    await gate.rollback()
    expect(await again.said).to.equal('Applied 9997-first, 9998-second.\n')
    for (const statement of [...first, second]) await expected.raw(statement)
    expect(await describeSchema(database)).to.deep.equal(await describeSchema(expected))
  })

  it('may leave an invalid index, which the next release command rebuilds', async () => {
    const table = 'CREATE TABLE firsts (id bigint)'
    const index = 'CREATE INDEX CONCURRENTLY bookings__guest_lookup ON bookings (guest_name)'
    const folder = await create({
      migrations: {
        '9997-first': { up: table },
        '9998-index': {
          up: ['DROP INDEX CONCURRENTLY IF EXISTS bookings__guest_lookup', index],
          transaction: false,
        },
      },
    })
    const isValid = async () => {
      const sql = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('bookings__guest_lookup')"
      return (await database.raw<{ rows: Array<{ indisvalid: boolean }> }>(sql)).rows[0]?.indisvalid
    }
    // The build waits for existing writers; later writers are not blocked.
    const writer = await database.transaction()
    await writer.raw('LOCK TABLE bookings IN ROW EXCLUSIVE MODE')
    const killed = startRelease(folder, environment())
    const pid = await eventually(async () => {
      const found = await busyWith('CREATE INDEX CONCURRENTLY%')
      expect(found).to.be.a('number')
      return found
    }, STARTED_MS_MAX)
    await database.raw("SET lock_timeout = '1s'; UPDATE bookings SET guest_name = NULL; RESET lock_timeout")
    await killed.kill()
    await database.raw('SELECT pg_terminate_backend(?)', [pid ?? 0])
    await writer.rollback()
    await eventually(async () => expect(await isValid()).to.equal(false))
    expect(await startRelease(folder, environment()).said).to.equal('Applied 9998-index.\n')
    expect(await isValid()).to.equal(true)
    for (const statement of [table, index]) await expected.raw(statement)
    expect(await describeSchema(database)).to.deep.equal(await describeSchema(expected))
  })
})
