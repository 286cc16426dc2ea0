// Statements that change bookings, as many as come together: each also writes the audit log and the outbox, and builds
// the replies. The bookings are locked.
import type { RecordedAction } from '../../../shared/audit/audit.ts'
import { inBuilding, inBuildings } from '../../../shared/changes/buildings.ts'
import { CHANGED_SHAPES } from '../../../shared/changes/changes-shape.ts'
import { changeActionOf, insertChanges } from '../../../shared/changes/record.ts'
import type { JsonTextSql } from '../../../shared/schemas/json.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { WriteContext } from '../../runtime/write.ts'

/** Which booking to change, and the values of the statement's own columns. */
export type Changed<Columns extends string> = {
  id: number
  context: WriteContext
  values: Readonly<Record<Columns, unknown>>
}

type Statement<Columns extends string, Reply> = {
  action: RecordedAction
  /** Types of the statement's own columns, which are columns of `asked`. */
  columns: Readonly<Record<Columns, string>>
  /** SQL: an UPDATE or DELETE of the bookings in `asked`, up to its RETURNING. */
  change: string
  /** SQL: the reply; unset if the bookings are deleted. */
  reply?: JsonTextSql<Reply>
  /** SQL: the body of the booking's GET, if the reply is another and has its ETag. */
  body?: string
  /** SQL: the rows for the audit log before and after, if it stores more than the rows. */
  auditedBefore?: string
  audited?: string
}

type Written<Reply> = { ordinal: number; id: number; text: JsonText<Reply>; body: string }

/** SQL: the base address of a reply. */
export const BASE_URL = 'before.base_url'

const OWN_COLUMNS = {
  id: 'bigint',
  base_url: 'text',
  actor_type: 'text',
  actor_id: 'bigint',
  actor_name: 'text',
  request_id: 'text',
  attempt: 'uuid',
}

const SHAPE = CHANGED_SHAPES.bookings
const AUTHOR = 'actor_type, actor_id, actor_name, request_id, attempt'

// Everything is read once before and once after the change, because each mention of a table costs. What is read
// before does not see the change of the same statement.
function statementOf<Columns extends string>(statement: Statement<Columns, unknown>): string {
  const { action, columns, change, reply, body = 'NULL::text' } = statement
  const { auditedBefore = 'to_jsonb(bookings)', audited = 'to_jsonb(bookings)' } = statement
  const all = Object.entries<string>({ ...OWN_COLUMNS, ...columns })
  const arrays = all.map(([, type], index) => `$${index + 1}::${type}[]`)
  const written = reply
    ? `SELECT before.*, ${audited} AS after, locations.building_id, ${SHAPE.json} AS data, ${reply} AS text,
         ${body} AS body
       FROM before JOIN (${SHAPE.rows}) ON bookings.id = before.id`
    : 'SELECT before.*, NULL::jsonb AS after, NULL::text AS data, NULL::text AS text, NULL::text AS body FROM before'
  const entry = {
    type: "'booking'",
    action: `'${changeActionOf(action)}'`,
    id: 'id',
    data: 'data',
    previous: 'previous',
    place: reply ? inBuildings('former_building', 'building_id') : inBuilding('former_building'),
  }
  return `
    WITH asked AS MATERIALIZED (
      SELECT * FROM unnest(${arrays}) WITH ORDINALITY AS asked (${all.map(([name]) => name)}, ordinal)
    ), before AS MATERIALIZED (
      SELECT asked.*, ${auditedBefore} AS before, ${SHAPE.json} AS previous,
        locations.building_id AS former_building
      FROM asked JOIN (${SHAPE.rows}) ON bookings.id = asked.id
    ), bookings AS (
      ${change} RETURNING bookings.*
    ), written AS MATERIALIZED (
      ${written}
    ), audited AS (
      INSERT INTO audit_log (action, resource, resource_id, before, after, ${AUTHOR})
      SELECT '${action}', 'bookings', id, before, after, ${AUTHOR} FROM written ORDER BY ordinal
    ), changed AS (
      ${insertChanges(entry, AUTHOR)} FROM written ORDER BY ordinal
    )
    SELECT ordinal::int, id, text, body FROM written`
}

/** Results are in the order of the bookings. */
export function prepareChange<Columns extends string, Reply>(
  name: string,
  statement: Statement<Columns, Reply>,
) {
  const text = statementOf(statement)
  const columns = Object.keys(statement.columns) as Columns[]
  return async (connection: Connection, changed: Array<Changed<Columns>>): Promise<Written<Reply>[]> => {
    if (changed.length === 0) return []
    const own = changed.map(({ id, context: { baseUrl, actor, requestId, attempt } }) => {
      return [id, baseUrl, actor.type, actor.id, actor.name, requestId, attempt]
    })
    const values = [
      ...Object.keys(OWN_COLUMNS).map((_name, column) => own.map((row) => row[column])),
      ...columns.map((column) => changed.map(({ values }) => values[column])),
    ]
    const { rows } = await connection.query<Written<Reply>>({ name, text, values })
    return rows.sort((one, other) => one.ordinal - other.ordinal)
  }
}
