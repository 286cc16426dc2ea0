// Where the bare address of the service leads: to the site in which the browser is signed in.
import type { Context } from '../../../server/services/context.ts'
import { linkTo, rootPath } from '../../sessions/addresses.ts'
import type { SiteContext } from '../page/context.ts'
import { identify, isSignedIn } from '../page/viewers.ts'

/** Viewers who are signed in to this site stay here; all others go on. */
export async function startHere(ctx: Context, context: SiteContext, others: string): Promise<void> {
  const isHere = isSignedIn(await identify(ctx, context))
  ctx.redirect(isHere ? linkTo(context.root, '/') : rootPath(context.services.config) + others)
}
