// Looks for writing transactions that stay open while no fault is active: until such a transaction ends, the change
// feed, webhooks, screens and mails receive nothing newer.
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import { isExclusiveLockSql } from '../../shared/database/locks.ts'
import { STAGING_TABLE } from '../../workers/jobs/imports/stage-import-file.ts'
import type { History } from './history.ts'
import { measureSlowness } from './slowness.ts'

const POLL_INTERVAL_MS = 250
// No Berth transaction takes a second, but a busy machine may pause for a few.
const OPEN_SECONDS_MAX = 5
export const FEED_WATCH_MS = (OPEN_SECONDS_MAX + 2) * 1_000

// Excuses imports, transactions that began before the watch, because an earlier fault may still delay them, and
// transactions that wait for one of these. An import has the import lock or, before that, a lock on the staging table.
const LONG_TRANSACTIONS_SQL = `
  WITH RECURSIVE activity AS MATERIALIZED (
    SELECT pid, application_name, backend_xid, xact_start, clock_timestamp() AS now, pg_blocking_pids(pid) AS blocking,
      concat_ws(' ', state, wait_event_type, wait_event) AS state, left(query, 200) AS query,
      xact_start <= :since OR EXISTS (
        SELECT FROM pg_locks WHERE pg_locks.pid = activity.pid AND ${isExclusiveLockSql('imports')}
        UNION ALL SELECT FROM pg_locks JOIN pg_class ON pg_class.oid = relation
        WHERE pg_locks.pid = activity.pid AND relname = '${STAGING_TABLE}') AS may_be_long
    FROM pg_stat_activity AS activity WHERE datname = current_database() AND xact_start IS NOT NULL
  ), excused AS (
    SELECT pid FROM activity WHERE may_be_long
    UNION SELECT activity.pid FROM activity JOIN excused ON excused.pid = ANY (activity.blocking)
  )
  SELECT pid, CAST(xact_start AS text) AS "startedAt", pid IN (SELECT pid FROM excused) AS "isExcused",
    extract(epoch FROM xact_start)::float8 AS "startedSeconds", extract(epoch FROM now)::float8 AS "nowSeconds", state, query,
    (SELECT string_agg(format('%s, %s: %s', other.application_name, other.state, other.query), '; ')
      FROM activity AS other WHERE other.pid = ANY (activity.blocking)) AS "waitsFor"
  FROM activity WHERE backend_xid IS NOT NULL AND NOT may_be_long`

type OpenTransaction = {
  pid: number
  startedAt: string
  isExcused: boolean
  startedSeconds: number
  nowSeconds: number
  state: string
  query: string
  waitsFor: string | null
}

/** Watches transactions while `happen` runs. */
export async function watchFeed(database: Knex, history: History, happen: () => Promise<unknown>) {
  const { rows: clock } = await database.raw('SELECT clock_timestamp() AS now')
  const found = new Set<string>()
  // When each transaction was last excused, and for which transactions it has waited.
  const excusedUntil = new Map<string, number>()
  const waitedFor = new Map<string, Set<string>>()
  let isOver = false
  const recordIfTooLong = (each: OpenTransaction) => {
    const transaction = `${each.pid} ${each.startedAt}`
    const waits = waitedFor.get(transaction) ?? new Set()
    waitedFor.set(transaction, waits)
    if (each.waitsFor) waits.add(each.waitsFor)
    if (each.isExcused) excusedUntil.set(transaction, each.nowSeconds)
    const seconds = each.nowSeconds - (excusedUntil.get(transaction) ?? each.startedSeconds)
    if (seconds <= OPEN_SECONDS_MAX * measureSlowness() || found.has(transaction)) return
    found.add(transaction)
    const what = `${Math.round(seconds)} s, ${each.state}: ${each.query}; has waited for: ${[...waits].join('; ') || 'none'}`
    history.find('a transaction that held back the change feed', undefined, what)
  }
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await database.raw<{ rows: OpenTransaction[] }>(LONG_TRANSACTIONS_SQL, {
        since: clock[0].now,
      })
      rows.forEach(recordIfTooLong)
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
