// Queries for a page of the change feed, and for the feed's current position: one statement each.

import { changeJson } from '../../../shared/changes/changes-shape.ts'
import { changesWithin } from '../../../shared/changes/limited.ts'
import {
  CHANGES_ORDER,
  type ChangePosition,
  SERVED_CHANGES,
  SERVED_UNTIL,
} from '../../../shared/changes/read.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import type { ChangeType } from '../../../shared/webhooks/changes.ts'
import type { Database } from '../../data/building-limits.ts'

export type ChangesPage = {
  /** The items of the list, as JSON. */
  items: string
  count: number
  next: ChangePosition
  /** More changes may follow at once. */
  isFull: boolean
}

type Row = {
  items: string
  count: number
  scanned: number
  last: ChangePosition | null
  end: ChangePosition
  boundary: number
  first: number
  now_ms: number
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
const LIMITED_PAGE = pageOf('false', `${changesWithin('scanned', '$7::bigint[]')} AND ${OF_TYPES}`)

type Asked = {
  after: ChangePosition
  types: ChangeType[] | undefined
  limit: number
  baseUrl: string
  /** The only buildings that exist for the caller; null means all. */
  buildingIds: number[] | null
}

/** Undefined if the position is from another cluster, such as from before a backup was restored. */
export async function findChanges(
  database: Database,
  { after, types, limit, baseUrl, buildingIds }: Asked,
): Promise<ChangesPage | undefined> {
  const { rows } = await database.query<Row>({
    ...(buildingIds === null
      ? { name: 'find-changes', text: PAGE }
      : { name: 'find-changes-in-buildings', text: LIMITED_PAGE }),
    values: [
      ...[after.horizon, after.sequence, after.atMs, types ?? null, limit, baseUrl],
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
export async function findChangesNow(database: Database): Promise<ChangePosition> {
  const { rows } = await database.query<{ boundary: number; now_ms: number }>({
    name: 'find-changes-now',
    text: `SELECT ${BOUNDARY}, ${NOW}`,
    values: [],
  })
  const { boundary, now_ms } = onlyRow(rows)
  return { horizon: boundary, sequence: 0, atMs: now_ms }
}
