// The limits of a signed-in viewer: how many requests a minute, and how many pages at once. Others have their own.
import type { Context } from '../../services/context.ts'
import type { SiteContext } from './context.ts'
import type { Viewer } from './sessions/sessions.ts'
import { callerOf } from './viewers.ts'

type Sites = Pick<SiteContext, 'site' | 'services'>

/** Refuses one request too many in this minute. */
export async function countRequest(ctx: Context, viewer: Viewer, { site, services }: Sites): Promise<void> {
  const caller = callerOf(viewer)
  if (!caller) return
  await services.pageShares.count(site.kind, caller, () => {
    ctx.state.overLimit = 'pages'
  })
}

/** Reads what a page shows once it is the turn of its viewer. */
export function shareReads<Result>(
  viewer: Viewer,
  { site, services }: Sites,
  work: () => Promise<Result>,
): Promise<Result> {
  const caller = callerOf(viewer)
  return caller ? services.pageShares.share(site.kind, caller, work) : work()
}
