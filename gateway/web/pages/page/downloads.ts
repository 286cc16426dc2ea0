// Sends the downloads of a page: a worker writes the file while the gateway sends it to the browser.
// Downloads require a session.
import type { InputOf, Outcome } from '../../../../shared/jobs/jobs.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import type { ExportFormat, FileReply } from '../../../../shared/users/users.ts'
import { toRefusal } from '../../../queue/replies.ts'
import { createAbortSignal } from '../../../server/http/call.ts'
import { EXPORT_CONTENT_TYPES, sendExport } from '../../../server/http/export-answer.ts'
import { sendResponse } from '../../../server/http/send.ts'
import type { Context } from '../../../server/services/context.ts'
import { t } from '../../locales/translate.ts'
import { PageFailure } from '../../sessions/failure.ts'
import { findOrigin } from './actions.ts'
import type { SiteContext } from './context.ts'
import type { Call, Page, PageDownload } from './page.ts'

export async function sendDownload(
  ctx: Context,
  { services }: SiteContext,
  call: Call,
  prepare: Page['downloads'][string] | undefined,
): Promise<void> {
  if (!prepare) throw new Refusal('not_found', message`This page has no such file.`)
  requireSameSite(ctx)
  const { name, contentType, dispatch } = await prepare(call)
  const answer = await sendExport({
    primary: services.primary,
    signal: createAbortSignal(ctx),
    name,
    contentType,
    // Uses no idempotency key, because the file is not stored and each download creates a new one.
    dispatch: (options) => dispatch({ ...findOrigin(ctx, call), idempotency: null }, options),
  })
  if (answer.refused) throw toRefusal(answer)
  sendResponse(ctx, answer)
}

type ExportJob =
  | 'bookings.export'
  | 'bookings.export-affected'
  | 'reports.export'
  | 'users.export'
  | `${'bookables' | 'users'}.export-refused`

/** Declares a download that a job writes. The job's input names the file's format. */
export const startExport = <Name extends ExportJob>(
  { services }: Call,
  name: string,
  job: Name,
  input: InputOf<Name> & { format: ExportFormat },
): PageDownload => ({
  name: `${name}.${input.format}`,
  contentType: EXPORT_CONTENT_TYPES[input.format],
  dispatch: (origin, options) =>
    services.dispatcher.dispatch(job, input, origin, options) as Promise<Outcome<FileReply>>,
})

// Refuses downloads that another site triggers, because creating a file is expensive. An address that the
// user types is allowed.
function requireSameSite(ctx: Context) {
  const site = ctx.get('Sec-Fetch-Site')
  if (site !== 'cross-site' && site !== 'same-site') return
  throw new PageFailure(403, t`Download not allowed`, t`Files can only be downloaded from this dashboard.`)
}
