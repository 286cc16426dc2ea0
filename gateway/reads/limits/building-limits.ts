// Restricts the reads of a token that is limited to buildings. The token sends the same statements, but each
// table of places and their contents is replaced by the table's rows that belong to those buildings. So a
// statement does not mention limits, and a new statement cannot forget them. A token without a limit sends
// its statements unchanged. personal-limits.ts limits personal tokens in the same way.
import type pg from 'pg'
import type { Token } from '../../auth/tokens.ts'
import { findQuotaOwner } from '../../overload/admission.ts'
import type { PreparedQuery } from '../connections/point-reads.ts'
import type { ReadConnections } from '../connections/read-connections.ts'
import type { Reads } from '../connections/reads.ts'
import { addTables } from './limited-tables.ts'
import { limitTextToPerson, type PersonalUse } from './personal-limits.ts'

export type LimitedDatabase = {
  query<Row extends object>(query: PreparedQuery): Promise<{ rows: Row[] }>
}

type UnpreparedQuery = Pick<PreparedQuery, 'text' | 'values'>

export type LimitedReads = {
  pool: LimitedDatabase
  pointReads: LimitedDatabase
  streams: pg.Pool
  /** Limits a statement. Statements on `streams` must go through this function, if it exists. */
  limit?: (query: UnpreparedQuery) => UnpreparedQuery
}

// The columns of tables that the gateway's database role may not read completely (see
// shared/database/grants.ts).
const READABLE_COLUMNS: Record<string, string> = {
  webhooks: 'id, url, description, types, enabled, disabled_reason, failing_since, created_at, building_ids',
}

// The conditions by table name. In a limited statement, the table's name means only the rows that meet the condition.
// Postgres inlines each restricted table where it is used, so that indexes still apply. An event belongs to the
// buildings of its rooms; rooms in other buildings are not shown. A token sees a webhook
// if all buildings that the webhook reports on are among the buildings of the token. A user's calendar covers all places, so a limited token never sees it.
const limitedTablesSql = (ids: string) =>
  Object.entries({
    buildings: `id = ANY (${ids})`,
    locations: `building_id = ANY (${ids})`,
    bookables: 'location_id IN (SELECT id FROM locations)',
    bookings: 'bookable_id IN (SELECT id FROM bookables)',
    holds: 'bookable_id IN (SELECT id FROM bookables)',
    events: 'EXISTS (SELECT FROM bookings WHERE bookings.event_id = events.id)',
    series: `EXISTS (SELECT FROM bookings WHERE bookings.series_id = series.id)
      OR EXISTS (SELECT FROM events WHERE events.series_id = series.id)`,
    webhooks: `building_ids <@ ${ids}`,
    calendars: 'location_id IN (SELECT id FROM locations) OR bookable_id IN (SELECT id FROM bookables)',
  })
    .map(([table, condition]) => {
      const columns = READABLE_COLUMNS[table] ?? '*'
      return `${table} AS NOT MATERIALIZED (SELECT ${columns} FROM ${table} WHERE ${condition})`
    })
    .join(', ')

/** The limited text of each prepared statement, by the name of the limited statement. */
const limitedTexts = new Map<string, string>()

/** A limit: a part of the limited statement's name, the function that limits its text, and the additional parameter. */
type StatementLimit = { name: string; limit: typeof limitText; value: unknown }

function limitReads(connections: LimitedReads, { name: suffix, limit, value }: StatementLimit): LimitedReads {
  const limitTo = (database: LimitedDatabase): LimitedDatabase => ({
    query({ name, text, values }) {
      const limitedName = `${name}-${suffix}`
      const limited = limitedTexts.get(limitedName) ?? limit(text, values.length)
      limitedTexts.set(limitedName, limited)
      return database.query({ name: limitedName, text: limited, values: [...values, value] })
    },
  })
  return {
    pool: limitTo(connections.pool),
    pointReads: limitTo(connections.pointReads),
    streams: connections.streams,
    limit(query) {
      const { text, values } = {
        text: limit(query.text, query.values.length),
        values: [...query.values, value],
      }
      return connections.limit ? connections.limit({ text, values }) : { text, values }
    },
  }
}

/**
 * Returns the statement for a limited token. The buildings are one more parameter, after the statement's own number of
 * `values`.
 */
export function limitText(text: string, values: number): string {
  return addTables(limitedTablesSql(`$${values + 1}::bigint[]`), text)
}

const limitTextToPersonFor = {
  own: limitTextToPerson('own'),
  meetings: limitTextToPerson('meetings'),
  requests: limitTextToPerson('requests'),
}

/** The limit to a person is applied inside the limit to buildings. */
function limitTo(
  connections: ReadConnections,
  { buildingIds, userId }: Token,
  use: PersonalUse,
): LimitedReads {
  let limited: LimitedReads = connections
  if (buildingIds !== null)
    limited = limitReads(limited, { name: 'in-buildings', limit: limitText, value: buildingIds })
  if (userId !== null && use !== 'times')
    limited = limitReads(limited, {
      name: `of-person-${use}`,
      limit: limitTextToPersonFor[use],
      value: userId,
    })
  return limited
}

/** Runs a read limited to what the token may see. Calls `work` again if the read fails on the replica, so it
 * must be safe to repeat. `use` is needed only for personal tokens. */
export function readAsToken<Result>(
  reads: Reads,
  token: Token,
  work: (connections: LimitedReads) => Promise<Result>,
  use: PersonalUse = 'own',
): Promise<Result> {
  const { id, abilities } = token
  const writes = abilities.some((ability) => ability !== 'read')
  const caller = writes ? { type: 'token' as const, id } : undefined
  return reads.read(findQuotaOwner({ type: 'token', id }), caller, (connections) =>
    work(limitTo(connections, token, use)),
  )
}
