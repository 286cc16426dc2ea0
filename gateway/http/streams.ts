// Long answers, in pieces: a cursor is read as fast as the client takes them, so that memory does not grow with the
// listing. A slow reader holds a connection and a snapshot, so these have a pool of their own and an idle time.
import { Readable } from 'node:stream'
import type pg from 'pg'
import Cursor from 'pg-cursor'
import { Refusal } from '../../shared/refusal.ts'
import type { Services } from '../services.ts'
import { DATA_END, DATA_START } from './listing.ts'

type Item = { item: string }

const BATCH_ITEMS = 500
const BUFFER_BYTES = 256 * 1024
const BATCH_MS_MAX = 15_000
/** Up to this a listing is finished before it is sent, and gets a hash. */
export const FINISHED_BYTES_MAX = 1024 * 1024

/** What follows `beginning`: finished where the whole turns out to be short enough, else a stream of it. */
export async function streamRest(
  services: Pick<Services, 'config' | 'reads' | 'streams'>,
  beginning: string,
  text: string,
  values: unknown[],
): Promise<string | Readable> {
  const source = new ListingCursor(await connect(services.streams), services.reads, text, values)
  try {
    let read = DATA_START + beginning
    while (Buffer.byteLength(read) <= FINISHED_BYTES_MAX) {
      const piece = await source.next()
      if (piece === undefined) return read + DATA_END
      read += `,${piece}`
    }
    return new ListingStream(source, read, services.config.streamIdleMs)
  } catch (error) {
    source.stop()
    throw error
  }
}

async function connect(streams: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await streams.connect()
  } catch (error) {
    const taken = streams.totalCount - streams.idleCount
    if (taken < streams.options.max) throw error
    throw new Refusal(
      'unavailable',
      'Too many long listings are being read. Try again shortly, or request pages with “limit”.',
    )
  }
}

// Not made from a generator: one that nobody has begun to read (HEAD, or a client that has gone by then) never gets to
// its `finally`, and its connection would be lost.
class ListingStream extends Readable {
  readonly #source: ListingCursor
  readonly #idleMs: number
  #idle: NodeJS.Timeout | undefined

  constructor(source: ListingCursor, beginning: string, idleMs: number) {
    super({ highWaterMark: BUFFER_BYTES })
    this.#source = source
    this.#idleMs = idleMs
    this.#send(beginning)
  }

  override _read() {
    clearTimeout(this.#idle)
    this.#source.next().then(
      (piece) => {
        if (this.destroyed) return
        if (piece !== undefined) return this.#send(`,${piece}`)
        this.push(DATA_END)
        this.push(null)
      },
      (error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void) {
    clearTimeout(this.#idle)
    this.#source.stop()
    done(error)
  }

  // Who takes nothing for so long loses the connection, the one to Postgres and their own.
  #send(piece: string) {
    const clientGone = Object.assign(new Error('The client stopped reading'), { code: 'ECONNABORTED' })
    this.#idle = setTimeout(() => this.destroy(clientGone), this.#idleMs)
    this.push(piece)
  }
}

/** A statement that is read piece by piece, on a connection that it gives back at its end. */
class ListingCursor {
  readonly #client: pg.PoolClient
  readonly #canceller: pg.Pool
  readonly #cursor: Cursor<Item>
  #reading = false
  #released = false

  constructor(client: pg.PoolClient, canceller: pg.Pool, text: string, values: unknown[]) {
    this.#client = client
    this.#canceller = canceller
    this.#cursor = client.query(new Cursor<Item>(text, values))
  }

  /** The next items, joined; undefined at the end. */
  async next(): Promise<string | undefined> {
    this.#reading = true
    const limit = setTimeout(() => this.stop(), BATCH_MS_MAX)
    const rows = await this.#cursor.read(BATCH_ITEMS).finally(() => {
      clearTimeout(limit)
      this.#reading = false
    })
    if (rows.length > 0) return rows.map((row) => row.item).join(',')
    this.#release(() => this.#client.release())
    return undefined
  }

  /** Ends the connection, and the statement too: at work, it would not notice that nobody listens any more. */
  stop() {
    // pg keeps the number, and its types do not.
    const { processID } = this.#client as pg.PoolClient & { processID: number }
    const end = () => this.#client.release(true)
    this.#release(() => {
      if (!this.#reading) return end()
      // In this order, and while the connection is still ours: its number could be somebody else's afterwards.
      this.#canceller
        .query('SELECT pg_cancel_backend($1)', [processID])
        .catch(() => undefined)
        .finally(end)
    })
  }

  #release(how: () => void) {
    if (this.#released) return
    this.#released = true
    how()
  }
}
