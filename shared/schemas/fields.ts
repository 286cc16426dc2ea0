// The field types of every schema. They define what an id, a text or an instant is, the message for an invalid value,
// and the description in the OpenAPI document. Types are strict: nothing is converted implicitly.
import * as yup from 'yup'
import type { Message } from '../messages/message.ts'
import { type MessageValue as FieldValue, message } from '../messages/message.ts'
import { createFieldMessage, dropUnknownFields, turnOffTypeConversion } from '../messages/strict.ts'
import { countCharacters, hasVisibleText, isEmail, isPlainText } from '../utilities/texts.ts'

type JsonSchema = { [member: string]: unknown }

declare module 'yup' {
  interface CustomSchemaMetadata {
    /** The field's schema in the OpenAPI document. */
    openapi?: JsonSchema
    description?: string
    /** The meaning of an absent field. */
    whenAbsent?: unknown
    /** Whether the field may be absent. Used for a field in a response. */
    sometimes?: boolean
    /** Whether the field is an id in the path of a request. */
    isPathId?: boolean
    /** How to change the field in another way. Used for a field that a change cannot contain. */
    fixed?: Message
    /** The name of the object's schema in the OpenAPI document. */
    component?: string
    /** The alternative schemas. A value must match one of them. */
    either?: readonly yup.AnySchema[]
    /** Whether pages never send the field's value back to the browser. Used for a field of a form. */
    isSecret?: boolean
  }
}

const UUID_PATTERN = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const ID_MAX = Number.MAX_SAFE_INTEGER

/**
 * Returns the arguments of a yup test: a rule that every value must meet, and the message for a value that does not.
 */
export function rule<Value>(
  name: string,
  describe: (name: FieldValue) => Message,
  holds: (value: Value, context: yup.TestContext) => boolean,
) {
  const test = (value: Value | null | undefined, context: yup.TestContext) =>
    value == null || holds(value, context)
  return [name, createFieldMessage(describe), test] as const
}

/** An id in a JSON body or a payload. */
export function id() {
  return integer({ min: 1, max: ID_MAX })
}

export function integer({ min, max }: { min: number; max: number }) {
  const sentence = createFieldMessage((name) => createIntegerMessage(name, min, max))
  return turnOffTypeConversion(yup.number())
    .typeError(sentence)
    .test('integer', sentence, (value) => value == null || isIntegerIn(value, min, max))
    .meta({ openapi: { type: 'integer', minimum: min, ...(max < ID_MAX ? { maximum: max } : {}) } })
}

export function flag() {
  return turnOffTypeConversion(yup.boolean())
    .typeError(createFieldMessage((name) => message`${name} must be true or false.`))
    .meta({ openapi: { type: 'boolean' } })
}

export const EMPTY_MESSAGE = (name: FieldValue) => message`${name} must not be empty.`
const NOT_PLAIN_MESSAGE = (name: FieldValue) =>
  message`${name} must not contain control characters or invalid Unicode.`

type TextRule = { max: number; min?: number }

/** A text that is stored byte for byte, so that even surrounding spaces stay. */
export function verbatimText({ max }: { max: number }) {
  return plainText()
    .test(...createLengthRule(max))
    .meta({ openapi: { type: 'string', maxLength: max } })
}

// Marks a list that is too long, so that its items are not checked. A body of 1 MiB can contain half a
// million items, and the messages about so many items would keep the gateway busy for seconds.
const TOO_LONG_LIST = Symbol('a list that is too long')

export function list<Item>(
  item: yup.ISchema<Item, yup.AnyObject>,
  { max, isDistinct = false }: { max: number; isDistinct?: boolean },
) {
  const isTooLong = (value: unknown) => Array.isArray(value) && value.length > max
  return turnOffTypeConversion(yup.array(item))
    .transform((value: unknown) => (isDistinct && Array.isArray(value) ? removeDuplicates(value) : value))
    .transform((value: unknown) => (isTooLong(value) ? TOO_LONG_LIST : value))
    .typeError(({ path, value }) =>
      createFieldMessage((name) =>
        value === TOO_LONG_LIST
          ? message`${name} must have at most ${max} items.`
          : message`${name} must be an array.`,
      )({ path }),
    )
    .meta({ openapi: { maxItems: max } })
}

/** Whether a list is absent or empty. An invalid value counts as not empty, because another check refuses it. */
export const isEmptyList = (value: unknown): boolean =>
  value == null || (Array.isArray(value) && value.length === 0)

// Removes duplicate texts from a list, ignoring surrounding spaces. Keeps the first of each.
function removeDuplicates(items: unknown[]): unknown[] {
  return [...new Set(items.map((item) => (typeof item === 'string' ? item.trim() : item)))]
}

export function text({ max, min = 0 }: TextRule) {
  return plainText()
    .transform((value: unknown) => (typeof value === 'string' ? value.trim() : value))
    .test(
      ...rule<string>(
        'min',
        EMPTY_MESSAGE,
        (value) => min === 0 || (countCharacters(value) >= min && hasVisibleText(value)),
      ),
    )
    .test(...createLengthRule(max))
    .meta({ openapi: { type: 'string', ...(min > 0 ? { minLength: min } : {}), maxLength: max } })
}

export function email() {
  return text({ max: 255, min: 1 })
    .test(...rule('email', (name) => message`${name} must be a valid e-mail address.`, isEmail))
    .meta({ openapi: { type: 'string', format: 'email', maxLength: 255 } })
}

/** A flag in a query or a form. Accepts the usual spellings, in any letter case. */
export function queryFlag() {
  return flag().transform((_value: unknown, original: unknown) => {
    const word = typeof original === 'string' ? original.trim().toLowerCase() : original
    if (['true', '1', 'yes', 'on'].includes(word as string)) return true
    if (['false', '0', 'no', 'off'].includes(word as string)) return false
    return original
  })
}

/** An id that clients may send as a number or as a string of digits. */
export function idText() {
  return turnOffTypeConversion(yup.mixed<number>())
    .transform((value: unknown) => (typeof value === 'string' ? parseDigits(value.trim()) : value))
    .test(
      ...rule(
        'id',
        (name) => message`${name} must be an id.`,
        (value) => isIntegerIn(value, 1, ID_MAX),
      ),
    )
    .meta({ openapi: { type: ['integer', 'string'], pattern: '^[0-9]+$' } })
}

/** A field whose value is one of the given values. */
export function choice<Value extends string | number>(
  values: readonly Value[],
  describe: (name: FieldValue) => Message,
) {
  const sentence = createFieldMessage(describe)
  return yup
    .mixed<Value>((value): value is Value & {} => values.includes(value as Value))
    .typeError(sentence)
    .nonNullable(sentence)
    .meta({ openapi: { type: typeof values[0] === 'number' ? 'integer' : 'string', enum: values } })
}

/** An id in a query string. */
export function queryId() {
  return queryNumber(id())
}

/** A number in a query or a form, written as decimal digits. */
export function queryNumber(schema: ReturnType<typeof integer>) {
  return schema.transform((_value: unknown, original: unknown) => parseDigits(original))
}

/** An id in a path. Anything but a positive integer is treated as an id that does not exist. */
export function pathId() {
  return queryId().defined().meta({ isPathId: true })
}

/** A text in a path. A text that Postgres cannot store is treated as one that does not exist. */
export function pathText() {
  return plainText()
    .defined()
    .meta({ openapi: { type: 'string' } })
}

/** A UUID in a JSON body or a payload. */
export function uuid() {
  return turnOffTypeConversion(yup.string())
    .matches(
      UUID_PATTERN,
      createFieldMessage((name) => message`${name} must be a UUID.`),
    )
    .meta({ openapi: { type: 'string', format: 'uuid' } })
}

/** A UUID in a path. Anything else is treated as a UUID that does not exist. */
export function pathUuid() {
  return pathText()
    .matches(UUID_PATTERN)
    .meta({ openapi: { type: 'string', format: 'uuid' } })
}

export function object<Shape extends yup.ObjectShape>(shape: Shape) {
  const sentence = createFieldMessage((name) => message`${name} must be a JSON object.`)
  return turnOffTypeConversion(yup.object(shape))
    .typeError(sentence)
    .nonNullable(sentence)
    .transform((value: unknown, _original: unknown, schema: yup.AnySchema) =>
      dropUnknownFields(value, schema),
    )
}

export function required<Schema extends yup.AnySchema>(schema: Schema): ReturnType<Schema['defined']> {
  const sentence = createFieldMessage((name) => message`${name} is required.`)
  return schema.nonNullable(sentence).defined(sentence)
}

/** Accepts null, and treats it as an absent field. Validated input never contains the null. */
export function treatNullAsAbsent<Schema extends yup.AnySchema>(
  schema: Schema,
): ReturnType<Schema['nullable']> {
  return schema.nullable().transform((value: unknown) => (value === null ? undefined : value)) as ReturnType<
    Schema['nullable']
  >
}

function plainText() {
  return turnOffTypeConversion(yup.string())
    .typeError(createFieldMessage((name) => message`${name} must be a string.`))
    .test(...rule('plain', NOT_PLAIN_MESSAGE, isPlainText))
}

function createIntegerMessage(name: FieldValue, min: number, max: number): Message {
  if (max < ID_MAX) return message`${name} must be a whole number from ${min} to ${max}.`
  if (min === 1) return message`${name} must be a whole number above 0.`
  return message`${name} must be a whole number of at least ${min}.`
}

function isIntegerIn(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
}

function parseDigits(original: unknown): unknown {
  return typeof original === 'string' && /^\d{1,16}$/.test(original) ? Number(original) : Number.NaN
}

const createLengthRule = (max: number) =>
  rule<string>(
    'max',
    (name) => message`${name} must be at most ${max} characters long.`,
    (value) => countCharacters(value) <= max,
  )
