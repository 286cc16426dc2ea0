// Finds the people and bookables that forms offer, by a few words.

import type pg from 'pg'
import { naturalSql } from '../../../shared/schemas/natural-order.ts'
import { commonZone } from '../time/zones.ts'
import { SqlConditions } from './sql-conditions.ts'

export type UserChoice = { id: number; name: string; email: string; isActive: boolean }
export type BookableChoice = {
  id: number
  name: string
  type: number
  status: number
  requiresVehicle: boolean
  capacity: number | null
  isDeleted: boolean
  locationId: number
  location: string
  buildingId: number
  building: string
  zone: string
}
export type BuildingChoice = { id: number; name: string; zone: string }
export type VehicleChoice = { id: number; plate: string }

type BookableSearch = {
  type?: number | undefined
  building?: number | undefined
  location?: number | undefined
  tags?: string[]
  /** The ids to leave out. */
  without?: number[]
  limit?: number
}

/** Queries fetch one more than this, to know whether there are more. */
export const CHOICES_MAX = 10

const USERS = `SELECT users.id, users.name, users.email, users.deactivated_at IS NULL AS "isActive" FROM users`
const BOOKABLES = `
  SELECT bookables.id, bookables.name, bookables.type, bookables.status,
    bookables.requires_vehicle AS "requiresVehicle", bookables.capacity, bookables.deleted_at IS NOT NULL AS "isDeleted",
    locations.id AS "locationId", locations.name AS location, buildings.id AS "buildingId", buildings.name AS building,
    buildings.timezone AS zone
  FROM bookables
  JOIN locations ON locations.id = bookables.location_id
  JOIN buildings ON buildings.id = locations.building_id`

const IN_NATURAL_ORDER = [
  naturalSql('buildings.name'),
  naturalSql('locations.name'),
  naturalSql('bookables.name'),
  'bookables.id',
].join(', ')

export async function searchUsers(reads: pg.Pool, words: string): Promise<UserChoice[]> {
  const conditions = new SqlConditions()
  conditions.add('users.deactivated_at IS NULL')
  conditions.addSearch(words, ['users.name', 'users.email'])
  const { rows } = await reads.query<UserChoice>(
    `${USERS} WHERE ${conditions.sql} ORDER BY users.name, users.id LIMIT ${CHOICES_MAX + 1}`,
    conditions.values,
  )
  return rows
}

export async function findUsers(reads: pg.Pool, ids: number[]): Promise<UserChoice[]> {
  if (ids.length === 0) return []
  const { rows } = await reads.query<UserChoice>(
    `${USERS} WHERE users.id = ANY($1) ORDER BY users.name, users.id`,
    [ids],
  )
  return rows
}

/** Those whose whole name is among the words come first. */
export async function searchBookables(
  reads: pg.Pool,
  words: string,
  { type, building, location, tags = [], without = [], limit = CHOICES_MAX + 1 }: BookableSearch = {},
): Promise<BookableChoice[]> {
  const conditions = new SqlConditions()
  conditions.add('bookables.deleted_at IS NULL')
  if (type !== undefined) conditions.add(`bookables.type = ${conditions.bind(type)}`)
  if (building !== undefined) conditions.add(`buildings.id = ${conditions.bind(building)}`)
  if (location !== undefined) conditions.add(`locations.id = ${conditions.bind(location)}`)
  if (tags.length > 0) conditions.add(`bookables.tags @> ${conditions.bind(tags)}`)
  if (without.length > 0) conditions.add(`bookables.id <> ALL(${conditions.bind(without)})`)
  conditions.addSearch(words, ['bookables.name', 'locations.name', 'buildings.name'])
  const whole = conditions.bind(` ${words.toLowerCase().replace(/\s+/g, ' ')} `)
  const { rows } = await reads.query<BookableChoice>(
    `${BOOKABLES} WHERE ${conditions.sql}
     ORDER BY strpos(${whole}, ' ' || lower(bookables.name) || ' ') = 0, ${IN_NATURAL_ORDER}
     LIMIT ${limit}`,
    conditions.values,
  )
  return rows
}

export async function findBookables(reads: pg.Pool, ids: number[]): Promise<BookableChoice[]> {
  if (ids.length === 0) return []
  const { rows } = await reads.query<BookableChoice>(
    `${BOOKABLES} WHERE bookables.id = ANY($1) ORDER BY ${IN_NATURAL_ORDER}`,
    [ids],
  )
  return rows
}

export async function listBuildingChoices(reads: pg.Pool): Promise<BuildingChoice[]> {
  const { rows } = await reads.query<BuildingChoice>(
    `SELECT id, name, timezone AS zone FROM buildings ORDER BY ${naturalSql('name')}, id LIMIT 1000`,
  )
  return rows
}

/** For pages without a building: the zone that most buildings are in. */
export async function findCommonZone(reads: pg.Pool): Promise<string> {
  return commonZone(await listBuildingChoices(reads))
}

export async function listVehicles(reads: pg.Pool, userId: number): Promise<VehicleChoice[]> {
  const { rows } = await reads.query<VehicleChoice>(
    `SELECT id, license_plate AS plate FROM vehicles WHERE user_id = $1
     ORDER BY ${naturalSql('license_plate')}, id LIMIT 100`,
    [userId],
  )
  return rows
}
