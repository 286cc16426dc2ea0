// The form fields for e-mail and passwords: what they accept and how they look.
import { PASSWORD_LENGTH_MIN } from '../../../shared/administrators/admin-store.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid, type Refusal } from '../../../shared/messages/refusal.ts'
import { fieldMessage } from '../../../shared/messages/strict.ts'
import { required, verbatim } from '../../../shared/schemas/fields.ts'
import { countCharacters } from '../../../shared/utilities/texts.ts'
import type { Html } from '../../http/html.ts'
import { t } from '../locales/translate.ts'
import type { Fields } from '../ui/fields.ts'

const PASSWORD_LENGTH_MAX = 1_000

/** Accepts any existing password; only new ones must meet the rules. Never sent back to a browser. */
export const password = () => required(verbatim({ max: PASSWORD_LENGTH_MAX })).meta({ isSecret: true })

export const newPassword = () =>
  password().test(
    'long',
    fieldMessage((name) => message`${name} must be at least ${PASSWORD_LENGTH_MIN} characters long.`),
    (value) => value === undefined || countCharacters(value) >= PASSWORD_LENGTH_MIN,
  )

export function requireSamePassword(first: string, second: string) {
  if (first !== second) throw invalid({ repeated: [message`The passwords do not match.`] })
}

export function wrongPassword(field: string): Refusal {
  return invalid({ [field]: [message`Wrong password.`] })
}

export function emailField(fields: Fields): Html {
  return fields.text({
    name: 'email',
    label: t`E-mail`,
    type: 'email',
    autocomplete: 'username',
    required: true,
    autofocus: true,
  })
}

export function passwordField(fields: Fields, name: string, label: string): Html {
  return fields.text({ name, label, type: 'password', autocomplete: 'current-password', required: true })
}

/** A new password and its repetition, with a label for each field. */
export function newPasswordFields(fields: Fields, label: string, repeatLabel: string): Html[] {
  const own = { type: 'password', autocomplete: 'new-password', required: true } as const
  const hint = t`At least ${PASSWORD_LENGTH_MIN} characters. A sentence is easy to remember.`
  return [
    fields.text({ ...own, name: 'password', label, hint }),
    fields.text({ ...own, name: 'repeated', label: repeatLabel }),
  ]
}
