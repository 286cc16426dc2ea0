// Reads a JSON body.
import { Refusal } from '../../../shared/refusal.ts'
import type { Context, Middleware } from '../../context.ts'
import type { Services } from '../../services.ts'
import { textBody } from './text-body.ts'

const TYPES = ['application/json', 'application/*+json']

export function jsonBody({ config }: Services): Middleware {
  const readText = textBody(TYPES, config.bodyBytesMax)
  return async (ctx, next) => {
    ctx.request.body = parseJson(await readText(ctx))
    return next()
  }
}

function parseJson(text: string): Context['request']['body'] {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('malformed_body', 'The body is not valid JSON.')
  }
}
