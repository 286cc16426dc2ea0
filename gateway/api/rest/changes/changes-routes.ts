// The API endpoint of the change feed. A client cannot interpret its position in the feed, and a position
// expires with the rows that follow it.
import { changeJson } from '../../../../shared/changes/changes-shape.ts'
import { changesInBuildingsSql } from '../../../../shared/changes/limited-changes.ts'
import {
  CHANGES_KEPT_DAYS,
  type ChangePosition,
  OUTBOX_ORDER,
  SERVED_CHANGES_SQL,
  SERVED_HORIZON_SQL,
} from '../../../../shared/changes/read.ts'
import { getOnlyRow } from '../../../../shared/database/database.ts'
import { fieldName, message } from '../../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../../shared/messages/refusal.ts'
import {
  CHANGES_LIMIT_DEFAULT,
  type ChangesQuery,
  type ChangeType,
  changesQuery,
  changesSchema,
  parseChangeTypes,
} from '../../../../shared/webhooks/changes.ts'
import { findQuotaOwner } from '../../../overload/admission.ts'
import type { LimitedDatabase } from '../../../reads/limits/building-limits.ts'
import type { Answer, Call } from '../../../server/http/call.ts'
import { declareEndpoint, declareResourceEndpoints } from '../../../server/http/endpoint.ts'
import { createInvalidTokenRefusal } from '../../../server/http/middleware/authenticate.ts'

type ChangesRow = Record<'count' | 'scanned' | 'boundary' | 'first' | 'now_ms', number> & {
  items: string
  last: ChangePosition | null
  end: ChangePosition
}

// How many changes are scanned for the requested types. The next page continues after these changes.
const SCANNED_CHANGES_MAX = 10_000

const positionCondition = (row: string) =>
  `json_build_object('horizon', ${row}.horizon, 'sequence', ${row}.sequence,
    'atMs', floor(extract(epoch FROM ${row}.at) * 1000)::bigint)`

const BOUNDARY_COLUMN = `${SERVED_HORIZON_SQL} AS boundary`
const FIRST_COLUMN = '(SELECT first_horizon FROM identity) AS first'
const NOW_COLUMN = 'floor(extract(epoch FROM now()) * 1000)::bigint AS now_ms'

// Selects a page of changes. After a page that is not full, no new change can appear before the position that the page
// returns. `chosen` selects the requested rows of the page; `all` says whether these are all rows.
const selectPage = (all: string, chosen: string) => `
  WITH scanned AS MATERIALIZED (
    SELECT * ${SERVED_CHANGES_SQL} ORDER BY ${OUTBOX_ORDER}
    LIMIT CASE WHEN ${all} THEN $5::int ELSE ${SCANNED_CHANGES_MAX} END
  ), changes AS MATERIALIZED (
    ${chosen} ORDER BY ${OUTBOX_ORDER} LIMIT $5::int
  )
  SELECT coalesce((SELECT string_agg(${changeJson('$6')}, ',' ORDER BY ${OUTBOX_ORDER}) FROM changes), '') AS items,
    (SELECT count(*)::int FROM changes) AS count, (SELECT count(*)::int FROM scanned) AS scanned,
    (SELECT ${positionCondition('changes')} FROM changes ORDER BY horizon DESC, sequence DESC LIMIT 1) AS last,
    (SELECT ${positionCondition('scanned')} FROM scanned ORDER BY horizon DESC, sequence DESC LIMIT 1) AS end,
    ${BOUNDARY_COLUMN}, ${FIRST_COLUMN}, ${NOW_COLUMN}`

const IS_OF_TYPES_SQL = '($4::text[] IS NULL OR type = ANY ($4::text[]))'
const SELECT_PAGE = selectPage('$4::text[] IS NULL', `SELECT * FROM scanned WHERE ${IS_OF_TYPES_SQL}`)
const SELECT_LIMITED_PAGE = selectPage(
  'false',
  `${changesInBuildingsSql('scanned', '$7::bigint[]')} AND ${IS_OF_TYPES_SQL}`,
)

type ChangesRequest = {
  after: ChangePosition
  types: ChangeType[] | undefined
  limit: number
  baseUrl: string
  buildingIds: number[] | null
}

/**
 * Returns undefined if the client's position is from another database cluster, for example from before a backup was
 * restored.
 */
export async function findChanges(
  database: LimitedDatabase,
  { after, types, limit, baseUrl, buildingIds }: ChangesRequest,
) {
  const { rows } = await database.query<ChangesRow>({
    ...(buildingIds === null
      ? { name: 'find-changes', text: SELECT_PAGE }
      : { name: 'find-changes-in-buildings', text: SELECT_LIMITED_PAGE }),
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
  const { items, count, scanned, last, end, boundary, first, now_ms } = getOnlyRow(rows)
  if (after.horizon < first || boundary < after.horizon) return undefined
  if (last && count === limit) return { items, count, next: last, isFull: true }
  if ((types || buildingIds) && scanned === SCANNED_CHANGES_MAX)
    return { items, count, next: end, isFull: true }
  return { items, count, next: { horizon: boundary, sequence: 0, atMs: now_ms }, isFull: false }
}

/** Returns the current position. Every change that is committed before this statement precedes it. */
async function findCurrentPosition(database: LimitedDatabase): Promise<ChangePosition> {
  const text = `SELECT ${BOUNDARY_COLUMN}, ${NOW_COLUMN}`
  const { rows } = await database.query<ChangesRow>({ name: 'find-changes-now', text, values: [] })
  const { boundary, now_ms } = getOnlyRow(rows)
  return { horizon: boundary, sequence: 0, atMs: now_ms }
}

// The maximum wait for a change. Routers of hosting providers close a connection after 30 s without data.
const CHANGE_WAIT_MS_MAX = 28_000

export const changeEndpoints = declareResourceEndpoints({ tag: 'Changes', ability: 'read' })({
  listChanges: declareEndpoint('GET /changes', {
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
  const { id } = call.token
  const { primary, admission, changePoller, now, tokens } = services
  const owner = findQuotaOwner({ type: 'token', id })
  if (query.after === undefined)
    return toChangesAnswer('', await admission.reads.admit(owner, () => findCurrentPosition(primary)))
  const types = query.types === undefined ? undefined : parseChangeTypes(query.types)
  const limit = query.limit ?? CHANGES_LIMIT_DEFAULT
  const untilMs = performance.now() + Math.min((query.wait ?? 0) * 1_000, CHANGE_WAIT_MS_MAX)
  let after = decodeChangeCursor(query.after, now())
  let { buildingIds } = call.token
  for (;;) {
    const asked = { after, types, limit, baseUrl, buildingIds }
    const page = await admission.reads.admit(owner, () => findChanges(primary, asked))
    if (!page) throw createCursorExpiredRefusal()
    const { items, count, next, isFull } = page
    const waitMs = untilMs - performance.now()
    if (count > 0 || isFull || waitMs <= 0 || signal.aborted || services.isStopping)
      return toChangesAnswer(items, next)
    after = next
    await changePoller.wait(after, waitMs, signal)
    // An administrator may have revoked or limited the token in the meantime.
    const token = await tokens.findById(id)
    if (!token) throw createInvalidTokenRefusal()
    buildingIds = token.buildingIds
  }
}

function toChangesAnswer(items: string, { horizon, sequence, atMs }: ChangePosition): Answer {
  const next = Buffer.from([horizon, sequence, atMs].join('.')).toString('base64url')
  return { status: 200, body: `{"data":[${items}],"next":"${next}"}` }
}

const CHANGES_KEPT_MS = CHANGES_KEPT_DAYS * 24 * 3_600_000

function decodeChangeCursor(cursor: string, nowMs: number): ChangePosition {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [horizon, sequence, atMs] = text.split('.').map(Number)
  if (!/^\d{1,15}\.\d{1,15}\.\d{1,15}$/.test(text))
    throw invalidFields({ after: [message`${fieldName('after')} must be the “next” value of an answer.`] })
  if (Number(atMs) < nowMs - CHANGES_KEPT_MS) throw createCursorExpiredRefusal()
  return { horizon: Number(horizon), sequence: Number(sequence), atMs: Number(atMs) }
}

function createCursorExpiredRefusal(): Refusal {
  return new Refusal(
    'cursor_expired',
    message`Changes are kept for ${CHANGES_KEPT_DAYS} days, so this “after” is too old. Read the listings again, then read the changes without “after”.`,
  )
}
