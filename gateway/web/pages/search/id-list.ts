// The ids of several things, such as the ids of checked boxes, in the query of a page or the body of a form.
import * as yup from 'yup'
import { message } from '../../../../shared/messages/message.ts'
import { queryId } from '../../../../shared/schemas/fields.ts'

// A field with several ids. In a query, a single id does not arrive as a list, and a form may send all ids in one
// field.
export const idList = (max: number) =>
  yup
    .array(queryId().defined())
    .transform((_value: unknown, original: unknown) =>
      [original ?? []].flat().flatMap((each: unknown) => (typeof each === 'string' ? each.split(',') : each)),
    )
    .default([])
    .max(max, () => message`Up to ${max} can be changed at once.`)
