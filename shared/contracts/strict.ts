// Takes the surprises out of yup: nothing is turned into something else by accident, nothing inherited is taken for a
// field, and every sentence names its field as the API does.
import type * as yup from 'yup'
import { type Message, message, type Value } from '../messages/message.ts'

// Takes yup's own conversions away ("5" for 5, 1 for true). They ask the schema that they were made for, so the switch
// must be thrown in that one and not in a copy.
export function exact<Schema extends yup.AnySchema>(schema: Schema): Schema {
  schema.withMutation((original) => original.clone({ coerce: false }))
  return schema.nonNullable(fieldMessage((name) => message`${name} must not be null.`)) as Schema
}

// Unknown members go before yup looks at them: it would take “constructor” and “__proto__” for fields, because every
// object inherits them.
export function dropUnknown(value: unknown, schema: yup.AnySchema): unknown {
  if (Object.prototype.toString.call(value) !== '[object Object]') return value
  const known = Object.keys((schema as yup.ObjectSchema<yup.AnyObject>).fields)
  const members = value as Record<string, unknown>
  return Object.fromEntries(
    known.filter((name) => Object.hasOwn(members, name)).map((name) => [name, members[name]]),
  )
}

/** What yup says of a field that breaks a rule. */
export function fieldMessage(describe: (name: Value) => Message) {
  // yup calls the whole of what it looks at “this”.
  return ({ path = 'this' }: { path?: string }) =>
    describe(path === 'this' ? message`The body` : { field: dotted(path) })
}

/** yup writes attendees[2].email, the API says attendees.2.email. */
export function dotted(path: string): string {
  return path.replace(/\[(\d+)\]/g, '.$1').replace(/^\./, '')
}
