// Tests that point reads share a few connections: each gets its own row, and none waits for another's lock.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { PreparedQuery } from '../../../../gateway/reads/connections/point-reads.ts'
import { PIPELINE_CONNECTIONS, PointReads } from '../../../../gateway/reads/connections/point-reads.ts'
import { connectPool } from '../../../../shared/database/database.ts'
import { createDatabase, useConnection } from '../../../support/databases.ts'
import { eventually } from '../../../support/time.ts'
import { use } from '../../../support/use.ts'

const APPLICATION_NAME = 'test-point-reads'
const OTHER_CONNECTIONS_MAX = 3

const echo = { name: 'echo', text: 'SELECT $1::int AS number' }
const countUsers = { name: 'count-users', text: 'SELECT count(*)::int AS number FROM users WHERE id > $1' }
const half = { name: 'half', text: 'SELECT 10 / $1::int AS number' }

describe('batched point reads', () => {
  const { database, reads } = useReads()
  const holder = useConnection(database, { connectionsMax: 1 })
  const admin = useConnection(database, { connectionsMax: 1 })

  const ask = async (statement: { name: string; text: string }, number: number): Promise<number> => {
    const { rows } = await reads.query<{ number: number }>({ ...statement, values: [number] })
    return rows[0]?.number ?? Number.NaN
  }
  const numbers = Array.from({ length: 60 }, (_, number) => number)
  const askAll = () => Promise.all(numbers.map((number) => ask(echo, number)))
  const backends = async (applicationName: string): Promise<number[]> => {
    const { rows } = await admin.raw(
      'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = ?',
      [applicationName],
    )
    return rows.map(({ pid }: { pid: number }) => pid)
  }
  // Waits until every connection has prepared the statement and the pool is idle.
  const settle = () =>
    eventually(async () => {
      reads.lent = 0
      await askAll()
      expect(reads.lent).to.equal(0)
    })

  it('answer many callers at the same time, each with the right row, on a few connections', async () => {
    await settle()
    for (let round = 0; round < 20; round++) expect(await askAll()).to.deep.equal(numbers)
    expect((await backends(APPLICATION_NAME)).length).to.be.within(1, PIPELINE_CONNECTIONS)
  })

  it('fail separately, so that a refused read does not fail other reads', async () => {
    await settle()
    const answers = await Promise.allSettled(numbers.map((number) => ask(half, number % 3)))
    for (const [number, answer] of answers.entries())
      expect(answer.status, String(number)).to.equal(number % 3 === 0 ? 'rejected' : 'fulfilled')
    expect(await askAll()).to.deep.equal(numbers)
  })

  it('overtake a read that waits for a lock, and the reads queued behind it', async () => {
    await settle()
    await ask(countUsers, 0)
    const lock = await holder.transaction()
    await lock.raw('LOCK TABLE users')
    let isOver = false
    const held = ask(countUsers, 0).finally(() => {
      isOver = true
    })
    // Simultaneous reads may queue behind the slow read, but reads after a pause do not.
    const early = askAll()
    await wait(200)
    for (let round = 0; round < 5; round++) expect(await askAll()).to.deep.equal(numbers)
    expect(isOver).to.equal(false)
    await lock.rollback()
    expect(await held).to.equal(0)
    expect(await early).to.deep.equal(numbers)
  })

  it('do not fail because another statement cannot be prepared while its table is locked', async () => {
    await settle()
    const lock = await holder.transaction()
    await lock.raw('LOCK TABLE groups')
    const statement = {
      name: 'count-groups',
      text: 'SELECT count(*)::int AS number FROM groups WHERE id > $1',
    }
    const pending = Promise.allSettled(
      numbers.slice(0, OTHER_CONNECTIONS_MAX).map((number) => ask(statement, number)),
    )
    const waiting = await eventually(async () => {
      const { rows } = await admin.raw(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      expect(rows).to.have.length(OTHER_CONNECTIONS_MAX)
      return rows.map(({ pid }: { pid: number }) => pid)
    })
    // Cancels the statements as Postgres does after a timeout.
    await admin.raw('SELECT pg_cancel_backend(pid) FROM unnest(?::int[]) AS pid', [waiting])
    for (const each of await pending) expect(each).to.have.nested.property('reason.code', '57014')
    await lock.rollback()
    expect(await Promise.all(numbers.map((number) => ask(statement, number)))).to.deep.equal(
      numbers.map(() => 0),
    )
  })

  it('fail if their connection breaks, and later reads get a new connection', async () => {
    await settle()
    const pids = await backends(APPLICATION_NAME)
    const lock = await holder.transaction()
    await lock.raw('LOCK TABLE users')
    const held = ask(countUsers, 0).catch((error: Error) => error)
    await eventually(async () => {
      const { rows } = await admin.raw('SELECT FROM pg_locks WHERE pid = ANY (?) AND NOT granted', [pids])
      expect(rows).to.have.length(1)
    })
    await admin.raw('SELECT pg_terminate_backend(pid) FROM unnest(?::int[]) AS pid', [pids])
    expect(await held).to.be.an('error')
    await lock.rollback()
    // The pool notices only a moment later that all other connections are broken too.
    await eventually(async () => expect(await askAll()).to.deep.equal(numbers))
    await settle()
    expect(await backends(APPLICATION_NAME)).to.not.include.members(pids)
  })
})

describe('consecutive point reads', () => {
  const { database, reads } = useReads()
  const admin = useConnection(database, { connectionsMax: 1 })

  it('use a single connection', async () => {
    await eventually(async () => {
      reads.lent = 0
      await reads.query({ ...echo, values: [1] })
      expect(reads.lent).to.equal(0)
    })
    for (let number = 0; number < 100; number++) {
      const { rows } = await reads.query({ ...echo, values: [number] })
      expect(rows).to.deep.equal([{ number }])
    }
    expect(reads.lent).to.equal(0)
    const { rows } = await admin.raw('SELECT FROM pg_stat_activity WHERE application_name = ?', [
      APPLICATION_NAME,
    ])
    expect(rows).to.have.length(1)
  })
})

describe('point reads without prepared statements', () => {
  const { reads } = useReads('?prepared_statements=false')

  it('send the full SQL text each time', async () => {
    await eventually(async () => {
      reads.lent = 0
      const { rows } = await reads.query({ ...echo, values: [1] })
      expect(rows).to.deep.equal([{ number: 1 }])
      expect(reads.lent).to.equal(0)
    })
  })
})

function useReads(options = '') {
  const database = use(() => createDatabase(), { close: (each) => each.drop() })
  const reads = use(
    async () => {
      // Long timeouts, so that nothing times out on a busy machine.
      const timeouts = { statementTimeoutMs: 60_000, queryTimeoutMs: 60_000 }
      const url = database.databaseUrl + options
      const pool = connectPool(url, {
        ...timeouts,
        applicationName: `${APPLICATION_NAME}-pool`,
        connectionsMax: OTHER_CONNECTIONS_MAX,
      })
      const pipeline = connectPool(url, {
        ...timeouts,
        applicationName: APPLICATION_NAME,
        connectionsMax: PIPELINE_CONNECTIONS,
        pipeline: true,
      })
      for (const each of [pool, pipeline]) each.options.connectionTimeoutMillis = 60_000
      const query = (asked: PreparedQuery) => {
        made.lent++
        return pool.query(asked)
      }
      const counting = Object.create(pool, { query: { value: query } }) as typeof pool
      const closeAll = async () => {
        await made.close()
        await pool.end()
      }
      // `lent` counts the reads of the pool.
      const made = Object.assign(new PointReads(counting, pipeline), { lent: 0, closeAll })
      return made
    },
    { close: (each) => each.closeAll() },
  )
  return { database, reads }
}
