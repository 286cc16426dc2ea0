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

const described = <T>(openapi: Record<string, unknown>) =>
  yup.mixed<NonNullable<T> & {}>().defined().meta({ openapi })

export const idAnswer = () => described<number>({ type: 'integer', minimum: 1 })
export const integerAnswer = (values?: number[]) =>
  described<number>({ type: 'integer', ...(values ? { enum: values } : {}) })
export const textAnswer = (openapi: Record<string, unknown> = {}) =>
  described<string>({ type: 'string', ...openapi })
export const flagAnswer = () => described<boolean>({ type: 'boolean' })
/** An object whose keys are data. */
export const recordAnswer = <Member>(openapi: Record<string, unknown>) =>
  described<Record<string, Member>>({ type: 'object', ...openapi })

/** UTC with exactly six fractional digits. */
export const timestampAnswer = () =>
  described<string>({
    type: 'string',
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$',
    examples: ['2026-11-20T09:00:00.000000Z'],
  })

export const listAnswer = <Item>(item: yup.ISchema<Item, yup.AnyObject>) => yup.array(item).defined()

/** Successful answers wrap their payload in `data`. */
export const dataSchema = <Payload extends yup.AnySchema>(payload: Payload) => yup.object({ data: payload })

/** The reply of most writes: the id of the row. */
export const idReply = dataSchema(yup.object({ id: idAnswer() }))

export function dataAnswer(payload: yup.AnySchema): AnswerContract {
  return { status: 200, schema: dataSchema(payload) }
}
