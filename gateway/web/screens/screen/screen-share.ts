// Applies the limits of a screen: requests per minute, and reads at once, on connections that only screens use.
import type pg from 'pg'
import type { Context } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'
import type { Screen } from './views.ts'

const callerOf = ({ id }: Screen) => ({ type: 'system' as const, id })

/** Refuses a request above the limit of this minute. */
export const countRequest = (ctx: Context, { pageShares }: Services, screen: Screen): Promise<void> =>
  pageShares.count('screens', callerOf(screen), () => {
    ctx.state.overLimit = 'screen'
  })

/** Reads when it is this screen's turn. */
export const shareReads = <Result>(
  { pageShares, reserved }: Services,
  screen: Screen,
  read: (pool: pg.Pool) => Promise<Result>,
): Promise<Result> => pageShares.share('screens', callerOf(screen), () => read(reserved.screens))
