// Users with their groups and vehicles. Rows of one seeding are numbered from 0 in temporary tables, from
// which later steps draw, so that existing data is never touched.
import type { Knex } from 'knex'
import { type Draw, pick, textArray } from './random.ts'
import { departments, firstNames, lastNames, sites, volunteerGroups } from './vocabulary.ts'

const DOMAIN = 'harbour.example'

// A prime, so that multiplying by it visits each combination of first and last name once.
const STEP = 7919
const COMBINATIONS = firstNames.length * lastNames.length

// ASCII for e-mail addresses; characters without a counterpart (apostrophes, spaces) are dropped.
const plain = (name: string) => `translate(lower(${name}), 'äöüßéèíëıłñóø'' ', 'aouseeieilnoo')`

export async function seedUsers(database: Knex, draw: Draw, users: number, seed: number): Promise<void> {
  await database.raw(
    'CREATE TEMP TABLE seed_users (number bigint PRIMARY KEY, id bigint NOT NULL) ON COMMIT DROP',
  )
  await database.raw(
    `WITH names AS (
      SELECT n, n / ${COMBINATIONS} AS round,
        ${pick(firstNames, `(n * ${STEP} + :seed) % ${COMBINATIONS} % ${firstNames.length}`)} AS first,
        ${pick(lastNames, `(n * ${STEP} + :seed) % ${COMBINATIONS} / ${firstNames.length}`)} AS last
      FROM generate_series(0, :users - 1 + (SELECT count(*) FROM users)) AS n
    ), drafts AS (
      SELECT n, first || ' ' || last AS name, ${plain('first')} || '.' || ${plain('last')}
        || CASE WHEN round = 0 THEN '' ELSE (round + 1)::text END || '@${DOMAIN}' AS email
      FROM names
    ), free AS (
      SELECT row_number() OVER (ORDER BY n) - 1 AS number, name, email
      FROM drafts
      WHERE NOT EXISTS (SELECT FROM users WHERE lower(users.email) = drafts.email)
        AND NOT EXISTS (SELECT FROM users WHERE lower(users.upn) = drafts.email)
      ORDER BY n
      LIMIT :users
    ), created AS (
      INSERT INTO users (name, email, upn, extension_attributes, created_at, updated_at, deactivated_at)
      SELECT name, email, CASE WHEN ${draw('number', 'upn', 10)} < 8 THEN email END, ${attributes(draw)},
        now() - make_interval(days => 500), now() - make_interval(days => 30),
        CASE WHEN number % 37 = 20 THEN now() - make_interval(days => (${draw('number', 'left', 29)})::int) END
      FROM free
      ORDER BY number
      RETURNING id
    )
    INSERT INTO seed_users SELECT row_number() OVER (ORDER BY id) - 1, id FROM created`,
    { users, seed },
  )
  await database.raw('ANALYZE seed_users')
}

function attributes(draw: Draw): string {
  const department = pick(departments, draw('number', 'department', departments.length))
  return `CASE WHEN ${draw('number', 'attributes', 10)} < 4 THEN '{}'::jsonb ELSE
    jsonb_build_object('extensionAttribute1', ${department})
    || CASE WHEN ${draw('number', 'cost centre', 2)} = 0 THEN '{}'::jsonb ELSE
      jsonb_build_object('extensionAttribute2', 'CC-' || 4000 + ${draw('number', 'cost centre number', 60)}) END END`
}

/** Every user is in a department's group, and one in eight also in a volunteer group. */
export async function seedGroups(database: Knex, draw: Draw): Promise<void> {
  await database.raw(
    `INSERT INTO groups (name) SELECT unnest(${textArray([...departments, ...volunteerGroups])})
     ON CONFLICT (name) DO NOTHING`,
  )
  await database.raw(
    `INSERT INTO group_members (group_id, user_id)
     SELECT groups.id, seed_users.id
     FROM seed_users CROSS JOIN LATERAL (
       VALUES (${pick(departments, draw('number', 'department', departments.length))}),
         (CASE WHEN ${draw('number', 'in volunteer group', 8)} = 0
           THEN ${pick(volunteerGroups, draw('number', 'volunteer group', volunteerGroups.length))} END)
     ) AS memberships (name)
     JOIN groups USING (name)
     ORDER BY 1, 2`,
  )
}

/** Every fourth user has a vehicle, and some of those a second one; returns the number of vehicles. */
export async function seedVehicles(database: Knex, draw: Draw): Promise<number> {
  await database.raw(
    `CREATE TEMP TABLE seed_vehicles (
       number bigint PRIMARY KEY, id bigint NOT NULL, user_id bigint NOT NULL, license_plate text NOT NULL
     ) ON COMMIT DROP`,
  )
  const plates = sites.map((site) => site.plate)
  const { rowCount } = await database.raw<{ rowCount: number }>(
    `WITH created AS (
      INSERT INTO vehicles (user_id, license_plate)
      SELECT id, ${pick(plates, draw('number', 'plate', plates.length))} || '-'
        || chr(65 + (${draw('number', 'letter 1', 26)})::int) || chr(65 + (${draw('number', 'letter 2', 26)})::int)
        || ' ' || 1000 + (number * 10 + vehicle) % 9000
      FROM seed_users
      CROSS JOIN generate_series(1, 1 + (${draw('number', 'second vehicle', 8)} = 0)::int) AS vehicle
      WHERE number % 4 = 0
      ORDER BY number, vehicle
      RETURNING id, user_id, license_plate
    )
    INSERT INTO seed_vehicles SELECT row_number() OVER (ORDER BY id) - 1, id, user_id, license_plate FROM created`,
  )
  await database.raw('ANALYZE seed_vehicles')
  return rowCount
}
