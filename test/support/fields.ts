// Tests how a field of a schema treats values. The field is part of an object, as in every request.
import { expect } from 'chai'
import fc from 'fast-check'
import * as yup from 'yup'
import type { Message } from '../../shared/messages/message.ts'
import { writeEnglish } from '../../shared/messages/write-message.ts'
import { object } from '../../shared/schemas/fields.ts'

/** Returns the value that the field returns, or the sentences with which it refuses the value. */
export function read(schema: yup.AnySchema, value: unknown): { value: unknown } | { refused: string[] } {
  try {
    const settings = { abortEarly: false, stripUnknown: true }
    const { field } = object({ field: schema }).validateSync({ field: value }, settings) as {
      field?: unknown
    }
    return { value: field }
  } catch (error) {
    if (!(error instanceof yup.ValidationError)) throw error
    return { refused: (error.errors as unknown as Message[]).map(writeEnglish) }
  }
}

export const anything = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true })
export const isDefined = (value: unknown) => value !== undefined

/** Expects a field to keep accepted values unchanged, and to refuse all other values with the given sentence. */
export function expectAcceptsOnly(
  schema: yup.AnySchema,
  takes: (value: unknown) => boolean,
  sentence: string,
) {
  return (value: unknown) => {
    const expected = takes(value) ? { value } : { refused: [sentence] }
    expect(read(schema, value)).to.deep.equal(expected)
  }
}
