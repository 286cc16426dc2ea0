// Sends a mail through the configured SMTP server. The server's own wording is neither stored nor logged,
// because it may quote the message.
import { Readable } from 'node:stream'
import type { Transporter } from 'nodemailer'
import { type Message, message } from '../../../shared/messages/message.ts'
import { writeEnglish } from '../../../shared/messages/write-message.ts'
import type { MailSettings } from '../../../shared/settings/config.ts'
import { isLoopback } from '../../../shared/utilities/private-networks.ts'

export type Mail = {
  to: string
  subject: string
  text: string
  html?: string
  message: string
  calendar?: { method: 'request' | 'cancel' | 'publish'; content: string }
}

// An attempt ends before another process may start the next one.
const ATTEMPT_MS = 60_000
const STEP_MS = 20_000

export class MailFailure extends Error {
  /** What administrators see. */
  readonly detail: Message
  readonly code: string
  readonly isPermanent: boolean
  /** The server has answered, so it has not taken the mail. */
  readonly isAnswered: boolean

  constructor(code: string, responseCode: number | undefined) {
    const detail = describe(code, responseCode)
    super(writeEnglish(detail))
    this.detail = detail
    this.code = responseCode === undefined ? code : `${code} ${responseCode}`
    this.isAnswered = responseCode !== undefined
    // A rejected login can be fixed by an administrator; a missing mailbox cannot.
    this.isPermanent = (code === 'EENVELOPE' || code === 'EMESSAGE') && (responseCode ?? 0) >= 500
  }
}

/** Sends a mail, or throws a MailFailure. The server takes it with its last line, before which `beforeLastLine` has run. */
export type Send = (mail: Mail, beforeLastLine: () => Promise<void>) => Promise<void>

export function openSmtp(settings: MailSettings): Send {
  const { from, publicUrl } = settings
  return async ({ to, subject, text, html, message, calendar }, beforeLastLine) => {
    try {
      const transport = await openTransport(settings)
      transport.use('stream', (mail, done) => {
        mail.message.processFunc((input) =>
          Readable.from(holdBackEnd(input, beforeLastLine), { objectMode: false }),
        )
        done()
      })
      await transport.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        ...(html === undefined ? {} : { html }),
        ...(calendar === undefined ? {} : { icalEvent: { ...calendar, filename: 'booking.ics' } }),
        // The same for each attempt, so that the server may recognize a duplicate.
        messageId: `<${message}@${new URL(publicUrl).hostname}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
        signal: AbortSignal.timeout(ATTEMPT_MS),
      })
    } catch (error) {
      const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
      throw new MailFailure(
        typeof code === 'string' ? code : 'unknown',
        typeof responseCode === 'number' ? responseCode : undefined,
      )
    }
  }
}

// Nobody reads from it before the server has asked for the mail.
async function* holdBackEnd(input: Readable, beforeEnd: () => Promise<void>) {
  yield* input
  await beforeEnd()
}

// Links are secrets: TLS is required except to this machine, unless the address says ?requireTLS=false.
async function openTransport({ smtpUrl }: MailSettings): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url: smtpUrl,
    requireTLS: !isLoopback(new URL(smtpUrl).hostname),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
  })
}

function describe(code: string, responseCode: number | undefined): Message {
  const answer = responseCode === undefined ? '' : ` (${responseCode})`
  if (code === 'EENVELOPE') return message`The mail server refused the address${answer}.`
  if (code === 'EMESSAGE') return message`The mail server refused the mail${answer}.`
  if (code === 'EAUTH' || code === 'ENOAUTH') return message`The mail server refused the login${answer}.`
  if (code === 'ETLS') return message`The connection to the mail server could not be encrypted.`
  if (['ECONNECTION', 'ESOCKET', 'ETIMEDOUT', 'EDNS', 'EABORT'].includes(code))
    return message`The mail server could not be reached${answer}.`
  return message`The mail could not be sent${answer}.`
}
