// The change feed over HTTP. A client's position in it is opaque to clients, and expires with the rows after
// it.

import { CHANGES_KEPT_DAYS, type ChangePosition } from '../../../shared/changes/read.ts'
import { field, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import {
  CHANGES_LIMIT,
  type ChangesQuery,
  changesQuery,
  changesSchema,
  parseChangeTypes,
} from '../../../shared/webhooks/changes.ts'
import type { Answer, Call } from '../../http/call.ts'
import { endpoint, resource } from '../../http/endpoint.ts'
import { ownerOf } from '../../overload/admission.ts'
import { type ChangesPage, findChanges, findChangesNow } from './changes-queries.ts'

// Routers of hosting providers cut a connection after 30 s without data.
const WAIT_MS_MAX = 28_000

export const changes = resource({ tag: 'Changes', ability: 'read' }, [
  endpoint({
    method: 'GET',
    path: '/changes',
    name: 'listChanges',
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
])

async function answerChanges(call: Call<unknown, ChangesQuery>): Promise<Answer> {
  const { query, services, baseUrl, signal } = call
  const { id, buildingIds } = call.token
  const { primary, admission, changePoller, now } = services
  const owner = ownerOf({ type: 'token', id })
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

const KEPT_MS = CHANGES_KEPT_DAYS * 24 * 3_600_000

export function encodeChangeCursor({ horizon, sequence, atMs }: ChangePosition): string {
  return Buffer.from([horizon, sequence, atMs].join('.')).toString('base64url')
}

export function decodeChangeCursor(cursor: string, nowMs: number): ChangePosition {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [horizon, sequence, atMs] = text.split('.').map(Number)
  if (!/^\d{1,15}\.\d{1,15}\.\d{1,15}$/.test(text))
    throw invalid({ after: [message`${field('after')} must be “next” of an answer.`] })
  if (Number(atMs) < nowMs - KEPT_MS) throw cursorExpired()
  return { horizon: Number(horizon), sequence: Number(sequence), atMs: Number(atMs) }
}

export function cursorExpired(): Refusal {
  return new Refusal(
    'cursor_expired',
    message`Changes are kept for ${CHANGES_KEPT_DAYS} days. Read the listings again, and start without after.`,
  )
}
