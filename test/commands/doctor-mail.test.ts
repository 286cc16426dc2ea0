// Tests the doctor's mail checks: a working or unreachable server, and overdue mails, offers and requests.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Finding } from '../../commands/doctor/findings.ts'
import { checkMailQueue, checkMailServer } from '../../commands/doctor/mail.ts'
import { lockFolder, writeRecord } from '../../local/tools/record.ts'
import { connectPool } from '../../shared/database/database.ts'
import { createDesk, hoursFromNow } from '../support/factories.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'
import { createMailSettings } from '../workers/pollers/mail/mailed-person.ts'
import { useSmtp } from '../workers/pollers/mail/smtp-server.ts'
import { runAgainst } from './support/run.ts'

describe('the mail checks of npm run doctor', function () {
  this.timeout(60_000)
  const smtp = useSmtp()
  const world = useWorld(() => ({ workers: [], environment: createMailSettings(smtp) }))
  const pool = use(() => connectPool(world.databaseUrl), { close: (each) => each.end() })
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  const settingsOf = (port: number) => {
    const { SMTP_URL: smtpUrl, MAIL_FROM: from, PUBLIC_URL: publicUrl } = createMailSettings({ port })
    return { mail: { smtpUrl, from, publicUrl }, peoplePages: true }
  }
  const levels = (findings: Finding[]) =>
    Object.fromEntries(findings.map(({ about, level }) => [about, level]))

  it('connect to the mail server, and send a test mail only on request', async () => {
    const { asked } = smtp
    const found = await checkMailServer(settingsOf(smtp.port))
    expect(levels(found)).to.deep.equal({ 'mail server': 'ok' })
    expect(smtp.asked).to.equal(asked)
    const sent = await checkMailServer(settingsOf(smtp.port), { mailTo: 'ada@example.com' })
    expect(sent[0]?.says).to.include('accepted a mail to ada@example.com')
    expect(smtp.sentTo('ada@example.com')).to.have.length(1)
  })

  it('report a mail server that is unreachable or not configured', async () => {
    const [away] = await checkMailServer(settingsOf(1))
    expect(away?.level).to.equal('problem')
    expect(away?.says).to.include('The mail server could not be reached.')
    const none = await checkMailServer({ mail: undefined, peoplePages: true })
    expect(levels(none)).to.deep.equal({ 'mail server': 'warning' })
    const unused = await checkMailServer({ mail: undefined, peoplePages: false })
    expect(levels(unused)).to.deep.equal({ 'mail server': 'ok' })
  })

  it('do not report missing mail settings if a running npm start has them', async () => {
    const settings = { mail: undefined, peoplePages: true }
    const [unknown] = await checkMailServer(settings, { isOfNpmStart: true })
    expect(unknown?.level).to.equal('ok')
    expect(unknown?.says).to.include('that of the running npm start is unknown')
    const [unsent] = await checkMailServer(settings, { isOfNpmStart: true, mailTo: 'ada@example.com' })
    expect(unsent?.level).to.equal('warning')
  })

  it('report no problem if no mail, offer or request is overdue', async () => {
    expect(levels(await checkMailQueue(pool, settingsOf(smtp.port)))).to.deep.equal({
      mails: 'ok',
      offers: 'ok',
      'offers and requests': 'ok',
      screens: 'ok',
    })
  })

  it('report overdue mails, offers and requests', async () => {
    const { user_id, bookable_id } = await createDesk(world.database)
    await world.database('mails').insert({ kind: 'sign-in', user_id, next_at: minutesAgo(10) })
    const during = world.database.raw('tstzrange(?, ?)', [hoursFromNow(24), hoursFromNow(25)])
    const hold = { kind: 'offer', bookable_id, user_id, during, created_at: minutesAgo(20) }
    await world.database('holds').insert({ ...hold, expires_at: minutesAgo(5) })
    const found = await checkMailQueue(pool, settingsOf(smtp.port))
    expect(levels(found)).to.deep.equal({
      mails: 'problem',
      offers: 'warning',
      'offers and requests': 'problem',
      screens: 'ok',
    })
    for (const { level, todo } of found) if (level !== 'ok') expect(todo).to.be.a('string')
  })

  it('are all included in the list of checks', async () => {
    const run = runAgainst(world, {
      REDIS_URL: world.redisUrl,
      PEOPLE_PAGES: 'on',
      ...createMailSettings(smtp),
    })
    const { stdout } = await run('doctor', [])
    expect(stdout).to.match(/^ok +mail server +127\.0\.0\.1/m)
    expect(stdout).to.match(/^problem +mails /m)
  })

  it('find the Postgres of a running npm start', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'berth-doctor-'))
    const unlock = lockFolder(directory)
    const { databaseUrl, redisUrl } = world
    const admin = { email: 'ada@example.com', password: '' }
    writeRecord(directory, { url: world.url, token: '', admin, databaseUrl, redisUrl })
    const run = runAgainst({ databaseUrl: '' }, { BERTH_DIR: directory, PEOPLE_PAGES: 'on' })
    const { stdout } = await run('doctor', []).finally(() => {
      unlock()
      rmSync(directory, { recursive: true })
    })
    expect(stdout).to.match(/^ok +mail server +not tested: SMTP_URL is not set here/m)
  })
})
