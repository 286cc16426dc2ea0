// Tests borrowed connections of the gateway: connections that break between two queries, and queries that have timed
// out. Neither may crash the process or exceed the connection limit of the pool.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { connectPool } from '../../shared/database/database.ts'
import { useConnection } from '../support/databases.ts'
import { useWorld } from '../support/world.ts'

describe('a connection of the gateway that breaks between two queries', () => {
  const world = useWorld({ workers: [] })

  it('makes the next query fail, and is replaced', async () => {
    const pool = connectPool(world.databaseUrl)
    const client = await pool.connect()
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
    await world.database.raw('SELECT pg_terminate_backend(?)', [rows[0].pid])
    await ended
    const failure = await client.query('SELECT 1').catch((error: Error) => error)
    expect(failure).to.be.an('error')
    client.release(true)
    expect((await pool.query('SELECT 1 AS one')).rows).to.deep.equal([{ one: 1 }])
    await pool.end()
  })
})

describe('gateway queries that exceed their timeout', () => {
  const CONNECTIONS_MAX = 3
  const world = useWorld({
    workers: [],
    environment: { DATABASE_CONNECTIONS_MAX: String(CONNECTIONS_MAX), STREAM_CONNECTIONS_MAX: '1' },
  })
  const holder = useConnection(world, { connectionsMax: 1 })

  const atWork = async (applicationName: string): Promise<number> => {
    const { rows } = await world.database.raw(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = ? AND state = 'active'`,
      [applicationName],
    )
    return rows[0].count
  }

  it('are ended in Postgres, and never use more connections than the pool has', async () => {
    const client = await world.client('read')
    const lock = await holder.transaction()
    await lock.raw('LOCK TABLE users')
    let isOver = false
    const pollers = Array.from({ length: 2 * CONNECTIONS_MAX }, async () => {
      const codes = new Set<string>()
      while (!isOver) codes.add((await client.get('users/1')).json.code)
      return [...codes]
    })
    const counts: number[] = []
    for (let sample = 0; sample < 45; sample++) {
      await wait(100)
      counts.push(await atWork('berth-gateway'))
    }
    isOver = true
    expect(new Set((await Promise.all(pollers)).flat())).to.deep.equal(new Set(['unavailable']))
    await lock.rollback()
    expect(Math.max(...counts)).to.equal(CONNECTIONS_MAX)
    expect((await client.get('users/1')).status).to.equal(404)
  })
})
