// Seeds buildings, their locations and bookables. Bookables are laid out on a grid, location by location, desks first.
// The very first desk is always flexible, and is free from the current week on.
import type { Knex } from 'knex'
import { BOOKABLE_STATUSES as STATUS, BOOKABLE_TYPES as TYPE } from '../../shared/bookables/bookables.ts'
import { insertRows, listElementSql, randomElementSql, randomNumberSql } from './sql.ts'
import { buildingNames, roomNames, sites, TAGS_BY_TYPE } from './vocabulary.ts'

export async function seedBuildings(database: Knex, buildings: number): Promise<void> {
  const site = (field: 'city' | 'timezone') =>
    listElementSql(
      sites.map((each) => each[field]),
      `nth % ${sites.length}`,
    )
  const street = listElementSql(
    sites.flatMap((each) => each.streets),
    `nth % ${sites.length} * 2 + ${randomNumberSql('number', 'street', 2)}`,
  )
  const names = buildingNames.length
  // `nth` continues after the existing rows, so that seeding again does not repeat the names of buildings.
  await insertRows(
    database,
    'buildings',
    'name, address, timezone',
    `SELECT number, ${site('city')} AS city, ${site('timezone')} AS timezone,
       ${listElementSql(buildingNames, `nth % ${names}`)} || CASE WHEN nth < ${names} THEN '' ELSE ' ' || nth / ${names} + 1 END AS name,
       ${randomNumberSql('number', 'house', 90)} + 1 || ' ' || ${street} || ', ' || ${site('city')} AS address
     FROM generate_series(0, ${buildings} - 1) AS number,
       LATERAL (SELECT number + (SELECT count(*) FROM buildings) AS nth) AS numbered
     ORDER BY number`,
  )
}

export async function seedLocations(database: Knex, buildings: number, locations: number): Promise<void> {
  await insertRows(
    database,
    'locations',
    'building_id, name, code',
    `SELECT floors.number, floor, city, timezone, seed_buildings.id AS building_id,
       CASE floor WHEN 0 THEN 'Ground floor' ELSE to_char(floor, 'FM999999th') || ' floor' END AS name,
       upper(left(city, 3)) || seed_buildings.id || '-' || floor AS code
     FROM (
       SELECT number, building, row_number() OVER (PARTITION BY building ORDER BY number) - 1 AS floor
       FROM generate_series(0, ${locations} - 1) AS number,
         LATERAL (SELECT number::bigint * ${buildings} / ${locations} AS building) AS spread
     ) AS floors JOIN seed_buildings ON seed_buildings.number = building
     ORDER BY number`,
  )
}

type PlaceCounts = { locations: number; bookables: number; users: number }

/**
 * Creates bookables. Every third assigned bookable has two assignees, the others have one. The first assignee books
 * the bookable.
 */
export async function seedBookables(
  database: Knex,
  { locations, bookables, users }: PlaceCounts,
): Promise<void> {
  await insertRows(
    database,
    'bookables',
    `location_id, name, description, type, status, tags, capacity, integration_email, requires_vehicle, position_x,
     position_y, created_at`,
    `SELECT typed.number, type, status, timezone, seed_locations.id AS location_id, seed_users.id AS assignee_user_id,
       ${nameSql} AS name, ${tagsSql} AS tags,
       CASE WHEN ${randomNumberSql('typed.number', 'described', 12)} = 0 THEN 'Please leave it as you found it.' END AS description,
       CASE WHEN type = ${TYPE.meetingRoom} THEN 4 + 2 * ${randomNumberSql('typed.number', 'capacity', 9)} END AS capacity,
       CASE WHEN type = ${TYPE.meetingRoom}
         THEN 'room-' || lower(code) || '-' || nth || '@rooms.harbour.example' END AS integration_email,
       type = ${TYPE.parkingSpot} AND ${randomNumberSql('typed.number', 'vehicle', 5)} > 0 AS requires_vehicle,
       CASE WHEN type < ${TYPE.homeOffice} THEN (ordinal % wide + 0.5) / wide END AS position_x,
       CASE WHEN type < ${TYPE.homeOffice} THEN (ordinal / wide + 0.5) / wide END AS position_y,
       -- NULL, because their bookings begin weeks ago. Daily figures count them from the first day of their floor.
       NULL::timestamptz AS created_at
     FROM (
       SELECT *, row_number() OVER (PARTITION BY location, type ORDER BY number) AS nth, ${statusSql} AS status,
         ceil(sqrt(total))::int AS wide
       FROM (SELECT *, ${typeSql} AS type FROM (
         SELECT *, row_number() OVER (PARTITION BY location ORDER BY number) - 1 AS ordinal,
           count(*) OVER (PARTITION BY location) AS total
         FROM generate_series(0, ${bookables} - 1) AS number,
           LATERAL (SELECT number::bigint * ${locations} / ${bookables} AS location) AS spread
       ) AS ordered) AS numbered
     ) AS typed
     JOIN seed_locations ON seed_locations.number = location
     LEFT JOIN seed_users
       ON status = ${STATUS.assigned} AND seed_users.number = ${randomNumberSql('typed.number', 'assignee', users)}
     ORDER BY number`,
  )
  await database.raw(
    `INSERT INTO bookable_assignees (bookable_id, user_id)
     SELECT id, assignee_user_id FROM seed_bookables WHERE assignee_user_id IS NOT NULL
     UNION
     SELECT seed_bookables.id, seed_users.id FROM seed_bookables
     JOIN seed_users ON seed_users.number = ${randomNumberSql('seed_bookables.number', 'second assignee', users)}
     WHERE assignee_user_id IS NOT NULL AND seed_bookables.number % 3 = 0`,
  )
}

// Of 100 bookables of a location, 75 are desks, 11 parking spots, 9 meeting rooms and 5 home offices.
const typeSql = `CASE WHEN ordinal * 100 / total < 75 THEN ${TYPE.desk}
  WHEN ordinal * 100 / total < 86 THEN ${TYPE.parkingSpot}
  WHEN ordinal * 100 / total < 95 THEN ${TYPE.meetingRoom} ELSE ${TYPE.homeOffice} END`

const statusSql = `CASE WHEN ordinal = 0 THEN ${STATUS.flexible}
  WHEN type < ${TYPE.meetingRoom} AND ${randomNumberSql('number', 'assigned', 25)} = 0 THEN ${STATUS.assigned}
  WHEN ${randomNumberSql('number', 'blocked', 50)} = 0 THEN ${STATUS.blocked} ELSE ${STATUS.flexible} END`

const nameSql = `CASE type
  WHEN ${TYPE.desk} THEN 'Desk ' || floor || '.' || nth
  WHEN ${TYPE.parkingSpot} THEN 'P-' || lpad(nth::text, greatest(3, length(nth::text)), '0')
  WHEN ${TYPE.meetingRoom} THEN ${listElementSql(roomNames, `(nth - 1 + location * 7) % ${roomNames.length}`)}
    || CASE WHEN nth <= ${roomNames.length} THEN '' ELSE ' ' || nth END
  ELSE 'Home office ' || city || ' ' || nth END`

/** SQL for the tags of a bookable: none, or one or two that suit its type. */
const tagsSql = `CASE ${randomNumberSql('typed.number', 'tags', 3)} WHEN 0 THEN '{}'::text[] ELSE CASE type
  ${TAGS_BY_TYPE.map((tags, type) => {
    const all = `${randomElementSql(tags, 'typed.number', 'tag')}, ${randomElementSql(tags, 'typed.number', 'second tag')}`
    return `WHEN ${type} THEN ARRAY(SELECT DISTINCT unnest(ARRAY[${all}]))`
  }).join(' ')} ELSE '{}'::text[] END END`
