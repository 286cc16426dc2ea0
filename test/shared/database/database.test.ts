import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { connectDatabase, connectPool } from '../../../shared/database/database.ts'
import { useDatabase } from '../../support/databases.ts'

describe('a connection to Postgres that is closed if it falls silent', () => {
  const own = useDatabase({ empty: true })

  it('is not closed because this process itself was blocked', async () => {
    // Far longer than Postgres takes to answer on a machine that is busy.
    const IDLE_MS = 1_000
    const database = connectDatabase(own.databaseUrl, { socketIdleTimeoutMs: IDLE_MS })
    try {
      await database.raw('SELECT 1')
      const stoodStillMs = 2 * IDLE_MS
      const answer = database
        .raw('SELECT pg_sleep(?), 7 AS seven', [(stoodStillMs + 150) / 1_000])
        .then(({ rows }) => rows)
      // It has been sent: the answer comes a little after this process goes on.
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

  // Not by the setting of the server that the suite starts: of a packaged one it is on.
  it('never compiles a statement, which takes longer than to run it', async () => {
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
})
