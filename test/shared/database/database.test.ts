import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { connectDatabase, connectPool } from '../../../shared/database/database.ts'
import { useDatabase } from '../../support/databases.ts'

const KEEPALIVES_SQL = "SELECT name, setting FROM pg_settings WHERE name LIKE 'tcp_keepalives%' ORDER BY name"

describe('the idle timeout of a connection to Postgres', () => {
  const own = useDatabase({ empty: true })

  it('does not close a connection just because the process itself was blocked', async () => {
    // Far longer than Postgres takes to answer on a busy machine.
    const IDLE_MS = 1_000
    const database = connectDatabase(own.databaseUrl, { socketIdleTimeoutMs: IDLE_MS })
    try {
      await database.raw('SELECT 1')
      const stoodStillMs = 2 * IDLE_MS
      const answer = database
        .raw('SELECT pg_sleep(?), 7 AS seven', [(stoodStillMs + 150) / 1_000])
        .then(({ rows }) => rows)
      // The statement has already been sent, so the response arrives shortly after the process continues.
      await wait(20)
      for (const untilMs = performance.now() + stoodStillMs; performance.now() < untilMs; );
      expect((await answer)[0]).to.include({ seven: 7 })
    } finally {
      await database.destroy()
    }
  })
})

describe('a connection to Postgres', () => {
  const database = useDatabase({ empty: true })
  const find = `SELECT setting, source FROM pg_settings WHERE name = 'jit'`

  // The connection itself must disable compilation, because packaged servers enable it. The test server disables it.
  it('never compiles a statement, which takes longer than running the statement', async () => {
    const settings = { plan_cache_mode: 'force_generic_plan' }
    for (const options of [{}, { settings }]) {
      const pool = connectPool(database.databaseUrl, options)
      expect((await pool.query(find)).rows).to.deep.equal([{ setting: 'off', source: 'client' }])
      await pool.end()
      const knex = connectDatabase(database.databaseUrl, options)
      expect((await knex.raw(find)).rows).to.deep.equal([{ setting: 'off', source: 'client' }])
      await knex.destroy()
    }
  })

  it('has keepalives, so that Postgres ends it a minute after the machine of the process has vanished', async () => {
    const pool = connectPool(database.databaseUrl)
    const knex = connectDatabase(database.databaseUrl)
    try {
      for (const { rows } of [await pool.query(KEEPALIVES_SQL), await knex.raw(KEEPALIVES_SQL)])
        expect(rows).to.deep.equal([
          { name: 'tcp_keepalives_count', setting: '3' },
          { name: 'tcp_keepalives_idle', setting: '30' },
          { name: 'tcp_keepalives_interval', setting: '10' },
        ])
    } finally {
      await pool.end()
      await knex.destroy()
    }
  })
})
