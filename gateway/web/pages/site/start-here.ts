// Redirects the bare address of Berth to the site in which the browser is signed in.
import type { Context } from '../../../server/services/context.ts'
import { findRootPath, linkTo } from '../../sessions/addresses.ts'
import type { SiteContext } from '../page/context.ts'
import { identifyViewer, isSignedIn } from '../page/viewers.ts'

/** Does not redirect viewers who are signed in to this site. Redirects everybody else to the other site. */
export async function redirectToSite(ctx: Context, context: SiteContext, others: string): Promise<void> {
  const isHere = isSignedIn(await identifyViewer(ctx, context))
  ctx.redirect(isHere ? linkTo(context.root, '/') : findRootPath(context.services.config) + others)
}
