// A real SMTP server of the test's own: keeps what it gets, and refuses what it is told to.
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { use } from '../../../support/use.ts'

export type Received = { from: string; to: string[]; headers: string; text: string }

export type TestSmtp = {
  port: number
  received: Received[]
  /** The code with which it refuses every recipient; undefined takes them. */
  refusing: number | undefined
  /** How often somebody has named a recipient. */
  asked: number
  /** Of whom came last, by this address. */
  sentTo(address: string): Received[]
  close(): Promise<void>
}

export function useSmtp(options: { hasTls?: boolean } = {}): TestSmtp {
  return use(() => startSmtp(options), { close: (smtp) => smtp.close() })
}

export async function startSmtp({ hasTls = false }: { hasTls?: boolean } = {}): Promise<TestSmtp> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: hasTls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    logger: false,
    onRcptTo(_address, _session, callback) {
      started.asked++
      const { refusing } = started
      if (refusing === undefined) callback()
      else callback(Object.assign(new Error('No such mailbox here'), { responseCode: refusing }))
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        started.received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          ...parse(Buffer.concat(chunks).toString()),
        })
        callback()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const started: TestSmtp = {
    port: (server.server.address() as AddressInfo).port,
    received: [],
    refusing: undefined,
    asked: 0,
    sentTo: (address) => started.received.filter(({ to }) => to.includes(address)),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  server.on('error', () => undefined)
  return started
}

// As far as our mails go: one part of plain text.
function parse(source: string): { headers: string; text: string } {
  const at = source.indexOf('\r\n\r\n')
  const [headers, body] = [source.slice(0, at).replace(/\r\n[ \t]+/g, ' '), source.slice(at + 4)]
  if (!/^Content-Transfer-Encoding: quoted-printable$/im.test(headers)) return { headers, text: body }
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([\dA-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  return { headers, text: Buffer.from(bytes, 'latin1').toString('utf8') }
}
