// Makes yup strict. Afterwards, yup converts nothing implicitly, does not treat inherited members as fields, and names
// fields in messages as the API does.
import type * as yup from 'yup'
import { type Message, type MessageValue, message } from './message.ts'

// Turns off yup's own conversions ("5" to 5, 1 to true). Each conversion reads the setting of the schema that it was
// created for, so this function changes that schema and returns no copy.
export function turnOffTypeConversion<Schema extends yup.AnySchema>(schema: Schema): Schema {
  schema.withMutation((original) => original.clone({ coerce: false }))
  return schema.nonNullable(createFieldMessage((name) => message`${name} must not be null.`)) as Schema
}

// Drops unknown members before yup sees them: yup would treat “constructor” and “__proto__” as fields, because every
// object inherits them.
export function dropUnknownFields(value: unknown, schema: yup.AnySchema): unknown {
  if (Object.prototype.toString.call(value) !== '[object Object]') return value
  const known = Object.keys((schema as yup.ObjectSchema<yup.AnyObject>).fields)
  const members = value as Record<string, unknown>
  return Object.fromEntries(
    known.filter((name) => Object.hasOwn(members, name)).map((name) => [name, members[name]]),
  )
}

/** Returns yup's message function for a rule that a field may break. */
export function createFieldMessage(describe: (name: MessageValue) => Message) {
  // Yup calls the whole value that it validates “this”.
  return ({ path = 'this' }: { path?: string }) =>
    describe(path === 'this' ? message`The body` : { field: toDottedPath(path) })
}

/** Converts a path of yup, such as attendees[2].email, to the API's form: attendees.2.email. */
export function toDottedPath(path: string): string {
  return path.replace(/\[(\d+)\]/g, '.$1').replace(/^\./, '')
}
