// JSON as a text that remembers what it is the text of. Only what is here turns one into the other; a text that Postgres has
// finished gets its type from the shape that it was selected by (shapes/json.ts).
declare const value: unique symbol

/** The JSON text of a Value. */
export type JsonText<Value> = string & { readonly [value]: Value }

export function jsonText<Value>(of: Value): JsonText<Value> {
  return JSON.stringify(of) as JsonText<Value>
}

/** Of objects: the value of none is a text. */
export function isJsonText<Value extends object | null>(
  value: Value | JsonText<Value>,
): value is JsonText<Value> {
  return typeof value === 'string'
}

/** A body of null is that of null. */
export function parseJsonText<Value>(text: JsonText<Value> | null): Value {
  return JSON.parse(text ?? 'null')
}
