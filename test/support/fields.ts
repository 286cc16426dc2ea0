// How a field of a contract takes a value: read as one field of an object, as every request does.
import { expect } from 'chai'
import fc from 'fast-check'
import * as yup from 'yup'
import type { Message } from '../../shared/messages/message.ts'
import { writeEnglish } from '../../shared/messages/write-message.ts'
import { object } from '../../shared/schemas/fields.ts'

/** What the field makes of a value, or the sentences that refuse it. */
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
export const isGiven = (value: unknown) => value !== undefined

/** Holds a field against a rule: what it takes comes out as it is, everything else is refused with the sentence. */
export function expectOnly(schema: yup.AnySchema, takes: (value: unknown) => boolean, sentence: string) {
  return (value: unknown) => {
    const expected = takes(value) ? { value } : { refused: [sentence] }
    expect(read(schema, value)).to.deep.equal(expected)
  }
}
