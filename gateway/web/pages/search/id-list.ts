// The ids of several things in the query of a page or the body of a form: those of checked boxes.
import * as yup from 'yup'
import { message } from '../../../../shared/messages/message.ts'
import { queryId } from '../../../../shared/schemas/fields.ts'

// In a query, a single ID is not a list. A form may send all IDs in one field.
export const idList = (max: number) =>
  yup
    .array(queryId().defined())
    .transform((_value: unknown, original: unknown) =>
      [original ?? []].flat().flatMap((each: unknown) => (typeof each === 'string' ? each.split(',') : each)),
    )
    .default([])
    .max(max, () => message`Up to ${max} can be changed at once.`)
