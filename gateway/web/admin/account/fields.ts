// The shared parts of the account forms: password fields, and starting a session.
import { PASSWORD_LENGTH_MIN } from '../../../../shared/administrators/admin-store.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { createFieldMessage } from '../../../../shared/messages/strict.ts'
import { object, required, verbatimText } from '../../../../shared/schemas/fields.ts'
import { countCharacters } from '../../../../shared/utilities/texts.ts'
import type { Html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { ActionCall } from '../../pages/page/page.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { createSecret } from '../../sessions/secrets.ts'
import { beginSession, endSession } from '../../sessions/sessions.ts'

const PASSWORD_LENGTH_MAX = 1_000

/** A field for any existing password, because only new passwords must meet the rules. Its value is never sent
 * back to a browser. */
export const password = () => required(verbatimText({ max: PASSWORD_LENGTH_MAX })).meta({ isSecret: true })

const newPasswordSchema = () =>
  password().test(
    'long',
    createFieldMessage((name) => message`${name} must be at least ${PASSWORD_LENGTH_MIN} characters long.`),
    (value) => value === undefined || countCharacters(value) >= PASSWORD_LENGTH_MIN,
  )

export const newPasswordForm = object({ password: newPasswordSchema(), repeated: newPasswordSchema() })

/** Signs the administrator in. Returns false if their password has changed since it was checked. */
export async function startSession(
  call: ActionCall,
  account: { id: number; passwordHash: string },
): Promise<boolean> {
  const secret = createSecret()
  if (!(await beginSession(call.services.primary, secret, account, call.device))) return false
  await endSession(call.services.primary, call.viewer.secret)
  call.setSession(secret)
  call.rememberBrowser(account)
  return true
}

export function requireSamePassword({ password, repeated }: { password: string; repeated: string }) {
  if (password !== repeated) throw invalidFields({ repeated: [message`The passwords do not match.`] })
}

export function showPasswordField(fields: Fields, name: string, label: string): Html {
  return fields.text(name, label, { type: 'password', autocomplete: 'current-password' })
}

/** Shows the fields for a new password and its repetition, with a label for each. */
export function showNewPasswordFields(fields: Fields, label: string, repeatLabel: string): Html[] {
  const own = { type: 'password', autocomplete: 'new-password' } as const
  const hint = t`At least ${PASSWORD_LENGTH_MIN} characters. A sentence is easy to remember.`
  return [fields.text('password', label, { ...own, hint }), fields.text('repeated', repeatLabel, own)]
}
