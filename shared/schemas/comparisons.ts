// Rules that compare two instants.
import type * as yup from 'yup'
import { field, message } from '../messages/message.ts'
import { fieldMessage } from '../messages/strict.ts'

/** A test of two instants: passes if one of them is absent or malformed, which its own rule reports. */
function comparedTo(other: string, holds: (value: string, other: string) => boolean) {
  return function test(this: yup.TestContext, value: string | null | undefined): boolean {
    const compared = (this.parent as Record<string, unknown>)[other]
    return !value || typeof compared !== 'string' || compared === '' || holds(value, compared)
  }
}

/** The arguments of a test: later than another field. */
export function after(other: string) {
  return [
    'after',
    fieldMessage((name) => message`${name} must be after ${field(other)}.`),
    comparedTo(other, (later, earlier) => later > earlier),
  ] as const
}
