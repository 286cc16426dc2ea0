// A live part as it is fetched again and again: with an ETag, so that what has not changed is not sent, and with the
// time after which to ask again, so that those who share what was found also share what is found next.
import { etagOf } from '../../../shared/utilities/etags.ts'
import type { Context } from '../../context.ts'
import { sendNotModified } from '../../http/etags.ts'
import { Html } from '../../http/html.ts'

/** What a part shows; `askAgainInMs` where that is not a whole interval from now. */
export type LiveContent = Html | { content: Html; askAgainInMs: number }

const ASK_AGAIN_MS_MIN = 100

// By what is sent and not by its text: what many look at is hashed once.
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
