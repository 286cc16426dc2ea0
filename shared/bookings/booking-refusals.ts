// The fields that explain why a booking is refused, as part of a larger response: those of an error, without
// the fields that describe the request.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'

const conflictSchema = yup
  .object({
    bookable_id: answer.id(),
    from: answer.timestamp(),
    to: answer.timestamp('null means open-ended.').nullable(),
  })
  .meta({ component: 'BookingConflict' })

const alternativeSchema = yup
  .object({ id: answer.id(), name: answer.text() })
  .meta({ component: 'AlternativeBookable' })

/** Each field is present only if the error has it. */
export const bookingRefusalFields = {
  code: answer.sometimes(answer.text('The refusal code. See the errors page.')),
  detail: answer.sometimes(answer.text()),
  errors: answer.sometimes(
    answer.record<string[]>({ additionalProperties: { type: 'array', items: { type: 'string' } } }).meta({
      description: 'Messages by field name. Set only on validation_failed.',
    }),
  ),
  conflict: answer.sometimes(
    conflictSchema.meta({ description: 'The earliest conflicting booking or event.' }),
  ),
  alternatives: answer.sometimes(
    answer
      .list(alternativeSchema)
      .meta({ description: 'Free bookables of the same type in the same location.' }),
  ),
}
