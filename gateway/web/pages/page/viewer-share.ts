// Applies the limits of a signed-in viewer: requests per minute, and pages and actions at the same time.
import type { Context } from '../../../server/services/context.ts'
import type { Viewer } from '../../sessions/sessions.ts'
import type { SiteContext } from './context.ts'
import { toCaller } from './viewers.ts'

type SiteServices = Pick<SiteContext, 'site' | 'services'>

/** Counts a request, and refuses the request if it exceeds the limit of this minute. */
export async function countViewerRequest(
  ctx: Context,
  viewer: Viewer,
  { site, services }: SiteServices,
): Promise<void> {
  const caller = toCaller(viewer)
  if (!caller) return
  await services.pageShares.count(site.kind, caller, () => {
    ctx.state.overLimit = 'pages'
  })
}

/** Reads the content of a page when it is the viewer's turn. */
export function shareViewerReads<Result>(
  viewer: Viewer,
  { site, services }: SiteServices,
  work: () => Promise<Result>,
): Promise<Result> {
  const caller = toCaller(viewer)
  return caller ? services.pageShares.share(site.kind, caller, work) : work()
}

/** Performs an action of a person when it is their turn. Administrators have no such limit, because there are
 * few of them, and uploading a file takes long. */
export function shareViewerActions<Result>(
  viewer: Viewer,
  { site, services }: SiteServices,
  work: () => Promise<Result>,
): Promise<Result> {
  const caller = toCaller(viewer)
  return caller && site.kind === 'people' ? services.pageShares.share('people_actions', caller, work) : work()
}
