// Writes the changes of an import in pieces, in one transaction. After each piece its WAL goes to disk, and
// other writers go first. A commit waits until all earlier WAL is on disk: for an import in one piece, that
// would be dozens of megabytes.
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import { authorBindings } from '../../../shared/changes/record.ts'
import type { Write } from '../../runtime/write.ts'

/** Runs a statement that contains `IS_IN_PIECE` for each piece of the rows that have these actions. */
type WritePieces = (actions: string[], statement: string) => Promise<void>

type Range = { action: string; first: number; last: number }

export const IS_IN_PIECE = 'row_number BETWEEN :first AND :last'

// About a megabyte of WAL.
const PIECE_ROWS = 2_000
// As long as a write takes without load. Under constant writes, the pauses add half a second to an import of
// 100,000 users.
const PAUSE_MS_MAX = 10
const POLL_EVERY_MS = 2

/** The table must have the columns `row_number` and `action`. */
export async function cutIntoPieces(write: Write, table: string): Promise<WritePieces> {
  const { pid } = await write.only<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const all = await write.all<Range>(
    `SELECT action, min(row_number) AS first, max(row_number) AS last FROM ${table} GROUP BY action`,
  )
  await write.run(`CREATE INDEX ON ${table} (row_number)`)
  const author = authorBindings(write)
  return async (actions, statement) => {
    const ranges = all.filter(({ action }) => actions.includes(action))
    const end = Math.max(...ranges.map(({ last }) => last))
    for (let first = Math.min(...ranges.map((each) => each.first)); first <= end; first += PIECE_ROWS) {
      const { rowCount } = await write.trx.raw(statement, { ...author, first, last: first + PIECE_ROWS - 1 })
      if (rowCount) await pauseForWriters(write.database, pid)
    }
  }
}

// Nothing reads the message: its commit, on a separate connection, brings the WAL to disk.
const FLUSH = `SELECT pg_logical_emit_message(true, 'berth', '')`

// As pg_stat_activity, but without its joins. Leaves out who waits for a lock: that may be the next import.
const FIND_WRITERS = `
  SELECT FROM pg_stat_get_activity(NULL)
  WHERE datid = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND application_name = 'berth-worker' AND state <> 'idle'
    AND wait_event_type IS DISTINCT FROM 'Lock' AND pid NOT IN (pg_backend_pid(), ?)
  LIMIT 1`

async function pauseForWriters(database: Knex, pid: number): Promise<void> {
  await database.raw(FLUSH)
  const deadlineMs = performance.now() + PAUSE_MS_MAX
  while (performance.now() < deadlineMs) {
    const { rowCount } = await database.raw(FIND_WRITERS, [pid])
    if (rowCount === 0) return
    await wait(POLL_EVERY_MS)
  }
}
