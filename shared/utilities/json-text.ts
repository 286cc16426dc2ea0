// JSON text that remembers the type of its value. Only the functions here convert between the two; a text
// that Postgres has finished gets its type from the shape that selected it (schemas/json.ts).
declare const value: unique symbol

/** The JSON text of a Value. */
export type JsonText<Value> = string & { readonly [value]: Value }

export function jsonText<Value>(of: Value): JsonText<Value> {
  return JSON.stringify(of) as JsonText<Value>
}

/** For objects only, which are never texts themselves. */
export function isJsonText<Value extends object | null>(
  value: Value | JsonText<Value>,
): value is JsonText<Value> {
  return typeof value === 'string'
}

/** A null body stands for the value null. */
export function parseJsonText<Value>(text: JsonText<Value> | null): Value {
  return JSON.parse(text ?? 'null')
}
