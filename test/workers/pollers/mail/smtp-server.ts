// Runs a real SMTP server for tests: it stores the mails that it receives, and refuses those that a test
// chooses.
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { use } from '../../../support/use.ts'

export type ReceivedMail = {
  from: string
  to: string[]
  headers: string
  text: string
  /** The first calendar part, and all calendar parts. */
  calendar?: string | undefined
  calendars: string[]
  html?: string | undefined
}

export type TestSmtp = {
  port: number
  received: ReceivedMail[]
  /** The code with which the server refuses every recipient, or undefined to accept them. */
  refusing: number | undefined
  /** Returns the code for a recipient, or undefined to use `refusing`. */
  refuse: ((address: string) => number | undefined) | undefined
  /** Called when a client has named a recipient, and when a mail has arrived but is not acknowledged yet. */
  beforeRecipient: (() => Promise<unknown>) | undefined
  beforeAnswer: (() => Promise<unknown>) | undefined
  /** The number of times that a client has named a recipient. */
  asked: number
  /** The number of connections that clients have opened so far. */
  connections: number
  /** Returns the mails to an address, in the order of their arrival. */
  sentTo(address: string): ReceivedMail[]
  close(): Promise<void>
}

type Options = {
  hasTls?: boolean
  /** The port. Defaults to a free port. */
  port?: number
}

export function useSmtp(options: Options = {}): TestSmtp {
  return use(() => startSmtp(options), { close: (smtp) => smtp.close() })
}

export async function startSmtp({ hasTls = false, port = 0 }: Options = {}): Promise<TestSmtp> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: hasTls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    logger: false,
    // Open connections of clients do not delay the stop.
    closeTimeout: 100,
    onConnect(_session, callback) {
      started.connections++
      callback()
    },
    onRcptTo({ address }, _session, callback) {
      started.asked++
      const answer = () => {
        const refusing = started.refuse?.(address) ?? started.refusing
        if (refusing === undefined) callback()
        else callback(Object.assign(new Error('No such mailbox here'), { responseCode: refusing }))
      }
      if (started.beforeRecipient) void started.beforeRecipient().then(answer)
      else answer()
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        started.received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          ...parseMail(Buffer.concat(chunks).toString()),
        })
        if (started.beforeAnswer) void started.beforeAnswer().then(() => callback(), callback)
        else callback()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(port, '0.0.0.0', resolve))
  const started: TestSmtp = {
    port: (server.server.address() as AddressInfo).port,
    received: [],
    refusing: undefined,
    refuse: undefined,
    beforeRecipient: undefined,
    beforeAnswer: undefined,
    asked: 0,
    connections: 0,
    sentTo: (address) => started.received.filter(({ to }) => to.includes(address)),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  server.on('error', () => undefined)
  return started
}

// Parses only what our mails contain: one plain text part, or several parts with a text and a calendar.
function parseMail(
  source: string,
): Pick<ReceivedMail, 'headers' | 'text' | 'calendar' | 'calendars' | 'html'> {
  const { headers, body } = split(source)
  const [, boundary] = /^Content-Type: multipart\/\w+;.*boundary="([^"]+)"/im.exec(headers) ?? []
  if (boundary === undefined) return { headers, text: decodeBody(headers, body), calendars: [] }
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => parseMail(part.replace(/^\r\n|\r\n$/g, '')))
  const calendars = parts.flatMap((part) =>
    /^Content-Type: text\/calendar/im.test(part.headers) ? [part.text] : part.calendars,
  )
  const html = parts.find((part) => /^Content-Type: text\/html/im.test(part.headers))?.text
  return { headers, text: parts[0]?.text ?? '', calendar: calendars[0], calendars, html }
}

function split(source: string): { headers: string; body: string } {
  const at = source.indexOf('\r\n\r\n')
  return { headers: decodeWords(source.slice(0, at).replace(/\r\n[ \t]+/g, ' ')), body: source.slice(at + 4) }
}

const decodeWords = (headers: string) =>
  headers
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?Q\?(.*?)\?=/gi, (_, word: string) => decodeQuoted(word.replaceAll('_', ' ')))

function decodeBody(headers: string, body: string): string {
  const [, encoding] = /^Content-Transfer-Encoding: (\S+)/im.exec(headers) ?? []
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  return encoding === 'quoted-printable' ? decodeQuoted(body) : body
}

function decodeQuoted(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([\dA-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
