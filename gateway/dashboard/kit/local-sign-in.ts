// Whether passwords are enabled (LOCAL_SIGN_IN).

import { t } from '../locales/translate.ts'
import type { Call } from './page.ts'
import { PageFailure } from './sessions/failure.ts'

/** Without passwords, none can be chosen, changed or asked for, and no links to choose one are created. */
export function requirePasswords({ services, provider }: Call) {
  if (services.config.signIn.isLocal) return
  throw new PageFailure(404, t`Passwords are switched off`, t`Sign in with ${provider?.label ?? ''} instead.`)
}
