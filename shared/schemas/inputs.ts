// What the inputs of writes share: ids, hashes, lists that are not empty, versions, times in order, fields that cannot
// change.
import * as yup from 'yup'
import { field, type Message, message } from '../messages/message.ts'
import { exact, fieldMessage } from '../messages/strict.ts'
import { IS_EMPTY, id, list, object, required, rule, text } from './fields.ts'

export const notEmpty = <Schema extends yup.AnySchema>(schema: Schema): Schema =>
  schema.test(
    ...rule('notEmpty', IS_EMPTY, (value: unknown) => !Array.isArray(value) || value.length > 0),
  ) as Schema

export const ids = (limit: { max: number }) => notEmpty(list(required(id()), limit))

/** An object, or else a value of another kind. */
export function objectOr<Members extends yup.AnySchema, Other extends yup.AnySchema>(
  members: Members,
  other: Other,
) {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
  return yup
    .lazy((value: unknown): Members | Other => (isObject(value) ? members : other))
    .meta({ either: [other, members] })
}

/**
 * The version that a form of the dashboard was filled from; see versions.ts. Without one, nothing is
 * compared.
 */
export const version = () => text({ max: 64 })

/** How many ETags are compared; more do not fit into a request's headers. */
export const IF_MATCH_MAX = 1_000

/**
 * ETags as the resource's GET returns them: the resource must have one of them. Without the list, nothing is
 * compared.
 */
export const ifMatch = () => list(required(text({ max: 64 })), { max: IF_MATCH_MAX })

/** The id of what is changed or deleted, and the ETags that it must have one of. */
export const matching = () => ({ id: required(id()), if_match: ifMatch() })

/** The arguments of a test: later than another field; if one is absent or malformed, its own rule reports that. */
export const after = (other: string) =>
  rule<string>(
    'after',
    (name) => message`${name} must be after ${field(other)}.`,
    (later, { parent }) =>
      !later || typeof parent[other] !== 'string' || !parent[other] || later > parent[other],
  )

/**
 * Longer values and those that are not a single value differ from every present value, and need not travel
 * further.
 */
const LENGTH_MAX = 1_000

/** Adds to a schema of changes every other field of a new resource; `way` says how to change such a field. */
export function withFixed<Changes extends yup.AnyObject>(
  changes: yup.ObjectSchema<Changes>,
  created: yup.ObjectSchema<yup.AnyObject>,
  way: Message,
): yup.ObjectSchema<Changes> {
  const others = Object.entries(created.fields).filter(([name]) => !Object.hasOwn(changes.fields, name))
  const fields = others.map(([name]) => [name, fixed(way)])
  return changes.shape(Object.fromEntries(fields)) as unknown as yup.ObjectSchema<Changes>
}

function fixed(way: Message) {
  return exact(yup.mixed())
    .nullable()
    .transform((value: unknown) => (isShort(value) ? value : {}))
    .meta({ fixed: way })
}

const isShort = (value: unknown) =>
  value == null || (typeof value !== 'object' && String(value).length <= LENGTH_MAX)

/** The hash of a secret, which itself never leaves the gateway that created it. */
export function sha256() {
  return text({ max: 64 }).matches(
    /^[\da-f]{64}$/,
    fieldMessage((name) => message`${name} must be a SHA-256 in hexadecimal digits.`),
  )
}

/** The input of a job that needs nothing else. */
export const byId = object({ id: required(id()) })

/** A position on the floor plan, as a share of its width or height. */
export const shareInput = () => {
  const sentence = fieldMessage((field) => message`${field} must be a number from 0 to 1.`)
  return exact(yup.number())
    .typeError(sentence)
    .min(0, sentence)
    .max(1, sentence)
    .meta({ openapi: { type: 'number', minimum: 0, maximum: 1 } })
}

/** A width or height, as a share of the floor plan’s. */
export const sizeInput = () => {
  const sentence = fieldMessage((field) => message`${field} must be a number above 0 and at most 1.`)
  return exact(yup.number())
    .typeError(sentence)
    .moreThan(0, sentence)
    .max(1, sentence)
    .meta({ openapi: { type: 'number', exclusiveMinimum: 0, maximum: 1 } })
}
