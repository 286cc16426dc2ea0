// Looks for writing transactions that stay open while no fault is active: until such a transaction ends, the change
// feed, webhooks, screens and mails receive nothing newer.
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import { LOCKS } from '../../shared/database/locks.ts'
import { STAGING_TABLE } from '../../workers/jobs/imports/stage-import-file.ts'
import type { History } from './history.ts'
import { measureSlowness } from './slowness.ts'

const POLL_INTERVAL_MS = 250
// No Berth transaction takes a second, but a busy machine may pause for a few.
const OPEN_SECONDS_MAX = 5
export const FEED_WATCH_MS = (OPEN_SECONDS_MAX + 2) * 1_000

// Finds long transactions that write, except for imports. An import reads its file into the staging table before it takes
// the lock of imports.
const LONG_TRANSACTIONS_SQL = `
  SELECT pid, xact_start, round(extract(epoch FROM clock_timestamp() - xact_start))::int AS seconds,
    concat_ws(' ', state, wait_event_type, wait_event) AS state, left(query, 200) AS query
  FROM pg_stat_activity AS activity
  WHERE datname = current_database() AND backend_xid IS NOT NULL AND xact_start > ?
    AND clock_timestamp() - xact_start > make_interval(secs => ?)
    AND NOT EXISTS (
      SELECT FROM pg_locks WHERE pg_locks.pid = activity.pid AND locktype = 'advisory' AND mode = 'ExclusiveLock'
        AND classid = 0 AND objid::bigint = ${LOCKS.imports}
      UNION ALL SELECT FROM pg_locks JOIN pg_class ON pg_class.oid = relation
      WHERE pg_locks.pid = activity.pid AND relname = '${STAGING_TABLE}')`

/** Watches transactions while `happen` runs. Ignores earlier transactions, which an earlier fault may still delay. */
export async function watchFeed(database: Knex, history: History, happen: () => Promise<unknown>) {
  const { rows: clock } = await database.raw('SELECT clock_timestamp() AS now')
  const found = new Set<string>()
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await database.raw(LONG_TRANSACTIONS_SQL, [
        clock[0].now,
        OPEN_SECONDS_MAX * measureSlowness(),
      ])
      for (const { pid, xact_start, seconds, state, query } of rows) {
        const transaction = `${pid} ${xact_start}`
        if (found.has(transaction)) continue
        found.add(transaction)
        const what = `${seconds} s, ${state}: ${query}`
        history.find('a transaction that held back the change feed', undefined, what)
      }
      await wait(POLL_INTERVAL_MS)
    }
  })()
  try {
    await happen()
  } finally {
    isOver = true
    await watching
  }
}
