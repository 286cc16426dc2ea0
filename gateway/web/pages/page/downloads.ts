// Downloads of a page: a worker writes the file while the gateway sends it to the browser. They require a
// session.
import type { InputOf, Outcome } from '../../../../shared/jobs/jobs.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import type { ExportFormat, FileReply } from '../../../../shared/users/users.ts'
import { refusalFromOutcome } from '../../../queue/replies.ts'
import { signalOf } from '../../../server/http/call.ts'
import { EXPORT_CONTENT_TYPES, sendExport } from '../../../server/http/export-answer.ts'
import { send } from '../../../server/http/send.ts'
import type { Context } from '../../../server/services/context.ts'
import { t } from '../../locales/translate.ts'
import { PageFailure } from '../../sessions/failure.ts'
import { originOf } from './actions.ts'
import type { SiteContext } from './context.ts'
import type { Call, Download, Page } from './page.ts'

export async function sendDownload(
  ctx: Context,
  { services }: SiteContext,
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
    // Without an idempotency key: the file is not stored, so each download creates a new one.
    dispatch: (options) => dispatch({ ...originOf(ctx, call), idempotency: null }, options),
  })
  if (answer.refused) throw refusalFromOutcome(answer)
  send(ctx, answer)
}

type ExportJob =
  | 'bookings.export'
  | 'bookings.export-affected'
  | 'reports.export'
  | 'users.export'
  | `${'bookables' | 'users'}.export-refused`

/** A download that a job writes, in the format that its input names. */
export const exported = <Name extends ExportJob>(
  { services }: Call,
  name: string,
  job: Name,
  input: InputOf<Name> & { format: ExportFormat },
): Download => ({
  name: `${name}.${input.format}`,
  contentType: EXPORT_CONTENT_TYPES[input.format],
  dispatch: (origin, options) =>
    services.dispatcher.dispatch(job, input, origin, options) as Promise<Outcome<FileReply>>,
})

// Creating a file costs work, so other sites must not trigger it. An address that the user types is allowed.
function requireSameSite(ctx: Context) {
  const site = ctx.get('Sec-Fetch-Site')
  if (site !== 'cross-site' && site !== 'same-site') return
  throw new PageFailure(403, t`Download not allowed`, t`Files can only be downloaded from this dashboard.`)
}
