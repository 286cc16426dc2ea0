// The refusal of a booking as a part of an answer: the members of a failure that do not describe its request.
import * as yup from 'yup'
import { idAnswer, listAnswer, recordAnswer, textAnswer, timestampAnswer } from '../schemas/answers.ts'

/** A member that is not always there. */
export function sometimes<Schema extends yup.AnySchema>(schema: Schema): ReturnType<Schema['optional']> {
  return schema.optional().meta({ ...schema.spec.meta, sometimes: true })
}

const conflict = yup.object({
  bookable_id: idAnswer(),
  from: timestampAnswer(),
  to: timestampAnswer().nullable(),
})

const alternatives = listAnswer(yup.object({ id: idAnswer(), name: textAnswer() }))

/** Each member is present only if the refusal has it. */
export const bookingRefusal = {
  code: sometimes(textAnswer().meta({ description: 'A code from the page of errors.' })),
  detail: sometimes(textAnswer()),
  errors: sometimes(
    recordAnswer<string[]>({ additionalProperties: { type: 'array', items: { type: 'string' } } }).meta({
      description: 'Field names to messages; of validation_failed only.',
    }),
  ),
  conflict: sometimes(conflict.meta({ description: 'The earliest booking or event in the way.' })),
  alternatives: sometimes(
    alternatives.meta({ description: 'Free bookables of the same type in the same location.' }),
  ),
}
