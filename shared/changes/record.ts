// Writes the outbox: what a write has changed, in its own transaction. It is written after the rows that changed are locked,
// by a statement of its own, so that of two changes of one thing the later one is the later one here too
// (docs/decisions/0031-one-outbox.md).
import type { Knex } from 'knex'
import type { ChangeAction } from '../contracts/integrations/changes.ts'
import type { Actor } from '../jobs.ts'
import { CHANGED_SHAPES, type ChangedResource, changedDataSql } from '../shapes/changes.ts'
import { buildingsSql, placesOf } from './buildings.ts'

type Author = { actor: Actor; requestId: string }

/** Who has changed what upkeep changes. */
export const UPKEEP: Author = { actor: { type: 'system', id: null, name: 'upkeep' }, requestId: 'upkeep' }

const COLUMNS = 'type, action, resource_id, data, building_ids, actor_type, actor_id, actor_name, request_id'

/** SQL: what a row of the outbox says; `buildings` as buildingsSql has them, absent for what lies nowhere. */
type Values = Record<'type' | 'action' | 'id' | 'data', string> & { buildings?: string }

/** SQL that goes on with a SELECT of what `values` are: the order of the columns is that of the two. */
export const insertChanges = (
  { type, action, id, data, buildings = 'NULL::bigint[]' }: Values,
  author: string,
) => `INSERT INTO changes (${COLUMNS}) SELECT ${type}, ${action}, ${id}, ${data}, ${buildings}, ${author}`

const AUTHOR = '?, ?, ?, ?'

/** The same for a statement whose values have names; authorBindings gives them. */
export const NAMED_AUTHOR = ':actor_type, :actor_id, :actor_name, :request_id'

export const authorBindings = ({ actor, requestId }: Author) => ({
  actor_type: actor.type,
  actor_id: actor.id,
  actor_name: actor.name,
  request_id: requestId,
})

export const authorValues = ({ actor, requestId }: Author) => [actor.type, actor.id, actor.name, requestId]

// What somebody has been told of by its verb stays so; what is gone was deleted.
const ACTIONS: Record<string, ChangeAction> = {
  create: 'created',
  delete: 'deleted',
  erase: 'deleted',
  release: 'released',
  clear: 'released',
  'clear-room': 'released',
  'check-in': 'checked_in',
  deactivate: 'deactivated',
  restore: 'restored',
}

/** What the audit log calls `bookings.create` is `created` here; what has no word of its own is an update. */
export function changeActionOf(auditedAction: string): ChangeAction {
  return ACTIONS[auditedAction.slice(auditedAction.indexOf('.') + 1)] ?? 'updated'
}

/** A statement that records a change of each id of an array, as the things are now; its values are those of recordValues. */
export function recordSql(resource: ChangedResource): string {
  const action =
    "CASE WHEN asked.action = 'updated' AND shown.data IS NULL THEN 'deleted' ELSE asked.action END"
  const type = `'${CHANGED_SHAPES[resource].type}'`
  const places =
    'SELECT place::bigint FROM jsonb_array_elements_text(asked.places -> asked.id::text) AS place'
  const buildings = buildingsSql(resource, 'asked.id', places)
  return `${insertChanges({ type, action, id: 'asked.id', data: 'shown.data', buildings }, AUTHOR)}
    FROM (SELECT id, ordinal, ?::text AS action, ?::jsonb AS places FROM unnest(?::bigint[]) WITH ORDINALITY AS ids (id, ordinal)) AS asked,
      LATERAL (SELECT ${changedDataSql(resource, 'asked.id')} AS data OFFSET 0) AS shown
    ORDER BY asked.ordinal`
}

/** `before`: the rows as they were, of those that were there. */
export const recordValues = (
  author: Author,
  { resource, action }: { resource: ChangedResource; action: ChangeAction },
  rows: Array<{ id: number; before?: unknown }>,
) => [
  ...authorValues(author),
  action,
  JSON.stringify(Object.fromEntries(rows.map(({ id, before }) => [id, placesOf(resource, before)]))),
  rows.map(({ id }) => id),
]

/** Of what is not in the audit log one by one; whatever is there is here by that (shared/audit.ts). */
export async function recordChanges(
  database: Knex,
  author: Author,
  change: { resource: ChangedResource; action: ChangeAction },
  ids: number[],
): Promise<void> {
  if (ids.length === 0) return
  const rows = ids.map((id) => ({ id }))
  await database.raw(recordSql(change.resource), recordValues(author, change, rows))
}

/**
 * The bookables of a location that was moved to another building: what they say of their place is new, and whoever is limited to
 * buildings has lost or gained them. In one statement. Their bookings are not told: they lie where their bookable does.
 */
export async function recordMovedBookables(
  database: Knex,
  author: Author,
  location: { id: number; formerBuildingId: number },
): Promise<void> {
  const change = {
    type: "'bookable'",
    action: "'updated'",
    id: 'moved.id',
    data: changedDataSql('bookables', 'moved.id'),
    buildings: 'ARRAY[CAST(:formerBuildingId AS bigint), locations.building_id]',
  }
  await database.raw(
    `${insertChanges(change, NAMED_AUTHOR)}
     FROM bookables AS moved JOIN locations ON locations.id = moved.location_id
     WHERE moved.location_id = :id AND moved.deleted_at IS NULL ORDER BY moved.id`,
    { ...authorBindings(author), ...location },
  )
}

/** Their names and e-mails are part of the events that they are in. */
export async function recordEventsOfUsers(database: Knex, author: Author, userIds: number[]): Promise<void> {
  const { rows } = await database.raw(
    `SELECT event_id AS id FROM event_attendees WHERE user_id = ANY(?::bigint[])
     UNION SELECT id FROM events WHERE organizer_user_id = ANY(?::bigint[]) ORDER BY id`,
    [userIds, userIds],
  )
  const ids = rows.map(({ id }: { id: number }) => id)
  await recordChanges(database, author, { resource: 'events', action: 'updated' }, ids)
}
