// Writes the outbox: the changes that a write made, in the write's own transaction. A separate statement inserts them
// after the changed rows are locked, so that of two changes to the same resource, the later one also has the later
// position in the outbox (docs/decisions/0031-one-outbox.md).
import type { Knex } from 'knex'
import type { ChangeAction } from '../webhooks/changes.ts'
import type { Author } from './author.ts'
import { getFormerAndCurrentPlaces, type Place } from './buildings.ts'
import { CHANGED_SHAPES, type ChangedResource, changedDataSql } from './changes-shape.ts'
import { type FormerState, NEWLY_CREATED } from './former-state.ts'

/** The author of changes that upkeep makes. */
export const UPKEEP_AUTHOR: Author = {
  actor: { type: 'system', id: null, name: 'upkeep' },
  requestId: 'upkeep',
  attempt: null,
}

const CHANGE_COLUMNS =
  'type, action, resource_id, data, previous, building_ids, actor_type, actor_id, actor_name, request_id, attempt'

/** SQL for the values of one row of the outbox. */
type ChangeValues = Record<'type' | 'action' | 'id' | 'data' | 'previous', string> & { place: Place }

/**
 * Returns SQL that inserts these values with INSERT … SELECT. The caller appends a FROM clause. Both column lists have
 * the same order.
 */
export const insertChangesSql = ({ type, action, id, data, previous, place }: ChangeValues, author: string) =>
  `INSERT INTO changes (${CHANGE_COLUMNS})
   SELECT ${type}, ${action}, ${id}, ${data}, ${previous}, ${place}, ${author}`

const AUTHOR_SQL = '?, ?, ?, ?, ?::uuid'

/** The author's columns for a statement with named bindings. A function in this file returns the bindings. */
export const NAMED_AUTHOR_SQL = ':actor_type, :actor_id, :actor_name, :request_id, CAST(:attempt AS uuid)'

export const createAuthorBindings = ({ actor, requestId, attempt }: Author) => ({
  actor_type: actor.type,
  actor_id: actor.id,
  actor_name: actor.name,
  request_id: requestId,
  attempt,
})

const createAuthorValues = ({ actor, requestId, attempt }: Author) => [
  actor.type,
  actor.id,
  actor.name,
  requestId,
  attempt,
]

// Verbs that have their own change action. For any other verb, the action is an update, or a deletion if the resource
// no longer exists.
const ACTIONS_BY_VERB: Record<string, ChangeAction> = {
  create: 'created',
  delete: 'deleted',
  erase: 'deleted',
  release: 'released',
  'release-away': 'released',
  'release-day': 'released',
  clear: 'released',
  'clear-room': 'released',
  'check-in': 'checked_in',
  answer: 'answered',
  deactivate: 'deactivated',
  restore: 'restored',
  approve: 'approved',
  decline: 'declined',
  withdraw: 'withdrawn',
  lapse: 'lapsed',
}

/** Returns the change action for an audit action, such as `created` for `bookings.create`. A verb without its
 * own change action means an update. */
export function getChangeAction(auditedAction: string): ChangeAction {
  return ACTIONS_BY_VERB[auditedAction.slice(auditedAction.indexOf('.') + 1)] ?? 'updated'
}

/**
 * Returns a statement that records a change for each id in an array, with the resource's current data. The bindings of
 * the statement come from recordValues.
 */
export function recordChangesSql(resource: ChangedResource): string {
  const change = {
    type: `'${CHANGED_SHAPES[resource].type}'`,
    action: "CASE WHEN asked.action = 'updated' AND shown.data IS NULL THEN 'deleted' ELSE asked.action END",
    id: 'asked.id',
    data: 'shown.data',
    previous: "nullif(asked.previous, '')",
    place: getFormerAndCurrentPlaces(resource, 'asked.id', 'asked.buildings::bigint[]'),
  }
  return `${insertChangesSql(change, AUTHOR_SQL)}
    FROM (
      SELECT ids.*, ?::text AS action FROM unnest(?::bigint[], ?::text[], ?::text[]) WITH ORDINALITY
        AS ids (id, previous, buildings, ordinal)
    ) AS asked, LATERAL (SELECT ${changedDataSql(resource, 'asked.id')} AS data OFFSET 0) AS shown
    ORDER BY asked.ordinal`
}

export function recordValues(
  author: Author,
  action: ChangeAction,
  former: FormerState | typeof NEWLY_CREATED,
  ids: number[],
) {
  const things = ids.map((id) => getFormerState(former, id))
  return [
    ...createAuthorValues(author),
    action,
    ids,
    things.map(({ data }) => data ?? ''),
    things.map(({ buildings }) => `{${buildings}}`),
  ]
}

function getFormerState(former: FormerState | typeof NEWLY_CREATED, id: number) {
  if (former === NEWLY_CREATED) return { data: null, buildings: [] }
  const thing = former.get(id)
  if (!thing) throw new Error(`The former state of ${id} was not read`)
  return thing
}

/**
 * Records changes that have no entry of their own in the audit log. Changes with an entry are recorded along with it
 * (shared/audit/audit.ts).
 */
export async function recordChanges(
  database: Knex,
  author: Author,
  { resource, action }: { resource: ChangedResource; action: ChangeAction },
  former: FormerState,
): Promise<void> {
  if (former.size === 0) return
  await database.raw(recordChangesSql(resource), recordValues(author, action, former, [...former.keys()]))
}
