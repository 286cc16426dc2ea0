// Reads rows for pages. Each column is declared once, with its SQL and the type of its values, from which the type of a
// row follows. This file declares what all pages show of bookings, people, places and time spans, and the conditions of
// a search.
import type pg from 'pg'
import type { Message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { selectFromPersonPool } from '../limits/person-pool.ts'
import { toLikePattern } from './like-patterns.ts'
import { type RowsWithTotal, type Slice, toRowsWithTotal, totalSql } from './slices.ts'
import { findUserCandidates } from './user-texts.ts'

export async function listRows<Row>(reads: pg.Pool, text: string, values: unknown[] = []): Promise<Row[]> {
  return (await reads.query(text, values)).rows
}

export async function findRow<Row>(reads: pg.Pool, text: string, values: unknown[]) {
  return (await listRows<Row>(reads, text, values))[0]
}

/** Reads one row. If there is none, the page responds with 404 and this message. */
export async function requireRow<Row>(missing: Message, ...query: Parameters<typeof findRow>): Promise<Row> {
  const row = await findRow<Row>(...query)
  if (row === undefined) throw new Refusal('not_found', missing)
  return row
}

/** A selection of rows. `from` is the text after FROM, including conditions. */
type ListQuery = { columns: string; from: string; values?: unknown[]; orderBy: string }

export async function listSlice<Row>(
  reads: pg.Pool,
  { columns, from, values = [], orderBy }: ListQuery,
  { offset, limit }: Slice,
): Promise<RowsWithTotal<Row>> {
  const text = `SELECT ${columns}, ${totalSql(from)} AS total FROM ${from}
    ORDER BY ${orderBy} LIMIT $${values.length + 1} OFFSET $${values.length + 2}`
  return toRowsWithTotal(await listRows<Row & { total: number }>(reads, text, [...values, limit, offset]))
}

declare const values: unique symbol

/** The SQL of a column with values of this type. */
type TypedSql<Value> = string & { readonly [values]: Value }
export type RowColumns = Readonly<Record<string, TypedSql<unknown>>>
export type RowOf<Of extends RowColumns> = {
  [Name in keyof Of]: Of[Name] extends TypedSql<infer Value> ? Value : never
}

export const column = <Value>(sql: string) => sql as TypedSql<Value>
export const numberColumn = (sql: string): TypedSql<number> => column(sql)
export const textColumn = (sql: string): TypedSql<string> => column(sql)
export const flagColumn = (sql: string): TypedSql<boolean> => column(sql)
export const instantColumn = (sql: string): TypedSql<string> => column(timestampText(sql))
export const nullableColumn = <Value>(of: TypedSql<Value>): TypedSql<Value | null> => column(of)

/** Declares a column that contains the rows of a subquery as a list. `from` is the text after FROM. */
export function listColumn<Of extends RowColumns>(columns: Of, from: string, order: string) {
  const members = Object.entries(columns).map(([name, sql]) => `'${name}', ${sql}`)
  const rows = `json_agg(json_build_object(${members.join(', ')}) ORDER BY ${order})`
  return `coalesce((SELECT ${rows} FROM ${from}), '[]')` as TypedSql<RowOf<Of>[]>
}

export const createSpanColumns = (table: string) => ({
  from: instantColumn(`lower(${table}.during)`),
  to: instantColumn(`upper(${table}.during)`),
})

/** The time span of a claim, which may have no end. */
export const CLAIM_SPAN_COLUMNS = {
  ...createSpanColumns('bookings'),
  to: nullableColumn(createSpanColumns('bookings').to),
}

export const PLACE_COLUMNS = {
  locationId: numberColumn('locations.id'),
  location: textColumn('locations.name'),
  buildingId: numberColumn('buildings.id'),
  building: textColumn('buildings.name'),
  zone: textColumn('buildings.timezone'),
}

export const BOOKED_PLACE_COLUMNS = {
  bookableId: numberColumn('bookables.id'),
  bookable: textColumn('bookables.name'),
  type: numberColumn('bookables.type'),
  isDeleted: flagColumn('bookables.deleted_at IS NOT NULL'),
  ...PLACE_COLUMNS,
}

export const JOIN_PLACES = `
  JOIN locations ON locations.id = bookables.location_id
  JOIN buildings ON buildings.id = locations.building_id`
export const JOIN_BOOKABLES = `JOIN bookables ON bookables.id = bookings.bookable_id ${JOIN_PLACES}`

export const columnsSql = (columns: RowColumns): string =>
  Object.entries(columns)
    .map(([name, sql]) => `${sql} AS "${name}"`)
    .join(', ')

/** Returns the column names of the rows that a subquery has selected. */
export const columnNames = (columns: RowColumns): string =>
  Object.keys(columns)
    .map((name) => `"${name}"`)
    .join(', ')

/** Selects rows. `from` is the text after FROM. */
export const selectRows = <Of extends RowColumns>(
  reads: pg.Pool,
  columns: Of,
  from: string,
  values: unknown[] = [],
): Promise<RowOf<Of>[]> =>
  selectFromPersonPool(reads, { text: `SELECT ${columnsSql(columns)} FROM ${from}`, values })

export async function selectRow<Of extends RowColumns>(...query: Parameters<typeof selectRows<Of>>) {
  const [row] = await selectRows(...query)
  return row
}

/** Selects the rows of a slice, and the total number of rows. `from` is the text after FROM, including conditions. */
export const selectSlice = <Of extends RowColumns>(
  reads: pg.Pool,
  columns: Of,
  from: string,
  slice: Slice,
  more: { values?: unknown[]; orderBy: string },
) => listSlice<RowOf<Of>>(reads, { columns: columnsSql(columns), from, ...more }, slice)

const SEARCH_WORDS_MAX = 8

export const splitSearchWords = (text: string) => text.split(/\s+/).filter(Boolean).slice(0, SEARCH_WORDS_MAX)

export class SqlConditions {
  readonly values: unknown[] = []
  readonly #parts: string[] = []

  /** Adds a parameter, and returns its placeholder. */
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

  /** Adds the condition that each word of the text occurs in the name or the e-mail of a user. */
  async addUserSearch(reads: pg.Pool, text: string) {
    const found = await findUserCandidates(reads, splitSearchWords(text))
    if (found !== undefined) this.add(`users.id = ANY (${this.bind(found)}::bigint[])`)
    this.addSearch(text, ['users.name', 'users.email'])
  }

  /** Adds the condition that each word of the text occurs in one of the columns. */
  search(text: string | undefined, columns: string[]): string[] {
    return splitSearchWords(text ?? '').map((word) => {
      const pattern = this.bind(toLikePattern(word))
      return `(${columns.map((column) => `${column} ILIKE ${pattern}`).join(' OR ')})`
    })
  }

  get sql(): string {
    return this.#parts.join(' AND ') || 'true'
  }
}
