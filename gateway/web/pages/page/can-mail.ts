// Returns whether mail is set up. Pages promise mails only if it is set up.
import type { Call } from './page.ts'

export const canMail = ({ services }: Pick<Call, 'services'>): boolean => services.config.mail !== undefined
