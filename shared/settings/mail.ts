// The settings for sending mail: one SMTP server, and one sender address.
import { isEmail } from '../utilities/texts.ts'
import type { EnvironmentReader } from './environment.ts'

export type MailSettings = {
  /** Includes the user and the password. */
  smtpUrl: string
  from: string
  /** Where links lead. */
  publicUrl: string
}

export function readMail(read: EnvironmentReader): MailSettings | undefined {
  const smtpUrl = read.url('SMTP_URL', ['smtp:', 'smtps:'])
  if (!smtpUrl) return undefined
  const from = read.text('MAIL_FROM', '')
  if (!isEmail(/<([^<>]+)>$/.exec(from)?.[1] ?? from))
    read.problem('MAIL_FROM must be an e-mail address: Berth <berth@example.com>.', undefined)
  const publicUrl = read.text('PUBLIC_URL', '').replace(/\/+$/, '')
  // A link in a mail must lead to the service, whatever address the request used.
  if (!publicUrl) read.problem('PUBLIC_URL is not set, and SMTP_URL is: mail has links to it.', undefined)
  return { smtpUrl, from, publicUrl }
}
