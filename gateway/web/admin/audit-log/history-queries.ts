// Searches the audit log by things: finds entries about people, desks, places, events, tokens and administrators, by id
// or by name, and about the bookings and events of these people and desks. Each search reads a range of an index.
import type pg from 'pg'
import { numberColumn, SqlConditions, selectRows, textColumn } from '../../../reads/rows/rows.ts'
import {
  AUDIT_ROW_COLUMNS,
  type AuditEntry,
  type AuditRow,
  type AuditSearch,
  findPosition,
  loadValues,
} from './queries.ts'
import { THING_KINDS } from './things.ts'

// The limit of matches for each kind of thing. Users who need other matches add a word to the search.
const THINGS_MAX = 20
// How many events of a room are searched. The last events are searched, because new entries are seldom about
// older events.
const SEARCHED_EVENTS_MAX = 100

/** The fields that refer to these resources in entries about bookings. Each field has an index. */
const BOOKING_FIELDS = { bookables: 'bookable_id', users: 'user_id' }

/** SQL that finds a booking or an event's room that was moved away. Other indexes find such a booking or
 * event only by its new place. This condition has an index for the old place. */
const WAS_MOVED_AWAY_SQL = `before ->> 'bookable_id' <> after ->> 'bookable_id' AND before ->> 'bookable_id' = things.id::text`

/** Finds the events that use a room, and the events that gave the room up in the last 30 days. Earlier
 * cancellations are not stored. */
const SELECT_EVENTS_OF_ROOM = `
  (SELECT event_id FROM bookings WHERE bookable_id = things.id AND event_id IS NOT NULL
    ORDER BY lower(during) DESC LIMIT ${SEARCHED_EVENTS_MAX})
  UNION SELECT event_id FROM cancelled_bookings WHERE bookable_id = things.id AND event_id IS NOT NULL`

type FoundThings = { resources: string[]; ids: number[] }

/** Finds things by the words in their names. Full matches come first, so that “Desk 7” is found even if there
 * are many things like “Desk 70”. */
async function findThings(reads: pg.Pool, words: string): Promise<FoundThings> {
  const conditions = new SqlConditions()
  const whole = conditions.bind(words.trim().replace(/\s+/g, ' ').toLowerCase())
  const parts = Object.entries(THING_KINDS).flatMap(([kind, { names }]) => {
    if (names === undefined || kind === 'webhooks') return []
    const condition = conditions.search(words, names).join(' AND ') || 'false'
    return `(SELECT '${kind}' AS resource, id FROM ${kind} WHERE ${condition}
      ORDER BY lower(${names[0]}) <> ${whole}, id LIMIT ${THINGS_MAX})`
  })
  const found = `(${parts.join(' UNION ALL ')}) AS things`
  const rows = await selectRows(
    reads,
    { resource: textColumn('resource'), id: numberColumn('id') },
    found,
    conditions.values,
  )
  return { resources: rows.map(({ resource }) => resource), ids: rows.map(({ id }) => id) }
}

export async function searchEntriesAbout(
  reads: pg.Pool,
  { about, ...search }: AuditSearch & { about: string },
  limit: number,
): Promise<AuditRow[]> {
  return searchAuditedResources(reads, await findThings(reads, about), search, limit)
}

/** Finds the newest entries about one thing. */
export async function findHistory(
  reads: pg.Pool,
  { resource, id, limit }: { resource: string; id: number; limit: number },
): Promise<AuditEntry[]> {
  return loadValues(
    reads,
    await searchAuditedResources(reads, { resources: [resource], ids: [id] }, {}, limit),
  )
}

export async function searchAuditedResources(
  reads: pg.Pool,
  things: FoundThings,
  { actorType, actor, actions, resourceId, from, to, before }: AuditSearch,
  limit: number,
): Promise<AuditRow[]> {
  const position = before === undefined ? undefined : await findPosition(reads, before)
  if (things.ids.length === 0 || (before !== undefined && !position)) return []
  const conditions = new SqlConditions()
  const wanted = `unnest(${conditions.bind(things.resources)}::text[], ${conditions.bind(things.ids)}::bigint[]) AS things (resource, id)`
  conditions.addEqual({ actor_type: actorType, resource_id: resourceId })
  if (actions) conditions.add(`action = ANY(${conditions.bind(actions)})`)
  conditions.addSearch(actor, ['actor_name'])
  if (from !== undefined) conditions.add(`at >= ${conditions.bind(from)}::timestamptz`)
  if (to !== undefined) conditions.add(`at < ${conditions.bind(to)}::timestamptz`)
  if (position)
    conditions.add(
      `(at, audit_log.id) < (${conditions.bind(position.at)}::timestamptz, ${conditions.bind(position.id)}::bigint)`,
    )
  const newest = (condition: string, source = 'audit_log') => `LATERAL (
    SELECT audit_log.id FROM ${source} WHERE ${condition} AND ${conditions.sql}
    ORDER BY at DESC, audit_log.id DESC LIMIT ${limit})`
  const entriesOf = (resource: string, entries: string) =>
    `SELECT found.id FROM ${wanted} CROSS JOIN ${entries} AS found WHERE things.resource = '${resource}'`
  const own = newest('audit_log.resource = things.resource AND audit_log.resource_id = things.id')
  const booked = Object.entries(BOOKING_FIELDS).map(([resource, field]) =>
    entriesOf(
      resource,
      newest(`audit_log.resource = 'bookings' AND coalesce(after, before) ->> '${field}' = things.id::text`),
    ),
  )
  // OFFSET 0 keeps the planner from scanning the log by time.
  const ofEvents = newest(
    'true',
    `(${SELECT_EVENTS_OF_ROOM}) AS held CROSS JOIN LATERAL (
      SELECT * FROM audit_log WHERE resource = 'events' AND resource_id = held.event_id OFFSET 0) AS audit_log`,
  )
  const parts = [
    `SELECT found.id FROM ${wanted} CROSS JOIN ${own} AS found`,
    ...booked,
    entriesOf('bookables', newest(WAS_MOVED_AWAY_SQL)),
    entriesOf('bookables', ofEvents),
  ]
  const newestOfAll = `audit_log WHERE id IN (${parts.join(' UNION ')})
    ORDER BY audit_log.at DESC, audit_log.id DESC LIMIT ${limit}`
  return selectRows(reads, AUDIT_ROW_COLUMNS, newestOfAll, conditions.values)
}
