// Users with their groups and vehicles.
import type { Knex } from 'knex'
import { draw, drawFrom, insertRows, pick, textArray } from './sql.ts'
import { departments, firstNames, lastNames, sites, volunteerGroups } from './vocabulary.ts'

// A prime, so that multiplying by it visits each combination of first and last name once.
const STEP = 7919
const COMBINATIONS = firstNames.length * lastNames.length

// ASCII for e-mail addresses; characters without a counterpart (apostrophes, spaces) are dropped.
const plain = (name: string) => `translate(lower(${name}), 'äöüßéèíëıłñóø'' ', 'aouseeieilnoo')`

export async function seedUsers(database: Knex, users: number, seed: number): Promise<void> {
  const name = (names: string[], index: string) =>
    pick(names, `(n * ${STEP} + ${seed}) % ${COMBINATIONS} ${index}`)
  await insertRows(
    database,
    'users',
    'name, email, upn, extension_attributes, created_at, updated_at, deactivated_at',
    `SELECT number, name, email, CASE WHEN ${draw('number', 'upn', 10)} < 8 THEN email END AS upn,
       CASE WHEN ${draw('number', 'attributes', 10)} < 4 THEN '{}'::jsonb
         ELSE jsonb_strip_nulls(jsonb_build_object('extensionAttribute1', ${department}, 'extensionAttribute2',
           CASE WHEN ${draw('number', 'cost centre', 2)} = 1 THEN 'CC-' || 4000 + ${draw('number', 'CC number', 60)} END))
         END AS extension_attributes,
       now() - interval '500 days' AS created_at, now() - interval '30 days' AS updated_at,
       CASE WHEN number % 37 = 20 THEN now() - interval '1 day' * ${draw('number', 'left', 29)} END AS deactivated_at
     FROM (
       SELECT row_number() OVER (ORDER BY n) - 1 AS number, name, email
       FROM (
         SELECT n, first || ' ' || last AS name, ${plain('first')} || '.' || ${plain('last')}
           || CASE WHEN n < ${COMBINATIONS} THEN '' ELSE (n / ${COMBINATIONS} + 1)::text END || '@harbour.example' AS email
         FROM generate_series(0, ${users} - 1 + (SELECT count(*) FROM users)) AS n, LATERAL (
           SELECT ${name(firstNames, `% ${firstNames.length}`)} AS first,
             ${name(lastNames, `/ ${firstNames.length}`)} AS last
         ) AS names
       ) AS drafts
       WHERE NOT EXISTS (SELECT FROM users WHERE lower(users.email) = drafts.email)
         AND NOT EXISTS (SELECT FROM users WHERE lower(users.upn) = drafts.email)
       ORDER BY n
       LIMIT ${users}
     ) AS free
     ORDER BY number`,
  )
}

const department = drawFrom(departments, 'number', 'department')

/** Every user is in a department's group, and one in eight also in a volunteer group. */
export async function seedGroups(database: Knex): Promise<void> {
  await database.raw(
    `INSERT INTO groups (name) SELECT unnest(${textArray([...departments, ...volunteerGroups])})
     ON CONFLICT (name) DO NOTHING`,
  )
  await database.raw(
    `INSERT INTO group_members (group_id, user_id)
     SELECT groups.id, seed_users.id
     FROM seed_users CROSS JOIN LATERAL (
       VALUES (${department}),
         (CASE WHEN ${draw('number', 'in volunteer group', 8)} = 0 THEN ${drawFrom(volunteerGroups, 'number', 'volunteer group')} END)
     ) AS memberships (group_name)
     JOIN groups ON groups.name = group_name
     ORDER BY 1, 2`,
  )
}

/** Every fourth user has a vehicle, and some of those a second one; returns the number of vehicles. */
export function seedVehicles(database: Knex): Promise<number> {
  const plates = sites.map((site) => site.plate)
  const letter = (nth: number) => `chr(65 + (${draw('user_number', `letter ${nth}`, 26)})::int)`
  return insertRows(
    database,
    'vehicles',
    'user_id, license_plate',
    `SELECT row_number() OVER (ORDER BY user_number, vehicle) - 1 AS number, user_id,
       ${drawFrom(plates, 'user_number', 'plate')} || '-' || ${letter(1)} || ${letter(2)} || ' '
         || 1000 + (user_number * 10 + vehicle) % 9000 AS license_plate
     FROM (SELECT number AS user_number, id AS user_id FROM seed_users WHERE number % 4 = 0) AS drivers
     CROSS JOIN generate_series(1, 1 + (${draw('user_number', 'second vehicle', 8)} = 0)::int) AS vehicle
     ORDER BY number`,
  )
}
