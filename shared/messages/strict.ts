// Makes yup strict: it converts nothing by accident, does not treat inherited members as fields, and names
// fields in messages as the API does.
import type * as yup from 'yup'
import { type Message, message, type Value } from './message.ts'

// Turns off yup's own conversions ("5" to 5, 1 to true). They read the setting of the schema that they were
// created for, so it must change in that schema and not in a copy.
export function exact<Schema extends yup.AnySchema>(schema: Schema): Schema {
  schema.withMutation((original) => original.clone({ coerce: false }))
  return schema.nonNullable(fieldMessage((name) => message`${name} must not be null.`)) as Schema
}

// Drops unknown members before yup sees them: it would treat “constructor” and “__proto__” as fields, because
// every object inherits them.
export function dropUnknown(value: unknown, schema: yup.AnySchema): unknown {
  if (Object.prototype.toString.call(value) !== '[object Object]') return value
  const known = Object.keys((schema as yup.ObjectSchema<yup.AnyObject>).fields)
  const members = value as Record<string, unknown>
  return Object.fromEntries(
    known.filter((name) => Object.hasOwn(members, name)).map((name) => [name, members[name]]),
  )
}

/** The message for a field that breaks a rule. */
export function fieldMessage(describe: (name: Value) => Message) {
  // yup calls the whole value that it validates “this”.
  return ({ path = 'this' }: { path?: string }) =>
    describe(path === 'this' ? message`The body` : { field: dotted(path) })
}

/** yup writes attendees[2].email, the API says attendees.2.email. */
export function dotted(path: string): string {
  return path.replace(/\[(\d+)\]/g, '.$1').replace(/^\./, '')
}
