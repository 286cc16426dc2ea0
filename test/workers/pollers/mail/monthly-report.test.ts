// Tests the monthly report by mail: subscribers get it once when the figures of a month are complete, in their
// language.
import { expect } from 'chai'
import { createLog } from '../../../../shared/utilities/log.ts'
import { updateDailyFigures } from '../../../../workers/pollers/figures/update-daily-figures.ts'
import { takeDueMail } from '../../../../workers/pollers/mail/due-mails.ts'
import { queueMonthlyReports } from '../../../../workers/pollers/mail/monthly-report.ts'
import { type Browser, createSignedIn } from '../../../support/dashboard/dashboard.ts'
import { createBookable, createBooking, createBuilding, createLocation } from '../../../support/factories.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'
import { useSmtp } from './smtp-server.ts'

const log = createLog('test', 'silent')
const NOW = '2037-11-18T12:00:00.000Z'

describe('the monthly report by mail', () => {
  const smtp = useSmtp()
  const world = useWorld(() => ({
    workers: ['writes', 'upkeep'],
    environment: {
      PUBLIC_URL: 'http://desks.example.com',
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'Berth <berth@example.com>',
    },
    now: () => Date.parse(NOW),
  }))
  const figuresUntil = (now: string) => updateDailyFigures(world.database, log, { now })
  const rowsOf = (email: string) =>
    world.database('mails').whereIn('admin_id', world.database('admins').where({ email }).select('id'))
  const choose = async (browser: Browser, mail: boolean, language = 'en') => {
    await browser.open(`/dashboard/language/${language}?next=/dashboard/reports/month`)
    await browser.open('/dashboard/reports/month')
    await browser.submit(language === 'de' ? 'Speichern' : 'Save', { mail: mail ? ['true'] : [] })
  }
  /** Returns both parts of a mail, with quoted-printable decoded. */
  const mailTo = (email: string) =>
    eventually(() => smtp.sentTo(email).at(-1) ?? expect.fail(`No mail to ${email}`))

  before(async () => {
    const { database } = world
    for (const name of ['Quay', 'Pier <b>']) {
      const building_id = await createBuilding(database, { name, timezone: 'Europe/Berlin' })
      const location_id = await createLocation(database, { building_id })
      const bookable_id = await createBookable(database, { location_id, created_at: '2037-06-01T00:00:00Z' })
      if (name !== 'Quay') continue
      for (const day of ['10-01', '11-02', '11-03', '11-04', '11-05'])
        await createBooking(database, {
          bookable_id,
          from: `2037-${day}T07:00:00Z`,
          to: `2037-${day}T17:00:00Z`,
        })
    }
    await figuresUntil(NOW)
  })

  it('is sent to its subscribers in their language once the month is complete', async () => {
    const [owner, desk] = [
      await createSignedIn(world, 'owner@reports.example'),
      await createSignedIn(world, 'desk@reports.example', 'front-desk'),
    ]
    await createSignedIn(world, 'other@reports.example')
    await choose(owner, true)
    expect(owner.words).to.include('You get the report by e-mail at the end of each month.')
    await choose(desk, true, 'de')
    await queueMonthlyReports(world.database)
    expect(await world.database('mails'), 'October was over before they asked').to.deep.equal([])
    // The report is late, because no process ran on the first of the month.
    await figuresUntil('2037-12-03T12:00:00Z')
    const { headers, text, html = '' } = await mailTo('owner@reports.example')
    expect(headers)
      .to.match(/^Subject: Berth: Report for November 2037$/m)
      .and.match(/^Content-Type: multipart\/alternative/m)
    // There are 21 working days of ten hours, for two bookables; the four bookings end at 18:00 at the
    // latest.
    expect(text).to.include('Utilisation: 10 % (October: 2 %)').and.include('Bookings: 4 (October: 1)')
    expect(text).to.include('Utilisation of Quay: 19 % (October: 4 %)')
    expect(text).to.include('http://desks.example.com/dashboard/reports/month?month=2037-11-01')
    expect(html).to.include('Utilisation of Pier &lt;b&gt;</th>').and.not.include('<b>\n')
    const german = await mailTo('desk@reports.example')
    expect(german.text).to.include('Auslastung: 10 % (Oktober: 2 %)').and.include('Abbestellen:')
    await queueMonthlyReports(world.database)
    expect(await rowsOf('owner@reports.example')).to.have.length(1)
    expect(await rowsOf('other@reports.example')).to.deep.equal([])
  })

  it('is queued once, even if two processes do so simultaneously', async () => {
    const { database } = world
    const before = (await rowsOf('owner@reports.example')).length
    await database('monthly_report_mails').update({ last_month: '2037-10-01' })
    const first = await database.transaction()
    await queueMonthlyReports(first)
    const second = queueMonthlyReports(database)
    await new Promise((resolve) => setTimeout(resolve, 100))
    await first.commit()
    await second
    expect(await rowsOf('owner@reports.example')).to.have.length(before + 1)
  })

  it('is not sent to people who have unsubscribed or may no longer see reports', async () => {
    const { database } = world
    // Makes November incomplete, so that the worker queues no report between the two choices.
    await database('figured_locations').update({ last_day: '2037-11-17' })
    const [owner, desk] = [
      await createSignedIn(world, 'gone@reports.example'),
      await createSignedIn(world, 'reader@reports.example', 'front-desk'),
    ]
    for (const browser of [owner, desk]) await choose(browser, true)
    await choose(owner, false)
    expect(owner.words).to.include('You no longer get the report by e-mail.')
    await database('admins').where({ email: 'reader@reports.example' }).update({ role: 'reader' })
    await database.raw(
      `INSERT INTO mails (kind, admin_id, month) SELECT 'monthly-report', id, '2037-11-01' FROM admins WHERE email = ANY(?)`,
      [['gone@reports.example', 'reader@reports.example']],
    )
    await takeDueMail(database)
    await eventually(async () => {
      expect(await rowsOf('gone@reports.example')).to.deep.equal([])
      expect(await rowsOf('reader@reports.example')).to.deep.equal([])
    })
    expect(smtp.sentTo('gone@reports.example')).to.deep.equal([])
  })
})

describe('the monthly report without mail', () => {
  const world = useWorld()

  it('is not offered on the page, which says that e-mail is not set up', async () => {
    const browser = await createSignedIn(world, 'owner@reports.example')
    await browser.open('/dashboard/reports/month')
    expect(browser.words).to.include('E-mail is not set up here').and.not.include('E-mail me this report')
  })
})
