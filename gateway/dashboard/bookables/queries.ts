// Queries for bookables in the dashboard, without deleted ones.

import type pg from 'pg'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { naturalSql } from '../../../shared/schemas/natural-order.ts'
import { versionSql } from '../../../shared/schemas/versions.ts'
import { searchPattern } from '../../data/like-patterns.ts'
import { type Listed, type Slice, toListed, totalSql } from '../ui/paging.ts'
import { type Order, orderSql } from '../ui/sorting.ts'

export const missingBookable = message`This desk or room does not exist, or it has been deleted.`

export type UserName = { id: number; name: string; email: string }
export type Assignee = UserName & { isActive: boolean }

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

type BookableOrder = 'name' | 'type' | 'status' | 'capacity'

const ORDERS: Record<BookableOrder, string> = {
  name: naturalSql('bookables.name'),
  type: 'bookables.type',
  status: 'bookables.status',
  capacity: 'coalesce(bookables.capacity, -1)',
}
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

export async function listBookables(
  reads: pg.Pool,
  search: BookableSearch,
  { offset, limit }: Slice,
  order: Order<BookableOrder>,
): Promise<Listed<BookableRow>> {
  const { rows } = await reads.query<BookableRow & { total: number }>(
    `SELECT ${COLUMNS}, ${totalSql(MATCHES)} AS total FROM ${MATCHES}
     ORDER BY ${orderSql(ORDERS, order, 'bookables.id')} LIMIT $5 OFFSET $6`,
    [...valuesOf(search), limit, offset],
  )
  return toListed(rows)
}

async function findBookable(reads: pg.Pool, id: number): Promise<LocatedBookableRow | undefined> {
  const { rows } = await reads.query<LocatedBookableRow>(
    `SELECT ${COLUMNS}, locations.id AS "locationId", locations.name AS location,
       locations.floor_plan_type IS NOT NULL AS "hasFloorPlan",
       buildings.id AS "buildingId", buildings.name AS building, buildings.timezone AS zone,
       ${versionSql('bookables')} AS version, ${versionSql('positions')} AS "positionVersion"
     FROM bookables JOIN locations ON locations.id = bookables.location_id
     JOIN buildings ON buildings.id = locations.building_id
     WHERE bookables.id = $1 AND bookables.deleted_at IS NULL`,
    [id],
  )
  return rows[0]
}

export async function requireBookable(reads: pg.Pool, id: number): Promise<LocatedBookableRow> {
  const bookable = await findBookable(reads, id)
  if (!bookable) throw new Refusal('not_found', missingBookable)
  return bookable
}

export type SelectedBookable = { id: number; name: string; status: number }

/** The bookables that match a search of the list. */
export async function listMatching(
  reads: pg.Pool,
  search: BookableSearch,
  limit: number,
): Promise<SelectedBookable[]> {
  const { rows } = await reads.query<SelectedBookable>(
    `SELECT id, name, status FROM ${MATCHES} ORDER BY ${naturalSql('name')}, id LIMIT $5`,
    [...valuesOf(search), limit],
  )
  return rows
}

/** The given bookables that are in this location. */
export async function listSelected(
  reads: pg.Pool,
  locationId: number,
  ids: readonly number[],
): Promise<SelectedBookable[]> {
  const { rows } = await reads.query<SelectedBookable>(
    `SELECT id, name, status FROM bookables
     WHERE location_id = $1 AND id = ANY($2::bigint[]) AND deleted_at IS NULL
     ORDER BY ${naturalSql('name')}, id`,
    [locationId, ids],
  )
  return rows
}

export type PositionedBookable = {
  id: number
  name: string
  type: number
  x: number | null
  y: number | null
}

export async function listPositions(reads: pg.Pool, locationId: number): Promise<PositionedBookable[]> {
  const { rows } = await reads.query<PositionedBookable>(
    `SELECT id, name, type, position_x AS x, position_y AS y FROM bookables
     WHERE location_id = $1 AND deleted_at IS NULL ORDER BY ${naturalSql('name')}, id`,
    [locationId],
  )
  return rows
}

/** Active users by name or e-mail, except those that the bookable is already assigned to. */
export async function searchAssignableUsers(
  reads: pg.Pool,
  { search, without, limit }: { search: string; without: readonly number[]; limit: number },
): Promise<UserName[]> {
  const { rows } = await reads.query<UserName>(
    `SELECT id, name, email FROM users
     WHERE deactivated_at IS NULL AND (name ILIKE $1 OR email ILIKE $1) AND id <> ALL($2::bigint[])
     ORDER BY lower(name), id LIMIT $3`,
    [searchPattern(search), without, limit],
  )
  return rows
}
