// Seeds users with their groups and vehicles.
import type { Knex } from 'knex'
import { insertRows, listElementSql, randomElementSql, randomNumberSql, textArraySql } from './sql.ts'
import { departments, firstNames, lastNames, sites, volunteerGroups } from './vocabulary.ts'

// A prime number, so that multiplying by it visits each combination of first and last name once.
const NAME_STEP = 7919
const NAME_COMBINATIONS = firstNames.length * lastNames.length

// SQL that reduces a name to ASCII for e-mail addresses. Drops characters without a counterpart, such as apostrophes
// and spaces.
const asciiNameSql = (name: string) => `translate(lower(${name}), 'äöüßéèíëıłñóø'' ', 'aouseeieilnoo')`

export async function seedUsers(database: Knex, users: number, seed: number): Promise<void> {
  const name = (names: string[], index: string) =>
    listElementSql(names, `(n * ${NAME_STEP} + ${seed}) % ${NAME_COMBINATIONS} ${index}`)
  await insertRows(
    database,
    'users',
    'name, email, upn, extension_attributes, created_at, updated_at, deactivated_at',
    `SELECT number, name, email, CASE WHEN ${randomNumberSql('number', 'upn', 10)} < 8 THEN email END AS upn,
       CASE WHEN ${randomNumberSql('number', 'attributes', 10)} < 4 THEN '{}'::jsonb
         ELSE jsonb_strip_nulls(jsonb_build_object('extensionAttribute1', ${departmentSql}, 'extensionAttribute2',
           CASE WHEN ${randomNumberSql('number', 'cost centre', 2)} = 1 THEN 'CC-' || 4000 + ${randomNumberSql('number', 'CC number', 60)} END))
         END AS extension_attributes,
       now() - interval '500 days' AS created_at, now() - interval '30 days' AS updated_at,
       CASE WHEN number % 37 = 20 THEN now() - interval '1 day' * ${randomNumberSql('number', 'left', 29)} END AS deactivated_at
     FROM (
       SELECT row_number() OVER (ORDER BY n) - 1 AS number, name, email
       FROM (
         SELECT n, first || ' ' || last AS name, ${asciiNameSql('first')} || '.' || ${asciiNameSql('last')}
           || CASE WHEN n < ${NAME_COMBINATIONS} THEN '' ELSE (n / ${NAME_COMBINATIONS} + 1)::text END || '@harbour.example' AS email
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

const departmentSql = randomElementSql(departments, 'number', 'department')

/** Adds every user to a department's group, and one in eight also to a volunteer group. */
export async function seedGroups(database: Knex): Promise<void> {
  await database.raw(
    `INSERT INTO groups (name) SELECT unnest(${textArraySql([...departments, ...volunteerGroups])})
     ON CONFLICT (name) DO NOTHING`,
  )
  await database.raw(
    `INSERT INTO group_members (group_id, user_id)
     SELECT groups.id, seed_users.id
     FROM seed_users CROSS JOIN LATERAL (
       VALUES (${departmentSql}),
         (CASE WHEN ${randomNumberSql('number', 'in volunteer group', 8)} = 0 THEN ${randomElementSql(volunteerGroups, 'number', 'volunteer group')} END)
     ) AS memberships (group_name)
     JOIN groups ON groups.name = group_name
     ORDER BY 1, 2`,
  )
}

/** Gives every fourth user a vehicle, and some of these users a second one. Returns the number of vehicles. */
export function seedVehicles(database: Knex): Promise<number> {
  const plates = sites.map((site) => site.plate)
  const letter = (nth: number) => `chr(65 + (${randomNumberSql('user_number', `letter ${nth}`, 26)})::int)`
  return insertRows(
    database,
    'vehicles',
    'user_id, license_plate',
    `SELECT row_number() OVER (ORDER BY user_number, vehicle) - 1 AS number, user_id,
       ${randomElementSql(plates, 'user_number', 'plate')} || '-' || ${letter(1)} || ${letter(2)} || ' '
         || 1000 + (user_number * 10 + vehicle) % 9000 AS license_plate
     FROM (SELECT number AS user_number, id AS user_id FROM seed_users WHERE number % 4 = 0) AS drivers
     CROSS JOIN generate_series(1, 1 + (${randomNumberSql('user_number', 'second vehicle', 8)} = 0)::int) AS vehicle
     ORDER BY number`,
  )
}
