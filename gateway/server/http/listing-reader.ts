// Reads a long listing in batches from one snapshot, on a connection that is released at the end.
import type pg from 'pg'
import Cursor from 'pg-cursor'
import type { Listing } from './listing.ts'

export type Connection = { client: pg.PoolClient; release(destroy: boolean): void }

type ListingStatements = Pick<Listing, 'all' | 'beginning' | 'range'>
type ListingPart = { text: string; values: unknown[] }

const BATCH_ITEMS = 1_000
const BATCH_MS_MAX = 15_000

// Postgres stops sorting a listing within this time after the client has disconnected.
const CLIENT_CHECK_MS = 100
// Turns off the statement timeout in the transaction, because PgBouncer may give each transaction another
// connection and would lose a setting of the connection. With PgBouncer, the role may have a statement
// timeout, which a listing may exceed. On systems that cannot check whether the client is still connected,
// Postgres refuses the second setting.
const BEGIN_SQL = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL statement_timeout = 0;
  DO $$ BEGIN
    SET LOCAL client_connection_check_interval = ${CLIENT_CHECK_MS};
  EXCEPTION WHEN invalid_parameter_value THEN NULL;
  END $$`

export class ListingReader {
  readonly #connection: Connection
  readonly #parts: Generator<ListingPart, void, number>
  readonly #limit: (part: ListingPart) => ListingPart
  #begun = false
  #part: Cursor<{ item: string }> | undefined
  #items = 0
  #isReleased = false

  constructor(
    connection: Connection,
    listing: ListingStatements,
    values: unknown[],
    limit = (part: ListingPart) => part,
  ) {
    this.#connection = connection
    this.#limit = limit
    this.#parts = planParts(listing, values)
  }

  /** Returns the next items, separated by commas, or undefined at the end. */
  async next(): Promise<string | undefined> {
    const limit = setTimeout(() => this.stop(), BATCH_MS_MAX)
    try {
      const items = await this.#read()
      if (items === undefined && !this.#isReleased) {
        await this.#connection.client.query('COMMIT')
        this.#release(false)
      }
      return items
    } finally {
      clearTimeout(limit)
    }
  }

  /** Closes the connection, so that Postgres cancels a statement that may still be running. */
  stop() {
    this.#release(true)
  }

  async #read(): Promise<string | undefined> {
    const { client } = this.#connection
    if (!this.#begun) await client.query(BEGIN_SQL)
    this.#begun = true
    for (;;) {
      if (!this.#part) {
        const { done, value } = this.#parts.next(this.#items)
        if (done) return undefined
        const { text, values } = this.#limit(value)
        this.#part = client.query(new Cursor(text, values))
        this.#items = 0
      }
      const rows = await this.#part.read(BATCH_ITEMS)
      this.#items += rows.length
      if (rows.length > 0) return rows.map((row) => row.item).join(',')
      this.#part = undefined
    }
  }

  #release(destroy: boolean) {
    if (!this.#isReleased) this.#connection.release(destroy)
    this.#isReleased = true
  }
}

const FIRST_SLICES = 64
const SLICE_MS_MIN = 60_000
const SLICE_ITEMS = 2_500
const SLICE_GROWTH_MAX = 4

/** Yields the statements to read one after the other. A listing with a range is read in slices by start time,
 * so that Postgres sorts some thousand rows at a time instead of all of them before the first is sent. The
 * caller passes the number of items in each slice to the generator, which chooses the length of the next
 * slice accordingly. */
function* planParts(
  { all, beginning, range }: ListingStatements,
  values: unknown[],
): Generator<ListingPart, void, number> {
  if (beginning === undefined || !range) {
    yield { text: all, values }
    return
  }
  const to = String(values[range.to - 1])
  let from = String(values[range.from - 1])
  let sliceMs = (Date.parse(to) - Date.parse(from)) / FIRST_SLICES
  for (let text = all; from !== to; text = beginning) {
    sliceMs = Math.max(SLICE_MS_MIN, sliceMs)
    const untilMs = Date.parse(from) + sliceMs
    const until = untilMs < Date.parse(to) ? new Date(untilMs).toISOString() : to
    const items = yield { text, values: values.with(range.from - 1, from).with(range.to - 1, until) }
    from = until
    sliceMs *= Math.min(SLICE_GROWTH_MAX, SLICE_ITEMS / Math.max(1, items))
  }
}
