// A release that dies in the middle of its migrations, by SIGKILL: it is run again, and the database is as if it had never
// died. Within a transaction nothing of it is left; an index that was being built beside writers is built anew.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createLaterRelease, type NewMigration } from '../harness/built-copy.ts'
import { useConnection, useDatabase } from '../support/databases.ts'
import { describeSchema } from '../support/schema.ts'
import { eventually } from '../support/time.ts'
import { startRelease } from './release-command.ts'

// What a migration waits for, until the test lets it go on.
const GATE = 'SELECT pg_advisory_xact_lock(9997)'
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
  /** The process of Postgres that is at a statement like this. */
  const busyWith = async (statement: string) => {
    const { rows } = await database.raw<{ rows: Array<{ pid: number }> }>(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid() AND query LIKE ?`,
      [statement],
    )
    return rows[0]?.pid
  }

  it('in the middle of a transaction leaves nothing behind, and completes the next time', async () => {
    const first = ['ALTER TABLE bookings ADD COLUMN first text', 'CREATE TABLE firsts (id bigint)']
    const second = 'ALTER TABLE bookings ADD COLUMN second text'
    const folder = await create({
      migrations: { '9997-first': { up: [...first, GATE] }, '9998-second': { up: second } },
    })
    const gate = await database.transaction()
    await gate.raw(GATE)
    const killed = startRelease(folder, environment())
    await eventually(async () => expect(await busyWith(GATE)).to.be.a('number'), STARTED_MS_MAX)
    await killed.kill()
    // Postgres is still at it: whoever comes next waits for its end.
    expect(await busyWith(GATE)).to.be.a('number')
    const again = startRelease(folder, environment())
    await gate.rollback()
    expect(await again.said).to.equal('Applied 9997-first, 9998-second.\n')
    for (const statement of [...first, second]) await expected.raw(statement)
    expect(await describeSchema(database)).to.deep.equal(await describeSchema(expected))
  })

  it('during the concurrent build of an index leaves it invalid, and rebuilds it the next time', async () => {
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
    // It waits for whoever is writing already; whoever comes then writes beside it.
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
