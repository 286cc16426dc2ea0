// JSON text with the type of its value. Only the functions in this file convert between a text and its value. Text that
// Postgres has built gets its type from the SQL that selected it (schemas/json.ts).
declare const value: unique symbol

/** The text of a Value in JSON. */
export type JsonText<Value> = string & { readonly [value]: Value }

export function toJsonText<Value>(of: Value): JsonText<Value> {
  return JSON.stringify(of) as JsonText<Value>
}

/** Distinguishes JSON text from an object. Only for types of objects, because a plain string looks like JSON text. */
export function isJsonText<Value extends object | null>(
  value: Value | JsonText<Value>,
): value is JsonText<Value> {
  return typeof value === 'string'
}

/** Parses JSON text. If there is no text, the value is null. */
export function parseJsonText<Value>(text: JsonText<Value> | null): Value {
  return JSON.parse(text ?? 'null')
}
