// The refusal of a booking as a part of an answer: the members of a failure that do not describe its request.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'

const conflict = yup
  .object({
    bookable_id: answer.id(),
    from: answer.timestamp(),
    to: answer.timestamp('null means open-ended.').nullable(),
  })
  .meta({ component: 'BookingConflict' })

const alternative = yup
  .object({ id: answer.id(), name: answer.text() })
  .meta({ component: 'AlternativeBookable' })

/** Each member is present only if the refusal has it. */
export const bookingRefusal = {
  code: answer.sometimes(answer.text('A code from the page of errors.')),
  detail: answer.sometimes(answer.text()),
  errors: answer.sometimes(
    answer.record<string[]>({ additionalProperties: { type: 'array', items: { type: 'string' } } }).meta({
      description: 'Field names to messages; of validation_failed only.',
    }),
  ),
  conflict: answer.sometimes(conflict.meta({ description: 'The earliest booking or event in the way.' })),
  alternatives: answer.sometimes(
    answer.list(alternative).meta({ description: 'Free bookables of the same type in the same location.' }),
  ),
}
