// Sends mails through the SMTP server in the settings, over connections that stay open for several mails. The text of
// the server's errors is neither stored nor logged, because it may quote the mail.
import { Readable } from 'node:stream'
import type { SMTPPoolOptions, Transporter } from 'nodemailer'
import { type Message, message } from '../messages/message.ts'
import { writeEnglish } from '../messages/write-message.ts'
import type { MailSettings } from '../settings/config.ts'
import type { CalendarPart } from '../tokens/calendar-file.ts'
import { isLoopback } from '../utilities/private-networks.ts'

export type Mail = {
  to: string
  subject: string
  /** The address that replies go to, if it is not the sender's. */
  replyTo?: string
  text: string
  html?: string
  message: string
  /**
   * The parts of the mail that contain calendar entries. Calendar programs read the first part; the others are
   * attachments.
   */
  calendars?: readonly CalendarPart[]
}

// The limit on how long one attempt to send a mail may take. The attempt must end before another process may start the
// next one.
const ATTEMPT_MS_MAX = 60_000
const STEP_MS_MAX = 20_000
/**
 * The number of connections to the mail server in one process, unless SMTP_URL has ?maxConnections=1. Common mail
 * providers allow three.
 */
const SMTP_CONNECTIONS_MAX = 3
// How long an idle connection stays open. Mail servers close idle connections after minutes, and count them towards
// their limits.
const IDLE_MS_MAX = 10_000

// Error codes that mean that the mail server is down, or accepts no mail from Berth at all. The mail itself may be
// fine.
const OUTAGE_CODES = [
  'ECONNECTION',
  'ESOCKET',
  'ETIMEDOUT',
  'EDNS',
  'EPROTOCOL',
  'ETLS',
  'EAUTH',
  'ENOAUTH',
  'EOAUTH2',
  'EABORT',
]
/** The response code of a mail server that closes the connection because it is stopping or has too many connections. */
const CLOSING_RESPONSE_CODE = 421

export class MailFailure extends Error {
  /** The explanation that administrators see. */
  readonly detail: Message
  readonly code: string
  readonly isPermanent: boolean
  /** Whether the mail server responded with an error, so that it has certainly not accepted the mail. */
  readonly isAnswered: boolean
  /** Whether every other mail would have failed too. */
  readonly isOutage: boolean

  constructor(code: string, responseCode: number | undefined) {
    const detail = describeFailure(code, responseCode)
    super(writeEnglish(detail))
    this.detail = detail
    this.code = responseCode === undefined ? code : `${code} ${responseCode}`
    this.isAnswered = responseCode !== undefined
    this.isOutage = OUTAGE_CODES.includes(code) || responseCode === CLOSING_RESPONSE_CODE
    // A mail that the server refuses for good, for example because the mailbox does not exist. A rejected login is not
    // permanent, because an administrator can fix it.
    this.isPermanent = (code === 'EENVELOPE' || code === 'EMESSAGE') && (responseCode ?? 0) >= 500
  }
}

/**
 * Sends a mail, or throws a MailFailure. Calls `beforeLastLine` before sending the last line, after which the server
 * accepts the mail.
 */
export type SendMail = (mail: Mail, beforeLastLine: () => Promise<void>) => Promise<void>

export type SmtpConnection = {
  send: SendMail
  /** Connects, encrypts and signs in to the mail server without sending a mail. Throws a MailFailure if that fails. */
  verify(): Promise<void>
  /** The number of mails that this process can send at once. */
  connectionsMax: number
  close(): Promise<void>
}

export function openSmtp(settings: MailSettings): SmtpConnection {
  const { from, publicUrl, smtpUrl } = settings
  const lastLines = new Map<string, () => Promise<void>>()
  let opened: Promise<Transporter> | undefined
  const open = () => {
    opened ??= openTransport(settings, lastLines)
    return opened
  }
  return {
    async send({ to, subject, replyTo, text, html, message, calendars = [] }, beforeLastLine) {
      // Every attempt to send the same mail uses the same message id, so that the mail server can recognize a
      // duplicate.
      const messageId = `<${message}@${new URL(publicUrl).hostname}>`
      lastLines.set(messageId, beforeLastLine)
      try {
        const transport = await open()
        await transport.sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
          ...(html === undefined ? {} : { html }),
          ...createCalendarParts(calendars),
          messageId,
          headers: { 'Auto-Submitted': 'auto-generated' },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: AbortSignal.timeout(ATTEMPT_MS_MAX),
        })
      } catch (error) {
        throw toMailFailure(error)
      } finally {
        lastLines.delete(messageId)
      }
    },
    async verify() {
      const transport = await open()
      await transport.verify().catch((error) => {
        throw toMailFailure(error)
      })
    },
    connectionsMax: readConnectionsMax(smtpUrl),
    async close() {
      const transport = await opened
      transport?.close()
    },
  }
}

function toMailFailure(error: unknown): MailFailure {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
  return new MailFailure(
    typeof code === 'string' ? code : 'unknown',
    typeof responseCode === 'number' ? responseCode : undefined,
  )
}

function readConnectionsMax(smtpUrl: string): number {
  const chosen = Number(new URL(smtpUrl).searchParams.get('maxConnections'))
  return Number.isInteger(chosen) && chosen > 0 ? chosen : SMTP_CONNECTIONS_MAX
}

// Links in mails are secrets, so TLS is required. Exceptions are a mail server on this machine, and ?requireTLS=false
// in SMTP_URL.
async function openTransport(
  { smtpUrl }: MailSettings,
  lastLines: Map<string, () => Promise<void>>,
): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const options: SMTPPoolOptions & { pool: true } = {
    pool: true,
    url: smtpUrl,
    requireTLS: !isLoopback(new URL(smtpUrl).hostname),
    maxConnections: SMTP_CONNECTIONS_MAX,
    idleTimeout: IDLE_MS_MAX,
    connectionTimeout: STEP_MS_MAX,
    greetingTimeout: STEP_MS_MAX,
    socketTimeout: STEP_MS_MAX,
    dnsTimeout: STEP_MS_MAX,
  }
  const transport = createTransport(options)
  transport.use('stream', (mail, done) => {
    const beforeEnd = lastLines.get(String(mail.data.messageId))
    // If the mail server has closed an idle connection, nodemailer processes the mail again for the next connection. It
    // has not read the first stream in that case.
    mail.message.processFunc((input) => Readable.from(runBeforeEnd(input, beforeEnd), { objectMode: false }))
    done()
  })
  return transport
}

// Streams the mail and runs `beforeEnd` before its end. Nodemailer does not read from this stream until the mail server
// asks for the mail.
async function* runBeforeEnd(input: Readable, beforeEnd: (() => Promise<void>) | undefined) {
  yield* input
  if (!beforeEnd) throw new Error('The mail has no callback that records it as sent')
  await beforeEnd()
}

function describeFailure(code: string, responseCode: number | undefined): Message {
  const answer = responseCode === undefined ? '' : ` (${responseCode})`
  if (code === 'EENVELOPE') return message`The mail server refused the address${answer}.`
  if (code === 'EMESSAGE') return message`The mail server refused the e-mail${answer}.`
  if (code === 'EAUTH' || code === 'ENOAUTH') return message`The mail server refused the login${answer}.`
  if (code === 'ETLS') return message`The connection to the mail server could not be encrypted.`
  if (['ECONNECTION', 'ESOCKET', 'ETIMEDOUT', 'EDNS', 'EABORT'].includes(code))
    return message`The mail server could not be reached${answer}.`
  return message`The e-mail could not be sent${answer}.`
}

function createCalendarParts([first, ...others]: readonly CalendarPart[]) {
  if (!first) return {}
  const attachments = others.map(({ method, content }, index) => ({
    filename: `booking-${index + 2}.ics`,
    content,
    contentType: `text/calendar; charset=utf-8; method=${method.toUpperCase()}`,
  }))
  return { icalEvent: { ...first, filename: 'booking.ics' }, attachments }
}
