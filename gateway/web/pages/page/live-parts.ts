// Sends a live part, which the browser fetches repeatedly. The response has an ETag, so that unchanged
// content is not sent again, and the time until the next request, so that viewers who share one result also
// share the next one.
import { computeEtag } from '../../../../shared/utilities/etags.ts'
import { Html } from '../../../html/html.ts'
import { sendNotModified } from '../../../server/http/send.ts'
import type { Context } from '../../../server/services/context.ts'
import { nameMarkedZones } from '../time/zones.ts'

/** The content of a live part. `askAgainInMs` is set if the next request is due before a full interval is over. */
export type LiveContent = Html | { content: Html; askAgainInMs: number }

const ASK_AGAIN_MS_MIN = 100

// The ETags are cached by object instead of text, so that content with many viewers is hashed only once.
const etags = new WeakMap<Html, string>()

export function toHtml(shown: LiveContent): Html {
  return shown instanceof Html ? shown : shown.content
}

export function sendLivePart(ctx: Context, shown: LiveContent) {
  const content = toHtml(shown)
  if (!(shown instanceof Html)) {
    ctx.set('Ask-Again-In-Ms', String(Math.max(ASK_AGAIN_MS_MIN, Math.ceil(shown.askAgainInMs))))
  }
  const etag = etags.get(content) ?? computeEtag(content.text)
  etags.set(content, etag)
  if (sendNotModified(ctx, etag)) return
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = nameMarkedZones(content.text)
}
