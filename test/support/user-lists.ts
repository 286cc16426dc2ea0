// Reads all data that a user import may change, and files that an import must not leave behind.
import type { Knex } from 'knex'
import { USER_TEXTS } from '../../shared/imports/user-columns.ts'
import type { Client } from './http/http.ts'

/** Returns the rows of the tables that an import writes. They must be equal if an import changed nothing. */
export async function readUserRows(database: Knex) {
  return {
    users: await database('users').orderBy('id'),
    groups: await database('groups').orderBy('id'),
    members: await database('group_members').orderBy(['group_id', 'user_id']),
    vehicles: await database('vehicles').orderBy('id'),
  }
}

/** Returns the users, groups and vehicles without ids and times. */
export async function readPeople(database: Knex) {
  const people = await database('users')
    .select('email', ...USER_TEXTS, 'extension_attributes AS attributes')
    .select(database.raw('deactivated_at IS NULL AS active'))
    .select(
      database.raw(`ARRAY(
        SELECT groups.name FROM groups JOIN group_members ON group_members.group_id = groups.id
        WHERE group_members.user_id = users.id ORDER BY groups.name COLLATE "C") AS groups`),
      database.raw(`ARRAY(
        SELECT license_plate FROM vehicles WHERE user_id = users.id ORDER BY license_plate COLLATE "C") AS plates`),
    )
    .orderByRaw('email COLLATE "C"')
  const groups: string[] = await database('groups').orderByRaw('name COLLATE "C"').pluck('name')
  return { people, groups }
}

export async function removeUsers(database: Knex): Promise<void> {
  await database.raw('TRUNCATE users, groups RESTART IDENTITY CASCADE')
}

/** Counts uploads and exports in the database, with their chunks. */
export async function countFiles(database: Knex): Promise<{ files: number; chunks: number }> {
  const { rows } = await database.raw(
    'SELECT (SELECT count(*)::int FROM files) AS files, (SELECT count(*)::int FROM file_chunks) AS chunks',
  )
  return rows[0]
}

export async function exportUsers({ url, token }: Client, format: 'csv' | 'xlsx'): Promise<Uint8Array> {
  const answer = await fetch(`${url}/api/v1/users/export?format=${format}`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  if (answer.status !== 200) throw new Error(`The export was answered with ${answer.status}`)
  return new Uint8Array(await answer.arrayBuffer())
}
