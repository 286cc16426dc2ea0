// Reads rows for pages. A column is declared once, with its SQL and the type of its values; the type of a row
// follows. What pages show of bookings, people, places and spans of time is declared here for all of them, and so are
// the conditions of a search.
import type pg from 'pg'
import type { Message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { selectFrom } from '../limits/person-pool.ts'
import { likePattern } from './like-patterns.ts'
import { type Listed, type Slice, toListed, totalSql } from './slices.ts'
import { findCandidates } from './user-texts.ts'

export async function listRows<Row>(reads: pg.Pool, text: string, values: unknown[] = []): Promise<Row[]> {
  return (await reads.query(text, values)).rows
}

export async function findRow<Row>(reads: pg.Pool, text: string, values: unknown[]) {
  return (await listRows<Row>(reads, text, values))[0]
}

/** Without a row, the page answers 404 with this message. */
export async function requireRow<Row>(missing: Message, ...query: Parameters<typeof findRow>): Promise<Row> {
  const row = await findRow<Row>(...query)
  if (row === undefined) throw new Refusal('not_found', missing)
  return row
}

/** `from`: the text after FROM, with its conditions. */
type List = { columns: string; from: string; values?: unknown[]; orderBy: string }

export async function listSlice<Row>(
  reads: pg.Pool,
  { columns, from, values = [], orderBy }: List,
  { offset, limit }: Slice,
): Promise<Listed<Row>> {
  const text = `SELECT ${columns}, ${totalSql(from)} AS total FROM ${from}
    ORDER BY ${orderBy} LIMIT $${values.length + 1} OFFSET $${values.length + 2}`
  return toListed(await listRows<Row & { total: number }>(reads, text, [...values, limit, offset]))
}

declare const values: unique symbol

/** The SQL of a column with values of this type. */
type Sql<Value> = string & { readonly [values]: Value }
export type Columns = Readonly<Record<string, Sql<unknown>>>
export type RowOf<Of extends Columns> = {
  [Name in keyof Of]: Of[Name] extends Sql<infer Value> ? Value : never
}

export const column = <Value>(sql: string) => sql as Sql<Value>
export const number = (sql: string): Sql<number> => column(sql)
export const text = (sql: string): Sql<string> => column(sql)
export const flag = (sql: string): Sql<boolean> => column(sql)
export const instant = (sql: string): Sql<string> => column(timestampText(sql))
export const orNull = <Value>(of: Sql<Value>): Sql<Value | null> => column(of)

/** The rows of a subquery; `from` is the text after FROM. */
export function list<Of extends Columns>(columns: Of, from: string, order: string) {
  const members = Object.entries(columns).map(([name, sql]) => `'${name}', ${sql}`)
  const rows = `json_agg(json_build_object(${members.join(', ')}) ORDER BY ${order})`
  return `coalesce((SELECT ${rows} FROM ${from}), '[]')` as Sql<RowOf<Of>[]>
}

export const spanOf = (table: string) => ({
  from: instant(`lower(${table}.during)`),
  to: instant(`upper(${table}.during)`),
})

/** The end of a claim may be open. */
export const CLAIMED = { ...spanOf('bookings'), to: orNull(spanOf('bookings').to) }

export const PLACE = {
  locationId: number('locations.id'),
  location: text('locations.name'),
  buildingId: number('buildings.id'),
  building: text('buildings.name'),
  zone: text('buildings.timezone'),
}

export const BOOKED = {
  bookableId: number('bookables.id'),
  bookable: text('bookables.name'),
  type: number('bookables.type'),
  isDeleted: flag('bookables.deleted_at IS NOT NULL'),
  ...PLACE,
}

export const JOIN_PLACES = `
  JOIN locations ON locations.id = bookables.location_id
  JOIN buildings ON buildings.id = locations.building_id`
export const JOIN_BOOKABLES = `JOIN bookables ON bookables.id = bookings.bookable_id ${JOIN_PLACES}`

export const columnsSql = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, sql]) => `${sql} AS "${name}"`)
    .join(', ')

/** The column names of rows that a subquery has selected. */
export const columnNames = (columns: Columns): string =>
  Object.keys(columns)
    .map((name) => `"${name}"`)
    .join(', ')

/** `from` is the text after FROM. */
export const selectRows = <Of extends Columns>(
  reads: pg.Pool,
  columns: Of,
  from: string,
  values: unknown[] = [],
): Promise<RowOf<Of>[]> => selectFrom(reads, { text: `SELECT ${columnsSql(columns)} FROM ${from}`, values })

export async function selectRow<Of extends Columns>(...query: Parameters<typeof selectRows<Of>>) {
  const [row] = await selectRows(...query)
  return row
}

/** The rows of a slice, with how many there are. `from` is the text after FROM, with its conditions. */
export const selectSlice = <Of extends Columns>(
  reads: pg.Pool,
  columns: Of,
  from: string,
  slice: Slice,
  more: { values?: unknown[]; orderBy: string },
) => listSlice<RowOf<Of>>(reads, { columns: columnsSql(columns), from, ...more }, slice)

const WORDS_MAX = 8

export const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean).slice(0, WORDS_MAX)

export class SqlConditions {
  readonly values: unknown[] = []
  readonly #parts: string[] = []

  /** Returns the placeholder. */
  bind(value: unknown): string {
    return `$${this.values.push(value)}`
  }

  add(condition: string) {
    this.#parts.push(condition)
  }

  addEqual(wanted: Record<string, string | number | undefined>) {
    for (const [column, value] of Object.entries(wanted))
      if (value !== undefined) this.add(`${column} = ${this.bind(value)}`)
  }

  addSearch(text: string | undefined, columns: string[]) {
    this.#parts.push(...this.search(text, columns))
  }

  /** Each word must occur in the name or the e-mail of a user. */
  async addUserSearch(reads: pg.Pool, text: string) {
    const found = await findCandidates(reads, wordsOf(text))
    if (found !== undefined) this.add(`users.id = ANY (${this.bind(found)}::bigint[])`)
    this.addSearch(text, ['users.name', 'users.email'])
  }

  /** Each word of the text must occur in one of the columns. */
  search(text: string | undefined, columns: string[]): string[] {
    return wordsOf(text ?? '').map((word) => {
      const pattern = this.bind(likePattern(word))
      return `(${columns.map((column) => `${column} ILIKE ${pattern}`).join(' OR ')})`
    })
  }

  get sql(): string {
    return this.#parts.join(' AND ') || 'true'
  }
}
