// Sends mails through the configured SMTP server, over connections that stay open for many mails. The server's own wording is
// neither stored nor logged, because it may quote the message.
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
  text: string
  html?: string
  message: string
  /** Calendar programs read the first one; the others are attachments. */
  calendars?: readonly CalendarPart[]
}

// An attempt ends before another process may start the next one.
const ATTEMPT_MS = 60_000
const STEP_MS = 20_000
/** Connections of one process, unless SMTP_URL has ?maxConnections=1. Common providers allow three. */
const CONNECTIONS_MAX = 3
// Servers close idle connections after minutes, and count those that they keep open.
const IDLE_MS = 10_000

// The server is down, or accepts no mail from us at all. The mail itself may be fine.
const OUTAGES = [
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
/** The server closes the connection because it is stopping or has too many connections. */
const CLOSING = 421

export class MailFailure extends Error {
  /** The sentence that administrators see. */
  readonly detail: Message
  readonly code: string
  readonly isPermanent: boolean
  /** The server has answered with an error, so it has not taken the mail. */
  readonly isAnswered: boolean
  /** Any other mail would have failed too. */
  readonly isOutage: boolean

  constructor(code: string, responseCode: number | undefined) {
    const detail = describe(code, responseCode)
    super(writeEnglish(detail))
    this.detail = detail
    this.code = responseCode === undefined ? code : `${code} ${responseCode}`
    this.isAnswered = responseCode !== undefined
    this.isOutage = OUTAGES.includes(code) || responseCode === CLOSING
    // A rejected login can be fixed by an administrator; a missing mailbox cannot.
    this.isPermanent = (code === 'EENVELOPE' || code === 'EMESSAGE') && (responseCode ?? 0) >= 500
  }
}

/** Sends a mail, or throws a MailFailure. Runs `beforeLastLine` before the last line, with which the server takes the mail. */
export type Send = (mail: Mail, beforeLastLine: () => Promise<void>) => Promise<void>

export type Smtp = {
  send: Send
  /** Connects, encrypts and signs in as for a mail, and sends nothing. Throws a MailFailure. */
  verify(): Promise<void>
  /** The number of mails that it can send at once. */
  connectionsMax: number
  close(): Promise<void>
}

export function openSmtp(settings: MailSettings): Smtp {
  const { from, publicUrl, smtpUrl } = settings
  const lastLines = new Map<string, () => Promise<void>>()
  let opened: Promise<Transporter> | undefined
  const open = () => {
    opened ??= openTransport(settings, lastLines)
    return opened
  }
  return {
    async send({ to, subject, text, html, message, calendars = [] }, beforeLastLine) {
      // The same for each attempt, so that the server may recognize a duplicate.
      const messageId = `<${message}@${new URL(publicUrl).hostname}>`
      lastLines.set(messageId, beforeLastLine)
      try {
        const transport = await open()
        await transport.sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          ...(html === undefined ? {} : { html }),
          ...calendarParts(calendars),
          messageId,
          headers: { 'Auto-Submitted': 'auto-generated' },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: AbortSignal.timeout(ATTEMPT_MS),
        })
      } catch (error) {
        throw toFailure(error)
      } finally {
        lastLines.delete(messageId)
      }
    },
    async verify() {
      const transport = await open()
      await transport.verify().catch((error) => {
        throw toFailure(error)
      })
    },
    connectionsMax: readConnectionsMax(smtpUrl),
    async close() {
      const transport = await opened
      transport?.close()
    },
  }
}

function toFailure(error: unknown): MailFailure {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
  return new MailFailure(
    typeof code === 'string' ? code : 'unknown',
    typeof responseCode === 'number' ? responseCode : undefined,
  )
}

function readConnectionsMax(smtpUrl: string): number {
  const chosen = Number(new URL(smtpUrl).searchParams.get('maxConnections'))
  return Number.isInteger(chosen) && chosen > 0 ? chosen : CONNECTIONS_MAX
}

// Links are secrets: TLS is required except to this machine, unless the address says ?requireTLS=false.
async function openTransport(
  { smtpUrl }: MailSettings,
  lastLines: Map<string, () => Promise<void>>,
): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const options: SMTPPoolOptions & { pool: true } = {
    pool: true,
    url: smtpUrl,
    requireTLS: !isLoopback(new URL(smtpUrl).hostname),
    maxConnections: CONNECTIONS_MAX,
    idleTimeout: IDLE_MS,
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
  }
  const transport = createTransport(options)
  transport.use('stream', (mail, done) => {
    const beforeEnd = lastLines.get(String(mail.data.messageId))
    // If the server has closed an idle connection, nodemailer reads the mail again for the next one, and has not read the first stream.
    mail.message.processFunc((input) => Readable.from(holdBackEnd(input, beforeEnd), { objectMode: false }))
    done()
  })
  return transport
}

// nodemailer does not read from it before the server asks for the mail.
async function* holdBackEnd(input: Readable, beforeEnd: (() => Promise<void>) | undefined) {
  yield* input
  if (!beforeEnd) throw new Error('The mail has no callback that records it as sent')
  await beforeEnd()
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

function calendarParts([first, ...others]: readonly CalendarPart[]) {
  if (!first) return {}
  const attachments = others.map(({ method, content }, index) => ({
    filename: `booking-${index + 2}.ics`,
    content,
    contentType: `text/calendar; charset=utf-8; method=${method.toUpperCase()}`,
  }))
  return { icalEvent: { ...first, filename: 'booking.ics' }, attachments }
}
