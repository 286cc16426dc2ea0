// Parses an e-mail address that an administrator types or pastes: ignores separators at its end, and requires
// a dot in its domain. The API accepts domains without a dot, because mail systems inside a company use them.

import { message } from '../../../../shared/messages/message.ts'
import { fieldMessage } from '../../../../shared/messages/strict.ts'
import { email } from '../../../../shared/schemas/fields.ts'
import { isEmail } from '../../../../shared/utilities/texts.ts'

const END = /[\s,;]+$/
const DOMAIN = /@[^@]+\.\p{L}[\p{L}\d-]+$/u

export function parseTypedEmail(typed: string): string | undefined {
  const address = typed.replace(END, '')
  return isEmail(address) && DOMAIN.test(address) ? address : undefined
}

export function typedEmail(field = email()) {
  return field
    .transform((value: unknown) => (typeof value === 'string' ? value.replace(END, '') : value))
    .test(
      'domain',
      fieldMessage((name) => message`${name} must be a valid e-mail address.`),
      (value) => value == null || !isEmail(value) || DOMAIN.test(value),
    )
}
