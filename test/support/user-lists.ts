// Reads everything that an import of users may change, and what it must not leave behind.
import type { Knex } from 'knex'
import { USER_TEXTS } from '../../shared/imports/user-columns.ts'
import type { Client } from './http/http.ts'

/** The tables that an import writes, row by row as they are: nothing may differ where nothing was changed. */
export async function rowsOfUsers(database: Knex) {
  return {
    users: await database('users').orderBy('id'),
    groups: await database('groups').orderBy('id'),
    members: await database('group_members').orderBy(['group_id', 'user_id']),
    vehicles: await database('vehicles').orderBy('id'),
  }
}

/** The same as a person sees it: whose ids and times are forgotten. */
export async function peopleOf(database: Knex) {
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

/** Uploads and exports that lie in the database, with their pieces. */
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
