// Sends a live part, which the browser fetches repeatedly: with an ETag, so that unchanged content is not
// sent again, and with the time until the next request, so that viewers who shared one result also share the
// next.
import { etagOf } from '../../../../shared/utilities/etags.ts'
import { Html } from '../../../html/html.ts'
import { sendNotModified } from '../../../server/http/send.ts'
import type { Context } from '../../../server/services/context.ts'

/** The content of a part. `askAgainInMs` is set if the next request is not due after a full interval. */
export type LiveContent = Html | { content: Html; askAgainInMs: number }

const ASK_AGAIN_MS_MIN = 100

// Keyed by object and not by text, so that content with many viewers is hashed once.
const etags = new WeakMap<Html, string>()

export function contentOf(shown: LiveContent): Html {
  return shown instanceof Html ? shown : shown.content
}

export function sendPart(ctx: Context, shown: LiveContent) {
  const content = contentOf(shown)
  if (!(shown instanceof Html)) {
    ctx.set('Ask-Again-In-Ms', String(Math.max(ASK_AGAIN_MS_MIN, Math.ceil(shown.askAgainInMs))))
  }
  const etag = etags.get(content) ?? etagOf(content.text)
  etags.set(content, etag)
  if (sendNotModified(ctx, etag)) return
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = content.text
}
