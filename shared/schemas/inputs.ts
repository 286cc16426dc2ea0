// Fields that the inputs of several writes share: ids, hashes, lists that must not be empty, versions, times in order,
// and fields that cannot change.
import * as yup from 'yup'
import { fieldName, type Message, message } from '../messages/message.ts'
import { createFieldMessage, turnOffTypeConversion } from '../messages/strict.ts'
import { EMPTY_MESSAGE, id, list, object, required, rule, text } from './fields.ts'

export const notEmpty = <Schema extends yup.AnySchema>(schema: Schema): Schema =>
  schema.test(
    ...rule('notEmpty', EMPTY_MESSAGE, (value: unknown) => !Array.isArray(value) || value.length > 0),
  ) as Schema

export const idList = (limit: { max: number }) => notEmpty(list(required(id()), limit))

/** A field whose value is an object, or a value of another type. */
export function objectOrOther<Members extends yup.AnySchema, Other extends yup.AnySchema>(
  members: Members,
  other: Other,
) {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
  return yup
    .lazy((value: unknown): Members | Other => (isObject(value) ? members : other))
    .meta({ either: [other, members] })
}

/**
 * The version of the resource from which a form of the dashboard was filled (see versions.ts). If absent, versions are
 * not compared.
 */
export const formVersion = () => text({ max: 64 })

/** The limit on ETags in one request. The headers of a request have no room for more. */
export const IF_MATCH_ETAGS_MAX = 1_000

/**
 * ETags that a GET of the resource has returned. The resource must still have one of them. If the list is absent, ETags
 * are not compared.
 */
export const ifMatch = () => list(required(text({ max: 64 })), { max: IF_MATCH_ETAGS_MAX })

/** The id of the resource to change or delete, and ETags. The resource must have one of these ETags. */
export const idAndIfMatch = () => ({ id: required(id()), if_match: ifMatch() })

/**
 * Returns the arguments of a yup test for a time that must be later than another field. If one of the two times is
 * absent or malformed, its own rule reports that.
 */
export const isAfterField = (other: string) =>
  rule<string>(
    'after',
    (name) => message`${name} must be after ${fieldName(other)}.`,
    (later, { parent }) =>
      !later || typeof parent[other] !== 'string' || !parent[other] || later > parent[other],
  )

/**
 * The limit on the length of a fixed field's value. Longer values, lists and objects always differ from the current
 * value, so they are not passed on.
 */
const FIXED_LENGTH_MAX = 1_000

/** Adds to a schema of changes the fields that only a new resource may set. `way` tells callers how they can
 * change such a field instead. */
export function withFixedFields<Changes extends yup.AnyObject>(
  changes: yup.ObjectSchema<Changes>,
  created: yup.ObjectSchema<yup.AnyObject>,
  way: Message,
): yup.ObjectSchema<Changes> {
  const others = Object.entries(created.fields).filter(([name]) => !Object.hasOwn(changes.fields, name))
  const fields = others.map(([name]) => [name, fixedField(way)])
  return changes.shape(Object.fromEntries(fields)) as unknown as yup.ObjectSchema<Changes>
}

function fixedField(way: Message) {
  return turnOffTypeConversion(yup.mixed())
    .nullable()
    .transform((value: unknown) => (isShortValue(value) ? value : {}))
    .meta({ fixed: way })
}

const isShortValue = (value: unknown) =>
  value == null || (typeof value !== 'object' && String(value).length <= FIXED_LENGTH_MAX)

/** The hash of a secret. Only the gateway that created the secret knows the secret itself. */
export function sha256() {
  return text({ max: 64 }).matches(
    /^[\da-f]{64}$/,
    createFieldMessage((name) => message`${name} must be a SHA-256 in hexadecimal digits.`),
  )
}

/** The input of a job that only needs an id. */
export const idInput = object({ id: required(id()) })

/** A horizontal or vertical position on the floor plan, as a share of the plan's width or height. */
export const positionShareInput = () => {
  const sentence = createFieldMessage((field) => message`${field} must be a number from 0 to 1.`)
  return turnOffTypeConversion(yup.number())
    .typeError(sentence)
    .min(0, sentence)
    .max(1, sentence)
    .meta({ openapi: { type: 'number', minimum: 0, maximum: 1 } })
}

/** The width or height of a bookable, as a share of the floor plan's width or height. */
export const sizeShareInput = () => {
  const sentence = createFieldMessage((field) => message`${field} must be a number above 0 and at most 1.`)
  return turnOffTypeConversion(yup.number())
    .typeError(sentence)
    .moreThan(0, sentence)
    .max(1, sentence)
    .meta({ openapi: { type: 'number', exclusiveMinimum: 0, maximum: 1 } })
}
