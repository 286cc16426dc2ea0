// The refusal of a booking as a part of an answer: the members of a failure that do not describe its request.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'

/** A member that is not always there. */
export function sometimes<Schema extends yup.AnySchema>(schema: Schema): ReturnType<Schema['optional']> {
  return schema.optional().meta({ ...schema.spec.meta, sometimes: true })
}

const conflict = yup.object({
  bookable_id: answer.id(),
  from: answer.timestamp(),
  to: answer.timestamp().nullable(),
})

const alternatives = answer.list(yup.object({ id: answer.id(), name: answer.text() }))

/** Each member is present only if the refusal has it. */
export const bookingRefusal = {
  code: sometimes(answer.text('A code from the page of errors.')),
  detail: sometimes(answer.text()),
  errors: sometimes(
    answer.record<string[]>({ additionalProperties: { type: 'array', items: { type: 'string' } } }).meta({
      description: 'Field names to messages; of validation_failed only.',
    }),
  ),
  conflict: sometimes(conflict.meta({ description: 'The earliest booking or event in the way.' })),
  alternatives: sometimes(
    alternatives.meta({ description: 'Free bookables of the same type in the same location.' }),
  ),
}
