// Writes the changes of an import in batches within one transaction. After each batch, it flushes the WAL to disk and
// lets other writers go first. Otherwise, other commits would have to wait until all WAL of the import is on disk,
// which may be dozens of megabytes.
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import { createAuthorBindings } from '../../../shared/changes/record.ts'
import type { Write } from '../../runtime/write.ts'

/**
 * Runs a statement once for each batch of the rows that have these actions. The statement must contain `IS_IN_PIECE`.
 */
type WritePieces = (actions: string[], statement: string) => Promise<void>

type RowRange = { action: string; first: number; last: number }

export const IS_IN_PIECE = 'row_number BETWEEN :first AND :last'

// The number of rows in a batch, which write about a megabyte of WAL.
const PIECE_ROWS = 2_000
// The limit on a pause between batches: about as long as a write takes without load. Under constant writes, the pauses
// add half a second to an import of 100,000 users.
const PAUSE_MS_MAX = 10
const POLL_EVERY_MS = 2

/** Divides the rows of a table into batches. The table must have the columns `row_number` and `action`. */
export async function createPieceWriter(write: Write, table: string): Promise<WritePieces> {
  const { pid } = await write.only<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const all = await write.all<RowRange>(
    `SELECT action, min(row_number) AS first, max(row_number) AS last FROM ${table} GROUP BY action`,
  )
  await write.run(`CREATE INDEX ON ${table} (row_number)`)
  const author = createAuthorBindings(write)
  return async (actions, statement) => {
    const ranges = all.filter(({ action }) => actions.includes(action))
    const end = Math.max(...ranges.map(({ last }) => last))
    for (let first = Math.min(...ranges.map((each) => each.first)); first <= end; first += PIECE_ROWS) {
      const { rowCount } = await write.trx.raw(statement, { ...author, first, last: first + PIECE_ROWS - 1 })
      if (rowCount) await pauseForWriters(write.database, pid)
    }
  }
}

// Writes a message that nobody reads, because committing it on a separate connection flushes the WAL to disk.
const FLUSH_WAL_SQL = `SELECT pg_logical_emit_message(true, 'berth', '')`

// Finds the processes that are writing. Reads the same data as pg_stat_activity, but without its joins. Excludes
// processes that wait for a lock, because one of these may be the next import.
const FIND_WRITERS_SQL = `
  SELECT FROM pg_stat_get_activity(NULL)
  WHERE datid = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND application_name = 'berth-worker' AND state <> 'idle'
    AND wait_event_type IS DISTINCT FROM 'Lock' AND pid NOT IN (pg_backend_pid(), ?)
  LIMIT 1`

async function pauseForWriters(database: Knex, pid: number): Promise<void> {
  await database.raw(FLUSH_WAL_SQL)
  const deadlineMs = performance.now() + PAUSE_MS_MAX
  while (performance.now() < deadlineMs) {
    const { rowCount } = await database.raw(FIND_WRITERS_SQL, [pid])
    if (rowCount === 0) return
    await wait(POLL_EVERY_MS)
  }
}
