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
  code: answer.sometimes(answer.text('The refusal code. See the errors page.')),
  detail: answer.sometimes(answer.text()),
  errors: answer.sometimes(
    answer.record<string[]>({ additionalProperties: { type: 'array', items: { type: 'string' } } }).meta({
      description: 'Messages by field name. Set only on validation_failed.',
    }),
  ),
  conflict: answer.sometimes(conflict.meta({ description: 'The earliest conflicting booking or event.' })),
  alternatives: answer.sometimes(
    answer.list(alternative).meta({ description: 'Free bookables of the same type in the same location.' }),
  ),
}
