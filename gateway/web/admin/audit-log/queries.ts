// Reads the audit log, newest entries first. The log grows without bound, so every search uses an index, each page
// continues after the last entry of the previous one, and rows are never counted.
import type pg from 'pg'
import { actorNameSql } from '../../../../shared/audit/actors.ts'
import { entriesOfWriteSql } from '../../../../shared/undo/one-write.ts'
import {
  column,
  instantColumn,
  nullableColumn,
  numberColumn,
  type RowOf,
  SqlConditions,
  selectRow,
  selectRows,
  textColumn,
} from '../../../reads/rows/rows.ts'

type ActorType = 'token' | 'admin' | 'user' | 'system'

export const AUDIT_ROW_COLUMNS = {
  id: numberColumn('audit_log.id'),
  at: instantColumn('audit_log.at'),
  actorType: column<ActorType>('audit_log.actor_type'),
  actorId: nullableColumn(numberColumn('audit_log.actor_id')),
  actor: textColumn(actorNameSql('audit_log')),
  action: textColumn('audit_log.action'),
  resource: textColumn('audit_log.resource'),
  resourceId: nullableColumn(numberColumn('audit_log.resource_id')),
  requestId: textColumn('audit_log.request_id'),
  attempt: nullableColumn(textColumn('audit_log.attempt')),
  /** The id of the entry that this entry undoes. */
  undoes: nullableColumn(numberColumn('audit_log.undoes')),
}

export type AuditRow = RowOf<typeof AUDIT_ROW_COLUMNS>

const VALUE_COLUMNS = { before: column('audit_log.before'), after: column('audit_log.after') }

export type AuditEntry = AuditRow & { before: unknown; after: unknown }

export type AuditSearch = {
  actorType?: ActorType | undefined
  /** The words to find in the actor's name. */
  actor?: string | undefined
  /** The actions to find; undefined for all actions. */
  actions?: string[] | undefined
  resource?: string | undefined
  resourceId?: number | undefined
  from?: string | undefined
  to?: string | undefined
  /** The id of an entry, so that only older entries match. */
  before?: number | undefined
}

type SearchedActor = { type: ActorType; name: string }

// Up to this many pairs of actor and action are looked up one by one. If there are more pairs, the log
// contains so many of their entries that a scan by time soon finds some.
const ACTOR_ACTION_PAIRS_MAX = 500

/** The rows to search. Each source is one range of an index. */
type RowSource = {
  rows: string
  /** The first columns of the index, and their values for this range. */
  columns: string[]
  values: string[]
}

const SINGLE_RANGE: RowSource = { rows: '(VALUES (1)) AS once', columns: [], values: [] }

const RANGE_PER_ACTION = { columns: ['action'], values: ['wanted.action'] }

/** Finds every action in the log with one index step for each action, without scanning the table. */
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

/** Searches the audit log. `known` contains the actions that occur in it. */
export async function searchAuditLog(
  reads: pg.Pool,
  search: AuditSearch,
  { known, limit }: { known: string[]; limit: number },
): Promise<AuditRow[]> {
  const conditions = new SqlConditions()
  const source = await chooseSource(reads, search, known, conditions)
  const position = search.before === undefined ? undefined : await findPosition(reads, search.before)
  if (!source || (search.before !== undefined && !position)) return []
  const { rows: each, columns } = source
  addBounds(conditions, source, { ...search, position })
  const order = (names: string[]) => `ORDER BY ${names.map((name) => `audit_log.${name} DESC`).join(', ')}`
  const found = `SELECT * FROM audit_log WHERE ${conditions.sql} ${order([...columns, 'at', 'id'])} LIMIT ${limit}`
  const newest = `${each} CROSS JOIN LATERAL (${found}) AS audit_log ${order(['at', 'id'])} LIMIT ${limit}`
  return selectRows(reads, AUDIT_ROW_COLUMNS, newest, conditions.values)
}

// Compares the index columns as one row value, and sorts by all of them. With a plain “action = …”, the planner might
// scan the log by time, which takes long if the action is rare.
function addBounds(
  conditions: SqlConditions,
  { columns, values }: RowSource,
  { from, to, position }: Pick<AuditSearch, 'from' | 'to'> & { position: EntryPosition | undefined },
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
  selectRow(reads, { ...AUDIT_ROW_COLUMNS, ...VALUE_COLUMNS }, 'audit_log WHERE id = $1', [id])

/** Adds the values before and after to the rows. Keeps the rows' order. */
export async function loadValues(reads: pg.Pool, rows: AuditRow[]): Promise<AuditEntry[]> {
  const ids = rows.map(({ id }) => id)
  const columns = { id: AUDIT_ROW_COLUMNS.id, ...VALUE_COLUMNS }
  const values = await selectRows(reads, columns, 'audit_log WHERE id = ANY($1::bigint[])', [ids])
  const known = new Map(values.map((each) => [each.id, each]))
  return rows.map((row) => ({ before: null, after: null, ...row, ...known.get(row.id) }))
}

/** Lists the other entries of the same write, with the newest entry first. */
export const listEntriesOfSameWrite = (reads: pg.Pool, id: number): Promise<AuditRow[]> =>
  selectRows(reads, AUDIT_ROW_COLUMNS, `${entriesOfWriteSql('$1')} ORDER BY audit_log.id DESC`, [id])

/** Finds an entry that undoes one of these entries, which all belong to one write. */
export async function findUndoingEntry(reads: pg.Pool, entries: AuditRow[]): Promise<number | undefined> {
  const found = await selectRow(
    reads,
    { id: AUDIT_ROW_COLUMNS.id },
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

/** Returns the rows to search, and adds the search conditions that these rows do not imply. Returns undefined
 * if nothing can match. */
async function chooseSource(
  reads: pg.Pool,
  { actorType, actor, actions, resource, resourceId }: AuditSearch,
  known: string[],
  conditions: SqlConditions,
): Promise<RowSource | undefined> {
  const wanted = actions ?? known
  conditions.addEqual({ 'audit_log.actor_type': actorType, 'audit_log.resource_id': resourceId })
  // A single thing has a short history, so the other conditions are simply applied to its entries.
  if (resourceId !== undefined) {
    const resources = resource ? [resource] : [...new Set(known.map((name) => name.split('.')[0]))]
    conditions.add(`audit_log.resource = ANY(${conditions.bind(resources)})`)
    conditions.add(`audit_log.action = ANY(${conditions.bind(wanted)})`)
    conditions.addSearch(actor, ['audit_log.actor_name'])
    return SINGLE_RANGE
  }
  if (actor !== undefined || actorType !== undefined) {
    const actors = await searchActors(reads, { actorType, actor })
    if (actors.length === 0) return undefined
    if (actors.length * wanted.length <= ACTOR_ACTION_PAIRS_MAX)
      return createPairsSource(actors, wanted, conditions)
    conditions.addSearch(actor, ['audit_log.actor_name'])
  }
  if (!actions) return SINGLE_RANGE
  return { ...RANGE_PER_ACTION, rows: `unnest(${conditions.bind(actions)}::text[]) AS wanted (action)` }
}

function createPairsSource(actors: SearchedActor[], actions: string[], conditions: SqlConditions): RowSource {
  const types = conditions.bind(actors.map(({ type }) => type))
  const names = conditions.bind(actors.map(({ name }) => name))
  return {
    rows: `unnest(${types}::text[], ${names}::text[]) AS actors (type, name)
      CROSS JOIN unnest(${conditions.bind(actions)}::text[]) AS wanted (action)`,
    columns: ['actor_type', 'actor_name', ...RANGE_PER_ACTION.columns],
    values: ['actors.type', 'actors.name', ...RANGE_PER_ACTION.values],
  }
}

/** Finds the actors whose name contains the words, with one index step for each actor. */
async function searchActors(
  reads: pg.Pool,
  { actorType, actor }: Pick<AuditSearch, 'actorType' | 'actor'>,
): Promise<SearchedActor[]> {
  const conditions = new SqlConditions()
  conditions.addEqual({ type: actorType })
  conditions.addSearch(actor, ['name'])
  const { rows } = await reads.query<SearchedActor>(
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

type EntryPosition = { at: string; id: number }

export const findPosition = (reads: pg.Pool, id: number): Promise<EntryPosition | undefined> =>
  selectRow(reads, { at: AUDIT_ROW_COLUMNS.at, id: AUDIT_ROW_COLUMNS.id }, 'audit_log WHERE id = $1', [id])
