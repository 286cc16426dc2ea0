// Queries for bookables in the dashboard, without deleted ones.
import type pg from 'pg'
import { message } from '../../../../shared/messages/message.ts'
import { closingAt } from '../../../../shared/rules/rules-shape.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { versionSql } from '../../../../shared/schemas/versions.ts'
import { SHAPE_SQL, type Shape } from '../../../reads/map/map-layouts.ts'
import { searchPattern } from '../../../reads/rows/like-patterns.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { flag, number, orNull, text } from '../../../reads/rows/rows.ts'
import type { Slice } from '../../../reads/rows/slices.ts'
import { USER } from '../../pages/search/choices.ts'
import { CLOSED_NOW, type ClosedNow } from '../../pages/ui/bookables.ts'
import { type Order, orderSql } from '../../pages/ui/sorting.ts'

const BY_NAME = `ORDER BY ${naturalSql('bookables.name')}, bookables.id`

export const missingBookable = message`This desk or room does not exist, or it has been deleted.`

const SELECTED = {
  id: number('bookables.id'),
  name: text('bookables.name'),
  status: number('bookables.status'),
}
export type SelectedBookable = rows.RowOf<typeof SELECTED>

const POSITIONED = {
  id: number('bookables.id'),
  name: text('bookables.name'),
  type: number('bookables.type'),
  x: orNull(number('bookables.position_x')),
  y: orNull(number('bookables.position_y')),
  shape: rows.column<Shape | null>(SHAPE_SQL),
}
export type PositionedBookable = rows.RowOf<typeof POSITIONED>

const BOOKABLE = {
  ...POSITIONED,
  description: orNull(text('bookables.description')),
  status: number('bookables.status'),
  tags: rows.column<string[]>('bookables.tags'),
  capacity: orNull(number('bookables.capacity')),
  integrationEmail: orNull(text('bookables.integration_email')),
  requiresVehicle: flag('bookables.requires_vehicle'),
  zone: rows.PLACE.zone,
  closed: orNull(rows.column<ClosedNow>('closing.closed')),
  assignees: rows.list(
    USER,
    `bookable_assignees JOIN users ON users.id = bookable_assignees.user_id
     WHERE bookable_assignees.bookable_id = bookables.id`,
    'lower(users.name), users.id',
  ),
}
export type BookableRow = rows.RowOf<typeof BOOKABLE>

const LOCATED = {
  ...BOOKABLE,
  ...rows.PLACE,
  hasFloorPlan: flag('locations.floor_plan_type IS NOT NULL'),
  version: text(versionSql('bookables')),
  positionVersion: text(versionSql('positions')),
}
export type LocatedBookableRow = rows.RowOf<typeof LOCATED>

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

// Whether they are closed at the moment that this placeholder stands for.
const withClosing = (now: string) =>
  `bookables ${rows.JOIN_PLACES} CROSS JOIN LATERAL (${closingAt(`${now}::timestamptz`)}) AS closing`

const MATCHES = `${withClosing('$5')} WHERE bookables.location_id = $1 AND bookables.deleted_at IS NULL
  AND ($2::text IS NULL OR bookables.name ILIKE $2 OR bookables.description ILIKE $2
    OR EXISTS (SELECT FROM unnest(bookables.tags) AS tag WHERE tag ILIKE $2))
  AND ($3::int IS NULL OR bookables.type = $3)
  AND CASE $4::int WHEN ${CLOSED_NOW} THEN closing.closed IS NOT NULL ELSE coalesce(bookables.status = $4, true) END`

const valuesOf = ({ locationId, search, type, status }: BookableSearch, now: string) => [
  locationId,
  searchPattern(search),
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
  rows.selectSlice(reads, BOOKABLE, MATCHES, slice, {
    values: valuesOf(search, now),
    orderBy: orderSql(BOOKABLE_ORDERS, order, 'bookables.id'),
  })

export const findBookable = ({ reads, now }: ReadsAtTime, id: number) =>
  rows.selectRow(
    reads,
    LOCATED,
    `${withClosing('$2')} WHERE bookables.id = $1 AND bookables.deleted_at IS NULL`,
    [id, now],
  )

export const listMatching = ({ reads, now }: ReadsAtTime, search: BookableSearch, limit: number) =>
  rows.selectRows(reads, SELECTED, `${MATCHES} ${BY_NAME} LIMIT $6`, [...valuesOf(search, now), limit])

const PRESENT = 'bookables WHERE location_id = $1 AND deleted_at IS NULL'

export const listSelected = (reads: pg.Pool, locationId: number, ids: readonly number[]) =>
  rows.selectRows(reads, SELECTED, `${PRESENT} AND id = ANY($2::bigint[]) ${BY_NAME}`, [locationId, ids])

export const listPositions = (reads: pg.Pool, locationId: number) =>
  rows.selectRows(reads, POSITIONED, `${PRESENT} ${BY_NAME}`, [locationId])
