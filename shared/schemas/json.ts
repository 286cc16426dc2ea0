// Builds the interface's JSON in SQL: each value is defined once for all answers that contain it. Keys come
// out in the order in which they are written, here or in the schema of the result.
//
// The text is concatenated piece by piece: Postgres's own functions for objects look up the type of every
// value in every row, and take twice as long. Only values that may need escaping go through to_json.
import type * as yup from 'yup'
import type { JsonText } from '../utilities/json-text.ts'

declare const finished: unique symbol

/** SQL: the finished text of the JSON of a Value. */
export type JsonTextSql<Value> = string & { readonly [finished]: Value }

/** A literal, or an expression of type text that is never null: a piece of JSON text. */
type Piece = { literal: string } | { sql: string }

/** SQL that builds the JSON of a Value; inside a statement it is an expression of type text. */
export class JsonSql<Value> {
  declare readonly built: Value
  readonly pieces: readonly Piece[]
  /** SQL: whether an object has this member at all. */
  readonly condition: string | undefined

  constructor(pieces: readonly Piece[], condition?: string) {
    this.pieces = pieces
    this.condition = condition
  }

  toString(): string {
    return joinSql(this.pieces)
  }
}

const literal = (text: string): Piece => ({ literal: text })
// A single null would make the whole text null.
const scalar = <Value>(sql: string) => new JsonSql<Value>([{ sql: `coalesce(${sql}, 'null')` }])

export const number = <Value = number>(expression: string) => scalar<Value>(`(${expression})::text`)

export const flag = (expression: string) => scalar<boolean>(`(${expression})::text`)

/** Anything that to_json accepts: texts, ids of other kinds, lists of them. */
export const text = <Value = string>(expression: string) => scalar<Value>(`to_json(${expression})::text`)

/** A UUID, which needs no escaping. */
export const uuid = (expression: string): JsonSql<string> =>
  new JsonSql([literal('"'), { sql: `(${expression})::text` }, literal('"')])

/** An expression that is JSON already. */
export const json = <Value>(expression: string) => scalar<Value>(`(${expression})::text`)

/** An instant: UTC with exactly six fractional digits. */
export function timestamp<Value = string>(expression: string): JsonSql<Value> {
  // Most instants are whole seconds, and to_char takes twice as long as the rest of this expression.
  const seconds = `left(to_json(${expression} AT TIME ZONE 'UTC')::text, 20) || '.000000Z"'`
  const isWhole = `(${expression})::timestamptz(0) = ${expression}`
  return scalar(`CASE WHEN ${isWhole} THEN ${seconds} ELSE to_json(${timestampText(expression)})::text END`)
}

/** The same as plain text, for use outside JSON. */
export function timestampText(expression: string): string {
  return `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

/** The start and end of a claim or an event of this table; an open end is null. */
export function spanColumns(table: string): string {
  const [from, to] = [timestampText(`lower(${table}.during)`), timestampText(`upper(${table}.during)`)]
  return `${from} AS "from", ${to} AS "to"`
}

/**
 * The address of a resource: the placeholder of the base address, which is escaped once for all rows, and a
 * path.
 */
export function link(baseUrl: string, ...path: Array<string | JsonSql<number>>): JsonSql<string> {
  const base = `(SELECT substr(base, 2, length(base) - 2) FROM CAST(to_json(${baseUrl}::text) AS text) AS base)`
  const rest = path.flatMap((part) => (typeof part === 'string' ? [literal(part)] : part.pieces))
  return new JsonSql([literal('"'), { sql: base }, ...rest, literal('"')])
}

export function objectJson<Value extends object = Record<string, unknown>>(
  members: {
    [Key in keyof Value]-?: JsonSql<Value[Key]>
  },
): JsonSql<Value> {
  const list = Object.entries<JsonSql<unknown>>(members).map(([key, member], index) => {
    const name = `${index === 0 ? '' : ','}${JSON.stringify(key)}:`
    const pieces = [literal(name), ...member.pieces]
    return member.condition === undefined ? pieces : [onlyWhere(member.condition, pieces)]
  })
  return new JsonSql([literal('{'), ...list.flat(), literal('}')])
}

type Column = string | number | boolean | null | undefined | readonly string[]
type Given<Value> = {
  [Key in keyof Value as Value[Key] extends Column ? never : Key]: JsonSql<Value[Key]>
} & { [Key in keyof Value as Value[Key] extends Column ? Key : never]?: string | JsonSql<Value[Key]> }

/** A row as its schema shows it: a member is the column of its name, unless `given` has other SQL for it. */
export function rowJson<Value extends yup.AnyObject>(
  { fields }: yup.ObjectSchema<Value>,
  table: string,
  ...[given]: object extends Given<Value> ? [Given<Value>?] : [Given<Value>]
): JsonSql<Value> {
  const others: Record<string, string | JsonSql<unknown> | undefined> = given ?? {}
  const members = Object.entries(fields).map(([name, schema]) => {
    const { [name]: sql = `${table}.${name}` } = others
    return [name, typeof sql === 'string' ? columnJson(schema as yup.AnySchema, sql) : sql]
  })
  return objectJson<Value>(Object.fromEntries(members))
}

function columnJson({ spec }: yup.AnySchema, sql: string): JsonSql<unknown> {
  const { type, format } = spec.meta?.openapi ?? {}
  if (type === 'integer' || type === 'boolean') return number(sql)
  return format === 'date-time' ? timestamp(sql) : text(sql)
}

const onlyWhere = (condition: string, pieces: Piece[]): Piece => ({
  sql: `CASE WHEN ${condition} THEN ${joinSql(pieces)} ELSE '' END`,
})

/** A member that is present only if the condition holds; it must not be the first of its object. */
export function memberWhere<Value>(condition: string, member: JsonSql<Value>): JsonSql<Value | undefined> {
  return new JsonSql(member.pieces, condition)
}

/** Null if the condition does not hold. */
export function jsonWhere<Value>(condition: string, of: JsonSql<Value>): JsonSql<Value | null> {
  return new JsonSql([{ sql: `CASE WHEN ${condition} THEN ${of} ELSE 'null' END` }])
}

/** `condition` says which of the rows are items. */
export function listJson<Item>(item: JsonSql<Item>, order: string, condition?: string): JsonSql<Item[]> {
  const filter = condition === undefined ? '' : ` FILTER (WHERE ${condition})`
  const items = `coalesce(string_agg(${item}, ',' ORDER BY ${order})${filter}, '')`
  return new JsonSql([literal('['), { sql: items }, literal(']')])
}

/** The result of a subquery that continues with this FROM and finds one row. */
export function selectJson<Value>(selected: JsonSql<Value>, from: string): JsonSql<Value> {
  return scalar(`(SELECT ${selected} ${from})`)
}

/** A list of exactly one item. */
export function onlyItemJson<Item>(item: JsonSql<Item>): JsonSql<[Item]> {
  return new JsonSql([literal('['), ...item.pieces, literal(']')])
}

export function textOf<Value>(expression: JsonSql<Value>): JsonTextSql<Value> {
  return String(expression) as JsonTextSql<Value>
}

/** The finished answer as text: `{"data": …}`. */
export function dataText<Value>(data: JsonSql<Value>): JsonTextSql<{ data: Value }> {
  return textOf(objectJson<{ data: Value }>({ data }))
}

/** A statement whose only row has the finished answer as `body`; `rows` is SQL that follows FROM. */
export const selectData = (data: JsonSql<unknown>, rows: string) =>
  `SELECT ${dataText(data)} AS body FROM ${rows}`

/** The text that a statement has selected with this SQL. */
export function selectedText<Value>(_by: JsonTextSql<Value>, selected: string): JsonText<Value> {
  return selected as JsonText<Value>
}

function joinSql(pieces: readonly Piece[]): string {
  const parts = mergeLiterals(pieces).map((piece) =>
    'literal' in piece ? `'${piece.literal.replaceAll("'", "''")}'` : piece.sql,
  )
  return `(${parts.join(' || ')})::text`
}

function mergeLiterals(pieces: readonly Piece[]): Piece[] {
  const merged: Piece[] = []
  for (const piece of pieces) {
    const last = merged.at(-1)
    if (last && 'literal' in last && 'literal' in piece) {
      merged[merged.length - 1] = literal(last.literal + piece.literal)
    } else {
      merged.push(piece)
    }
  }
  return merged
}
