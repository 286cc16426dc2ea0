// Writes the outbox: what a write has changed, in its own transaction. It is written after the changed rows
// are locked, by a separate statement, so that of two changes to the same resource the later one also comes
// later here (docs/decisions/0031-one-outbox.md).
import type { Knex } from 'knex'
import type { ChangeAction } from '../webhooks/changes.ts'
import type { Author } from './author.ts'
import { type Place, placesOf } from './buildings.ts'
import { CHANGED_SHAPES, type ChangedResource, changedDataSql } from './changes-shape.ts'
import { CREATED, type Former } from './former.ts'

/** The author of changes by upkeep. */
export const UPKEEP: Author = {
  actor: { type: 'system', id: null, name: 'upkeep' },
  requestId: 'upkeep',
  attempt: null,
}

const COLUMNS =
  'type, action, resource_id, data, previous, building_ids, actor_type, actor_id, actor_name, request_id, attempt'

/** SQL: the values of a row of the outbox. */
type Values = Record<'type' | 'action' | 'id' | 'data' | 'previous', string> & { place: Place }

/**
 * SQL: an INSERT with a SELECT of these values, to continue with a FROM; the columns of both are in the same
 * order.
 */
export const insertChanges = ({ type, action, id, data, previous, place }: Values, author: string) =>
  `INSERT INTO changes (${COLUMNS})
   SELECT ${type}, ${action}, ${id}, ${data}, ${previous}, ${place}, ${author}`

const AUTHOR = '?, ?, ?, ?, ?::uuid'

/** The same for a statement with named bindings; authorBindings returns them. */
export const NAMED_AUTHOR = ':actor_type, :actor_id, :actor_name, :request_id, CAST(:attempt AS uuid)'

export const authorBindings = ({ actor, requestId, attempt }: Author) => ({
  actor_type: actor.type,
  actor_id: actor.id,
  actor_name: actor.name,
  request_id: requestId,
  attempt,
})

const authorValues = ({ actor, requestId, attempt }: Author) => [
  actor.type,
  actor.id,
  actor.name,
  requestId,
  attempt,
]

// Verbs with an action of their own; any other is an update, or a deletion if the resource is gone.
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
  approve: 'approved',
  decline: 'declined',
  withdraw: 'withdrawn',
  lapse: 'lapsed',
}

/** `bookings.create` in the audit log is `created` here; an action without a word here is an update. */
export function changeActionOf(auditedAction: string): ChangeAction {
  return ACTIONS[auditedAction.slice(auditedAction.indexOf('.') + 1)] ?? 'updated'
}

/**
 * A statement that records a change for each id of an array, with the present data; its values are those of
 * recordValues.
 */
export function recordSql(resource: ChangedResource): string {
  const change = {
    type: `'${CHANGED_SHAPES[resource].type}'`,
    action: "CASE WHEN asked.action = 'updated' AND shown.data IS NULL THEN 'deleted' ELSE asked.action END",
    id: 'asked.id',
    data: 'shown.data',
    previous: "nullif(asked.previous, '')",
    place: placesOf(resource, 'asked.id', 'asked.buildings::bigint[]'),
  }
  return `${insertChanges(change, AUTHOR)}
    FROM (
      SELECT ids.*, ?::text AS action FROM unnest(?::bigint[], ?::text[], ?::text[]) WITH ORDINALITY
        AS ids (id, previous, buildings, ordinal)
    ) AS asked, LATERAL (SELECT ${changedDataSql(resource, 'asked.id')} AS data OFFSET 0) AS shown
    ORDER BY asked.ordinal`
}

export function recordValues(
  author: Author,
  action: ChangeAction,
  former: Former | typeof CREATED,
  ids: number[],
) {
  const things = ids.map((id) => formerOf(former, id))
  return [
    ...authorValues(author),
    action,
    ids,
    things.map(({ data }) => data ?? ''),
    things.map(({ buildings }) => `{${buildings}}`),
  ]
}

function formerOf(former: Former | typeof CREATED, id: number) {
  if (former === CREATED) return { data: null, buildings: [] }
  const thing = former.get(id)
  if (!thing) throw new Error(`The former state of ${id} was not read`)
  return thing
}

/**
 * For changes without separate entries in the audit log; those with an entry are recorded along with it
 * (shared/audit/audit.ts).
 */
export async function recordChanges(
  database: Knex,
  author: Author,
  { resource, action }: { resource: ChangedResource; action: ChangeAction },
  former: Former,
): Promise<void> {
  if (former.size === 0) return
  await database.raw(recordSql(resource), recordValues(author, action, former, [...former.keys()]))
}
