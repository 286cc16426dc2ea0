// What a write is about to change, as it is before: what the API shows of it, and the buildings that it lies in. To be read while
// the rows are locked and before they are changed. Nothing is recorded without it, so that no change is without its place.
import type { Knex } from 'knex'
import { type ChangedResource, changedDataSql } from '../shapes/changes.ts'
import { placeOf } from './buildings.ts'

/** By id. `data` is null where it is not to be kept. */
export type Former = ReadonlyMap<number, { data: string | null; buildings: number[] }>

/** Instead of a Former: of what was not there before. */
export const CREATED = 'created'

export function readFormer(database: Knex, resource: ChangedResource, ids: number[]): Promise<Former> {
  return read(database, resource, ids, changedDataSql(resource, 'asked.id'))
}

/** Without what it was: erasing a person must not record once more who that is. */
export function readFormerPlaces(database: Knex, resource: ChangedResource, ids: number[]): Promise<Former> {
  return read(database, resource, ids, 'NULL')
}

type Row = { id: number; data: string | null; buildings: number[] }

async function read(database: Knex, resource: ChangedResource, ids: number[], data: string): Promise<Former> {
  if (ids.length === 0) return new Map()
  const { rows } = await database.raw<{ rows: Row[] }>(
    `SELECT asked.id, ${data} AS data, coalesce(to_json(${placeOf(resource, 'asked.id')}), '[]') AS buildings
     FROM unnest(?::bigint[]) AS asked (id)`,
    [ids],
  )
  return new Map(rows.map(({ id, ...former }) => [id, former]))
}

/** The events that say these people's names and e-mails. */
export async function readEventsOfUsers(database: Knex, userIds: number[]): Promise<Former> {
  return readFormer(database, 'events', await findEventsOfUsers(database, userIds))
}

async function findEventsOfUsers(database: Knex, userIds: number[]): Promise<number[]> {
  const { rows } = await database.raw(
    `SELECT event_id AS id FROM event_attendees WHERE user_id = ANY(?::bigint[])
     UNION SELECT id FROM events WHERE organizer_user_id = ANY(?::bigint[]) ORDER BY id`,
    [userIds, userIds],
  )
  return rows.map(({ id }: { id: number }) => id)
}
