// Buildings, their locations and bookables. Bookables are laid out on a grid, location by location, desks
// first. The very first desk is always flexible, and free from this week on.
import type { Knex } from 'knex'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import { type Draw, pick } from './random.ts'
import { buildingNames, deskTags, parkingTags, roomNames, roomTags, sites } from './vocabulary.ts'

const TYPE = BOOKABLE_TYPES
const STATUS = BOOKABLE_STATUSES

export async function seedBuildings(database: Knex, draw: Draw, buildings: number): Promise<void> {
  await database.raw(
    `CREATE TEMP TABLE seed_buildings (
       number bigint PRIMARY KEY, id bigint NOT NULL, city text NOT NULL, timezone text NOT NULL
     ) ON COMMIT DROP`,
  )
  const site = (field: 'city' | 'timezone') =>
    pick(
      sites.map((each) => each[field]),
      `number % ${sites.length}`,
    )
  const street = pick(
    sites.flatMap((each) => each.streets),
    `number % ${sites.length} * 2 + ${draw('n', 'street', 2)}`,
  )
  // Numbers continue from the present rows, so that a second seeding does not repeat names.
  await database.raw(
    `WITH created AS (
      INSERT INTO buildings (name, address, timezone)
      SELECT ${pick(buildingNames, `number % ${buildingNames.length}`)}
          || CASE WHEN number < ${buildingNames.length} THEN '' ELSE ' ' || number / ${buildingNames.length} + 1 END,
        ${draw('n', 'house', 90)} + 1 || ' ' || ${street} || ', ' || ${site('city')}, ${site('timezone')}
      FROM generate_series(0, :buildings - 1) AS n
      CROSS JOIN LATERAL (SELECT n + (SELECT count(*) FROM buildings) AS number) AS numbered
      ORDER BY n
      RETURNING id, address, timezone
    )
    INSERT INTO seed_buildings
    SELECT row_number() OVER (ORDER BY id) - 1, id, substring(address from ', (.*)$'), timezone FROM created`,
    { buildings },
  )
}

export async function seedLocations(database: Knex, buildings: number, locations: number): Promise<void> {
  await database.raw(
    `CREATE TEMP TABLE seed_locations (
       location bigint PRIMARY KEY, id bigint NOT NULL, floor text NOT NULL, city text NOT NULL, timezone text NOT NULL
     ) ON COMMIT DROP`,
  )
  await database.raw(
    `WITH drafts AS (
      SELECT n, n * :buildings / :locations AS building FROM generate_series(0, :locations::bigint - 1) AS n
    ), floors AS (
      SELECT n, building, row_number() OVER (PARTITION BY building ORDER BY n) - 1 AS floor FROM drafts
    ), created AS (
      INSERT INTO locations (building_id, name, code)
      SELECT seed_buildings.id, CASE floor WHEN 0 THEN 'Ground floor' ELSE to_char(floor, 'FM999999th') || ' floor' END,
        upper(left(city, 3)) || seed_buildings.id || '-' || floor
      FROM floors JOIN seed_buildings ON seed_buildings.number = floors.building
      ORDER BY n
      RETURNING id, building_id, code
    )
    INSERT INTO seed_locations
    SELECT row_number() OVER (ORDER BY created.id) - 1, created.id, substring(code from '-(.*)$'), city, timezone
    FROM created JOIN seed_buildings ON seed_buildings.id = building_id`,
    { buildings, locations },
  )
}

// Of 100 bookables of a location, 75 are desks, 11 parking spots, 9 meeting rooms and 5 home offices.
const typeOf = (percent: string) =>
  `CASE WHEN ${percent} < 75 THEN ${TYPE.desk} WHEN ${percent} < 86 THEN ${TYPE.parkingSpot}
    WHEN ${percent} < 95 THEN ${TYPE.meetingRoom} ELSE ${TYPE.homeOffice} END`

const statusOf = (draw: Draw) =>
  `CASE WHEN ordinal = 0 THEN ${STATUS.flexible}
    WHEN type < ${TYPE.meetingRoom} AND ${draw('number', 'assigned', 25)} = 0 THEN ${STATUS.assigned}
    WHEN ${draw('number', 'blocked', 50)} = 0 THEN ${STATUS.blocked} ELSE ${STATUS.flexible} END`

/** Ids are drawn beforehand, because they make the rooms' integration e-mails unique. */
export async function seedBookables(
  database: Knex,
  draw: Draw,
  locations: number,
  bookables: number,
): Promise<void> {
  await database.raw(
    `CREATE TEMP TABLE seed_bookables ON COMMIT DROP AS
     WITH spread AS (
       SELECT number, number * :locations / :bookables AS location
       FROM generate_series(0, :bookables::bigint - 1) AS number
     ), ordered AS (
       SELECT *, row_number() OVER (PARTITION BY location ORDER BY number) - 1 AS ordinal,
         count(*) OVER (PARTITION BY location) AS total
       FROM spread
     ), typed AS (
       SELECT *, ${typeOf('ordinal * 100 / total')} AS type FROM ordered
     ), numbered AS (
       SELECT *, ${statusOf(draw)} AS status,
         row_number() OVER (PARTITION BY location, type ORDER BY number) AS of_type
       FROM typed
       ORDER BY number
     )
     SELECT *, nextval(pg_get_serial_sequence('bookables', 'id')) AS id FROM numbered`,
    { locations, bookables },
  )
  await database.raw('ALTER TABLE seed_bookables ADD PRIMARY KEY (number)')
  await database.raw('ANALYZE seed_bookables')
  await database.raw(
    `INSERT INTO bookables (id, location_id, name, description, type, status, tags, capacity, integration_email,
       requires_vehicle, position_x, position_y, created_at)
     OVERRIDING SYSTEM VALUE
     SELECT seed_bookables.id, seed_locations.id, ${names},
       CASE WHEN ${draw('number', 'described', 12)} = 0 THEN 'Please leave it as you found it.' END,
       type, status, ${tags(draw)},
       CASE WHEN type = ${TYPE.meetingRoom} THEN 4 + 2 * ${draw('number', 'capacity', 9)} END,
       CASE WHEN type = ${TYPE.meetingRoom} THEN 'room-' || seed_bookables.id || '@rooms.harbour.example' END,
       type = ${TYPE.parkingSpot} AND ${draw('number', 'vehicle', 5)} > 0,
       CASE WHEN type < ${TYPE.homeOffice} THEN (ordinal % wide + 0.5) / wide END,
       CASE WHEN type < ${TYPE.homeOffice} THEN (ordinal / wide + 0.5) / wide END,
       -- NULL, because their bookings begin weeks ago. Daily figures count them from the first day of their floor.
       NULL
     FROM seed_bookables
     JOIN seed_locations USING (location)
     CROSS JOIN LATERAL (SELECT ceil(sqrt(total))::int AS wide) AS grid
     ORDER BY number`,
  )
}

const names = `CASE type
  WHEN ${TYPE.desk} THEN 'Desk ' || floor || '.' || of_type
  WHEN ${TYPE.parkingSpot} THEN 'P-' || lpad(of_type::text, greatest(3, length(of_type::text)), '0')
  WHEN ${TYPE.meetingRoom} THEN ${pick(roomNames, `(of_type - 1 + location * 7) % ${roomNames.length}`)}
    || CASE WHEN of_type <= ${roomNames.length} THEN '' ELSE ' ' || of_type END
  ELSE 'Home office ' || city || ' ' || of_type END`

/** None, one or two tags that suit the type. */
function tags(draw: Draw): string {
  const some = (list: string[]) => {
    const first = draw('number', 'tag', list.length)
    const second = `(${first} + 1 + ${draw('number', 'second tag', list.length - 1)}) % ${list.length}`
    return `CASE ${draw('number', 'tags', 3)} WHEN 0 THEN '{}'::text[] WHEN 1 THEN ARRAY[${pick(list, first)}]
      ELSE ARRAY[${pick(list, first)}, ${pick(list, second)}] END`
  }
  return `CASE type WHEN ${TYPE.desk} THEN ${some(deskTags)} WHEN ${TYPE.parkingSpot} THEN ${some(parkingTags)}
    WHEN ${TYPE.meetingRoom} THEN ${some(roomTags)} ELSE '{}' END`
}

/** Assigned bookables have one assignee, every third of them two; the first one books it. */
export async function seedAssignees(database: Knex, draw: Draw, users: number): Promise<void> {
  await database.raw('ALTER TABLE seed_bookables ADD assignee_user_id bigint')
  await database.raw(
    `UPDATE seed_bookables SET assignee_user_id = seed_users.id
     FROM seed_users
     WHERE status = ${STATUS.assigned} AND seed_users.number = ${draw('seed_bookables.number', 'assignee', users)}`,
  )
  await database.raw(
    `INSERT INTO bookable_assignees (bookable_id, user_id)
     SELECT id, assignee_user_id FROM seed_bookables WHERE assignee_user_id IS NOT NULL
     UNION
     SELECT seed_bookables.id, seed_users.id
     FROM seed_bookables
     JOIN seed_users ON seed_users.number = ${draw('seed_bookables.number', 'second assignee', users)}
     WHERE assignee_user_id IS NOT NULL AND seed_bookables.number % 3 = 0`,
  )
}
