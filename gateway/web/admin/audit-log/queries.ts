// Reads the audit log, newest entries first. The log grows without bound, so every search uses an index, each
// page continues after the last entry of the previous one, and nothing is ever counted.
import type pg from 'pg'
import { actorName } from '../../../../shared/audit/actors.ts'
import { entriesOfWrite } from '../../../../shared/undo/one-write.ts'
import {
  column,
  instant,
  number,
  orNull,
  type RowOf,
  SqlConditions,
  selectRow,
  selectRows,
  text,
} from '../../../reads/rows/rows.ts'

type ActorType = 'token' | 'admin' | 'user' | 'system'

export const AUDIT_ROW = {
  id: number('audit_log.id'),
  at: instant('audit_log.at'),
  actorType: column<ActorType>('audit_log.actor_type'),
  actorId: orNull(number('audit_log.actor_id')),
  actor: text(actorName('audit_log')),
  action: text('audit_log.action'),
  resource: text('audit_log.resource'),
  resourceId: orNull(number('audit_log.resource_id')),
  requestId: text('audit_log.request_id'),
  attempt: orNull(text('audit_log.attempt')),
  /** The entry that this one undoes. */
  undoes: orNull(number('audit_log.undoes')),
}

export type AuditRow = RowOf<typeof AUDIT_ROW>

const VALUES = { before: column('audit_log.before'), after: column('audit_log.after') }

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

/** The rows to search for; each is one range of an index. */
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
  const newest = `${each} CROSS JOIN LATERAL (${found}) AS audit_log ${order(['at', 'id'])} LIMIT ${limit}`
  return selectRows(reads, AUDIT_ROW, newest, conditions.values)
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

export const findAuditEntry = (reads: pg.Pool, id: number): Promise<AuditEntry | undefined> =>
  selectRow(reads, { ...AUDIT_ROW, ...VALUES }, 'audit_log WHERE id = $1', [id])

/** Adds the values before and after. Keeps the order of the rows. */
export async function withValues(reads: pg.Pool, rows: AuditRow[]): Promise<AuditEntry[]> {
  const ids = rows.map(({ id }) => id)
  const columns = { id: AUDIT_ROW.id, ...VALUES }
  const values = await selectRows(reads, columns, 'audit_log WHERE id = ANY($1::bigint[])', [ids])
  const known = new Map(values.map((each) => [each.id, each]))
  return rows.map((row) => ({ before: null, after: null, ...row, ...known.get(row.id) }))
}

/** The other entries of the same write, newest first. */
export const listOfSameWrite = (reads: pg.Pool, id: number): Promise<AuditRow[]> =>
  selectRows(reads, AUDIT_ROW, `${entriesOfWrite('$1')} ORDER BY audit_log.id DESC`, [id])

/** Finds an entry that undoes one of these entries, which belong to one write. */
export async function findUndoing(reads: pg.Pool, entries: AuditRow[]): Promise<number | undefined> {
  const found = await selectRow(
    reads,
    { id: AUDIT_ROW.id },
    `audit_log JOIN unnest($1::text[], $2::bigint[]) AS things (resource, id)
       ON audit_log.resource = things.resource AND audit_log.resource_id = things.id
     WHERE audit_log.undoes = ANY($3::bigint[]) ORDER BY audit_log.id LIMIT 1`,
    [
      entries.map(({ resource }) => resource),
      entries.map(({ resourceId }) => resourceId),
      entries.map(({ id }) => id),
    ],
  )
  return found?.id
}

/** Also adds the conditions that the source does not cover. Undefined if nothing can match. */
async function sourceOf(
  reads: pg.Pool,
  { actorType, actor, actions, resource, resourceId }: AuditSearch,
  known: string[],
  conditions: SqlConditions,
): Promise<Source | undefined> {
  const wanted = actions ?? known
  conditions.addEqual({ 'audit_log.actor_type': actorType, 'audit_log.resource_id': resourceId })
  // The history of one thing is short, so the other conditions filter its entries.
  if (resourceId !== undefined) {
    const resources = resource ? [resource] : [...new Set(known.map((name) => name.split('.')[0]))]
    conditions.add(`audit_log.resource = ANY(${conditions.bind(resources)})`)
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

/** Takes one index step for each actor as well. */
async function searchActors(
  reads: pg.Pool,
  { actorType, actor }: Pick<AuditSearch, 'actorType' | 'actor'>,
): Promise<Actor[]> {
  const conditions = new SqlConditions()
  conditions.addEqual({ type: actorType })
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

export const findPosition = (reads: pg.Pool, id: number): Promise<Position | undefined> =>
  selectRow(reads, { at: AUDIT_ROW.at, id: AUDIT_ROW.id }, 'audit_log WHERE id = $1', [id])
