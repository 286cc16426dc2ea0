// The field types of API responses and of workers' replies, which the compiler, the OpenAPI document and the
// tests use. The tests check every response and reply; at run time, nothing is validated with these schemas.
import * as yup from 'yup'

/** The response that an endpoint returns to its caller. */
export type AnswerContract = {
  status: number
  /** Undefined if the response has no body. */
  schema?: yup.AnySchema
  /** The possible content types of the response. Defaults to JSON. */
  contentTypes?: readonly string[]
}

type Openapi = Record<string, unknown>

const describedSchema = <T>(openapi: Openapi, description?: string) =>
  yup
    .mixed<NonNullable<T> & {}>()
    .defined()
    .meta({ openapi, ...(description === undefined ? {} : { description }) })

export const id = (description?: string) =>
  describedSchema<number>({ type: 'integer', minimum: 1 }, description)
export const integer = (description?: string) => describedSchema<number>({ type: 'integer' }, description)
export const decimal = (description?: string) => describedSchema<number>({ type: 'number' }, description)
/** A field whose value is one of several numbers, each of which has a name. */
export const oneNumberOf = (values: Record<string, number>, description?: string) =>
  describedSchema<number>(oneNumberSchema(values), description)

/**
 * The OpenAPI schema of a field whose value is one of several named numbers. Code generators take the names from
 * x-enum-varnames.
 */
export const oneNumberSchema = (values: Record<string, number>): Openapi => ({
  type: 'integer',
  enum: Object.values(values),
  'x-enum-varnames': Object.keys(values).map((name) => name.charAt(0).toUpperCase() + name.slice(1)),
})
export const flag = (description?: string) => describedSchema<boolean>({ type: 'boolean' }, description)
export const text = (description?: string, openapi: Openapi = {}) =>
  describedSchema<string>({ type: 'string', ...openapi }, description)
/** The content of a file, which is not JSON. */
export const file = () => text(undefined, { format: 'binary' })
export const uuid = () => text(undefined, { format: 'uuid' })
export const date = () => text(undefined, { format: 'date' })
export const url = (description: string) => text(description, { format: 'uri' })
export const oneOf = (values: readonly string[], description?: string) => text(description, { enum: values })
/** An object with arbitrary keys, which are data themselves. */
export const record = <Member>(openapi: Openapi, description?: string) =>
  describedSchema<Record<string, Member>>({ type: 'object', ...openapi }, description)

/** An instant in UTC with exactly six fractional digits. */
export const timestamp = (description?: string) =>
  text(description, {
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$',
    examples: ['2026-11-20T09:00:00.000000Z'],
  })

/** A field of a response that is not always present. */
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

/** A successful response, which contains its payload in `data`. */
export const data = <Payload extends yup.AnySchema>(payload: Payload) => yup.object({ data: payload })

/** The reply of most writes: the id of the row that was written. */
export const idReply = data(yup.object({ id: id() }))

export function createAnswerContract(payload: yup.AnySchema): AnswerContract {
  return { status: 200, schema: data(payload) }
}
