// Reads a JSON body.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/refusal.ts'
import type { Context } from '../../context.ts'
import type { Services } from '../../services.ts'
import { textBody } from './text-body.ts'

const JSON_TYPE = 'application/json'
const MERGE_PATCH_TYPE = 'application/merge-patch+json'

export function jsonBody({ config }: Services): (ctx: Context) => Promise<void> {
  const readText = textBody([JSON_TYPE], config.bodyBytesMax)
  const readPatch = textBody([JSON_TYPE, MERGE_PATCH_TYPE], config.bodyBytesMax)
  return async (ctx) => {
    const text = await (ctx.method === 'PATCH' ? readPatch(ctx) : readText(ctx))
    ctx.request.body = parseJson(text)
  }
}

function parseJson(text: string): Context['request']['body'] {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('malformed_body', message`The body is not valid JSON.`)
  }
}
