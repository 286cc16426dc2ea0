// Exports active users, ordered by id.
import type { Knex } from 'knex'
import { OPTIONAL_TEXTS } from '../../../shared/imports/user-columns.ts'
import { type Handler, queryAll } from '../../runtime/write.ts'
import { type ExportedTable, exportTable } from './copied-tables.ts'

export const exportUsers: Handler<'users.export'> = async (write, { format }) => {
  // With this much memory, Postgres can sort and join several hundred thousand users without using the disk.
  await write.run("SET LOCAL work_mem = '64MB'")
  const attributes = await findAttributesInUse(write.trx)
  const name = `users-${write.now.slice(0, 10)}`
  return exportTable(write, createUsersTable(attributes), { name, format })
}

/** SQL for the group names of each user. */
export const GROUP_NAMES_SQL = `(
      SELECT group_members.user_id, string_agg(groups.name, ';' ORDER BY groups.name) AS names
      FROM group_members JOIN groups ON groups.id = group_members.group_id
      GROUP BY group_members.user_id
    ) AS memberships`

export const createUsersTable = (attributes: string[]): ExportedTable => ({
  sheet: 'Users',
  columns: [
    { name: 'id', sql: 'users.id', isNumber: true },
    ...['email', 'name', ...OPTIONAL_TEXTS].map((name) => ({ name, sql: `users.${name}` })),
    { name: 'groups', sql: 'memberships.names' },
    { name: 'license_plates', sql: 'plates.names' },
    ...attributes.map((name) => ({ name, sql: `(users.extension_attributes ->> '${name}')` })),
  ],
  from: `
    FROM users
    LEFT JOIN ${GROUP_NAMES_SQL} ON memberships.user_id = users.id
    LEFT JOIN (
      SELECT user_id, string_agg(license_plate, ';' ORDER BY license_plate) AS names FROM vehicles GROUP BY user_id
    ) AS plates ON plates.user_id = users.id
    WHERE users.deactivated_at IS NULL
    ORDER BY users.id`,
})

// Lists the attributes that users have. Almost always, the first thousand users already have all of them. Checking that
// other users have no further attributes takes half as long as listing the attributes of every user.
export async function findAttributesInUse(database: Knex): Promise<string[]> {
  const rows = await queryAll<{ key: string }>(
    database,
    `
    WITH active AS NOT MATERIALIZED (
      SELECT extension_attributes AS attributes FROM users WHERE deactivated_at IS NULL
    ), known AS MATERIALIZED (
      SELECT coalesce(array_agg(DISTINCT key), '{}') AS keys
      FROM (SELECT attributes FROM active LIMIT 1000) AS first, jsonb_object_keys(first.attributes) AS key
    ), others AS MATERIALIZED (
      SELECT DISTINCT jsonb_object_keys(attributes - known.keys) AS key
      FROM active, known WHERE attributes - known.keys <> '{}'
    )
    SELECT key FROM (SELECT unnest(keys) AS key FROM known UNION ALL SELECT key FROM others) AS used
    WHERE key ~ '^extensionAttribute[1-9][0-9]{0,1}$'`,
  )
  const numberOf = (name: string) => Number(name.replace(/\D/g, ''))
  return rows.map(({ key }) => key).sort((a, b) => numberOf(a) - numberOf(b))
}
