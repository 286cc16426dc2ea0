// The field for the e-mail address of the user who signs in.
import type { Html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { Fields } from './fields.ts'

export function showEmailField(fields: Fields): Html {
  const own = { type: 'email', autocomplete: 'username', autofocus: true } as const
  return fields.text('email', t`E-mail`, own)
}
