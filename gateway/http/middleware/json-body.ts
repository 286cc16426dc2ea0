// Reads a JSON body.
import { Refusal } from '../../../shared/refusal.ts'
import type { Context } from '../../context.ts'
import type { Services } from '../../services.ts'
import { textBody } from './text-body.ts'

const TYPES = ['application/json', 'application/*+json']

export function jsonBody({ config }: Services): (ctx: Context) => Promise<void> {
  const readText = textBody(TYPES, config.bodyBytesMax)
  return async (ctx) => {
    ctx.request.body = parseJson(await readText(ctx))
  }
}

function parseJson(text: string): Context['request']['body'] {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('malformed_body', 'The body is not valid JSON.')
  }
}
