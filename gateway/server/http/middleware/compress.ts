// Compresses answers if the client asks for it: texts from 1 KiB on, finished or streamed. A stream is
// flushed after every piece, so that its first piece comes as soon as before, and only one window of the
// compressor is kept in memory.
import { hash } from 'node:crypto'
import { pipeline, Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import {
  type BrotliOptions,
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type ZlibOptions,
} from 'node:zlib'
import { BoundedMap } from '../../../../shared/utilities/caches.ts'
import type { Context, Middleware } from '../../services/context.ts'

const BYTES_MIN = 1024

// A long answer that is the same for many, such as the map of a floor that a hundred people look at, is
// compressed once for all of them. The key is a hash of its whole text, so that no client gets an answer
// meant for another. Hashing takes a tenth of the time.
const SHARED_BYTES_MIN = 64 * 1024
const SHARED_MAX = 8
const shared = new BoundedMap<Promise<Buffer>>(SHARED_MAX)

const COMPRESSIBLE = /^text\/|^application\/(?:.+\+)?(?:json|xml|javascript)$|\+xml$/

// Takes about as long as sending the bytes that it saves, and little memory: 512 KiB per window.
const BROTLI: BrotliOptions = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 19 },
}
const GZIP: ZlibOptions = { level: 5 }

const compressAll: Record<Coding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify<Buffer, BrotliOptions, Buffer>(brotliCompress)(bytes, BROTLI),
  gzip: (bytes) => promisify<Buffer, ZlibOptions, Buffer>(gzip)(bytes, GZIP),
}
const createCompressor = {
  br: () => createBrotliCompress({ ...BROTLI, flush: constants.BROTLI_OPERATION_FLUSH }),
  gzip: () => createGzip({ ...GZIP, flush: constants.Z_SYNC_FLUSH }),
}

/** `skipsCompression` says which answers must not be compressed, because their length would reveal too much. */
export function compress(skipsCompression: (ctx: Context) => boolean): Middleware {
  return async (ctx, next) => {
    await next()
    const body: unknown = ctx.body
    if (!isLong(body) || !isCompressible(ctx) || skipsCompression(ctx)) return
    ctx.vary('Accept-Encoding')
    const coding = chooseCoding(ctx.get('Accept-Encoding'))
    if (!coding) return
    ctx.set('Content-Encoding', coding)
    const etag = ctx.response.get('ETag')
    // The same text in another coding is another representation with its own ETag (RFC 9110, 8.8.3.3).
    if (etag) ctx.set('ETag', etag.replace(/"$/, `-${coding}"`))
    await setCompressed(ctx, body, coding)
  }
}

function isCompressible({ response }: Context): boolean {
  return !response.get('Content-Encoding') && COMPRESSIBLE.test(response.type)
}

function isLong(body: unknown): body is string | Buffer | Readable {
  if (typeof body === 'string') return body.length >= BYTES_MIN || Buffer.byteLength(body) >= BYTES_MIN
  return Buffer.isBuffer(body) ? body.length >= BYTES_MIN : body instanceof Readable
}

async function setCompressed(ctx: Context, body: string | Buffer | Readable, coding: Coding): Promise<void> {
  if (!(body instanceof Readable)) {
    ctx.body = await compressOnce(Buffer.isBuffer(body) ? body : Buffer.from(body), coding)
    return
  }
  ctx.remove('Content-Length')
  // HEAD sends no body, and the stream ends with the answer.
  if (ctx.method === 'HEAD') return
  // Each stream destroys the other, so that a stream that breaks ends the connection as before.
  const compressor: Transform = createCompressor[coding]()
  pipeline(body, compressor, () => undefined)
  ctx.body = compressor
}

function compressOnce(bytes: Buffer, coding: Coding): Promise<Buffer> {
  if (bytes.length < SHARED_BYTES_MIN) return compressAll[coding](bytes)
  const key = `${coding} ${hash('sha256', bytes, 'base64url')}`
  const known = shared.get(key)
  if (known) return known
  const compressed = compressAll[coding](bytes)
  shared.set(key, compressed)
  compressed.catch(() => shared.delete(key))
  return compressed
}

// With equal weights, the first wins.
const CODINGS = ['br', 'gzip'] as const
type Coding = (typeof CODINGS)[number]

/** Undefined if the answer must be sent uncompressed, as it is without the header. */
export function chooseCoding(acceptEncoding: string): Coding | undefined {
  if (acceptEncoding === '') return undefined
  const weights = new Map(acceptEncoding.split(',').map(parseWeight))
  const others = weights.get('*') ?? 0
  const weightOf = (name: string, otherwise: number) => weights.get(name) ?? otherwise
  const best = CODINGS.map((coding) => ({
    coding,
    weight: coding === 'gzip' ? weightOf(coding, weightOf('x-gzip', others)) : weightOf(coding, others),
  })).reduce((first, second) => (second.weight > first.weight ? second : first))
  return best.weight > 0 && best.weight >= weightOf('identity', 0) ? best.coding : undefined
}

function parseWeight(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
  const q = parameters.find((each) => /^q\s*=/.test(each))
  const weight = q === undefined ? 1 : Number(q.replace(/^q\s*=\s*/, ''))
  return [name, Number.isFinite(weight) ? weight : 0]
}

/** The ETag of the text, whatever coding it was sent in. */
export const plainETag = (etag: string): string => etag.replace(/-(?:br|gzip)"$/, '"')

export function acceptsType(accept: string, type: string): boolean {
  return accept.split(',').some((part) => {
    const [name, weight] = parseWeight(part)
    return name === type && weight > 0
  })
}
