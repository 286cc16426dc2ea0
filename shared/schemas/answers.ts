// The vocabulary of answers and replies: the types of their fields, for the compiler, the OpenAPI document
// and the tests, which check every answer and reply against it. Nothing validates with these schemas at run
// time.
import * as yup from 'yup'

/** What an endpoint gives to its caller. */
export type AnswerContract = {
  status: number
  /** Undefined if the answer has no body. */
  schema?: yup.AnySchema
  /** The answer has one of these types; JSON if there is none. */
  contentTypes?: readonly string[]
}

type Openapi = Record<string, unknown>

const described = <T>(openapi: Openapi, description?: string) =>
  yup
    .mixed<NonNullable<T> & {}>()
    .defined()
    .meta({ openapi, ...(description === undefined ? {} : { description }) })

export const id = (description?: string) => described<number>({ type: 'integer', minimum: 1 }, description)
export const integer = (description?: string) => described<number>({ type: 'integer' }, description)
export const decimal = (description?: string) => described<number>({ type: 'number' }, description)
/** One of several numbers, each with a name. */
export const oneNumberOf = (values: Record<string, number>, description?: string) =>
  described<number>(numbersOf(values), description)

/** One of several numbers in the document. Generators of code take their names from x-enum-varnames. */
export const numbersOf = (values: Record<string, number>): Openapi => ({
  type: 'integer',
  enum: Object.values(values),
  'x-enum-varnames': Object.keys(values).map((name) => name.charAt(0).toUpperCase() + name.slice(1)),
})
export const flag = (description?: string) => described<boolean>({ type: 'boolean' }, description)
export const text = (description?: string, openapi: Openapi = {}) =>
  described<string>({ type: 'string', ...openapi }, description)
/** A file, which is not JSON. */
export const file = () => text(undefined, { format: 'binary' })
export const uuid = () => text(undefined, { format: 'uuid' })
export const date = () => text(undefined, { format: 'date' })
export const url = (description: string) => text(description, { format: 'uri' })
export const oneOf = (values: readonly string[], description?: string) => text(description, { enum: values })
/** An object whose keys are data. */
export const record = <Member>(openapi: Openapi, description?: string) =>
  described<Record<string, Member>>({ type: 'object', ...openapi }, description)

/** UTC with exactly six fractional digits. */
export const timestamp = (description?: string) =>
  text(description, {
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$',
    examples: ['2026-11-20T09:00:00.000000Z'],
  })

/** A member that is not always present. */
export function sometimes<Schema extends yup.AnySchema>(schema: Schema): ReturnType<Schema['optional']> {
  return schema.optional().meta({ ...schema.spec.meta, sometimes: true })
}

type Sometimes<Fields extends Record<string, yup.AnySchema>> = {
  [Name in keyof Fields]: ReturnType<Fields[Name]['optional']>
}

export function sometimesEach<Fields extends Record<string, yup.AnySchema>>(
  fields: Fields,
): Sometimes<Fields> {
  const members = Object.entries(fields).map(([name, schema]) => [name, sometimes(schema)])
  return Object.fromEntries(members) as Sometimes<Fields>
}

export const list = <Item>(item: yup.ISchema<Item, yup.AnyObject>) => yup.array(item).defined()

/** Successful answers wrap their payload in `data`. */
export const data = <Payload extends yup.AnySchema>(payload: Payload) => yup.object({ data: payload })

/** The reply of most writes: the id of the row. */
export const idReply = data(yup.object({ id: id() }))

export function contractOf(payload: yup.AnySchema): AnswerContract {
  return { status: 200, schema: data(payload) }
}
