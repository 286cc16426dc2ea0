// Streams long responses: reads a cursor as fast as the client takes the chunks, so that memory does not grow with the
// listing. A slow client holds a connection and a snapshot, so streams have their own pool, a share for each token, an
// idle timeout and a total timeout.
import { Readable } from 'node:stream'
import { message } from '../../../shared/messages/message.ts'
import { createRateLimitRefusal, serviceUnavailable } from '../../overload/refusals.ts'
import type { LimitedReads } from '../../reads/limits/building-limits.ts'
import type { Services } from '../services/services.ts'
import { LISTING_BODY_END, LISTING_BODY_START, type Listing } from './listing.ts'
import { type Connection, ListingReader } from './listing-reader.ts'

const BUFFER_BYTES = 256 * 1024
const SHARE_WAIT_MS = 500
/** The maximum size of a listing that is completed before it is sent, and gets a hash. */
export const UNSTREAMED_BYTES_MAX = 1024 * 1024

type StreamServices = Pick<Services, 'config' | 'streamShares'> & Pick<LimitedReads, 'streams' | 'limit'>

type StreamFormat = { begin: string; format(joined: string): string; separator: string; end: string }

const keepUnchanged = (joined: string) => joined
const JSON_FORMAT: StreamFormat = {
  begin: LISTING_BODY_START,
  format: keepUnchanged,
  separator: ',',
  end: LISTING_BODY_END,
}

type StreamReader = { owner: string; signal: AbortSignal }

/** Responds with a whole listing, which is sent at once if it is short enough, or else as a stream. */
export async function streamListing(
  services: StreamServices,
  { owner, signal }: StreamReader,
  { listing, values }: { listing: Listing; values: unknown[] },
  format = JSON_FORMAT,
): Promise<string | Readable> {
  const { streamIdleMs: idleMs, streamMsMax: totalMs } = services.config
  const source = new ListingReader(await connectForStream(services, owner), listing, values, services.limit)
  // Until the stream exists, only this listener notices that the client has disconnected.
  const leave = () => source.stop()
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  try {
    let read = format.begin + format.format((await source.next()) ?? '')
    let bytes = Buffer.byteLength(read)
    while (bytes <= UNSTREAMED_BYTES_MAX) {
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

async function connectForStream(
  { streams, streamShares }: StreamServices,
  owner: string,
): Promise<Connection> {
  const releaseShare = await streamShares.take({ owner, waitMs: SHARE_WAIT_MS })
  if (!releaseShare)
    throw createRateLimitRefusal(
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
    throw serviceUnavailable(
      'listings_overload',
      message`Too many long listings are being read. Try again shortly, or request pages with “limit”.`,
    )
  }
}

// Does not use a generator: if nobody reads the generator (after HEAD, or if the client has disconnected), it
// never reaches its `finally`, and the connection would be lost.
function streamRest(
  source: ListingReader,
  beginning: string,
  { idleMs, totalMs, format }: { idleMs: number; totalMs: number; format: StreamFormat },
): Readable {
  let idle: NodeJS.Timeout
  // Closes the connection of a client that reads nothing for this long, which also releases the connection to
  // Postgres.
  const send = (piece: string) => {
    idle = setTimeout(() => stream.destroy(createDisconnectError('The client stopped reading')), idleMs)
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
  const total = setTimeout(() => stream.destroy(createDisconnectError('The client takes too long')), totalMs)
  send(beginning)
  return stream
}

const createDisconnectError = (message: string) => Object.assign(new Error(message), { code: 'ECONNABORTED' })
