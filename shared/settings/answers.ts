// Reads the settings of the mailbox to which calendar programs send answers to invitations.
import { isEmail } from '../utilities/texts.ts'
import type { EnvironmentReader } from './environment.ts'

export type AnswerSettings = NonNullable<ReturnType<typeof readAnswerSettings>>

export function readAnswerSettings(read: EnvironmentReader) {
  const imapUrl = read.url('MAIL_ANSWERS', ['imaps:', 'imap:'])
  if (!imapUrl) return undefined
  const { username, password, pathname } = new URL(imapUrl)
  if (!username || !password || decode(`${username}${password}${pathname}`) === undefined)
    read.problem(
      'MAIL_ANSWERS must have a user and a password, with % written as %25: imaps://user:password@host.',
      undefined,
    )
  const address = read.text('MAIL_ANSWERS_ADDRESS', decode(username) ?? '')
  if (!isEmail(address))
    read.problem('MAIL_ANSWERS_ADDRESS must be the e-mail address of the mailbox in MAIL_ANSWERS.', undefined)
  const check = read.text('MAIL_ANSWERS_CHECK', '')
  if (!check)
    read.problem(
      'MAIL_ANSWERS needs MAIL_ANSWERS_CHECK: the name of the server whose Authentication-Results Berth trusts.',
      undefined,
    )
  return {
    /** Includes the user and the password. */
    imapUrl,
    address,
    /**
     * The server whose header Authentication-Results Berth trusts. Undefined if Berth does not check who sent a mail.
     */
    authenticatedBy: check.toLowerCase() === 'none' ? undefined : check,
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
