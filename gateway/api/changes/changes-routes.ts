// The change feed over HTTP.
import {
  CHANGES_LIMIT,
  type ChangesQuery,
  changesQuery,
  changesSchema,
  parseChangeTypes,
} from '../../../shared/webhooks/changes.ts'
import type { Answer, Call } from '../../http/kit/endpoint.ts'
import { endpoint } from '../../http/kit/endpoint.ts'
import { ownerOf } from '../../overload/admission.ts'
import { cursorExpired, decodeChangeCursor, encodeChangeCursor } from './change-cursors.ts'
import { type ChangesPage, findChanges, findChangesNow } from './changes-queries.ts'

// Routers of hosting providers cut a connection after 30 s without data.
const WAIT_MS_MAX = 28_000

export const changes = [
  endpoint({
    method: 'GET',
    path: '/changes',
    name: 'listChanges',
    ability: 'read',
    tag: 'Changes',
    summary: 'Follow changes',
    description:
      'Every change of a booking, event, bookable, location, building, user or group, in one order, for 30 days. ' +
      'Go on with “next”, also where “data” is empty.',
    query: changesQuery,
    answer: { status: 200, schema: changesSchema },
    refusals: ['cursor_expired'],
    withoutHead: true,
    handle: answerChanges,
  }),
]

async function answerChanges(call: Call<unknown, ChangesQuery>): Promise<Answer> {
  const { query, services, baseUrl, signal, buildingIds } = call
  const { primary, admission, changePoller, now } = services
  const owner = ownerOf({ type: 'token', id: call.tokenId })
  if (query.after === undefined)
    return answer('', await admission.reads.admit(owner, () => findChangesNow(primary)))
  const types = query.types === undefined ? undefined : parseChangeTypes(query.types)
  const limit = query.limit ?? CHANGES_LIMIT
  const untilMs = performance.now() + Math.min((query.wait ?? 0) * 1_000, WAIT_MS_MAX)
  let after = decodeChangeCursor(query.after, now())
  for (;;) {
    const asked = { after, types, limit, baseUrl, buildingIds }
    const page = await admission.reads.admit(owner, () => findChanges(primary, asked))
    if (!page) throw cursorExpired()
    const { items, count, next, isFull } = page
    const waitMs = untilMs - performance.now()
    if (count > 0 || isFull || waitMs <= 0 || signal.aborted || services.isStopping)
      return answer(items, next)
    after = next
    await changePoller.wait(after, waitMs, signal)
  }
}

function answer(items: string, next: ChangesPage['next']): Answer {
  return { status: 200, body: `{"data":[${items}],"next":"${encodeChangeCursor(next)}"}` }
}
