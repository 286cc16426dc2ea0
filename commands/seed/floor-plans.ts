// Gives each seeded floor a drawn floor plan, and moves its desks, rooms and parking spots to their positions in the
// drawing.
import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { BOOKABLE_TYPES as TYPE } from '../../shared/bookables/bookables.ts'
import { drawFloor, type Place } from './draw-floor.ts'

// Larger companies get no floor plans, because the drawings would take longer than everything else.
const FLOORS_MAX = 200
const BOOKABLES_PER_FLOOR_MAX = 300
const PARKING_ON_GROUND_FLOOR_MAX = 40

type Floor = { id: number; nth: number; desks: number[]; rooms: number[]; parking: number[] }

export async function seedFloorPlans(
  database: Knex,
  { locations, bookables }: { locations: number; bookables: number },
): Promise<void> {
  if (locations > FLOORS_MAX || bookables > locations * BOOKABLES_PER_FLOOR_MAX) return
  await moveParkingToGroundFloor(database)
  const idsOfType = (type: number) =>
    `coalesce(array_agg(bookables.id::int ORDER BY seed_bookables.number) FILTER (WHERE bookables.type = ${type}), '{}')`
  const { rows } = await database.raw<{ rows: Floor[] }>(
    `SELECT bookables.location_id::int AS id, seed_locations.number::int AS nth, ${idsOfType(TYPE.desk)} AS desks,
       ${idsOfType(TYPE.meetingRoom)} AS rooms, ${idsOfType(TYPE.parkingSpot)} AS parking
     FROM bookables JOIN seed_bookables USING (id) JOIN seed_locations ON seed_locations.id = bookables.location_id
     GROUP BY bookables.location_id, seed_locations.number`,
  )
  for (const floor of rows) await seedFloorPlan(database, floor)
}

/** Moves parking spots to the ground floor of their building, because its plan shows the car park. */
async function moveParkingToGroundFloor(database: Knex): Promise<void> {
  await database.raw(
    `UPDATE bookables SET location_id = moved.ground_floor_id, name = 'P-' || lpad(moved.nth::text, 3, '0')
     FROM (
       SELECT seed_bookables.id, row_number() OVER in_building AS nth,
         first_value(seed_locations.id) OVER in_building AS ground_floor_id
       FROM seed_bookables JOIN seed_locations ON seed_locations.id = location_id
       WHERE type = ${TYPE.parkingSpot}
       WINDOW in_building AS (PARTITION BY building_id ORDER BY seed_locations.number, seed_bookables.number)
     ) AS moved
     WHERE bookables.id = moved.id AND moved.nth <= ${PARKING_ON_GROUND_FLOOR_MAX}`,
  )
}

async function seedFloorPlan(database: Knex, { id, nth, ...ids }: Floor): Promise<void> {
  const { desks, rooms, parking } = ids
  const drawn = drawFloor({ desks: desks.length, rooms: rooms.length, parking: parking.length }, nth)
  const floor_plan = Buffer.from(drawn.svg)
  await database('locations')
    .where({ id })
    .update({
      floor_plan,
      floor_plan_type: 'image/svg+xml',
      floor_plan_width: drawn.width,
      floor_plan_height: drawn.height,
      floor_plan_orientation: 1,
      floor_plan_sha256: createHash('sha256').update(floor_plan).digest(),
      cell_width: drawn.deskWidth,
    })
  const noSize = { width: null, height: null }
  // Only rooms have their own size. The size of desks and parking spots follows from `cell_width`.
  const placed = [
    ...placeAll(desks, drawn.desks).map((each) => ({ ...each, ...noSize })),
    ...placeAll(parking, drawn.parking).map((each) => ({ ...each, ...noSize })),
    ...placeAll(rooms, drawn.rooms),
  ]
  await database.raw(
    `UPDATE bookables SET position_x = x, position_y = y, position_width = width, position_height = height
     FROM json_to_recordset(?) AS placed (id bigint, x float8, y float8, width float8, height float8)
     WHERE bookables.id = placed.id`,
    [JSON.stringify(placed)],
  )
}

const placeAll = (ids: number[], places: Place[]) =>
  ids.flatMap((id, index) => {
    const place = places[index]
    return place ? [{ id, ...place }] : []
  })
