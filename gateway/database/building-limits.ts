// Reads of a token that is limited to buildings: the same statements, in which each table of places, and of what lies in them,
// is replaced by what of it lies there. So a statement need not know of limits, and a new one cannot forget them. A token
// without a limit sends its statements as they are.
import type pg from 'pg'
import type { PreparedQuery } from './pipeline.ts'
import type { ReadConnections } from './read-connections.ts'

/** A pool, or whatever else takes statements. */
export type Database = {
  query<Row extends object>(query: PreparedQuery): Promise<{ rows: Row[] }>
}

type Unprepared = Pick<PreparedQuery, 'text' | 'values'>

/** The connections of one read. */
export type LimitedReads = {
  pool: Database
  pointReads: Database
  streams: pg.Pool
  /** What is sent to the streams goes through it, where there is a limit. */
  limit?: (query: Unprepared) => Unprepared
}

// Where not all may be read by the gateway's own role (shared/grants.ts).
const COLUMNS: Record<string, string> = {
  webhooks: 'id, url, description, types, enabled, disabled_reason, failing_since, created_at, building_ids',
}

// By the names of the tables, which the rest of the statement then means. Each is opened up where it is used, so that indexes
// serve as before. An event lies where its rooms do; of several rooms those elsewhere are not shown. A webhook, which tells
// of places without naming one, is theirs where it tells of none but these. The calendar of a user, which tells of all
// places, never is.
const LIMITED_TABLES = (ids: string) =>
  Object.entries({
    buildings: `id = ANY (${ids})`,
    locations: `building_id = ANY (${ids})`,
    bookables: 'location_id IN (SELECT id FROM locations)',
    bookings: 'bookable_id IN (SELECT id FROM bookables)',
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

const texts = new Map<string, string>()

/** The statements that a limited token sends; there are as many as there are statements. */
export function limitReads(connections: ReadConnections, buildingIds: readonly number[]): LimitedReads {
  const limitTo = (database: Database): Database => ({
    query: ({ name, text, values }) =>
      database.query({ name: `${name}-in-buildings`, ...limit({ text, values }, name) }),
  })
  const limit = ({ text, values }: Unprepared, name?: string) => ({
    text: name === undefined ? limitText(text, values.length) : limitNamed(name, text, values.length),
    values: [...values, buildingIds],
  })
  return {
    pool: limitTo(connections.pool),
    pointReads: limitTo(connections.pointReads),
    streams: connections.streams,
    limit,
  }
}

function limitNamed(name: string, text: string, values: number): string {
  const known = texts.get(name)
  if (known !== undefined) return known
  const limited = limitText(text, values)
  texts.set(name, limited)
  return limited
}

/** The same statement of so many values, as a limited token sends it: its buildings are one value more. */
export function limitText(text: string, values: number): string {
  const tables = LIMITED_TABLES(`$${values + 1}::bigint[]`)
  const own = /^\s*WITH\s+/i.exec(text)
  return own ? `WITH ${tables}, ${text.slice(own[0].length)}` : `WITH ${tables} ${text}`
}
