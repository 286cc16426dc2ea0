// The limits of a screen: how many requests a minute, and how many reads at once, on connections that only screens have.
import type pg from 'pg'
import type { Context } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'
import type { Screen } from './views.ts'

const callerOf = ({ id }: Screen) => ({ type: 'system' as const, id })

/** Refuses one request too many in this minute. */
export const countRequest = (ctx: Context, { pageShares }: Services, screen: Screen): Promise<void> =>
  pageShares.count('screens', callerOf(screen), () => {
    ctx.state.overLimit = 'screen'
  })

/** Reads once it is the turn of this screen. */
export const shareReads = <Result>(
  { pageShares, reserved }: Services,
  screen: Screen,
  read: (pool: pg.Pool) => Promise<Result>,
): Promise<Result> => pageShares.share('screens', callerOf(screen), () => read(reserved.screens))
