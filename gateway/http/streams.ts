// Long answers, in pieces: a cursor is read as fast as the client takes them, so that memory does not grow with the
// listing. A slow reader holds a connection and a snapshot, so these have a pool of their own, a share for each token,
// an idle time and a time in all.
import { Readable } from 'node:stream'
import { message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/refusal.ts'
import type { LimitedReads } from '../database/building-limits.ts'
import type { Services } from '../services.ts'
import { DATA_END, DATA_START, type Listing } from './listing.ts'
import { type Connection, ListingReader } from './listing-reader.ts'

const BUFFER_BYTES = 256 * 1024
const SHARE_WAIT_MS = 500
/** Up to this a listing is finished before it is sent, and gets a hash. */
export const FINISHED_BYTES_MAX = 1024 * 1024

type StreamServices = Pick<Services, 'config' | 'streamShares'> & Pick<LimitedReads, 'streams' | 'limit'>

/** What stands around items, which come some at a time: texts of JSON, joined by commas. */
type StreamFormat = {
  begin: string
  first(joined: string): string
  next(joined: string): string
  end: string
}

const JSON_FORMAT: StreamFormat = {
  begin: DATA_START,
  first: (joined) => joined,
  next: (joined) => `,${joined}`,
  end: DATA_END,
}

/** Who reads: a token, or the address of a calendar. */
type Reader = { owner: string; signal: AbortSignal }

/** A whole listing: finished where it turns out to be short enough, else a stream of it. */
export async function streamListing(
  services: StreamServices,
  { owner, signal }: Reader,
  { listing, values }: { listing: Listing; values: unknown[] },
  format = JSON_FORMAT,
): Promise<string | Readable> {
  const { streamIdleMs: idleMs, streamMsMax: totalMs } = services.config
  const source = new ListingReader(await connect(services, owner), listing, values, services.limit)
  // Until there is a stream, nobody else would notice that the client has gone.
  const leave = () => source.stop()
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  try {
    let read = format.begin + format.first((await source.next()) ?? '')
    while (Buffer.byteLength(read) <= FINISHED_BYTES_MAX) {
      const piece = await source.next()
      if (piece === undefined) return read + format.end
      read += format.next(piece)
    }
    return new ListingStream(source, read, { idleMs, totalMs, format })
  } catch (error) {
    source.stop()
    // Nobody hears of it, and it is no failure.
    if (signal.aborted) return format.begin + format.end
    throw error
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

async function connect({ streams, streamShares }: StreamServices, owner: string): Promise<Connection> {
  const giveBack = await streamShares.take({ owner, waitMs: SHARE_WAIT_MS })
  if (!giveBack) throw shareIsTaken()
  try {
    const client = await streams.connect()
    return {
      client,
      release(destroy) {
        client.release(destroy)
        giveBack()
      },
    }
  } catch (error) {
    giveBack()
    const taken = streams.totalCount - streams.idleCount
    if (taken < streams.options.max) throw error
    throw new Refusal(
      'unavailable',
      message`Too many long listings are being read. Try again shortly, or request pages with “limit”.`,
      { reason: 'listings_overload' },
    )
  }
}

function shareIsTaken(): Refusal {
  return new Refusal(
    'rate_limited',
    message`This token is reading too many long listings at once. Finish one first, or request pages with “limit”.`,
    { headers: { 'Retry-After': '2' } },
  )
}

type StreamOptions = { idleMs: number; totalMs: number; format: StreamFormat }

// Not made from a generator: one that nobody has begun to read (HEAD, or a client that has gone by then) never gets to
// its `finally`, and its connection would be lost.
class ListingStream extends Readable {
  readonly #source: ListingReader
  readonly #idleMs: number
  readonly #format: StreamFormat
  readonly #total: NodeJS.Timeout
  #idle: NodeJS.Timeout | undefined

  constructor(source: ListingReader, beginning: string, { idleMs, totalMs, format }: StreamOptions) {
    super({ highWaterMark: BUFFER_BYTES })
    this.#source = source
    this.#idleMs = idleMs
    this.#format = format
    this.#total = setTimeout(() => this.destroy(clientGone('The client takes too long')), totalMs)
    this.#send(beginning)
  }

  override _read() {
    clearTimeout(this.#idle)
    this.#source.next().then(
      (piece) => {
        if (this.destroyed) return
        if (piece !== undefined) return this.#send(this.#format.next(piece))
        this.push(this.#format.end)
        this.push(null)
      },
      (error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void) {
    clearTimeout(this.#idle)
    clearTimeout(this.#total)
    this.#source.stop()
    done(error)
  }

  // Who takes nothing for so long loses the connection, the one to Postgres and their own.
  #send(piece: string) {
    this.#idle = setTimeout(() => this.destroy(clientGone('The client stopped reading')), this.#idleMs)
    this.push(piece)
  }
}

const clientGone = (message: string) => Object.assign(new Error(message), { code: 'ECONNABORTED' })
