// Reads positions of the change feed in tests. The feed holds changes back until all older transactions of the Postgres
// server have ended, so on a busy machine a test may read a position that is before a change of an earlier test.
import type { Knex } from 'knex'
import { eventually } from '../time.ts'
import type { Client } from './http.ts'

/** Transactions of other test files can hold changes back for this long. */
export const FEED_WAIT_MS_MAX = 60_000

/** Returns the position after every change that has been committed so far. */
export async function readEndOfFeed(database: Knex, client: Client): Promise<string> {
  const {
    rows: [{ next }],
  } = await database.raw('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next')
  await eventually(async () => {
    const { rows } = await database.raw(
      'SELECT 1 WHERE pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= ?::bigint',
      [next],
    )
    if (rows.length === 0) throw new Error('An older transaction holds changes back')
  }, FEED_WAIT_MS_MAX)
  // A busy machine may answer 503 at first.
  return eventually(async () => {
    const { status, json, text } = await client.get('changes')
    if (status !== 200) throw new Error(text)
    return json.next
  })
}
