// Compresses responses if the client accepts compression: text of at least 1 KiB, whole or streamed. A stream
// is flushed after every chunk, so that its first chunk arrives no later, and only one window of the
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

const COMPRESSED_BYTES_MIN = 1024

// The minimum length of a response whose compressed form is shared. A long response that is the same for many
// clients, such as the map of a floor that a hundred people look at, is compressed once for all of them. The
// key is a hash of the whole text, so that no client gets a response meant for another. Hashing takes a tenth
// of the time of compressing.
const SHARED_BYTES_MIN = 64 * 1024
const SHARED_RESPONSES_MAX = 8
const sharedResponses = new BoundedMap<Promise<Buffer>>(SHARED_RESPONSES_MAX)

const COMPRESSIBLE_TYPES = /^text\/|^application\/(?:.+\+)?(?:json|xml|javascript)$|\+xml$/

// The level of compression. Compressing takes about as long as sending the bytes that it saves, and little
// memory: 512 KiB per window.
const BROTLI_OPTIONS: BrotliOptions = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 19 },
}
const GZIP_OPTIONS: ZlibOptions = { level: 5 }

const compressWhole: Record<Coding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify<Buffer, BrotliOptions, Buffer>(brotliCompress)(bytes, BROTLI_OPTIONS),
  gzip: (bytes) => promisify<Buffer, ZlibOptions, Buffer>(gzip)(bytes, GZIP_OPTIONS),
}
const compressorFactories = {
  br: () => createBrotliCompress({ ...BROTLI_OPTIONS, flush: constants.BROTLI_OPERATION_FLUSH }),
  gzip: () => createGzip({ ...GZIP_OPTIONS, flush: constants.Z_SYNC_FLUSH }),
}

/** `skipsCompression` returns which responses must not be compressed, because their length would reveal too much. */
export function compressResponses(skipsCompression: (ctx: Context) => boolean): Middleware {
  return async (ctx, next) => {
    await next()
    const body: unknown = ctx.body
    if (!isLong(body) || !isCompressible(ctx) || skipsCompression(ctx)) return
    ctx.vary('Accept-Encoding')
    const coding = chooseCoding(ctx.get('Accept-Encoding'))
    if (!coding) return
    ctx.set('Content-Encoding', coding)
    const etag = ctx.response.get('ETag')
    // The same text in another content coding is another representation with its own ETag (RFC 9110, section 8.8.3.3).
    if (etag) ctx.set('ETag', etag.replace(/"$/, `-${coding}"`))
    await setCompressed(ctx, body, coding)
  }
}

function isCompressible({ response }: Context): boolean {
  return !response.get('Content-Encoding') && COMPRESSIBLE_TYPES.test(response.type)
}

function isLong(body: unknown): body is string | Buffer | Readable {
  if (typeof body === 'string')
    return body.length >= COMPRESSED_BYTES_MIN || Buffer.byteLength(body) >= COMPRESSED_BYTES_MIN
  return Buffer.isBuffer(body) ? body.length >= COMPRESSED_BYTES_MIN : body instanceof Readable
}

async function setCompressed(ctx: Context, body: string | Buffer | Readable, coding: Coding): Promise<void> {
  if (!(body instanceof Readable)) {
    ctx.body = await compressOnce(Buffer.isBuffer(body) ? body : Buffer.from(body), coding)
    return
  }
  ctx.remove('Content-Length')
  // HEAD sends no body, and the stream ends with the response.
  if (ctx.method === 'HEAD') return
  // If one stream breaks, the other is destroyed too, so that the connection ends as it would without
  // compression.
  const compressor: Transform = compressorFactories[coding]()
  pipeline(body, compressor, () => undefined)
  ctx.body = compressor
}

function compressOnce(bytes: Buffer, coding: Coding): Promise<Buffer> {
  if (bytes.length < SHARED_BYTES_MIN) return compressWhole[coding](bytes)
  const key = `${coding} ${hash('sha256', bytes, 'base64url')}`
  const known = sharedResponses.get(key)
  if (known) return known
  const compressed = compressWhole[coding](bytes)
  sharedResponses.set(key, compressed)
  compressed.catch(() => sharedResponses.delete(key))
  return compressed
}

// The codings in order of preference: if a client gives them equal weights, the first one is used.
const CODINGS = ['br', 'gzip'] as const
type Coding = (typeof CODINGS)[number]

/** Returns the content coding, or undefined if the response must be sent uncompressed. Without the header, it
 * is sent uncompressed. */
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

/** Returns the ETag of the uncompressed text, regardless of the coding in which the text was sent. */
export const toUncompressedETag = (etag: string): string => etag.replace(/-(?:br|gzip)"$/, '"')

export function doesAcceptType(accept: string, type: string): boolean {
  return accept.split(',').some((part) => {
    const [name, weight] = parseWeight(part)
    return name === type && weight > 0
  })
}
