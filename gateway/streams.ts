// Long answers, in pieces: a cursor is read as fast as the client takes them, so that memory does not grow with the
// listing. A slow reader holds a connection and a snapshot, so these have a pool of their own and an idle time.
import { Readable } from 'node:stream'
import type pg from 'pg'
import Cursor from 'pg-cursor'
import type { Call } from './endpoint.ts'
import { DATA_END, DATA_START } from './queries/listing.ts'

type Item = { item: string }

const BATCH = 500
const IDLE_MS_MAX = 30_000
/** Up to this a listing is finished before it is sent, and gets a hash. */
export const FINISHED_BYTES_MAX = 1024 * 1024

/** What follows `beginning`: finished where the whole turns out to be short enough, else a stream of it. */
export async function streamRest(
  { services, signal }: Pick<Call, 'services' | 'signal'>,
  beginning: string,
  text: string,
  values: unknown[],
): Promise<string | Readable> {
  const source = new Source(await services.streams.connect(), services.reads, text, values)
  signal.addEventListener('abort', () => source.cancel(), { once: true })
  try {
    let read = DATA_START + beginning
    while (Buffer.byteLength(read) <= FINISHED_BYTES_MAX) {
      const piece = await source.next()
      if (piece === undefined) {
        source.end()
        return read + DATA_END
      }
      read += `,${piece}`
    }
    return Readable.from(send(source, read), { objectMode: false, highWaterMark: 256 * 1024 })
  } catch (error) {
    source.fail()
    throw error
  }
}

async function* send(source: Source, read: string): AsyncGenerator<string> {
  let ended = false
  try {
    yield read
    for (;;) {
      const piece = await source.next()
      if (piece === undefined) break
      source.startIdle()
      yield `,${piece}`
      source.stopIdle()
    }
    ended = true
    yield DATA_END
  } finally {
    if (ended) source.end()
    else source.cancel()
  }
}

class Source {
  readonly #client: pg.PoolClient
  readonly #canceller: pg.Pool
  readonly #cursor: Cursor<Item>
  #released = false
  #idle: NodeJS.Timeout | undefined

  constructor(client: pg.PoolClient, canceller: pg.Pool, text: string, values: unknown[]) {
    this.#client = client
    this.#canceller = canceller
    this.#cursor = client.query(new Cursor<Item>(text, values))
  }

  /** The next items, joined; undefined at the end. */
  async next(): Promise<string | undefined> {
    const rows = await this.#cursor.read(BATCH)
    return rows.length === 0 ? undefined : rows.map((row) => row.item).join(',')
  }

  startIdle() {
    this.#idle = setTimeout(() => this.fail(), IDLE_MS_MAX)
  }

  stopIdle() {
    clearTimeout(this.#idle)
  }

  end() {
    this.#release(() => this.#client.release())
  }

  /** Ends the connection: what it was about to read is of no use to anybody. */
  fail() {
    this.#release(() => this.#client.release(true))
  }

  /** Stops the statement too, which may be at work and not notice that its client has gone. */
  cancel() {
    const { processID } = this.#client as unknown as { processID: number }
    this.#release(() => {
      // In this order, and while the connection is still ours: its number could be somebody else's afterwards.
      this.#canceller
        .query('SELECT pg_cancel_backend($1)', [processID])
        .catch(() => undefined)
        .finally(() => this.#client.release(true))
    })
  }

  #release(how: () => void) {
    this.stopIdle()
    if (this.#released) return
    this.#released = true
    how()
  }
}
