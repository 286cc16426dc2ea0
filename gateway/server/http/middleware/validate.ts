// Validates a request against its endpoint's schemas, and keeps only the fields that the schemas name. Reports all
// invalid fields at once. `Prefer: handling=strict` (RFC 7240) also refuses every unknown parameter and field, and
// suggests the nearest known name.
import * as yup from 'yup'
import {
  fieldName,
  joinMessages,
  literalMessage,
  type Message,
  message,
} from '../../../../shared/messages/message.ts'
import { type FieldErrors, invalidFields, Refusal } from '../../../../shared/messages/refusal.ts'
import { toDottedPath } from '../../../../shared/messages/strict.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import type { ValidationContext } from '../../../../shared/schemas/queries.ts'
import { formatInstant } from '../../../../shared/utilities/date-times.ts'
import type { Context } from '../../services/context.ts'
import { FILE_FIELD } from './file-body.ts'

export const noFields = object({})

type ValidatedEndpoint = {
  params: yup.AnySchema
  query: yup.AnySchema
  body?: yup.AnySchema
  takesFile?: boolean
  missing: Message
}

export type RequestInput = { params: unknown; query: unknown; body: unknown }

export function validate(endpoint: ValidatedEndpoint, ctx: Context): RequestInput {
  const ids = readIds(endpoint.params, ctx.params as Record<string, string>)
  const isStrict = wantsStrictHandling(ctx)
  // Returns early for a point read whose ids are valid, because nothing else can be wrong with it.
  if (ids && endpoint.query === noFields && !endpoint.body && !isStrict)
    return { params: ids, query: {}, body: undefined }

  // The object has no prototype, because “__proto__” may be one of the names.
  const errors: FieldErrors = Object.create(null)
  const context: ValidationContext = { now: formatInstant(ctx.state.receivedMs) }
  const query = checkInput(endpoint.query, ctx.query, errors, { part: 'query', context })
  const body = endpoint.body
    ? checkInput(endpoint.body, ctx.state.upload?.fields ?? ctx.request.body, errors, {
        part: 'body',
        context,
      })
    : undefined
  if (isStrict) refuseAllUnknown(endpoint, ctx, errors)
  if (endpoint.takesFile) refuseFieldsInQuery(endpoint, ctx, errors)
  if (Object.keys(errors).length > 0) throw invalidFields(errors)
  if (ids) return { params: ids, query, body }

  // A path with invalid ids is answered with 404, but only after the request's other problems have been
  // reported.
  const pathErrors: FieldErrors = {}
  const params = checkInput(endpoint.params, ctx.params as unknown, pathErrors, { part: 'path', context })
  if (Object.keys(pathErrors).length > 0) throw new Refusal('not_found', endpoint.missing)
  return { params, query, body }
}

function refuseAllUnknown({ query, body, takesFile }: ValidatedEndpoint, ctx: Context, errors: FieldErrors) {
  refuseUnknown(query, ctx.query, errors, 'parameter')
  if (!body) return
  const { [FILE_FIELD]: _file, ...parts } = { ...ctx.request.files, ...ctx.state.upload?.fields }
  refuseUnknown(body, takesFile ? parts : ctx.request.body, errors, 'field')
}

// Refuses fields of the body in the query. Other unknown parameters are ignored, but a dry run requested in the wrong
// place must not become a real import.
function refuseFieldsInQuery({ body }: ValidatedEndpoint, { query }: Context, errors: FieldErrors) {
  const fields = body instanceof yup.ObjectSchema ? Object.keys(body.fields) : []
  for (const name of fields.filter((each) => each in query)) {
    const problem = message`${fieldName(name)} must be a field of the form, not of the query.`
    errors[name] = [...(errors[name] ?? []), problem]
  }
}

export function hasField(schema: yup.AnySchema, name: string): boolean {
  return schema instanceof yup.ObjectSchema && Object.hasOwn(schema.fields, name)
}

const ID_PATTERN = /^[1-9]\d{0,14}$/
const idNames = new WeakMap<yup.AnySchema, string[] | undefined>()

// Reads a path that has only ids, as almost every path does. If all of its parameters look like ids,
// validating them with the schema would find no more problems, and would take longer than Postgres needs to
// find the row. The schema validates all other paths.
function readIds(schema: yup.AnySchema, params: Record<string, string>): Record<string, number> | undefined {
  if (!idNames.has(schema)) idNames.set(schema, listIdNames(schema))
  const names = idNames.get(schema)
  if (!names) return undefined
  const ids: Record<string, number> = {}
  for (const name of names) {
    const text = params[name]
    if (text === undefined || !ID_PATTERN.test(text)) return undefined
    ids[name] = Number(text)
  }
  return ids
}

function listIdNames(schema: yup.AnySchema): string[] | undefined {
  if (!(schema instanceof yup.ObjectSchema)) return undefined
  const fields = Object.entries(schema.fields as Record<string, yup.ISchema<unknown>>)
  const isOfIds = fields.every(([, field]) => field instanceof yup.Schema && field.meta()?.isPathId === true)
  return isOfIds ? fields.map(([name]) => name) : undefined
}

type CheckOptions = { part: 'query' | 'body' | 'path'; context: ValidationContext }

// Uses yup's own messages only if a schema has no message of ours. They are written for developers.
function listMessages({ errors }: yup.ValidationError): Message[] {
  return (errors as Array<Message | string>).map((each) =>
    typeof each === 'string' ? literalMessage(each) : each,
  )
}

/** Returns the value as the schema converts it, and adds its problems to `errors`. */
export function checkInput(
  schema: yup.AnySchema,
  value: unknown,
  errors: FieldErrors,
  { part, context }: CheckOptions,
): unknown {
  try {
    return schema.validateSync(value, { abortEarly: false, stripUnknown: true, context })
  } catch (error) {
    if (!(error instanceof yup.ValidationError)) throw error
    const problems = error.inner.length > 0 ? error.inner : [error]
    for (const problem of problems) {
      const name = toDottedPath(problem.path ?? '') || part
      errors[name] = [...(errors[name] ?? []), ...listMessages(problem)]
    }
    return undefined
  }
}

/** Returns the value as the schema converts it. Refuses an invalid value, and names all invalid fields. */
export function requireValidInput(schema: yup.AnySchema, value: unknown, now: string): unknown {
  const errors: FieldErrors = {}
  const valid = checkInput(schema, value, errors, { part: 'body', context: { now } })
  if (Object.keys(errors).length > 0) throw invalidFields(errors)
  return valid
}

const STRICT_HANDLING_PATTERN = /(?:^|,)\s*handling\s*=\s*(?:strict|"strict")\s*(?=[;,]|$)/i

const REPORTED_UNKNOWN_FIELDS_MAX = 50
const REPORTED_NAME_LENGTH_MAX = 100
const MISSPELT_LETTERS_MAX = 2

function wantsStrictHandling(ctx: Context): boolean {
  const { prefer } = ctx.headers
  if (prefer === undefined || !STRICT_HANDLING_PATTERN.test(String(prefer))) return false
  ctx.set('Preference-Applied', 'handling=strict')
  return true
}

const UNKNOWN_FIELD_PROBLEMS = {
  parameter: (name: string) => message`There is no parameter ${name} here.`,
  field: (name: string) => message`There is no field ${name} here.`,
}

type UnknownField = { path: string; name: string; known: string[] }

/** Refuses the fields of a query or body that its schema does not have, also inside lists and objects. */
export function refuseUnknown(
  schema: yup.AnySchema,
  value: unknown,
  errors: FieldErrors,
  kind: 'parameter' | 'field',
) {
  const found: UnknownField[] = []
  findUnknown(schema, value, '', found)
  for (const { path, name, known } of found) {
    const near = findNearestName(name, known)
    const problem = UNKNOWN_FIELD_PROBLEMS[kind](name)
    const hint = near === undefined ? [] : [message`Did you mean ${near}?`]
    errors[path] = [...(errors[path] ?? []), joinMessages([problem, ...hint])]
  }
}

function findUnknown(schema: unknown, value: unknown, path: string, found: UnknownField[]): void {
  if (typeof value !== 'object' || value === null || found.length >= REPORTED_UNKNOWN_FIELDS_MAX) return
  const pathOf = (name: string | number) => (path === '' ? `${name}` : `${path}.${name}`)
  if (schema instanceof yup.ArraySchema) {
    const max = Number(schema.spec.meta?.openapi?.maxItems ?? 0)
    if (!Array.isArray(value) || value.length > max) return
    for (const [index, item] of value.entries()) findUnknown(schema.innerType, item, pathOf(index), found)
  } else if (schema instanceof yup.LazySchema) {
    findUnknown(schema.resolve({ value }), value, path, found)
  } else if (schema instanceof yup.ObjectSchema && !Array.isArray(value)) {
    const fields = schema.fields as Record<string, unknown>
    for (const [name, member] of Object.entries(value)) {
      if (Object.hasOwn(fields, name)) findUnknown(fields[name], member, pathOf(name), found)
      else if (found.length < REPORTED_UNKNOWN_FIELDS_MAX)
        found.push(toUnknownField(pathOf(name), name, Object.keys(fields)))
    }
  }
}

const toUnknownField = (path: string, name: string, known: string[]): UnknownField => ({
  path: path.slice(-REPORTED_NAME_LENGTH_MAX),
  name: name.slice(0, REPORTED_NAME_LENGTH_MAX),
  known,
})

function findNearestName(name: string, known: string[]): string | undefined {
  const misspelt = known.map((each) => ({ each, by: countEdits(name.toLowerCase(), each.toLowerCase()) }))
  const [first] = misspelt.sort((a, b) => a.by - b.by)
  return first && first.by <= Math.min(MISSPELT_LETTERS_MAX, first.each.length - 1) ? first.each : undefined
}

/** Returns how many letters must be replaced, added or removed to turn one word into the other. */
function countEdits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1]
    for (let j = 0; j < other.length; j++) {
      const replaced = (row[j] ?? 0) + (letter === other[j] ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
