// The audit log searched by what somebody or something is called: entries about people, desks, places, events, tokens and
// administrators of that name, and about the bookings of these people and desks. Each is a range of an index.
import type pg from 'pg'
import { SqlConditions } from '../search/sql-conditions.ts'
import { type AuditRow, type AuditSearch, COLUMNS, findPosition } from './queries.ts'

// Of each kind. Who finds more adds a word.
const THINGS_MAX = 20

const KINDS: Array<{ resource: string; table: string; names: string[] }> = [
  { resource: 'users', table: 'users', names: ['name', 'email'] },
  { resource: 'bookables', table: 'bookables', names: ['name'] },
  { resource: 'locations', table: 'locations', names: ['name'] },
  { resource: 'buildings', table: 'buildings', names: ['name'] },
  { resource: 'events', table: 'events', names: ['name'] },
  { resource: 'tokens', table: 'tokens', names: ['name'] },
  { resource: 'admins', table: 'admins', names: ['email'] },
]

/** What its bookings say it by in their entries; there is an index of each. */
const BOOKED_BY = { bookables: 'bookable_id', users: 'user_id' }

type Things = { resources: string[]; ids: number[] }

/** The whole name first, so that “Desk 7” is found among many of “Desk 70”. */
async function findThings(reads: pg.Pool, words: string): Promise<Things> {
  const conditions = new SqlConditions()
  const whole = conditions.bind(words.trim().replace(/\s+/g, ' ').toLowerCase())
  const parts = KINDS.map(({ resource, table, names }) => {
    const condition = conditions.search(words, names).join(' AND ') || 'false'
    return `(SELECT '${resource}' AS resource, id FROM ${table} WHERE ${condition}
      ORDER BY lower(${names[0]}) <> ${whole}, id LIMIT ${THINGS_MAX})`
  })
  const { rows } = await reads.query<{ resource: string; id: number }>(
    parts.join(' UNION ALL '),
    conditions.values,
  )
  return { resources: rows.map(({ resource }) => resource), ids: rows.map(({ id }) => id) }
}

type Wanted = AuditSearch & { about: string }

export async function searchAbout(
  reads: pg.Pool,
  { about, actorType, actor, actions, resourceId, from, to, before }: Wanted,
  limit: number,
): Promise<AuditRow[]> {
  const [things, position] = await Promise.all([
    findThings(reads, about),
    before === undefined ? undefined : findPosition(reads, before),
  ])
  if (things.ids.length === 0 || (before !== undefined && !position)) return []
  const conditions = new SqlConditions()
  const wanted = `unnest(${conditions.bind(things.resources)}::text[], ${conditions.bind(things.ids)}::bigint[]) AS things (resource, id)`
  if (actorType !== undefined) conditions.add(`actor_type = ${conditions.bind(actorType)}`)
  if (resourceId !== undefined) conditions.add(`resource_id = ${conditions.bind(resourceId)}`)
  if (actions) conditions.add(`action = ANY(${conditions.bind(actions)})`)
  conditions.addSearch(actor, ['actor_name'])
  if (from !== undefined) conditions.add(`at >= ${conditions.bind(from)}::timestamptz`)
  if (to !== undefined) conditions.add(`at < ${conditions.bind(to)}::timestamptz`)
  if (position)
    conditions.add(
      `(at, audit_log.id) < (${conditions.bind(position.at)}::timestamptz, ${conditions.bind(position.id)}::bigint)`,
    )
  const newest = (condition: string) => `LATERAL (
    SELECT audit_log.id FROM audit_log WHERE ${condition} AND ${conditions.sql}
    ORDER BY at DESC, audit_log.id DESC LIMIT ${limit})`
  const own = newest('audit_log.resource = things.resource AND audit_log.resource_id = things.id')
  const booked = Object.entries(BOOKED_BY).map(([resource, field]) => {
    const entries = newest(
      `audit_log.resource = 'bookings' AND coalesce(after, before) ->> '${field}' = things.id::text`,
    )
    return `SELECT found.id FROM ${wanted} CROSS JOIN ${entries} AS found WHERE things.resource = '${resource}'`
  })
  const { rows } = await reads.query<AuditRow>(
    `SELECT ${COLUMNS} FROM audit_log WHERE id IN (
       SELECT found.id FROM ${wanted} CROSS JOIN ${own} AS found UNION ${booked.join(' UNION ')}
     ) ORDER BY audit_log.at DESC, audit_log.id DESC LIMIT ${limit}`,
    conditions.values,
  )
  return rows
}
