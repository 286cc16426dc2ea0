// Reads a long listing piece by piece, from one snapshot, on a connection that it gives back at the end.
import type pg from 'pg'
import Cursor from 'pg-cursor'
import type { Listing } from './listing.ts'

export type Connection = { client: pg.PoolClient; release(destroy: boolean): void }

type Readable = Pick<Listing, 'all' | 'beginning' | 'range'>
type Part = { text: string; values: unknown[] }

const BATCH_ITEMS = 1_000
const BATCH_MS_MAX = 15_000

// If the client is gone, Postgres stops sorting its listing within this time.
const CLIENT_CHECK_MS = 100
// A setting of the connection would be lost behind PgBouncer, which gives each transaction another
// connection. There the role may have a statement timeout instead, which a listing may exceed. Not every
// system can check whether the client is still there; Postgres then refuses that setting.
const BEGIN = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL statement_timeout = 0;
  DO $$ BEGIN
    SET LOCAL client_connection_check_interval = ${CLIENT_CHECK_MS};
  EXCEPTION WHEN invalid_parameter_value THEN NULL;
  END $$`

export class ListingReader {
  readonly #connection: Connection
  readonly #parts: Generator<Part, void, number>
  readonly #limit: (part: Part) => Part
  #begun = false
  #part: Cursor<{ item: string }> | undefined
  #items = 0
  #isReleased = false

  constructor(connection: Connection, listing: Readable, values: unknown[], limit = (part: Part) => part) {
    this.#connection = connection
    this.#limit = limit
    this.#parts = partsOf(listing, values)
  }

  /** The next items, joined by commas; undefined at the end. */
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

  /** Closes the connection, whereupon Postgres ends a statement that may still run. */
  stop() {
    this.#release(true)
  }

  async #read(): Promise<string | undefined> {
    const { client } = this.#connection
    if (!this.#begun) await client.query(BEGIN)
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

const SLICES_FIRST = 64
const SLICE_MS_MIN = 60_000
const SLICE_ITEMS = 2_500
const GROWTH_MAX = 4

/**
 * The statements that are read one after the other. A listing with a range is read in the order of its
 * starts, slice by slice: Postgres sorts some thousand rows at a time instead of all of them before the first
 * leaves. The caller passes the number of items in one slice to the generator, which sets the length of the next.
 */
function* partsOf({ all, beginning, range }: Readable, values: unknown[]): Generator<Part, void, number> {
  if (beginning === undefined || !range) {
    yield { text: all, values }
    return
  }
  const to = String(values[range.to - 1])
  let from = String(values[range.from - 1])
  let sliceMs = (Date.parse(to) - Date.parse(from)) / SLICES_FIRST
  for (let text = all; from !== to; text = beginning) {
    sliceMs = Math.max(SLICE_MS_MIN, sliceMs)
    const untilMs = Date.parse(from) + sliceMs
    const until = untilMs < Date.parse(to) ? new Date(untilMs).toISOString() : to
    const items = yield { text, values: values.with(range.from - 1, from).with(range.to - 1, until) }
    from = until
    sliceMs *= Math.min(GROWTH_MAX, SLICE_ITEMS / Math.max(1, items))
  }
}
