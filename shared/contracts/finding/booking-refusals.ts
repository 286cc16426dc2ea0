// Why something is not booked, where that is part of an answer: what a failure says, without what is said of its request.
import * as yup from 'yup'
import { idAnswer, listAnswer, recordAnswer, textAnswer, timestampAnswer } from '../answers.ts'

const conflict = yup
  .object({ bookable_id: idAnswer(), from: timestampAnswer(), to: timestampAnswer().nullable() })
  .optional()
  .meta({ description: 'The earliest booking or event in the way.', sometimes: true })

const alternatives = listAnswer(yup.object({ id: idAnswer(), name: textAnswer() }))
  .optional()
  .meta({ description: 'Free bookables of the same type in the same location.', sometimes: true })

export const bookingRefusal = {
  code: textAnswer().meta({ description: 'A code from the page of errors.' }),
  detail: textAnswer(),
  errors: recordAnswer<string[]>({ additionalProperties: { type: 'array', items: { type: 'string' } } })
    .optional()
    .meta({ description: 'Field names to messages; of validation_failed only.', sometimes: true }),
  conflict,
  alternatives,
}
