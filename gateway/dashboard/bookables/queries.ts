// Queries for bookables in the dashboard, without deleted ones.
import type pg from 'pg'
import { message } from '../../../shared/messages/message.ts'
import { naturalSql } from '../../../shared/schemas/ordering.ts'
import { versionSql } from '../../../shared/schemas/versions.ts'
import { searchPattern } from '../../data/like-patterns.ts'
import type { Listed, Slice } from '../ui/paging.ts'
import { findRow, listRows, listSlice } from '../ui/rows.ts'
import { type Order, orderSql } from '../ui/sorting.ts'

export const missingBookable = message`This desk or room does not exist, or it has been deleted.`

export type Assignee = { id: number; name: string; email: string; isActive: boolean }

export type BookableRow = {
  id: number
  name: string
  description: string | null
  type: number
  status: number
  tags: string[]
  capacity: number | null
  integrationEmail: string | null
  requiresVehicle: boolean
  x: number | null
  y: number | null
  assignees: Assignee[]
}

export type LocatedBookableRow = BookableRow & {
  locationId: number
  location: string
  buildingId: number
  building: string
  /** The time zone of the building. */
  zone: string
  hasFloorPlan: boolean
  version: string
  positionVersion: string
}

export type BookableSearch = {
  locationId: number
  search?: string | undefined
  type?: number | undefined
  status?: number | undefined
}

const ASSIGNEES = `coalesce((
  SELECT json_agg(json_build_object('id', users.id, 'name', users.name, 'email', users.email,
    'isActive', users.deactivated_at IS NULL)
    ORDER BY lower(users.name), users.id)
  FROM bookable_assignees JOIN users ON users.id = bookable_assignees.user_id
  WHERE bookable_assignees.bookable_id = bookables.id
), '[]')`

const COLUMNS = `bookables.id, bookables.name, bookables.description, bookables.type, bookables.status,
  bookables.tags, bookables.capacity, bookables.integration_email AS "integrationEmail",
  bookables.requires_vehicle AS "requiresVehicle", bookables.position_x AS x, bookables.position_y AS y,
  ${ASSIGNEES} AS assignees`

const ORDERS = {
  name: naturalSql('bookables.name'),
  type: 'bookables.type',
  status: 'bookables.status',
  capacity: 'coalesce(bookables.capacity, -1)',
}
type BookableOrder = keyof typeof ORDERS
export const BOOKABLE_ORDERS = Object.keys(ORDERS) as BookableOrder[]

const MATCHES = `bookables WHERE location_id = $1 AND deleted_at IS NULL
  AND ($2::text IS NULL OR name ILIKE $2 OR description ILIKE $2
    OR EXISTS (SELECT FROM unnest(tags) AS tag WHERE tag ILIKE $2))
  AND ($3::int IS NULL OR type = $3) AND ($4::int IS NULL OR status = $4)`

const valuesOf = ({ locationId, search, type, status }: BookableSearch) => [
  locationId,
  searchPattern(search),
  type ?? null,
  status ?? null,
]

export function listBookables(
  reads: pg.Pool,
  search: BookableSearch,
  slice: Slice,
  order: Order<BookableOrder>,
): Promise<Listed<BookableRow>> {
  const orderBy = orderSql(ORDERS, order, 'bookables.id')
  return listSlice(reads, { columns: COLUMNS, from: MATCHES, values: valuesOf(search), orderBy }, slice)
}

export const findBookable = (reads: pg.Pool, id: number) =>
  findRow<LocatedBookableRow>(
    reads,
    `SELECT ${COLUMNS}, locations.id AS "locationId", locations.name AS location,
       locations.floor_plan_type IS NOT NULL AS "hasFloorPlan",
       buildings.id AS "buildingId", buildings.name AS building, buildings.timezone AS zone,
       ${versionSql('bookables')} AS version, ${versionSql('positions')} AS "positionVersion"
     FROM bookables JOIN locations ON locations.id = bookables.location_id
     JOIN buildings ON buildings.id = locations.building_id
     WHERE bookables.id = $1 AND bookables.deleted_at IS NULL`,
    [id],
  )

export type SelectedBookable = { id: number; name: string; status: number }

/** The bookables that match a search of the list. */
export const listMatching = (reads: pg.Pool, search: BookableSearch, limit: number) =>
  listRows<SelectedBookable>(
    reads,
    `SELECT id, name, status FROM ${MATCHES} ORDER BY ${naturalSql('name')}, id LIMIT $5`,
    [...valuesOf(search), limit],
  )

/** The given bookables that are in this location. */
export const listSelected = (reads: pg.Pool, locationId: number, ids: readonly number[]) =>
  listRows<SelectedBookable>(
    reads,
    `SELECT id, name, status FROM bookables
     WHERE location_id = $1 AND id = ANY($2::bigint[]) AND deleted_at IS NULL
     ORDER BY ${naturalSql('name')}, id`,
    [locationId, ids],
  )

export type PositionedBookable = Pick<BookableRow, 'id' | 'name' | 'type' | 'x' | 'y'>

export const listPositions = (reads: pg.Pool, locationId: number) =>
  listRows<PositionedBookable>(
    reads,
    `SELECT id, name, type, position_x AS x, position_y AS y FROM bookables
     WHERE location_id = $1 AND deleted_at IS NULL ORDER BY ${naturalSql('name')}, id`,
    [locationId],
  )

/** Active users by name or e-mail, except those that the bookable is already assigned to. */
export const searchAssignableUsers = (
  reads: pg.Pool,
  search: string,
  { without, limit }: { without: readonly number[]; limit: number },
) =>
  listRows<Assignee>(
    reads,
    `SELECT id, name, email, true AS "isActive" FROM users
     WHERE deactivated_at IS NULL AND (name ILIKE $1 OR email ILIKE $1) AND id <> ALL($2::bigint[])
     ORDER BY lower(name), id LIMIT $3`,
    [searchPattern(search), without, limit],
  )
