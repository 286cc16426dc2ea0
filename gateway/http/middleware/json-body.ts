// Reads a JSON body.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Context } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'
import { textBody } from './text-body.ts'

const JSON_TYPE = 'application/json'
/**
 * Our bodies have at most five levels. A mebibyte of brackets would keep the process busy for half a second.
 */
const DEPTH_MAX = 32

const MERGE_PATCH_TYPE = 'application/merge-patch+json'

export function jsonBody({ config }: Services): (ctx: Context) => Promise<void> {
  const readText = textBody([JSON_TYPE], config.bodyBytesMax)
  const readPatch = textBody([JSON_TYPE, MERGE_PATCH_TYPE], config.bodyBytesMax)
  return async (ctx) => {
    const text = await (ctx.method === 'PATCH' ? readPatch(ctx) : readText(ctx))
    ctx.request.body = parseJson(text)
  }
}

export function parseJson(text: string): Context['request']['body'] {
  if (isDeeper(text, DEPTH_MAX))
    throw new Refusal('malformed_body', message`The body is nested deeper than ${DEPTH_MAX} levels.`)
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('malformed_body', message`The body is not valid JSON.`)
  }
}

/** Whether arrays and objects are nested deeper; brackets inside strings do not count. */
function isDeeper(text: string, depthMax: number): boolean {
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
