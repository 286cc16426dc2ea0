// Follows the change feed.
import type { Resources } from './generated/resources.ts'
import type { Change, ListChangesAnswer } from './generated/schemas.ts'
import type { RequestOptions } from './request.ts'

export type FollowOptions = RequestOptions & {
  /** `next` of the last answer that your program has dealt with; without it the feed starts now. */
  after?: string | undefined
  types?: ReadonlyArray<Change['type']>
  /** Changes in one answer at most; default 100. */
  limit?: number
  /** How long the server waits for a change; default 25 s, at most 28. */
  waitSeconds?: number
}

export type Follow = (options?: FollowOptions) => AsyncGenerator<ListChangesAnswer, void, undefined>

const WAIT_SECONDS = 25

/** Yields an answer whenever there are changes, and the first one at once: its `next` is where the feed starts. */
export function createFollow(list: Resources['changes']['list']): Follow {
  return async function* follow({ after, types, limit, waitSeconds = WAIT_SECONDS, ...options } = {}) {
    const query = { types: types?.join(','), limit }
    let answer = await list({ ...query, after }, options)
    yield answer
    for (;;) {
      answer = await list({ ...query, after: answer.next, wait: waitSeconds }, options)
      yield answer
    }
  }
}
