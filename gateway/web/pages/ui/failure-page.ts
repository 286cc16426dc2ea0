// The page that shows a failure: what happened, what the user can do, and, if it is the server's fault, the id that
// finds it in the log.

import type { RefusedOutcome } from '../../../../shared/jobs/jobs.ts'
import type { Refusal } from '../../../../shared/messages/refusal.ts'
import { html } from '../../../html/html.ts'
import { toRefusal } from '../../../queue/replies.ts'
import type { Context } from '../../../server/services/context.ts'
import { formatMessage, t, tHtml } from '../../locales/translate.ts'
import { linkTo, MY_PAGES_PATH } from '../../sessions/addresses.ts'
import { addRequestId, PageFailure } from '../../sessions/failure.ts'
import type { SiteContext } from '../page/context.ts'
import type { PageView } from '../page/page.ts'
import { showLink } from './parts.ts'

export function createFailureView(
  failure: PageFailure | Refusal,
  ctx: Context,
  { root, site }: SiteContext,
): PageView {
  const isOwn = failure instanceof PageFailure
  const { requestId } = ctx.state
  const sentences = isOwn ? [failure.message] : describeRefusal(failure, requestId)
  const isSignedOut = failure.status === 401
  return {
    // The titles of error codes are messages without values.
    title: isOwn ? failure.title : formatMessage({ text: failure.title }),
    content: html`<div class="card narrow failure">
${sentences.map((each) => html`<p>${each}</p>`)}
${failure.status >= 500 && html`<p class="soft">${tHtml`Status ${failure.status}, request ID ${html`<code>${requestId}</code>`}`}</p>`}
<div class="buttons">${
      failure.status >= 500 &&
      ctx.method === 'GET' &&
      showLink(ctx.url, t`Try again`, { class: 'button primary' })
    }${
      isSignedOut
        ? showLink(linkTo(root, '/sign-in'), t`Sign in`, { class: 'button primary' })
        : showLink(linkTo(root, '/'), site.base === MY_PAGES_PATH ? t`My day` : t`Go to the dashboard`, {
            class: 'button quiet',
          })
    }</div>
</div>`,
  }
}

/** Describes a job that ended without completing its work. */
export function describeFailure(outcome: RefusedOutcome): string[] {
  const refusal = toRefusal(outcome)
  return describeRefusal(refusal, String(refusal.members.request_id))
}

/** Returns a sentence for each field, or the refusal's own sentence if there are none. */
function describeRefusal({ detail, errors }: Pick<Refusal, 'detail' | 'errors'>, requestId: string) {
  const all = errors ? Object.values(errors).flat() : [addRequestId(detail, requestId)]
  return all.map((each) => formatMessage(each))
}
