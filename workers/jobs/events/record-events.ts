// One statement writes the audit log and the outbox for all events that a batch changes, and builds the replies.
import type { RecordedAction } from '../../../shared/audit/audit.ts'
import { placesOf } from '../../../shared/changes/buildings.ts'
import { CHANGED_SHAPES } from '../../../shared/changes/changes-shape.ts'
import { changeActionOf, insertChanges } from '../../../shared/changes/record.ts'
import { eventShapesFor } from '../../../shared/events/events-shape.ts'
import type { ReplyOf } from '../../../shared/jobs/jobs.ts'
import type { RefusalCode } from '../../../shared/messages/refusal.ts'
import { dataText, selectedText } from '../../../shared/schemas/json.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import type { Connection } from '../../runtime/connection.ts'
import { ReplyWithETag, type WriteContext } from '../../runtime/write.ts'
import { arraysOf } from '../rows/rows.ts'
import { AUDITED_EVENT, type Present } from './present-events.ts'

/** What a write has changed of an event. Without `after`, the audit log stores the event as it is now. */
export type Changed = {
  id: number
  context: WriteContext
  /** Unset for a new event. */
  former: Pick<Present, 'shown' | 'buildings'> | undefined
  before: unknown
  after?: unknown
  overridden?: RefusalCode[]
  isDetailed?: boolean
}

const SHAPE = CHANGED_SHAPES.events
const SHOWN = eventShapesFor('asked.viewer')
const REPLY = dataText(SHOWN.event)
const AUTHOR = 'actor_type, actor_id, actor_name, request_id, attempt'
const COLUMNS = {
  id: 'bigint',
  before: 'jsonb',
  after: 'jsonb',
  previous: 'text',
  buildings: 'text',
  overridden: 'text',
  is_detailed: 'boolean',
  viewer: 'bigint',
  actor_type: 'text',
  actor_id: 'bigint',
  actor_name: 'text',
  request_id: 'text',
  attempt: 'uuid',
}
const names = Object.keys(COLUMNS) as Array<keyof typeof COLUMNS>

const statementOf = (action: RecordedAction) => `
  WITH asked AS MATERIALIZED (
    SELECT * FROM unnest(${names.map((name, index) => `$${index + 1}::${COLUMNS[name]}[]`)}) WITH ORDINALITY
      AS asked (${names}, ordinal)
  ), written AS MATERIALIZED (
    SELECT asked.*, coalesce(after, ${AUDITED_EVENT} || CASE WHEN overridden IS NULL THEN '{}'
        ELSE jsonb_build_object('overridden_rules', string_to_array(overridden, ',')) END) AS audited,
      ${SHAPE.json} AS data,
      CASE WHEN is_detailed THEN ${dataText(SHOWN.detailed)} ELSE ${REPLY} END AS text
    FROM asked JOIN (${SHAPE.rows}) ON events.id = asked.id
  ), audited AS (
    INSERT INTO audit_log (action, resource, resource_id, before, after, ${AUTHOR})
    SELECT '${action}', 'events', id, before, audited, ${AUTHOR} FROM written ORDER BY ordinal
  ), changed AS (
    ${insertChanges(
      {
        type: `'${SHAPE.type}'`,
        action: `'${changeActionOf(action)}'`,
        id: 'id',
        data: 'data',
        previous: 'previous',
        place: placesOf('events', 'written.id', 'buildings::bigint[]'),
      },
      AUTHOR,
    )} FROM written ORDER BY ordinal
  )
  SELECT text FROM written ORDER BY ordinal`

type Reply = ReplyWithETag<ReplyOf<'events.create'>>

/** Returns the events as their GET shows them, in the order of the changes. */
export async function recordEvents(
  connection: Connection,
  action: RecordedAction,
  changes: Changed[],
): Promise<Reply[]> {
  if (changes.length === 0) return []
  const { rows } = await connection.query<{ text: string }>({
    name: `record-${action}`,
    text: statementOf(action),
    values: arraysOf(changes.map(valuesOf), names),
  })
  return rows.map(({ text }) => new ReplyWithETag(selectedText(REPLY, text), etagOf(text)))
}

const valuesOf = ({ id, context, former, before, after, overridden = [], isDetailed = false }: Changed) => ({
  id,
  before: before === undefined ? null : JSON.stringify(before),
  after: after === undefined ? null : JSON.stringify(after),
  previous: former?.shown ?? null,
  buildings: `{${former?.buildings ?? []}}`,
  overridden: overridden.join(',') || null,
  is_detailed: isDetailed,
  viewer: context.userId ?? null,
  actor_type: context.actor.type,
  actor_id: context.actor.id,
  actor_name: context.actor.name,
  request_id: context.requestId,
  attempt: context.attempt,
})
