// What an import writes is written in pieces, in its one transaction: between two of them its WAL goes to disk, and
// whoever writes meanwhile goes first. Whoever commits waits until all WAL before theirs is on disk: of an import in one
// piece that is dozens of megabytes.
import { setTimeout as wait } from 'node:timers/promises'
import { authorBindings } from '../../shared/changes/record.ts'
import { onlyRow } from '../../shared/database.ts'
import type { Transaction, WorkContext } from '../context.ts'

/** Runs a statement, which names `IS_IN_PIECE`, for one piece after the other of the rows that have these actions. */
export type WritePieces = (actions: string[], statement: string) => Promise<void>

type Range = { action: string; first: number; last: number }

export const IS_IN_PIECE = 'row_number BETWEEN :first AND :last'

// A megabyte of WAL, about.
const PIECE_ROWS = 2_000
// As long as a write takes in calm. Where there is always somebody who writes, an import of 100,000 takes half a second
// more for it.
const PAUSE_MS_MAX = 10
const LOOK_EVERY_MS = 2

/** Of a table whose rows have a `row_number` and an `action`. */
export async function cutIntoPieces(
  trx: Transaction,
  table: string,
  context: Pick<WorkContext, 'database' | 'actor' | 'requestId'>,
): Promise<WritePieces> {
  const { pid } = onlyRow<{ pid: number }>((await trx.raw('SELECT pg_backend_pid() AS pid')).rows)
  const { rows } = await trx.raw(
    `SELECT action, min(row_number) AS first, max(row_number) AS last FROM ${table} GROUP BY action`,
  )
  await trx.raw(`CREATE INDEX ON ${table} (row_number)`)
  const author = authorBindings(context)
  return async (actions, statement) => {
    const ranges = (rows as Range[]).filter(({ action }) => actions.includes(action))
    const end = Math.max(...ranges.map(({ last }) => last))
    for (let first = Math.min(...ranges.map((each) => each.first)); first <= end; first += PIECE_ROWS) {
      const { rowCount } = await trx.raw(statement, { ...author, first, last: first + PIECE_ROWS - 1 })
      if (rowCount) await pauseForWriters(context.database, pid)
    }
  }
}

// The message is nothing that anybody reads: its commit, on a connection of its own, brings the WAL to disk.
const FLUSH = `SELECT pg_logical_emit_message(true, 'berth', '')`

// What pg_stat_activity shows, without its joins. Not whoever waits for a lock: that may be the next import.
const FIND_WRITERS = `
  SELECT FROM pg_stat_get_activity(NULL)
  WHERE datid = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND application_name = 'berth-worker' AND state <> 'idle'
    AND wait_event_type IS DISTINCT FROM 'Lock' AND pid NOT IN (pg_backend_pid(), ?)
  LIMIT 1`

async function pauseForWriters(database: WorkContext['database'], pid: number): Promise<void> {
  await database.raw(FLUSH)
  const deadlineMs = performance.now() + PAUSE_MS_MAX
  while (performance.now() < deadlineMs) {
    const { rowCount } = await database.raw(FIND_WRITERS, [pid])
    if (rowCount === 0) return
    await wait(LOOK_EVERY_MS)
  }
}
