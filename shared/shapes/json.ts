// SQL that builds the interface's JSON: a value stands once, whoever answers with it. Keys come out in the order
// in which they are written here, and the compiler holds them against the schema of what is built.
import type { JsonText } from './json-text.ts'

declare const built: unique symbol
declare const finished: unique symbol

/** SQL: the JSON of a Value. */
export type JsonSql<Value> = string & { readonly [built]: Value }
/** SQL: the finished text of that JSON. */
export type JsonTextSql<Value> = string & { readonly [finished]: Value }

type Scalar = string | number | boolean | null | undefined

// What is made of several members has SQL of its own; a scalar, or a list of them, is an expression like any other.
type MemberSql<Member> = unknown extends Member
  ? string
  : Member extends Scalar | readonly Scalar[]
    ? string
    : JsonSql<Member>

/** An instant: UTC with exactly six fractional digits. */
export function timestampJson(expression: string): string {
  return `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

/** When a claim or an event of this table begins and ends; an open end is null. */
export function spanColumns(table: string): string {
  const [from, to] = [timestampJson(`lower(${table}.during)`), timestampJson(`upper(${table}.during)`)]
  return `${from} AS "from", ${to} AS "to"`
}

export function objectJson<Value extends object = Record<string, unknown>>(
  members: {
    [Key in keyof Value]: MemberSql<Value[Key]>
  },
): JsonSql<Value> {
  const list = Object.entries(members).map(([key, expression]) => `'${key}', ${expression}`)
  return json<Value>(`json_build_object(${list.join(', ')})`)
}

export function listJson<Item>(item: JsonSql<Item>, order: string): JsonSql<Item[]> {
  return json<Item[]>(`coalesce(json_agg(${item} ORDER BY ${order}), '[]')`)
}

/** What a statement within selects: it goes on with its FROM. */
export function selectJson<Value>(selected: JsonSql<Value>, from: string): JsonSql<Value> {
  return json<Value>(`(SELECT ${selected} ${from})`)
}

/** A list of exactly one item. */
export function onlyItemJson<Item>(item: JsonSql<Item>): JsonSql<[Item]> {
  return json<[Item]>(`json_build_array(${item})`)
}

/** An expression of Postgres's own, whose JSON no compiler knows: the caller says what it builds. */
export function json<Value>(expression: string): JsonSql<Value> {
  return expression as JsonSql<Value>
}

export function textOf<Value>(expression: JsonSql<Value>): JsonTextSql<Value> {
  return `(${expression})::text` as JsonTextSql<Value>
}

/** The finished answer as text: `{"data": …}`. */
export function dataText<Value>(expression: JsonSql<Value>): JsonTextSql<{ data: Value }> {
  return textOf(json<{ data: Value }>(`json_build_object('data', ${expression})`))
}

/** What a statement has selected by this SQL. */
export function selectedText<Value>(_by: JsonTextSql<Value>, selected: string): JsonText<Value> {
  return selected as JsonText<Value>
}
