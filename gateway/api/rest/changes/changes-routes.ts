// The change feed over HTTP. A client's position in it is opaque to clients, and expires with the rows after
// it.
import { changeJson } from '../../../../shared/changes/changes-shape.ts'
import { changesInBuildings } from '../../../../shared/changes/limited.ts'
import {
  CHANGES_KEPT_DAYS,
  CHANGES_ORDER,
  type ChangePosition,
  SERVED_CHANGES,
  SERVED_UNTIL,
} from '../../../../shared/changes/read.ts'
import { onlyRow } from '../../../../shared/database/database.ts'
import { field, message } from '../../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../../shared/messages/refusal.ts'
import {
  CHANGES_LIMIT,
  type ChangesQuery,
  type ChangeType,
  changesQuery,
  changesSchema,
  parseChangeTypes,
} from '../../../../shared/webhooks/changes.ts'
import { ownerOf } from '../../../overload/admission.ts'
import type { Database } from '../../../reads/limits/building-limits.ts'
import type { Answer, Call } from '../../../server/http/call.ts'
import { endpoint, resource } from '../../../server/http/endpoint.ts'

type Row = Record<'count' | 'scanned' | 'boundary' | 'first' | 'now_ms', number> & {
  items: string
  last: ChangePosition | null
  end: ChangePosition
}

// How many changes are scanned for those of the requested types; the next page continues after them.
const SCANNED_MAX = 10_000

const position = (row: string) =>
  `json_build_object('horizon', ${row}.horizon, 'sequence', ${row}.sequence,
    'atMs', floor(extract(epoch FROM ${row}.at) * 1000)::bigint)`

const BOUNDARY = `${SERVED_UNTIL} AS boundary`
const FIRST = '(SELECT first_horizon FROM identity) AS first'
const NOW = 'floor(extract(epoch FROM now()) * 1000)::bigint AS now_ms'

// After a page that is not full, nothing can appear before the position that follows it. `chosen` selects the
// requested rows of the page; `all` says whether these are all rows.
const pageOf = (all: string, chosen: string) => `
  WITH scanned AS MATERIALIZED (
    SELECT * ${SERVED_CHANGES} ORDER BY ${CHANGES_ORDER}
    LIMIT CASE WHEN ${all} THEN $5::int ELSE ${SCANNED_MAX} END
  ), changes AS MATERIALIZED (
    ${chosen} ORDER BY ${CHANGES_ORDER} LIMIT $5::int
  )
  SELECT coalesce((SELECT string_agg(${changeJson('$6')}, ',' ORDER BY ${CHANGES_ORDER}) FROM changes), '') AS items,
    (SELECT count(*)::int FROM changes) AS count, (SELECT count(*)::int FROM scanned) AS scanned,
    (SELECT ${position('changes')} FROM changes ORDER BY horizon DESC, sequence DESC LIMIT 1) AS last,
    (SELECT ${position('scanned')} FROM scanned ORDER BY horizon DESC, sequence DESC LIMIT 1) AS end,
    ${BOUNDARY}, ${FIRST}, ${NOW}`

const OF_TYPES = '($4::text[] IS NULL OR type = ANY ($4::text[]))'
const PAGE = pageOf('$4::text[] IS NULL', `SELECT * FROM scanned WHERE ${OF_TYPES}`)
const LIMITED_PAGE = pageOf('false', `${changesInBuildings('scanned', '$7::bigint[]')} AND ${OF_TYPES}`)

type Asked = {
  after: ChangePosition
  types: ChangeType[] | undefined
  limit: number
  baseUrl: string
  buildingIds: number[] | null
}

/** Undefined if the position is from another cluster, such as from before a backup was restored. */
export async function findChanges(database: Database, { after, types, limit, baseUrl, buildingIds }: Asked) {
  const { rows } = await database.query<Row>({
    ...(buildingIds === null
      ? { name: 'find-changes', text: PAGE }
      : { name: 'find-changes-in-buildings', text: LIMITED_PAGE }),
    values: [
      after.horizon,
      after.sequence,
      after.atMs,
      types ?? null,
      limit,
      baseUrl,
      ...(buildingIds === null ? [] : [buildingIds]),
    ],
  })
  const { items, count, scanned, last, end, boundary, first, now_ms } = onlyRow(rows)
  if (after.horizon < first || boundary < after.horizon) return undefined
  if (last && count === limit) return { items, count, next: last, isFull: true }
  if ((types || buildingIds) && scanned === SCANNED_MAX) return { items, count, next: end, isFull: true }
  return { items, count, next: { horizon: boundary, sequence: 0, atMs: now_ms }, isFull: false }
}

/** Everything committed before is before this position. */
async function findChangesNow(database: Database): Promise<ChangePosition> {
  const text = `SELECT ${BOUNDARY}, ${NOW}`
  const { rows } = await database.query<Row>({ name: 'find-changes-now', text, values: [] })
  const { boundary, now_ms } = onlyRow(rows)
  return { horizon: boundary, sequence: 0, atMs: now_ms }
}

// Routers of hosting providers cut a connection after 30 s without data.
const WAIT_MS_MAX = 28_000

export const changes = resource({ tag: 'Changes', ability: 'read' })({
  listChanges: endpoint('GET /changes', {
    summary: 'Follow changes',
    description:
      'Returns all changes of bookings, events, bookables, locations, buildings, users and groups in order. Changes are kept for 30 days. ' +
      'Pass “next” as “after” to continue, even if “data” is empty.',
    query: changesQuery,
    answer: { status: 200, schema: changesSchema },
    refusals: ['cursor_expired'],
    withoutHead: true,
    handle: answerChanges,
  }),
})

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

function answer(items: string, { horizon, sequence, atMs }: ChangePosition): Answer {
  const next = Buffer.from([horizon, sequence, atMs].join('.')).toString('base64url')
  return { status: 200, body: `{"data":[${items}],"next":"${next}"}` }
}

const KEPT_MS = CHANGES_KEPT_DAYS * 24 * 3_600_000

function decodeChangeCursor(cursor: string, nowMs: number): ChangePosition {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [horizon, sequence, atMs] = text.split('.').map(Number)
  if (!/^\d{1,15}\.\d{1,15}\.\d{1,15}$/.test(text))
    throw invalid({ after: [message`${field('after')} must be “next” of an answer.`] })
  if (Number(atMs) < nowMs - KEPT_MS) throw cursorExpired()
  return { horizon: Number(horizon), sequence: Number(sequence), atMs: Number(atMs) }
}

function cursorExpired(): Refusal {
  return new Refusal(
    'cursor_expired',
    message`Changes are kept for ${CHANGES_KEPT_DAYS} days. Read the listings again, and start without after.`,
  )
}
