// Builds the API's JSON in SQL. Each value is defined once for all responses that contain it. Keys appear in the order
// in which this file or the schema of the result lists them. The SQL concatenates pieces of text, because Postgres's
// own functions for objects look up the type of every value in every row and take twice as long. Only values that may
// need escaping go through to_json.
import type * as yup from 'yup'
import type { JsonText } from '../utilities/json-text.ts'

declare const finished: unique symbol

/** SQL for the complete text of a Value in JSON. */
export type JsonTextSql<Value> = string & { readonly [finished]: Value }

/** A piece of JSON text: a literal, or an SQL expression of type text that is never null. */
type JsonPiece = { literal: string } | { sql: string }

/** SQL that builds the JSON of a Value. Inside a statement, this SQL is an expression of type text. */
export class JsonSql<Value> {
  declare readonly built: Value
  readonly pieces: readonly JsonPiece[]
  /** SQL condition for whether the object has this member at all. Undefined if the object always has it. */
  readonly condition: string | undefined

  constructor(pieces: readonly JsonPiece[], condition?: string) {
    this.pieces = pieces
    this.condition = condition
  }

  toString(): string {
    return joinSql(this.pieces)
  }
}

const literalPiece = (text: string): JsonPiece => ({ literal: text })
// A single null would make the whole concatenated text null, so this expression turns null into the text “null”.
const scalar = <Value>(sql: string) => new JsonSql<Value>([{ sql: `coalesce(${sql}, 'null')` }])

export const number = <Value = number>(expression: string) => scalar<Value>(`(${expression})::text`)

export const flag = (expression: string) => scalar<boolean>(`(${expression})::text`)

/** The JSON of any value that to_json accepts: texts, ids of other types, and lists of both. */
export const text = <Value = string>(expression: string) => scalar<Value>(`to_json(${expression})::text`)

/** The JSON of a UUID, which needs no escaping. */
export const uuid = (expression: string): JsonSql<string> =>
  new JsonSql([literalPiece('"'), { sql: `(${expression})::text` }, literalPiece('"')])

/** The JSON of an expression that is JSON already. */
export const json = <Value>(expression: string) => scalar<Value>(`(${expression})::text`)

/** The JSON of an instant in UTC, with exactly six fractional digits. */
export function timestamp<Value = string>(expression: string): JsonSql<Value> {
  // Most instants are whole seconds, so the common case avoids to_char, which takes twice as long as the rest of this
  // expression.
  const seconds = `left(to_json(${expression} AT TIME ZONE 'UTC')::text, 20) || '.000000Z"'`
  const isWhole = `(${expression})::timestamptz(0) = ${expression}`
  return scalar(`CASE WHEN ${isWhole} THEN ${seconds} ELSE to_json(${timestampText(expression)})::text END`)
}

/** SQL for an instant as plain text in the same format as in JSON, for use outside JSON. */
export function timestampText(expression: string): string {
  return `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

/** SQL for the start and end of the claim or event in a row of this table. An open end is null. */
export function spanColumns(table: string): string {
  const [from, to] = [timestampText(`lower(${table}.during)`), timestampText(`upper(${table}.during)`)]
  return `${from} AS "from", ${to} AS "to"`
}

/**
 * The JSON of a resource's URL: the placeholder of the base URL, followed by a path. The base URL is escaped once for
 * all rows. If it is undefined, the URL is only the path.
 */
export function linkJson(
  baseUrl: string | undefined,
  ...path: Array<string | JsonSql<number>>
): JsonSql<string> {
  // `left` and `substr` remove the quotation marks around the JSON text.
  const base = { sql: `(SELECT substr(left(to_json(${baseUrl}::text)::text, -1), 2))` }
  const rest = path.flatMap((part) => (typeof part === 'string' ? [literalPiece(part)] : part.pieces))
  return new JsonSql([literalPiece('"'), ...(baseUrl ? [base] : []), ...rest, literalPiece('"')])
}

export function objectJson<Value extends object = Record<string, unknown>>(
  members: {
    [Key in keyof Value]-?: JsonSql<Value[Key]>
  },
): JsonSql<Value> {
  const list = Object.entries<JsonSql<unknown>>(members).map(([key, member], index) => {
    const name = `${index === 0 ? '' : ','}${JSON.stringify(key)}:`
    const pieces = [literalPiece(name), ...member.pieces]
    return member.condition === undefined ? pieces : [pieceIfTrue(member.condition, pieces)]
  })
  return new JsonSql([literalPiece('{'), ...list.flat(), literalPiece('}')])
}

type Column = string | number | boolean | null | undefined | readonly string[]
type GivenMembers<Value> = {
  [Key in keyof Value as Value[Key] extends Column ? never : Key]: JsonSql<Value[Key]>
} & { [Key in keyof Value as Value[Key] extends Column ? Key : never]?: string | JsonSql<Value[Key]> }

/**
 * The JSON of a row, according to its schema. The value of each member comes from the column with the member's name,
 * unless `given` contains other SQL for it.
 */
export function rowJson<Value extends yup.AnyObject>(
  { fields }: yup.ObjectSchema<Value>,
  table: string,
  ...[given]: object extends GivenMembers<Value> ? [GivenMembers<Value>?] : [GivenMembers<Value>]
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

const pieceIfTrue = (condition: string, pieces: JsonPiece[]): JsonPiece => ({
  sql: `CASE WHEN ${condition} THEN ${joinSql(pieces)} ELSE '' END`,
})

/** A member that an object contains only if the condition holds. It must not be the first member of the object. */
export function optionalMemberJson<Value>(
  condition: string,
  member: JsonSql<Value>,
): JsonSql<Value | undefined> {
  return new JsonSql(member.pieces, condition)
}

/** The JSON of a value, or the JSON null if the condition does not hold. */
export function jsonOrNull<Value>(condition: string, of: JsonSql<Value>): JsonSql<Value | null> {
  return new JsonSql([{ sql: `CASE WHEN ${condition} THEN ${of} ELSE 'null' END` }])
}

/** SQL for a JSON array with one item for each row, or for each row that meets `condition`. */
export function listJson<Item>(item: JsonSql<Item>, order: string, condition?: string): JsonSql<Item[]> {
  const filter = condition === undefined ? '' : ` FILTER (WHERE ${condition})`
  const items = `coalesce(string_agg(${item}, ',' ORDER BY ${order})${filter}, '')`
  return new JsonSql([literalPiece('['), { sql: items }, literalPiece(']')])
}

/** The JSON that a subquery selects. `from` is the rest of the subquery, which must find exactly one row. */
export function selectJson<Value>(selected: JsonSql<Value>, from: string): JsonSql<Value> {
  return scalar(`(SELECT ${selected} ${from})`)
}

/** The JSON of a list with exactly one item. */
export function onlyItemJson<Item>(item: JsonSql<Item>): JsonSql<[Item]> {
  return new JsonSql([literalPiece('['), ...item.pieces, literalPiece(']')])
}

export function jsonAsText<Value>(expression: JsonSql<Value>): JsonTextSql<Value> {
  return String(expression) as JsonTextSql<Value>
}

/** The complete response as text: `{"data": …}`. */
export function dataBodyText<Value>(data: JsonSql<Value>): JsonTextSql<{ data: Value }> {
  return jsonAsText(objectJson<{ data: Value }>({ data }))
}

/** A statement that returns one row, with the complete response as `body`. `rows` is SQL that follows FROM. */
export const selectDataBodySql = (data: JsonSql<unknown>, rows: string) =>
  `SELECT ${dataBodyText(data)} AS body FROM ${rows}`

/** Marks text that a statement has selected with this SQL as JSON text of the value's type. */
export function selectedText<Value>(_by: JsonTextSql<Value>, selected: string): JsonText<Value> {
  return selected as JsonText<Value>
}

function joinSql(pieces: readonly JsonPiece[]): string {
  const parts = mergeLiterals(pieces).map((piece) =>
    'literal' in piece ? `'${piece.literal.replaceAll("'", "''")}'` : piece.sql,
  )
  return `(${parts.join(' || ')})::text`
}

function mergeLiterals(pieces: readonly JsonPiece[]): JsonPiece[] {
  const merged: JsonPiece[] = []
  for (const piece of pieces) {
    const last = merged.at(-1)
    if (last && 'literal' in last && 'literal' in piece) {
      merged[merged.length - 1] = literalPiece(last.literal + piece.literal)
    } else {
      merged.push(piece)
    }
  }
  return merged
}
