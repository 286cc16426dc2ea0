// Queries for bookables in the dashboard. Deleted bookables are excluded.
import type pg from 'pg'
import { lentUntilSql } from '../../../../shared/loans/loans-shape.ts'
import { message } from '../../../../shared/messages/message.ts'
import { closingAtSql } from '../../../../shared/rules/rules-shape.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { versionSql } from '../../../../shared/schemas/versions.ts'
import { BOOKABLE_SHAPE_SQL, type BookableShape } from '../../../reads/map/map-layouts.ts'
import { toSearchPattern } from '../../../reads/rows/like-patterns.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { flagColumn, nullableColumn, numberColumn, textColumn } from '../../../reads/rows/rows.ts'
import type { Slice } from '../../../reads/rows/slices.ts'
import { USER_CHOICE_COLUMNS } from '../../pages/search/choices.ts'
import { CLOSED_NOW_FILTER, type ClosedNow } from '../../pages/ui/bookables.ts'
import { type Order, orderSql } from '../../pages/ui/sorting.ts'

const ORDER_BY_NAME = `ORDER BY ${naturalSql('bookables.name')}, bookables.id`

export const missingBookable = message`This desk or room does not exist, or it has been deleted.`

const SELECTED_COLUMNS = {
  id: numberColumn('bookables.id'),
  name: textColumn('bookables.name'),
  status: numberColumn('bookables.status'),
}
export type SelectedBookable = rows.RowOf<typeof SELECTED_COLUMNS>

const POSITIONED_COLUMNS = {
  id: numberColumn('bookables.id'),
  name: textColumn('bookables.name'),
  type: numberColumn('bookables.type'),
  x: nullableColumn(numberColumn('bookables.position_x')),
  y: nullableColumn(numberColumn('bookables.position_y')),
  shape: rows.column<BookableShape | null>(BOOKABLE_SHAPE_SQL),
}
export type PositionedBookable = rows.RowOf<typeof POSITIONED_COLUMNS>

const BOOKABLE_COLUMNS = {
  ...POSITIONED_COLUMNS,
  description: nullableColumn(textColumn('bookables.description')),
  status: numberColumn('bookables.status'),
  /** The last day for which the owner lends the bookable. */
  lentUntil: nullableColumn(textColumn(lentUntilSql('moment.now'))),
  tags: rows.column<string[]>('bookables.tags'),
  capacity: nullableColumn(numberColumn('bookables.capacity')),
  integrationEmail: nullableColumn(textColumn('bookables.integration_email')),
  requiresVehicle: flagColumn('bookables.requires_vehicle'),
  zone: rows.PLACE_COLUMNS.zone,
  closed: nullableColumn(rows.column<ClosedNow>('closing.closed')),
  assignees: rows.listColumn(
    USER_CHOICE_COLUMNS,
    `bookable_assignees JOIN users ON users.id = bookable_assignees.user_id
     WHERE bookable_assignees.bookable_id = bookables.id`,
    'lower(users.name), users.id',
  ),
}
export type BookableRow = rows.RowOf<typeof BOOKABLE_COLUMNS>

const LOCATED_COLUMNS = {
  ...BOOKABLE_COLUMNS,
  ...rows.PLACE_COLUMNS,
  hasFloorPlan: flagColumn('locations.floor_plan_type IS NOT NULL'),
  version: textColumn(versionSql('bookables')),
  positionVersion: textColumn(versionSql('positions')),
}
export type LocatedBookableRow = rows.RowOf<typeof LOCATED_COLUMNS>

export type BookableSearch = {
  locationId: number
  search?: string | undefined
  type?: number | undefined
  status?: number | undefined
}

export const BOOKABLE_ORDERS = {
  name: naturalSql('bookables.name'),
  type: 'bookables.type',
  status: 'bookables.status',
  capacity: 'coalesce(bookables.capacity, -1)',
}

// SQL that tells whether bookables are closed or lent at the time `now`, which is a placeholder.
const joinClosing = (now: string) =>
  `bookables ${rows.JOIN_PLACES} CROSS JOIN LATERAL (SELECT ${now}::timestamptz AS now) AS moment
   CROSS JOIN LATERAL (${closingAtSql('moment.now')}) AS closing`

const MATCHING_BOOKABLES_SQL = `${joinClosing('$5')} WHERE bookables.location_id = $1 AND bookables.deleted_at IS NULL
  AND ($2::text IS NULL OR bookables.name ILIKE $2 OR bookables.description ILIKE $2
    OR EXISTS (SELECT FROM unnest(bookables.tags) AS tag WHERE tag ILIKE $2))
  AND ($3::int IS NULL OR bookables.type = $3)
  AND CASE $4::int WHEN ${CLOSED_NOW_FILTER} THEN closing.closed IS NOT NULL ELSE coalesce(bookables.status = $4, true) END`

const toSearchValues = ({ locationId, search, type, status }: BookableSearch, now: string) => [
  locationId,
  toSearchPattern(search),
  type ?? null,
  status ?? null,
  now,
]

type ReadsAtTime = { reads: pg.Pool; now: string }

export const listBookables = (
  { reads, now }: ReadsAtTime,
  search: BookableSearch,
  slice: Slice,
  order: Order<keyof typeof BOOKABLE_ORDERS>,
) =>
  rows.selectSlice(reads, BOOKABLE_COLUMNS, MATCHING_BOOKABLES_SQL, slice, {
    values: toSearchValues(search, now),
    orderBy: orderSql(BOOKABLE_ORDERS, order, 'bookables.id'),
  })

export const findBookable = ({ reads, now }: ReadsAtTime, id: number) =>
  rows.selectRow(
    reads,
    LOCATED_COLUMNS,
    `${joinClosing('$2')} WHERE bookables.id = $1 AND bookables.deleted_at IS NULL`,
    [id, now],
  )

export const listMatchingBookables = ({ reads, now }: ReadsAtTime, search: BookableSearch, limit: number) =>
  rows.selectRows(reads, SELECTED_COLUMNS, `${MATCHING_BOOKABLES_SQL} ${ORDER_BY_NAME} LIMIT $6`, [
    ...toSearchValues(search, now),
    limit,
  ])

const EXISTING_BOOKABLES_SQL = 'bookables WHERE location_id = $1 AND deleted_at IS NULL'

export const listSelectedBookables = (reads: pg.Pool, locationId: number, ids: readonly number[]) =>
  rows.selectRows(
    reads,
    SELECTED_COLUMNS,
    `${EXISTING_BOOKABLES_SQL} AND id = ANY($2::bigint[]) ${ORDER_BY_NAME}`,
    [locationId, ids],
  )

export const listPositions = (reads: pg.Pool, locationId: number) =>
  rows.selectRows(reads, POSITIONED_COLUMNS, `${EXISTING_BOOKABLES_SQL} ${ORDER_BY_NAME}`, [locationId])
