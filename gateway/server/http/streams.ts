// Streams long answers: it reads a cursor as fast as the client takes the pieces, so that memory does not
// grow with the listing. A slow reader holds a connection and a snapshot, so streams have their own pool, a
// share for each token, an idle timeout and a total timeout.
import { Readable } from 'node:stream'
import { message } from '../../../shared/messages/message.ts'
import { rateLimited, unavailable } from '../../overload/refusals.ts'
import type { LimitedReads } from '../../reads/limits/building-limits.ts'
import type { Services } from '../services/services.ts'
import { DATA_END, DATA_START, type Listing } from './listing.ts'
import { type Connection, ListingReader } from './listing-reader.ts'

const BUFFER_BYTES = 256 * 1024
const SHARE_WAIT_MS = 500
/** A listing up to this size is finished before it is sent, and gets a hash. */
export const FINISHED_BYTES_MAX = 1024 * 1024

type StreamServices = Pick<Services, 'config' | 'streamShares'> & Pick<LimitedReads, 'streams' | 'limit'>

type StreamFormat = { begin: string; format(joined: string): string; separator: string; end: string }

const asIs = (joined: string) => joined
const JSON_FORMAT: StreamFormat = { begin: DATA_START, format: asIs, separator: ',', end: DATA_END }

type Reader = { owner: string; signal: AbortSignal }

/** A whole listing: finished if it turns out to be short enough, else a stream. */
export async function streamListing(
  services: StreamServices,
  { owner, signal }: Reader,
  { listing, values }: { listing: Listing; values: unknown[] },
  format = JSON_FORMAT,
): Promise<string | Readable> {
  const { streamIdleMs: idleMs, streamMsMax: totalMs } = services.config
  const source = new ListingReader(await connect(services, owner), listing, values, services.limit)
  // Until there is a stream, nothing else would notice that the client has disconnected.
  const leave = () => source.stop()
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  try {
    let read = format.begin + format.format((await source.next()) ?? '')
    let bytes = Buffer.byteLength(read)
    while (bytes <= FINISHED_BYTES_MAX) {
      const next = await source.next()
      if (next === undefined) return read + format.end
      const piece = format.separator + format.format(next)
      read += piece
      bytes += Buffer.byteLength(piece)
    }
    return streamRest(source, read, { idleMs, totalMs, format })
  } catch (error) {
    source.stop()
    // The client has disconnected, so this is not a failure.
    if (signal.aborted) return format.begin + format.end
    throw error
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

async function connect({ streams, streamShares }: StreamServices, owner: string): Promise<Connection> {
  const releaseShare = await streamShares.take({ owner, waitMs: SHARE_WAIT_MS })
  if (!releaseShare)
    throw rateLimited(
      message`This token is reading too many long listings at once. Finish one first, or request pages with “limit”.`,
      2,
    )
  try {
    const client = await streams.connect()
    return {
      client,
      release(destroy) {
        client.release(destroy)
        releaseShare()
      },
    }
  } catch (error) {
    releaseShare()
    const taken = streams.totalCount - streams.idleCount
    if (taken < streams.options.max) throw error
    throw unavailable(
      'listings_overload',
      message`Too many long listings are being read. Try again shortly, or request pages with “limit”.`,
    )
  }
}

// Not made from a generator: one that is never read (HEAD, or a client that has disconnected) never reaches
// its `finally`, and its connection would be lost.
function streamRest(
  source: ListingReader,
  beginning: string,
  { idleMs, totalMs, format }: { idleMs: number; totalMs: number; format: StreamFormat },
): Readable {
  let idle: NodeJS.Timeout
  // A client that reads nothing for this long loses its connection, which also frees the one to Postgres.
  const send = (piece: string) => {
    idle = setTimeout(() => stream.destroy(clientGone('The client stopped reading')), idleMs)
    stream.push(piece)
  }
  const sendNext = (piece: string | undefined) => {
    if (stream.destroyed) return
    if (piece !== undefined) return send(format.separator + format.format(piece))
    stream.push(format.end)
    stream.push(null)
  }
  const stream = new Readable({
    highWaterMark: BUFFER_BYTES,
    read() {
      clearTimeout(idle)
      source.next().then(sendNext, (error) => stream.destroy(error))
    },
    destroy(error, done) {
      clearTimeout(idle)
      clearTimeout(total)
      source.stop()
      done(error)
    },
  })
  const total = setTimeout(() => stream.destroy(clientGone('The client takes too long')), totalMs)
  send(beginning)
  return stream
}

const clientGone = (message: string) => Object.assign(new Error(message), { code: 'ECONNABORTED' })
