// Reads a text or JSON body. Checks its type, size and UTF-8 here, so that Berth's own message explains every
// failure.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import type { Context, Middleware } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'
import { formatBytes } from '../../uploads/stored-files.ts'

const JSON_TYPE = 'application/json'
/** The maximum nesting depth. Berth's bodies have at most five levels, and parsing a mebibyte of brackets
 * would block the process for half a second. */
const DEPTH_MAX = 32

const MERGE_PATCH_TYPE = 'application/merge-patch+json'

export function createJsonBodyReader(
  { config }: Services,
  types?: readonly string[],
): (ctx: Context) => Promise<void> {
  const readText = createTextBodyReader(types ?? [JSON_TYPE], config.bodyBytesMax)
  const readPatch = createTextBodyReader(types ?? [JSON_TYPE, MERGE_PATCH_TYPE], config.bodyBytesMax)
  return async (ctx) => {
    const text = await (ctx.method === 'PATCH' ? readPatch(ctx) : readText(ctx))
    ctx.request.body = parseJson(text)
  }
}

export function parseJson(text: string): Context['request']['body'] {
  if (isNestedDeeper(text, DEPTH_MAX))
    throw new Refusal('malformed_body', message`The body is nested deeper than ${DEPTH_MAX} levels.`)
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('malformed_body', message`The body is not valid JSON.`)
  }
}

/**
 * Returns whether arrays and objects in the text are nested deeper than `depthMax`. Ignores brackets inside strings.
 */
function isNestedDeeper(text: string, depthMax: number): boolean {
  let depth = 0
  let isInText = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === '"') isInText = !isInText
    else if (isInText) index += character === '\\' ? 1 : 0
    else if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
    if (depth > depthMax) return true
  }
  return false
}

export function createTextBodyReader(
  types: readonly string[],
  bytesMax: number,
): (ctx: Context) => Promise<string> {
  let making: Promise<Middleware> | undefined

  return async (ctx) => {
    const sent = ctx.get('Content-Type')
    // koa returns null if there is no body at all. Its type is then not the problem.
    if (!sent || ctx.is([...types]) === false) {
      const [wanted = ''] = types
      throw new Refusal(
        'unsupported_media_type',
        sent
          ? message`The Content-Type must be “${wanted}” (it is “${sent}”).`
          : message`The Content-Type must be “${wanted}” (it is missing).`,
      )
    }
    making ??= createReader(types, bytesMax)
    const readBytes = await making
    await readBytes(ctx, async () => undefined).catch((error: unknown) => {
      throw toBodyRefusal(error, bytesMax)
    })
    return decodeUtf8(String(ctx.request.body ?? ''))
  }
}

// koa-body makes up a sixth of the code that a gateway loads, so it is loaded with the first body. It returns
// bytes (which it calls “binary”), which are decoded below, because its own decoding would silently turn
// invalid UTF-8 into replacement characters.
async function createReader(types: readonly string[], bytesMax: number): Promise<Middleware> {
  const { koaBody } = await import('koa-body')
  return koaBody({
    text: true,
    textTypes: [...types],
    textLimit: bytesMax,
    encoding: 'binary',
    json: false,
    urlencoded: false,
    multipart: false,
  })
}

function decodeUtf8(bytes: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    throw new Refusal('malformed_body', message`The body is not valid UTF-8.`)
  }
}

function toBodyRefusal(error: unknown, bytesMax: number): unknown {
  const { status } = error as { status?: number }
  if (status === 413)
    return new Refusal('too_large', message`The body is larger than ${formatBytes(bytesMax)}.`)
  if (status === 415)
    return new Refusal('unsupported_media_type', message`The Content-Encoding of the body is not supported.`)
  return new Refusal('malformed_body', message`The body could not be read completely.`)
}
