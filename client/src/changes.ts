// Follows the API's change feed.
import type { Resources } from './generated/resources.ts'
import type { Change, ListChangesAnswer } from './generated/schemas.ts'
import type { RequestOptions } from './request.ts'

export type FollowOptions = RequestOptions & {
  /** The `next` of the last response that your program has processed. If undefined, the feed starts now. */
  after?: string | undefined
  types?: ReadonlyArray<Change['type']>
  /** The maximum number of changes in one response. Defaults to 100. */
  limit?: number
  /** How many seconds the server waits for a change. Defaults to 25, at most 28. */
  waitSeconds?: number
}

export type FollowChanges = (options?: FollowOptions) => AsyncGenerator<ListChangesAnswer, void, undefined>

const WAIT_SECONDS = 25

/**
 * Yields a response whenever there are changes. Yields the first response at once: its `next` is where the feed starts.
 */
export function createChangeFollower(
  list: Resources['changes']['list'],
  timeoutMsDefault: number,
): FollowChanges {
  return async function* follow({ after, types, limit, waitSeconds = WAIT_SECONDS, ...options } = {}) {
    const query = { types: types?.join(','), limit }
    let answer = await list({ ...query, after }, options)
    yield answer
    // The server answers only after the wait if nothing changes, so the timeout begins after the wait.
    const timeoutMs = (options.timeoutMs ?? timeoutMsDefault) + waitSeconds * 1_000
    for (;;) {
      answer = await list({ ...query, after: answer.next, wait: waitSeconds }, { ...options, timeoutMs })
      yield answer
    }
  }
}
