// Watches, while nothing is broken on purpose, for a transaction that writes and stays open: until it ends, the change feed,
// webhooks, screens and mails of everybody learn of nothing newer.
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import { LOCKS } from '../../shared/database/locks.ts'
import type { History } from './history.ts'

const LOOK_EVERY_MS = 250
// None of our transactions takes a second, but a busy machine may pause for a few.
const OPEN_SECONDS_MAX = 5
export const WATCHED_MS = (OPEN_SECONDS_MAX + 2) * 1_000

// Only an import may take longer.
const FIND_LONG = `
  SELECT pid, xact_start, round(extract(epoch FROM clock_timestamp() - xact_start))::int AS seconds, left(query, 200) AS query
  FROM pg_stat_activity AS activity
  WHERE datname = current_database() AND backend_xid IS NOT NULL AND xact_start > ?
    AND clock_timestamp() - xact_start > make_interval(secs => ${OPEN_SECONDS_MAX})
    AND NOT EXISTS (
      SELECT FROM pg_locks WHERE pg_locks.pid = activity.pid AND locktype = 'advisory' AND mode = 'ExclusiveLock'
        AND classid = 0 AND objid::bigint = ${LOCKS.imports})`

/** While that happens. Transactions from before it may still wait for what was broken. */
export async function watchFeed(database: Knex, history: History, happen: () => Promise<unknown>) {
  const { rows: clock } = await database.raw('SELECT clock_timestamp() AS now')
  const found = new Set<string>()
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await database.raw(FIND_LONG, [clock[0].now])
      for (const { pid, xact_start, seconds, query } of rows) {
        const transaction = `${pid} ${xact_start}`
        if (found.has(transaction)) continue
        found.add(transaction)
        history.find('a transaction that held back the change feed', undefined, `${seconds} s: ${query}`)
      }
      await wait(LOOK_EVERY_MS)
    }
  })()
  try {
    await happen()
  } finally {
    isOver = true
    await watching
  }
}
