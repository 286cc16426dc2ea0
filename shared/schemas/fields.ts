// The vocabulary of every schema: what an id, a text or an instant is, which message a wrong one gets, and
// how the OpenAPI document describes it. Strict about types: nothing is converted by accident.
import * as yup from 'yup'
import type { Message } from '../messages/message.ts'
import { type Value as FieldValue, message } from '../messages/message.ts'
import { dropUnknown, exact, fieldMessage } from '../messages/strict.ts'
import { countCharacters, hasVisibleText, isEmail, isPlainText } from '../utilities/texts.ts'

type JsonSchema = { [member: string]: unknown }

declare module 'yup' {
  interface CustomSchemaMetadata {
    /** The field's schema in the OpenAPI document. */
    openapi?: JsonSchema
    description?: string
    /** What an absent field means. */
    whenAbsent?: unknown
    /** For a member of an answer: it is not always present. */
    sometimes?: boolean
    /** An id in a path. */
    isPathId?: boolean
    /** How to change the field, if a change cannot contain it. */
    fixed?: Message
    /** The name of the object in the document. */
    component?: string
    /** The schemas of which a value has one. */
    either?: readonly yup.AnySchema[]
    /** For a field of a form: its value is never sent back to the browser. */
    isSecret?: boolean
  }
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const ID_MAX = Number.MAX_SAFE_INTEGER

/** The arguments of a test: a rule that any value must meet, and the message of one that does not. */
export function rule<Value>(
  name: string,
  describe: (name: FieldValue) => Message,
  holds: (value: Value, context: yup.TestContext) => boolean,
) {
  const test = (value: Value | null | undefined, context: yup.TestContext) =>
    value == null || holds(value, context)
  return [name, fieldMessage(describe), test] as const
}

/** An id in a JSON body or a payload. */
export function id() {
  return integer({ min: 1, max: ID_MAX })
}

export function integer({ min, max }: { min: number; max: number }) {
  const sentence = fieldMessage((name) => mustBeInteger(name, min, max))
  return exact(yup.number())
    .typeError(sentence)
    .test('integer', sentence, (value) => value == null || isIntegerIn(value, min, max))
    .meta({ openapi: { type: 'integer', minimum: min, ...(max < ID_MAX ? { maximum: max } : {}) } })
}

export function flag() {
  return exact(yup.boolean())
    .typeError(fieldMessage((name) => message`${name} must be true or false.`))
    .meta({ openapi: { type: 'boolean' } })
}

export const IS_EMPTY = (name: FieldValue) => message`${name} must not be empty.`
const IS_NOT_PLAIN = (name: FieldValue) =>
  message`${name} must not contain control characters or invalid Unicode.`

type TextRule = { max: number; min?: number }

/** A text that is kept byte for byte: nothing is trimmed. */
export function verbatim({ max }: { max: number }) {
  return plainText()
    .test(...atMost(max))
    .meta({ openapi: { type: 'string', maxLength: max } })
}

// A list that is too long is refused without a look at its items: a body of 1 MiB can hold half a million,
// and as many messages about them would keep the gateway busy for seconds.
const TOO_LONG = Symbol('a list that is too long')

export function list<Item>(
  item: yup.ISchema<Item, yup.AnyObject>,
  { max, isDistinct = false }: { max: number; isDistinct?: boolean },
) {
  const isTooLong = (value: unknown) => Array.isArray(value) && value.length > max
  return exact(yup.array(item))
    .transform((value: unknown) => (isDistinct && Array.isArray(value) ? distinct(value) : value))
    .transform((value: unknown) => (isTooLong(value) ? TOO_LONG : value))
    .typeError(({ path, value }) =>
      fieldMessage((name) =>
        value === TOO_LONG
          ? message`${name} must have at most ${max} items.`
          : message`${name} must be an array.`,
      )({ path }),
    )
    .meta({ openapi: { maxItems: max } })
}

// Drops texts that are the same once they are trimmed; the first one stays.
function distinct(items: unknown[]): unknown[] {
  return [...new Set(items.map((item) => (typeof item === 'string' ? item.trim() : item)))]
}

export function text({ max, min = 0 }: TextRule) {
  return plainText()
    .transform((value: unknown) => (typeof value === 'string' ? value.trim() : value))
    .test(
      ...rule<string>(
        'min',
        IS_EMPTY,
        (value) => min === 0 || (countCharacters(value) >= min && hasVisibleText(value)),
      ),
    )
    .test(...atMost(max))
    .meta({ openapi: { type: 'string', ...(min > 0 ? { minLength: min } : {}), maxLength: max } })
}

export function email() {
  return text({ max: 255, min: 1 })
    .test(...rule('email', (name) => message`${name} must be a valid e-mail address.`, isEmail))
    .meta({ openapi: { type: 'string', format: 'email', maxLength: 255 } })
}

/** A flag in a query or a form: accepts the usual spellings, in any letter case. */
export function queryFlag() {
  return flag().transform((_value: unknown, original: unknown) => {
    const word = typeof original === 'string' ? original.trim().toLowerCase() : original
    if (['true', '1', 'yes', 'on'].includes(word as string)) return true
    if (['false', '0', 'no', 'off'].includes(word as string)) return false
    return original
  })
}

/** An id that clients send as a number or as digits. */
export function idText() {
  return exact(yup.mixed<number>())
    .transform((value: unknown) => (typeof value === 'string' ? digits(value.trim()) : value))
    .test(
      ...rule(
        'id',
        (name) => message`${name} must be an id.`,
        (value) => isIntegerIn(value, 1, ID_MAX),
      ),
    )
    .meta({ openapi: { type: ['integer', 'string'], pattern: '^[0-9]+$' } })
}

/** One of the given values. */
export function choice<Value extends string | number>(
  values: readonly Value[],
  describe: (name: FieldValue) => Message,
) {
  const sentence = fieldMessage(describe)
  return yup
    .mixed<Value>((value): value is Value & {} => values.includes(value as Value))
    .typeError(sentence)
    .nonNullable(sentence)
    .meta({ openapi: { type: typeof values[0] === 'number' ? 'integer' : 'string', enum: values } })
}

/** An id in a query. */
export function queryId() {
  return queryNumber(id())
}

/** A number in a query or a form: decimal digits. */
export function queryNumber(schema: ReturnType<typeof integer>) {
  return schema.transform((_value: unknown, original: unknown) => digits(original))
}

/** An id in a path: anything but a positive integer is an unknown id. */
export function pathId() {
  return queryId().defined().meta({ isPathId: true })
}

/** A text in a path; a text that cannot be stored cannot be found either. */
export function pathText() {
  return plainText()
    .defined()
    .meta({ openapi: { type: 'string' } })
}

/** A UUID in a payload. */
export function uuid() {
  return exact(yup.string())
    .matches(
      UUID,
      fieldMessage((name) => message`${name} must be a UUID.`),
    )
    .meta({ openapi: { type: 'string', format: 'uuid' } })
}

/** A UUID in a path: anything else is unknown. */
export function pathUuid() {
  return pathText()
    .matches(UUID)
    .meta({ openapi: { type: 'string', format: 'uuid' } })
}

export function object<Shape extends yup.ObjectShape>(shape: Shape) {
  const sentence = fieldMessage((name) => message`${name} must be a JSON object.`)
  return exact(yup.object(shape))
    .typeError(sentence)
    .nonNullable(sentence)
    .transform((value: unknown, _original: unknown, schema: yup.AnySchema) => dropUnknown(value, schema))
}

export function required<Schema extends yup.AnySchema>(schema: Schema): ReturnType<Schema['defined']> {
  const sentence = fieldMessage((name) => message`${name} is required.`)
  return schema.nonNullable(sentence).defined(sentence)
}

/** May be null, which means the same as absent: validated input never contains it. */
export function nullIsAbsent<Schema extends yup.AnySchema>(schema: Schema): ReturnType<Schema['nullable']> {
  return schema.nullable().transform((value: unknown) => (value === null ? undefined : value)) as ReturnType<
    Schema['nullable']
  >
}

function plainText() {
  return exact(yup.string())
    .typeError(fieldMessage((name) => message`${name} must be a string.`))
    .test(...rule('plain', IS_NOT_PLAIN, isPlainText))
}

function mustBeInteger(name: FieldValue, min: number, max: number): Message {
  if (max < ID_MAX) return message`${name} must be a whole number from ${min} to ${max}.`
  if (min === 1) return message`${name} must be a whole number above 0.`
  return message`${name} must be a whole number of at least ${min}.`
}

function isIntegerIn(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
}

function digits(original: unknown): unknown {
  return typeof original === 'string' && /^\d{1,16}$/.test(original) ? Number(original) : Number.NaN
}

const atMost = (max: number) =>
  rule<string>(
    'max',
    (name) => message`${name} must be at most ${max} characters long.`,
    (value) => countCharacters(value) <= max,
  )
