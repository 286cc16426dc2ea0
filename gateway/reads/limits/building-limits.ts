// Restricts the reads of a token that is limited to buildings. It sends the same statements, but each table
// of places, and of what lies in them, is replaced by the part of it in those buildings. So statements need
// not know of limits, and a new statement cannot forget them. A token without a limit sends its statements
// unchanged. Personal tokens are limited in the same way: personal-limits.ts.
import type pg from 'pg'
import type { Token } from '../../auth/tokens.ts'
import { ownerOf } from '../../overload/admission.ts'
import type { PreparedQuery } from '../connections/point-reads.ts'
import type { ReadConnections } from '../connections/read-connections.ts'
import type { Reads } from '../connections/reads.ts'
import { withTables } from './limited-tables.ts'
import { limitTextToPerson, type PersonalUse } from './personal-limits.ts'

export type Database = {
  query<Row extends object>(query: PreparedQuery): Promise<{ rows: Row[] }>
}

type Unprepared = Pick<PreparedQuery, 'text' | 'values'>

export type LimitedReads = {
  pool: Database
  pointReads: Database
  streams: pg.Pool
  /** If there is a limit, statements for `streams` must go through this. */
  limit?: (query: Unprepared) => Unprepared
}

// Tables that the gateway's own role may not read completely (shared/database/grants.ts).
const COLUMNS: Record<string, string> = {
  webhooks: 'id, url, description, types, enabled, disabled_reason, failing_since, created_at, building_ids',
}

// The conditions by table name; the rest of the statement then means the restricted table. Postgres inlines
// each one where it is used, so that indexes still serve. An event lies where its rooms are; rooms in other
// buildings are not shown. A webhook names no place, so it belongs to the token if it reports on these
// buildings only. The calendar of a user reports on all places, so it never belongs to the token.
const LIMITED_TABLES = (ids: string) =>
  Object.entries({
    buildings: `id = ANY (${ids})`,
    locations: `building_id = ANY (${ids})`,
    bookables: 'location_id IN (SELECT id FROM locations)',
    bookings: 'bookable_id IN (SELECT id FROM bookables)',
    holds: 'bookable_id IN (SELECT id FROM bookables)',
    events: 'EXISTS (SELECT FROM bookings WHERE bookings.event_id = events.id)',
    series: 'EXISTS (SELECT FROM bookings WHERE bookings.series_id = series.id)',
    webhooks: `building_ids <@ ${ids}`,
    calendars: 'location_id IN (SELECT id FROM locations) OR bookable_id IN (SELECT id FROM bookables)',
  })
    .map(([table, condition]) => {
      const columns = COLUMNS[table] ?? '*'
      return `${table} AS NOT MATERIALIZED (SELECT ${columns} FROM ${table} WHERE ${condition})`
    })
    .join(', ')

/** The limited text of each prepared statement, by its limited name. */
const texts = new Map<string, string>()

/** Part of the names of statements, the text that a limit makes of another, and its value. */
type Limit = { name: string; limit: typeof limitText; value: unknown }

function limitReads(connections: LimitedReads, { name: suffix, limit, value }: Limit): LimitedReads {
  const limitTo = (database: Database): Database => ({
    query({ name, text, values }) {
      const limitedName = `${name}-${suffix}`
      const limited = texts.get(limitedName) ?? limit(text, values.length)
      texts.set(limitedName, limited)
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

/** The statement as a limited token sends it: after its number of `values`, the buildings are one more. */
export function limitText(text: string, values: number): string {
  return withTables(LIMITED_TABLES(`$${values + 1}::bigint[]`), text)
}

const limitTextToPersonFor = {
  own: limitTextToPerson('own'),
  meetings: limitTextToPerson('meetings'),
  requests: limitTextToPerson('requests'),
}

/** The tables of the person are parts of those in the buildings. */
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

/** `work` may run twice. `use` concerns personal tokens. */
export function readAs<Result>(
  reads: Reads,
  token: Token,
  work: (connections: LimitedReads) => Promise<Result>,
  use: PersonalUse = 'own',
): Promise<Result> {
  const { id, abilities } = token
  const writes = abilities.some((ability) => ability !== 'read')
  const caller = writes ? { type: 'token' as const, id } : undefined
  return reads.read(ownerOf({ type: 'token', id }), caller, (connections) =>
    work(limitTo(connections, token, use)),
  )
}
