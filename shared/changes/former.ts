// Reads what a write is about to change: what the API shows of it, and the buildings that it is in. Read it
// while the rows are locked, before they change. Nothing is recorded without it, so that every change has its
// place.
import type { Knex } from 'knex'
import { rawPrepared } from '../database/prepared.ts'
import { placeOf } from './buildings.ts'
import { type ChangedResource, changedDataSql } from './changes-shape.ts'

/** By id. `data` is null if it must not be kept. */
export type Former = ReadonlyMap<number, { data: string | null; buildings: number[] }>

/** Used instead of a Former for resources that did not exist before. */
export const CREATED = 'created'

export function readFormer(database: Knex, resource: ChangedResource, ids: number[]): Promise<Former> {
  return read(database, resource, ids, changedDataSql(resource, 'asked.id'))
}

/** Without the former data: erasing a person must not record once more who that was. */
export function readFormerPlaces(database: Knex, resource: ChangedResource, ids: number[]): Promise<Former> {
  return read(database, resource, ids, 'NULL')
}

type Row = { id: number; data: string | null; buildings: number[] }

async function read(database: Knex, resource: ChangedResource, ids: number[], data: string): Promise<Former> {
  if (ids.length === 0) return new Map()
  const { rows } = await rawPrepared<{ rows: Row[] }>(
    database,
    `SELECT asked.id, ${data} AS data, coalesce(to_json(${placeOf(resource, 'asked.id')}), '[]') AS buildings
     FROM unnest(?::bigint[]) AS asked (id)`,
    [ids],
  )
  return new Map(rows.map(({ id, ...former }) => [id, former]))
}

/** The events that contain the names and e-mails of these users. */
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
