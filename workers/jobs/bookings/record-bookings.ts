// Builds statements that change bookings in batches. Each statement also writes the audit log and the outbox, and
// builds the replies. The bookings must be locked.
import type { RecordedAction } from '../../../shared/audit/audit.ts'
import { placeInBuilding, placeInBuildings } from '../../../shared/changes/buildings.ts'
import { CHANGED_SHAPES } from '../../../shared/changes/changes-shape.ts'
import { getChangeAction, insertChangesSql } from '../../../shared/changes/record.ts'
import type { JsonTextSql } from '../../../shared/schemas/json.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { WriteContext } from '../../runtime/write.ts'

/** A booking to change, and the values for the statement's own columns. */
export type ChangedBooking<Columns extends string> = {
  id: number
  context: WriteContext
  values: Readonly<Record<Columns, unknown>>
}

type ChangeStatement<Columns extends string, Reply> = {
  action: RecordedAction
  /** The types of the statement's own columns. The table `asked` contains these columns. */
  columns: Readonly<Record<Columns, string>>
  /** SQL for an UPDATE or DELETE of the bookings in `asked`, up to the RETURNING clause. */
  change: string
  /** SQL for the reply. Unset if the bookings are deleted. */
  reply?: JsonTextSql<Reply>
  /**
   * SQL for the body that a GET of the booking returns. Set only if the reply differs from this body but contains its
   * ETag.
   */
  body?: string
  /** SQL for what the audit log stores of the booking before the change, if that is more than the row. */
  auditedBefore?: string
  audited?: string
}

type WrittenRow<Reply> = { ordinal: number; id: number; text: JsonText<Reply>; body: string }

/** SQL for the base URL of the URLs in a reply. */
export const BASE_URL_SQL = 'before.base_url'

const OWN_COLUMNS = {
  id: 'bigint',
  base_url: 'text',
  actor_type: 'text',
  actor_id: 'bigint',
  actor_name: 'text',
  request_id: 'text',
  attempt: 'uuid',
}

const BOOKING_SHAPE = CHANGED_SHAPES.bookings
const AUTHOR_COLUMNS = 'actor_type, actor_id, actor_name, request_id, attempt'

// Builds a statement that reads all data once before and once after the change, because each mention of a table costs
// time. The part that reads the data before the change does not see what the same statement changes.
function buildStatement<Columns extends string>(statement: ChangeStatement<Columns, unknown>): string {
  const { action, columns, change, reply, body = 'NULL::text' } = statement
  const { auditedBefore = 'to_jsonb(bookings)', audited = 'to_jsonb(bookings)' } = statement
  const all = Object.entries<string>({ ...OWN_COLUMNS, ...columns })
  const arrays = all.map(([, type], index) => `$${index + 1}::${type}[]`)
  const written = reply
    ? `SELECT before.*, ${audited} AS after, locations.building_id, ${BOOKING_SHAPE.json} AS data, ${reply} AS text,
         ${body} AS body
       FROM before JOIN (${BOOKING_SHAPE.rows}) ON bookings.id = before.id`
    : 'SELECT before.*, NULL::jsonb AS after, NULL::text AS data, NULL::text AS text, NULL::text AS body FROM before'
  const entry = {
    type: "'booking'",
    action: `'${getChangeAction(action)}'`,
    id: 'id',
    data: 'data',
    previous: 'previous',
    place: reply ? placeInBuildings('former_building', 'building_id') : placeInBuilding('former_building'),
  }
  return `
    WITH asked AS MATERIALIZED (
      SELECT * FROM unnest(${arrays}) WITH ORDINALITY AS asked (${all.map(([name]) => name)}, ordinal)
    ), before AS MATERIALIZED (
      SELECT asked.*, ${auditedBefore} AS before, ${BOOKING_SHAPE.json} AS previous,
        locations.building_id AS former_building
      FROM asked JOIN (${BOOKING_SHAPE.rows}) ON bookings.id = asked.id
    ), bookings AS (
      ${change} RETURNING bookings.*
    ), written AS MATERIALIZED (
      ${written}
    ), audited AS (
      INSERT INTO audit_log (action, resource, resource_id, before, after, ${AUTHOR_COLUMNS})
      SELECT '${action}', 'bookings', id, before, after, ${AUTHOR_COLUMNS} FROM written ORDER BY ordinal
    ), changed AS (
      ${insertChangesSql(entry, AUTHOR_COLUMNS)} FROM written ORDER BY ordinal
    )
    SELECT ordinal::int, id, text, body FROM written`
}

/** Returns a function that changes bookings. Its results are in the order of the bookings. */
export function prepareBookingChange<Columns extends string, Reply>(
  name: string,
  statement: ChangeStatement<Columns, Reply>,
) {
  const text = buildStatement(statement)
  const columns = Object.keys(statement.columns) as Columns[]
  return async (
    connection: Connection,
    changed: Array<ChangedBooking<Columns>>,
  ): Promise<WrittenRow<Reply>[]> => {
    if (changed.length === 0) return []
    const own = changed.map(({ id, context: { baseUrl, actor, requestId, attempt } }) => {
      return [id, baseUrl, actor.type, actor.id, actor.name, requestId, attempt]
    })
    const values = [
      ...Object.keys(OWN_COLUMNS).map((_name, column) => own.map((row) => row[column])),
      ...columns.map((column) => changed.map(({ values }) => values[column])),
    ]
    const { rows } = await connection.query<WrittenRow<Reply>>({ name, text, values })
    return rows.sort((one, other) => one.ordinal - other.ordinal)
  }
}
