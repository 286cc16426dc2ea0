// What an administrator does to the own account: the gateway's own house, because it must work while Redis is away.
import type pg from 'pg'
import { PASSWORD_LENGTH_MIN } from '../../shared/admins.ts'
import { required, verbatim } from '../../shared/contracts/fields.ts'
import { invalid, type Refusal } from '../../shared/refusal.ts'
import { lengthOf } from '../../shared/texts.ts'

const PASSWORD_LENGTH_MAX = 1_000

export const passwordHint = `At least ${PASSWORD_LENGTH_MIN} characters. A sentence is easy to remember.`

/** Any password that somebody may have; how good it is is asked of new ones only. */
export const password = () => required(verbatim({ max: PASSWORD_LENGTH_MAX }))

export const newPassword = () =>
  password().test(
    'long',
    ({ path }) => `${path} must be at least ${PASSWORD_LENGTH_MIN} characters long.`,
    (value) => value === undefined || lengthOf(value) >= PASSWORD_LENGTH_MIN,
  )

export function requireSame(first: string, second: string) {
  if (first !== second) throw invalid({ repeated: ['repeated must be the same as the password above.'] })
}

/** False where it has been changed since it was looked at. */
export async function changePassword(
  primary: pg.Pool,
  { id, from, to }: { id: number; from: string; to: string },
): Promise<boolean> {
  const { rowCount } = await primary.query(
    'UPDATE admins SET password_hash = $3, updated_at = now() WHERE id = $1 AND password_hash = $2',
    [id, from, to],
  )
  return rowCount === 1
}

export function wrongPassword(field: string): Refusal {
  return invalid({ [field]: ['This is not your password.'] })
}
