// Applies the limits of a signed-in viewer: requests per minute, and pages and actions at once.
import type { Context } from '../../../server/services/context.ts'
import type { Viewer } from '../../sessions/sessions.ts'
import type { SiteContext } from './context.ts'
import { callerOf } from './viewers.ts'

type Sites = Pick<SiteContext, 'site' | 'services'>

/** Refuses a request above the limit of this minute. */
export async function countRequest(ctx: Context, viewer: Viewer, { site, services }: Sites): Promise<void> {
  const caller = callerOf(viewer)
  if (!caller) return
  await services.pageShares.count(site.kind, caller, () => {
    ctx.state.overLimit = 'pages'
  })
}

/** Reads the content of a page when it is its viewer's turn. */
export function shareReads<Result>(
  viewer: Viewer,
  { site, services }: Sites,
  work: () => Promise<Result>,
): Promise<Result> {
  const caller = callerOf(viewer)
  return caller ? services.pageShares.share(site.kind, caller, work) : work()
}

/**
 * Performs an action of a person when it is their turn. Administrators have no such limit: they are few, and uploading a file
 * takes long.
 */
export function shareActions<Result>(
  viewer: Viewer,
  { site, services }: Sites,
  work: () => Promise<Result>,
): Promise<Result> {
  const caller = callerOf(viewer)
  return caller && site.kind === 'people' ? services.pageShares.share('people_actions', caller, work) : work()
}
