// Writes the audit log and the outbox for all events that a batch changes, and builds the replies. A single statement
// does all of this.
import type { RecordedAction } from '../../../shared/audit/audit.ts'
import { getFormerAndCurrentPlaces } from '../../../shared/changes/buildings.ts'
import { CHANGED_SHAPES } from '../../../shared/changes/changes-shape.ts'
import { getChangeAction, insertChangesSql } from '../../../shared/changes/record.ts'
import { createEventShapesFor } from '../../../shared/events/events-shape.ts'
import type { ReplyOf } from '../../../shared/jobs/jobs.ts'
import type { RefusalCode } from '../../../shared/messages/refusal.ts'
import { dataBodyText, selectedText } from '../../../shared/schemas/json.ts'
import { computeEtag } from '../../../shared/utilities/etags.ts'
import type { Connection } from '../../runtime/connection.ts'
import { ReplyWithETag, type WriteContext } from '../../runtime/write.ts'
import { toColumnArrays } from '../rows/rows.ts'
import { AUDITED_EVENT, type PresentEvent } from './present-events.ts'

/** How a write changed an event. If `after` is not set, the audit log stores the event as it is now. */
export type ChangedEvent = {
  id: number
  context: WriteContext
  /** The event before the write. Unset for a new event. */
  former: Pick<PresentEvent, 'shown' | 'buildings'> | undefined
  before: unknown
  after?: unknown
  overridden?: RefusalCode[]
  isDetailed?: boolean
}

const EVENT_SHAPE = CHANGED_SHAPES.events
const SHOWN_EVENT = createEventShapesFor('asked.viewer')
const REPLY_SQL = dataBodyText(SHOWN_EVENT.event)
const AUTHOR_COLUMNS = 'actor_type, actor_id, actor_name, request_id, attempt'
const COLUMN_TYPES = {
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
const columnNames = Object.keys(COLUMN_TYPES) as Array<keyof typeof COLUMN_TYPES>

const buildStatement = (action: RecordedAction) => `
  WITH asked AS MATERIALIZED (
    SELECT * FROM unnest(${columnNames.map((name, index) => `$${index + 1}::${COLUMN_TYPES[name]}[]`)}) WITH ORDINALITY
      AS asked (${columnNames}, ordinal)
  ), written AS MATERIALIZED (
    SELECT asked.*, coalesce(after, ${AUDITED_EVENT} || CASE WHEN overridden IS NULL THEN '{}'
        ELSE jsonb_build_object('overridden_rules', string_to_array(overridden, ',')) END) AS audited,
      ${EVENT_SHAPE.json} AS data,
      CASE WHEN is_detailed THEN ${dataBodyText(SHOWN_EVENT.detailed)} ELSE ${REPLY_SQL} END AS text
    FROM asked JOIN (${EVENT_SHAPE.rows}) ON events.id = asked.id
  ), audited AS (
    INSERT INTO audit_log (action, resource, resource_id, before, after, ${AUTHOR_COLUMNS})
    SELECT '${action}', 'events', id, before, audited, ${AUTHOR_COLUMNS} FROM written ORDER BY ordinal
  ), changed AS (
    ${insertChangesSql(
      {
        type: `'${EVENT_SHAPE.type}'`,
        action: `'${getChangeAction(action)}'`,
        id: 'id',
        data: 'data',
        previous: 'previous',
        place: getFormerAndCurrentPlaces('events', 'written.id', 'buildings::bigint[]'),
      },
      AUTHOR_COLUMNS,
    )} FROM written ORDER BY ordinal
  )
  SELECT text FROM written ORDER BY ordinal`

type EventReply = ReplyWithETag<ReplyOf<'events.create'>>

/**
 * Records changes of events. Returns the events in the order of the changes, in the format that a GET of an event
 * returns.
 */
export async function recordEvents(
  connection: Connection,
  action: RecordedAction,
  changes: ChangedEvent[],
): Promise<EventReply[]> {
  if (changes.length === 0) return []
  const { rows } = await connection.query<{ text: string }>({
    name: `record-${action}`,
    text: buildStatement(action),
    values: toColumnArrays(changes.map(getColumnValues), columnNames),
  })
  return rows.map(({ text }) => new ReplyWithETag(selectedText(REPLY_SQL, text), computeEtag(text)))
}

const getColumnValues = ({
  id,
  context,
  former,
  before,
  after,
  overridden = [],
  isDetailed = false,
}: ChangedEvent) => ({
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
