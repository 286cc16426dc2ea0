// Applies the limits of a screen: requests per minute, and concurrent reads, on connections that only screens use.
import type pg from 'pg'
import type { Context } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'
import type { Screen } from './views.ts'

const toCaller = ({ id }: Screen) => ({ type: 'system' as const, id })

/** Counts a request of a screen, and refuses the request if it exceeds the limit of this minute. */
export const countScreenRequest = (ctx: Context, { pageShares }: Services, screen: Screen): Promise<void> =>
  pageShares.count('screens', toCaller(screen), () => {
    ctx.state.overLimit = 'screen'
  })

/** Runs the reads when it is the screen's turn. */
export const shareScreenReads = <Result>(
  { pageShares, reserved }: Services,
  screen: Screen,
  read: (pool: pg.Pool) => Promise<Result>,
): Promise<Result> => pageShares.share('screens', toCaller(screen), () => read(reserved.screens))
