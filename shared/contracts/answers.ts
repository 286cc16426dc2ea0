// The vocabulary of answers: what the fields of an answer are, for the OpenAPI document and for the tests, which
// hold every answer against it. Nothing is validated by these at run time.
import * as yup from 'yup'
import type { AnswerContract } from './job.ts'

const described = <T>(openapi: Record<string, unknown>) =>
  yup.mixed<NonNullable<T> & {}>().defined().meta({ openapi })

export const idAnswer = () => described<number>({ type: 'integer', minimum: 1 })
export const integerAnswer = (values?: number[]) =>
  described<number>({ type: 'integer', ...(values ? { enum: values } : {}) })
export const textAnswer = (openapi: Record<string, unknown> = {}) =>
  described<string>({ type: 'string', ...openapi })
export const flagAnswer = () => described<boolean>({ type: 'boolean' })

/** UTC with exactly six fractional digits. */
export const timestampAnswer = () =>
  described<string>({
    type: 'string',
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$',
    examples: ['2026-11-20T09:00:00.000000Z'],
  })

export const listAnswer = (item: yup.AnySchema) => yup.array(item).defined()

/** Of writes that only the dashboard asks for: it needs no more than what was made. */
export const idsAnswer = (...names: string[]): AnswerContract =>
  dataAnswer(yup.object(Object.fromEntries(names.map((name) => [name, integerAnswer()]))))

/** Successful answers wrap their payload in `data`. */
export function dataAnswer(payload: yup.AnySchema, status = 200): AnswerContract {
  return { status, schema: yup.object({ data: payload }) }
}
