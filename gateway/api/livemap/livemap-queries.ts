// Queries for a location's picture: its floor plan, bookables and their current state, and the booked one.
import { claimsAt } from '../../../shared/affected-bookings/claims.ts'
import { flag, listJson, number, objectJson, selectJson, text } from '../../../shared/schemas/json.ts'
import type { Database } from '../../data/building-limits.ts'

export type MapBookable = {
  id: number
  name: string
  status: number
  occupied: boolean
  x: number | null
  y: number | null
}

export type LivemapFacts = {
  building: string
  location: string
  locationId: number
  bookableId: number
  bookables: MapBookable[]
}

/** What it takes to draw a floor plan, except the large picture: the hash tells whether that is cached. */
export type FloorPlan = { hash: string; type: string; width: number; height: number; orientation: number }

// Of deleted bookables, only the one with the past booking that is shown.
const bookables = selectJson(
  listJson(
    objectJson<MapBookable>({
      id: number('bookables.id'),
      name: text('bookables.name'),
      status: number('bookables.status'),
      occupied: flag(`EXISTS (${claimsAt('$2')})`),
      x: text('bookables.position_x'),
      y: text('bookables.position_y'),
    }),
    'bookables.id',
  ),
  `FROM bookables
   WHERE bookables.location_id = locations.id AND (bookables.deleted_at IS NULL OR bookables.id = booked.id)`,
)

export const livemap = {
  name: 'find-livemap',
  text: `
    SELECT buildings.name AS building, locations.name AS location, booked.id AS "bookableId",
      ${bookables} AS bookables,
      locations.id AS "locationId", encode(locations.floor_plan_sha256, 'hex') AS hash,
      locations.floor_plan_type AS type, locations.floor_plan_width AS width,
      locations.floor_plan_height AS height, locations.floor_plan_orientation AS orientation
    FROM bookings
    JOIN bookables AS booked ON booked.id = bookings.bookable_id
    JOIN locations ON locations.id = booked.location_id
    JOIN buildings ON buildings.id = locations.building_id
    WHERE bookings.id = $1 AND bookings.user_id IS NOT NULL`,
}

// Either all fields of the floor plan, or none.
type Row = Omit<LivemapFacts, 'bookables'> & { bookables: string } & (FloorPlan | { hash: null })

export async function findLivemap(
  pool: Database,
  bookingId: number,
  now: string,
): Promise<{ facts: LivemapFacts; floorPlan: FloorPlan | undefined } | undefined> {
  const { rows } = await pool.query<Row>({ ...livemap, values: [bookingId, now] })
  const [row] = rows
  if (!row) return undefined
  const facts = { ...row, bookables: JSON.parse(row.bookables) as MapBookable[] }
  return { facts, floorPlan: row.hash === null ? undefined : row }
}

// Postgres encodes the picture in base64: as a bytea it would be sent as hexadecimal digits.
const picture = {
  name: 'find-floor-plan-picture',
  text: `
    SELECT translate(encode(floor_plan, 'base64'), E'\\n', '') AS base64 FROM locations
    WHERE id = $1 AND floor_plan_sha256 = decode($2, 'hex')`,
}

/** The picture with this hash, in base64; undefined if the location has another one by now. */
export async function findFloorPlanPicture(
  pool: Database,
  locationId: number,
  hash: string,
): Promise<Buffer | undefined> {
  const { rows } = await pool.query<{ base64: string }>({ ...picture, values: [locationId, hash] })
  return rows[0] && Buffer.from(rows[0].base64, 'latin1')
}
