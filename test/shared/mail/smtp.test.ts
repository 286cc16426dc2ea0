// Tests the delivery of mails to a mail server: encryption to other machines, and error messages on failure.
import { expect } from 'chai'
import { MailFailure, openSmtp } from '../../../shared/mail/smtp.ts'
import { startSmtp, useSmtp } from '../../workers/pollers/mail/smtp-server.ts'

const TEST_MAIL = { to: 'ada@example.com', subject: 'Hello', text: 'A secret\n', message: 'a-message' }

const MAIL_SETTINGS = { from: 'berth@example.com', publicUrl: 'https://desks.example.com' }

describe('the connection to the mail server', () => {
  const [plain, encrypted] = [useSmtp(), useSmtp({ hasTls: true })]

  async function send(
    smtpUrl: string,
    beforeLastLine: () => Promise<void> = async () => undefined,
  ): Promise<MailFailure | undefined> {
    const smtp = openSmtp({ smtpUrl, ...MAIL_SETTINGS })
    try {
      await smtp.send(TEST_MAIL, beforeLastLine)
      return undefined
    } catch (error) {
      if (error instanceof MailFailure) return error
      throw error
    } finally {
      await smtp.close()
    }
  }

  it('encrypts mail to other machines, or sends nothing', async () => {
    // 0.0.0.0 leads to the local machine, but Berth treats it as another machine.
    const failure = await send(`smtp://0.0.0.0:${plain.port}`)
    expect(failure?.message).to.equal('The connection to the mail server could not be encrypted.')
    expect([plain.asked, plain.received.length]).to.deep.equal([0, 0])
    expect(failure?.isPermanent, 'it may be put right').to.equal(false)
    expect(await send(`smtp://0.0.0.0:${plain.port}?requireTLS=false`)).to.equal(undefined)
    expect(await send(`smtp://127.0.0.1:${plain.port}`)).to.equal(undefined)
    expect(plain.received).to.have.length(2)
  })

  it('requires the mail server to have a trusted certificate', async () => {
    const failure = await send(`smtp://0.0.0.0:${encrypted.port}`)
    expect(failure, 'its certificate is its own').to.be.an.instanceOf(MailFailure)
    expect(encrypted.received).to.deep.equal([])
    expect(await send(`smtp://0.0.0.0:${encrypted.port}?tls.rejectUnauthorized=false`)).to.equal(undefined)
    expect(encrypted.received).to.have.length(1)
  })

  it('reports failures without the server’s own error message', async () => {
    const failure = await send('smtp://user:pass-word@127.0.0.1:1')
    expect(failure?.message).to.equal('The mail server could not be reached.')
    expect(failure?.code).to.match(/^E[A-Z]+$/)
    plain.refusing = 554
    const refused = await send(`smtp://127.0.0.1:${plain.port}`)
    expect(refused).to.include({ code: 'EENVELOPE 554', isPermanent: true })
    expect(refused?.message).to.not.include('mailbox')
  })

  it('sends the last line of a mail only after Berth has recorded the mail as being sent', async () => {
    const url = `smtp://127.0.0.1:${plain.port}`
    plain.refusing = 450
    const noted: string[] = []
    await send(url, async () => void noted.push('refused recipient'))
    plain.refusing = undefined
    const before = plain.received.length
    const failure = await send(url, () => Promise.reject(new Error('not noted')))
    expect(failure).to.be.an.instanceOf(MailFailure)
    expect(plain.received).to.have.length(before)
    await send(url, async () => void noted.push(String(plain.received.length)))
    expect(noted, 'none for a mail that the server does not want').to.deep.equal([String(before)])
    expect(plain.received).to.have.length(before + 1)
  })

  it('reports whether the mail server has answered', async () => {
    const url = `smtp://127.0.0.1:${plain.port}`
    plain.beforeAnswer = () => Promise.reject(Object.assign(new Error('Busy'), { responseCode: 452 }))
    expect(await send(url)).to.include({ code: 'EMESSAGE 452', isAnswered: true })
    plain.beforeAnswer = undefined
    const gone = await send('smtp://127.0.0.1:1')
    expect(gone?.isAnswered).to.equal(false)
  })

  it('sends many mails over only a few connections', async () => {
    const smtp = openSmtp({ smtpUrl: `smtp://127.0.0.1:${plain.port}`, ...MAIL_SETTINGS })
    const [connections, before] = [plain.connections, plain.received.length]
    const mails = Array.from({ length: 60 }, (_, number) => ({ ...TEST_MAIL, message: `mail-${number}` }))
    await Promise.all(mails.map((mail) => smtp.send(mail, async () => undefined)))
    await smtp.close()
    expect(plain.received.length - before).to.equal(60)
    expect(plain.connections - connections).to.be.at.most(smtp.connectionsMax)
  })

  it('uses as many connections as SMTP_URL allows', async () => {
    const url = `smtp://127.0.0.1:${plain.port}?maxConnections=1`
    const smtp = openSmtp({ smtpUrl: url, ...MAIL_SETTINGS })
    const before = plain.connections
    const mails = Array.from({ length: 5 }, (_, number) => ({ ...TEST_MAIL, message: `mail-${number}` }))
    await Promise.all(mails.map((mail) => smtp.send(mail, async () => undefined)))
    await smtp.close()
    expect([smtp.connectionsMax, plain.connections - before]).to.deep.equal([1, 1])
  })

  it('sends the next mail exactly once after the server has closed an idle connection', async () => {
    let server = await startSmtp()
    const { port } = server
    const smtp = openSmtp({ smtpUrl: `smtp://127.0.0.1:${port}`, ...MAIL_SETTINGS })
    let noted = 0
    const send = () => smtp.send(TEST_MAIL, async () => void noted++)
    await send()
    await server.close()
    server = await startSmtp({ port })
    await send()
    expect([server.received.length, noted]).to.deep.equal([1, 2])
    await smtp.close()
    await server.close()
  })

  it('tests the connection without sending a mail', async () => {
    const smtp = openSmtp({ smtpUrl: `smtp://127.0.0.1:${plain.port}`, ...MAIL_SETTINGS })
    const { asked } = plain
    await smtp.verify()
    expect(plain.asked).to.equal(asked)
    const away = openSmtp({ smtpUrl: 'smtp://127.0.0.1:1', ...MAIL_SETTINGS })
    const failure = await away.verify().catch((error: unknown) => error)
    expect(failure).to.be.an.instanceOf(MailFailure).and.include({ isOutage: true })
  })

  it('distinguishes a server that accepts no mails from a server that refuses a particular mail', async () => {
    const url = `smtp://127.0.0.1:${plain.port}`
    const outage = async (code: number) => {
      plain.refusing = code
      return (await send(url))?.isOutage
    }
    expect([await outage(450), await outage(550), await outage(421)]).to.deep.equal([false, false, true])
    plain.refusing = undefined
  })
})
