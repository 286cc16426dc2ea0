import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { connectDatabase } from '../../shared/database.ts'
import { useDatabase } from '../support/databases.ts'

describe('a connection to Postgres that is left when it falls silent', () => {
  const own = useDatabase({ empty: true })

  it('is not left because this process was held up for so long', async () => {
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
