// Files of a page: written by a worker, and sent to the browser meanwhile. The session is what lets somebody have one.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/refusal.ts'
import type { Context } from '../../context.ts'
import { signalOf } from '../../http/call.ts'
import { sendExport } from '../../http/export-answer.ts'
import { send } from '../../http/send.ts'
import { refusalOf } from '../../jobs/outcomes.ts'
import { t } from '../language/translate.ts'
import { originOf } from './actions.ts'
import type { DashboardContext } from './context.ts'
import { PageFailure } from './failure.ts'
import type { Call, Page } from './page.ts'

export async function sendDownload(
  ctx: Context,
  { services }: DashboardContext,
  call: Call,
  prepare: Page['downloads'][string] | undefined,
): Promise<void> {
  if (!prepare) throw new Refusal('not_found', message`There is no such file of this page.`)
  requireSameSite(ctx)
  const { name, contentType, dispatch } = await prepare(call)
  const answer = await sendExport({
    primary: services.primary,
    signal: signalOf(ctx),
    name,
    contentType,
    // Without a key: the file is gone when it was sent, and the next one is another.
    dispatch: (options) => dispatch({ ...originOf(ctx, call), idempotency: null }, options),
  })
  if (answer.refused) throw refusalOf(answer)
  send(ctx, answer)
}

// A file makes work, which no other site may ask for. Whoever types the address is nobody else.
function requireSameSite(ctx: Context) {
  const site = ctx.get('Sec-Fetch-Site')
  if (site !== 'cross-site' && site !== 'same-site') return
  throw new PageFailure(403, t`Download not allowed`, t`Files can only be downloaded from this dashboard.`)
}
