// Parses an e-mail address that an administrator types or pastes: ignores separators at its end, and requires
// a dot in its domain. The API accepts domains without a dot, because some companies' internal mail systems
// use them.

import { message } from '../../../../shared/messages/message.ts'
import { createFieldMessage } from '../../../../shared/messages/strict.ts'
import { email } from '../../../../shared/schemas/fields.ts'
import { isEmail } from '../../../../shared/utilities/texts.ts'

const TRAILING_SEPARATORS = /[\s,;]+$/
const DOMAIN_PATTERN = /@[^@]+\.\p{L}[\p{L}\d-]+$/u

export function parseTypedEmail(typed: string): string | undefined {
  const address = typed.replace(TRAILING_SEPARATORS, '')
  return isEmail(address) && DOMAIN_PATTERN.test(address) ? address : undefined
}

export function typedEmail(field = email()) {
  return field
    .transform((value: unknown) =>
      typeof value === 'string' ? value.replace(TRAILING_SEPARATORS, '') : value,
    )
    .test(
      'domain',
      createFieldMessage((name) => message`${name} must be a valid e-mail address.`),
      (value) => value == null || !isEmail(value) || DOMAIN_PATTERN.test(value),
    )
}
