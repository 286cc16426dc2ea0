// Reads the audit log, newest entries first. The log grows without bound, so every search uses an index, each
// page continues after the last entry of the previous one, and nothing is ever counted.
import type pg from 'pg'
import { timestampText } from '../../../shared/schemas/json.ts'
import { SqlConditions } from '../search/sql-conditions.ts'

export type ActorType = 'token' | 'admin' | 'system'

export type AuditRow = {
  id: number
  at: string
  actorType: ActorType
  actor: string
  action: string
  resource: string
  resourceId: number | null
  requestId: string
}

export type AuditEntry = AuditRow & { before: unknown; after: unknown }

export type AuditSearch = {
  actorType?: ActorType | undefined
  /** Words from the actor's name. */
  actor?: string | undefined
  /** The actions to find; undefined for all. */
  actions?: string[] | undefined
  resource?: string | undefined
  resourceId?: number | undefined
  from?: string | undefined
  to?: string | undefined
  /** The id of an entry; only older entries match. */
  before?: number | undefined
}

type Actor = { type: ActorType; name: string }

// Up to this many pairs of actor and action are looked up one by one. If there are more, the log contains so
// many of their entries that a scan by time finds them soon.
const PAIRS_MAX = 500

export const COLUMNS = `
  audit_log.id, ${timestampText('audit_log.at')} AS at, audit_log.actor_type AS "actorType",
  audit_log.actor_name AS actor, audit_log.action, audit_log.resource, audit_log.resource_id AS "resourceId",
  audit_log.request_id AS "requestId"`

/** Where to search: one range of an index for each of its rows. */
type Source = {
  rows: string
  /** The first columns of the index, and their values in that row. */
  columns: string[]
  values: string[]
}

const ONE_RANGE: Source = { rows: '(VALUES (1)) AS once', columns: [], values: [] }
const RANGE_PER_ACTION = { columns: ['action'], values: ['wanted.action'] }

/** Finds every action in the log with one index step each, without scanning the table. */
export async function listActions(reads: pg.Pool): Promise<string[]> {
  const { rows } = await reads.query<{ action: string }>(
    `WITH RECURSIVE actions AS (
       (SELECT action FROM audit_log ORDER BY action LIMIT 1)
       UNION ALL
       SELECT (SELECT action FROM audit_log WHERE action > actions.action ORDER BY action LIMIT 1)
       FROM actions WHERE action IS NOT NULL
     )
     SELECT action FROM actions WHERE action IS NOT NULL`,
  )
  return rows.map(({ action }) => action)
}

/** `known` contains the actions that occur in the log. */
export async function searchAuditLog(
  reads: pg.Pool,
  search: AuditSearch,
  { known, limit }: { known: string[]; limit: number },
): Promise<AuditRow[]> {
  const conditions = new SqlConditions()
  const source = await sourceOf(reads, search, known, conditions)
  const position = search.before === undefined ? undefined : await findPosition(reads, search.before)
  if (!source || (search.before !== undefined && !position)) return []
  const { rows: each, columns } = source
  addBounds(conditions, source, { ...search, position })
  const order = (names: string[]) => `ORDER BY ${names.map((name) => `audit_log.${name} DESC`).join(', ')}`
  const found = `SELECT * FROM audit_log WHERE ${conditions.sql} ${order([...columns, 'at', 'id'])} LIMIT ${limit}`
  const { rows } = await reads.query<AuditRow>(
    `SELECT ${COLUMNS} FROM ${each} CROSS JOIN LATERAL (${found}) AS audit_log ${order(['at', 'id'])} LIMIT ${limit}`,
    conditions.values,
  )
  return rows
}

// Compares the index columns as one row value, and sorts by all of them. With a plain “action = …” the
// planner may scan the log by time, which takes long if the action is rare.
function addBounds(
  conditions: SqlConditions,
  { columns, values }: Source,
  { from, to, position }: Pick<AuditSearch, 'from' | 'to'> & { position: Position | undefined },
) {
  const compare = (operator: string, more: Array<[column: string, value: string]>) => {
    const names = [...columns, ...more.map(([column]) => column)].map((name) => `audit_log.${name}`)
    const bounds = [...values, ...more.map(([, value]) => value)]
    if (names.length > 0) conditions.add(`(${names.join(', ')}) ${operator} (${bounds.join(', ')})`)
  }
  const moment = (instant: string) => `${conditions.bind(instant)}::timestamptz`
  compare('>=', from === undefined ? [] : [['at', moment(from)]])
  compare('<=', [])
  if (to !== undefined) compare('<', [['at', moment(to)]])
  if (!position) return
  compare('<', [
    ['at', moment(position.at)],
    ['id', `${conditions.bind(position.id)}::bigint`],
  ])
}

export async function findAuditEntry(reads: pg.Pool, id: number): Promise<AuditEntry | undefined> {
  const { rows } = await reads.query<AuditEntry>(
    `SELECT ${COLUMNS}, before, after FROM audit_log WHERE id = $1`,
    [id],
  )
  return rows[0]
}

/** Adds the values before and after. Keeps the order of the rows. */
export async function withValues(reads: pg.Pool, rows: AuditRow[]): Promise<AuditEntry[]> {
  const { rows: values } = await reads.query<Pick<AuditEntry, 'id' | 'before' | 'after'>>(
    'SELECT id, before, after FROM audit_log WHERE id = ANY($1::bigint[])',
    [rows.map(({ id }) => id)],
  )
  const known = new Map(values.map((each) => [each.id, each]))
  return rows.map((row) => ({ before: null, after: null, ...row, ...known.get(row.id) }))
}

/** Also adds the conditions that the source does not cover. Undefined if nothing can match. */
async function sourceOf(
  reads: pg.Pool,
  { actorType, actor, actions, resource, resourceId }: AuditSearch,
  known: string[],
  conditions: SqlConditions,
): Promise<Source | undefined> {
  const wanted = actions ?? known
  if (actorType !== undefined) conditions.add(`audit_log.actor_type = ${conditions.bind(actorType)}`)
  // The history of one thing is short, so the other conditions filter its entries.
  if (resourceId !== undefined) {
    const resources = resource ? [resource] : [...new Set(known.map((name) => name.split('.')[0]))]
    conditions.add(`audit_log.resource = ANY(${conditions.bind(resources)})`)
    conditions.add(`audit_log.resource_id = ${conditions.bind(resourceId)}`)
    conditions.add(`audit_log.action = ANY(${conditions.bind(wanted)})`)
    conditions.addSearch(actor, ['audit_log.actor_name'])
    return ONE_RANGE
  }
  if (actor !== undefined || actorType !== undefined) {
    const actors = await searchActors(reads, { actorType, actor })
    if (actors.length === 0) return undefined
    if (actors.length * wanted.length <= PAIRS_MAX) return eachPair(actors, wanted, conditions)
    conditions.addSearch(actor, ['audit_log.actor_name'])
  }
  if (!actions) return ONE_RANGE
  return { ...RANGE_PER_ACTION, rows: `unnest(${conditions.bind(actions)}::text[]) AS wanted (action)` }
}

function eachPair(actors: Actor[], actions: string[], conditions: SqlConditions): Source {
  const types = conditions.bind(actors.map(({ type }) => type))
  const names = conditions.bind(actors.map(({ name }) => name))
  return {
    rows: `unnest(${types}::text[], ${names}::text[]) AS actors (type, name)
      CROSS JOIN unnest(${conditions.bind(actions)}::text[]) AS wanted (action)`,
    columns: ['actor_type', 'actor_name', ...RANGE_PER_ACTION.columns],
    values: ['actors.type', 'actors.name', ...RANGE_PER_ACTION.values],
  }
}

/** Also takes one index step for each actor. */
async function searchActors(
  reads: pg.Pool,
  { actorType, actor }: Pick<AuditSearch, 'actorType' | 'actor'>,
): Promise<Actor[]> {
  const conditions = new SqlConditions()
  if (actorType !== undefined) conditions.add(`type = ${conditions.bind(actorType)}`)
  conditions.addSearch(actor, ['name'])
  const { rows } = await reads.query<Actor>(
    `WITH RECURSIVE actors AS (
       (SELECT actor_type AS type, actor_name AS name FROM audit_log ORDER BY actor_type, actor_name LIMIT 1)
       UNION ALL
       SELECT next.* FROM actors CROSS JOIN LATERAL (
         SELECT actor_type, actor_name FROM audit_log
         WHERE (actor_type, actor_name) > (actors.type, actors.name)
         ORDER BY actor_type, actor_name LIMIT 1
       ) AS next
     )
     SELECT type, name FROM actors WHERE ${conditions.sql}`,
    conditions.values,
  )
  return rows
}

type Position = { at: string; id: number }

export async function findPosition(reads: pg.Pool, id: number): Promise<Position | undefined> {
  const { rows } = await reads.query<Position>(
    `SELECT ${timestampText('at')} AS at, id FROM audit_log WHERE id = $1`,
    [id],
  )
  return rows[0]
}
