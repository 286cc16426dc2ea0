// Reads the state that a write is about to change: what the API shows of each resource, and the buildings that the
// resource is in. Call these functions after locking the rows and before changing them. Code cannot record a change
// without this state, so every recorded change has its buildings.
import type { Knex } from 'knex'
import { runPreparedStatement } from '../database/prepared.ts'
import { getPlace } from './buildings.ts'
import { type ChangedResource, changedDataSql } from './changes-shape.ts'

/** The former state of each resource by id. `data` is null if Berth must not store it. */
export type FormerState = ReadonlyMap<number, { data: string | null; buildings: number[] }>

/** A value to use instead of a FormerState for resources that did not exist before. */
export const NEWLY_CREATED = 'created'

export function readFormerState(
  database: Knex,
  resource: ChangedResource,
  ids: number[],
): Promise<FormerState> {
  return readFormer(database, resource, ids, changedDataSql(resource, 'asked.id'))
}

/**
 * Reads only the buildings of the resources, not their data: when a person is erased, the outbox must not record their
 * data again.
 */
export function readFormerBuildings(
  database: Knex,
  resource: ChangedResource,
  ids: number[],
): Promise<FormerState> {
  return readFormer(database, resource, ids, 'NULL')
}

type FormerRow = { id: number; data: string | null; buildings: number[] }

async function readFormer(
  database: Knex,
  resource: ChangedResource,
  ids: number[],
  data: string,
): Promise<FormerState> {
  if (ids.length === 0) return new Map()
  const { rows } = await runPreparedStatement<{ rows: FormerRow[] }>(
    database,
    `SELECT asked.id, ${data} AS data, coalesce(to_json(${getPlace(resource, 'asked.id')}), '[]') AS buildings
     FROM unnest(?::bigint[]) AS asked (id)`,
    [ids],
  )
  return new Map(rows.map(({ id, ...former }) => [id, former]))
}

/** Reads the former state of the events that contain the names and e-mails of these users. */
export async function readEventsOfUsers(database: Knex, userIds: number[]): Promise<FormerState> {
  return readFormerState(database, 'events', await findEventsOfUsers(database, userIds))
}

async function findEventsOfUsers(database: Knex, userIds: number[]): Promise<number[]> {
  const { rows } = await database.raw(
    `SELECT event_id AS id FROM event_attendees WHERE user_id = ANY(?::bigint[])
     UNION SELECT id FROM events WHERE organizer_user_id = ANY(?::bigint[]) ORDER BY id`,
    [userIds, userIds],
  )
  return rows.map(({ id }: { id: number }) => id)
}
