// Reads a JSON body: its type, its size and its UTF-8 are checked here, so that every failure has our words.
import { koaBody } from 'koa-body'
import { Refusal } from '../../shared/refusal.ts'
import type { Context, Middleware } from '../context.ts'
import type { Services } from '../services.ts'

const TYPES = ['application/json', 'application/*+json']

export function jsonBody({ config }: Services): Middleware {
  const limit = config.bodyBytesMax
  // Taken as bytes (that is what "binary" means here) and decoded below: koa-body's own way would turn what is not
  // UTF-8 into replacement characters without a word.
  const readBytes = koaBody({
    text: true,
    textTypes: TYPES,
    textLimit: limit,
    encoding: 'binary',
    json: false,
    urlencoded: false,
    multipart: false,
  }) as unknown as Middleware

  return async (ctx, next) => {
    const sent = ctx.get('Content-Type')
    // Where there is no body at all this is null: its type is not what is wrong with it.
    if (!sent || ctx.is(TYPES) === false) {
      throw new Refusal(
        'unsupported_media_type',
        `The body must be sent as “Content-Type: application/json”${sent ? ` (it is “${sent}”)` : ''}.`,
      )
    }
    await readBytes(ctx, async () => undefined).catch((error: unknown) => {
      throw bodyRefusal(error, limit)
    })
    ctx.request.body = parseJson(String(ctx.request.body ?? ''))
    return next()
  }
}

function parseJson(bytes: string): Context['request']['body'] {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes, 'latin1')))
  } catch (error) {
    const isEncoding = (error as { code?: string }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
    throw new Refusal(
      'malformed_body',
      isEncoding ? 'The body is not valid UTF-8.' : 'The body is not valid JSON.',
    )
  }
}

function bodyRefusal(error: unknown, limit: number): unknown {
  const { status } = error as { status?: number }
  if (status === 413) return new Refusal('too_large', `The body is larger than ${limit} bytes.`)
  if (status === 415)
    return new Refusal('unsupported_media_type', 'The Content-Encoding of the body is not known.')
  return new Refusal('malformed_body', 'The body could not be read to its end.')
}
