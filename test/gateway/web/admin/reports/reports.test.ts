// Tests reports over HTTP: their figures, date ranges, roles and files.
import { expect } from 'chai'
import exceljs from 'exceljs'
import {
  findEarlierReportDays,
  findReportDays,
  resolveNamedRange,
} from '../../../../../gateway/web/admin/reports/ranges.ts'
import { createLog } from '../../../../../shared/utilities/log.ts'
import { updateDailyFigures } from '../../../../../workers/pollers/figures/update-daily-figures.ts'
import { type Browser, createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const log = createLog('test', 'silent')
// A Wednesday: last week is Monday 9 to Sunday 15 November.
const NOW = '2026-11-18T12:00:00.000Z'
const WEEK_DAYS_OF_MONTH = [9, 10, 11, 12, 13]
const [HOSTILE = ''] = HOSTILE_TEXTS

describe('the reports in the dashboard', () => {
  const world = useWorld({ workers: ['exports'], now: () => Date.parse(NOW) })
  const browser = useSignedIn(world)
  let quay: number

  before(async () => {
    const { database } = world
    const created_at = '2026-06-01T00:00:00Z'
    quay = await createBuilding(database, { name: 'Quay', timezone: 'Europe/Berlin' })
    const deck = await createLocation(database, { name: 'Deck', building_id: quay })
    const make = (row: object, location_id = deck) =>
      createBookable(database, { location_id, created_at, ...row })
    const [busy, idle, room, home] = [
      await make({ name: 'Desk 1' }),
      await make({ name: 'Desk 2' }),
      await make({ name: 'Aquarium', type: 2 }),
      await make({ name: 'Home', type: 3 }),
    ]
    await make({ name: 'Desk of somebody', status: 2 })
    const user_id = await createUser(database, { name: 'Ada Lovelace', email: 'ada@reports.example' })
    const book = (bookable_id: number, day: number, row: object = {}) =>
      createBooking(database, {
        bookable_id,
        user_id,
        from: `2026-11-${day}T07:00:00Z`,
        to: `2026-11-${day}T17:00:00Z`,
        ...row,
      })
    // Bookings from 8:00 to 18:00 in Berlin. On Friday one person does not come, and the booking is released after an
    // hour.
    for (const day of WEEK_DAYS_OF_MONTH.slice(0, 4)) await book(busy, day)
    await book(busy, 13, { to: '2026-11-13T08:00:00Z', released_at: '2026-11-13T08:00:00Z' })
    await book(idle, 14)
    // A booking in the evening, outside of the hours that are counted by default.
    await book(idle, 9, { from: '2026-11-09T18:00:00Z', to: '2026-11-09T19:00:00Z' })
    await book(home, 10, { exclusive: false })
    const span = { from: '2026-11-10T08:00:00Z', to: '2026-11-10T10:00:00Z' }
    await createBooking(database, { ...span, bookable_id: room, event_id: await createEvent(database, span) })
    await book(busy, 18)
    const tower = await createLocation(database, {
      name: HOSTILE,
      building_id: await createBuilding(database, { name: '=HYPERLINK("x")', timezone: 'Asia/Tokyo' }),
    })
    await make({ name: HOSTILE }, tower)
    await updateDailyFigures(database, log, { now: NOW })
  })

  const open = async (query = '') => {
    const visit = await browser.open(`/dashboard/reports${query && `?${query}`}`)
    expect(visit.status, visit.path).to.equal(200)
    return browser.words
  }
  const file = async (name: string, query = '') => {
    const { status, text, headers } = await browser.open(`/dashboard/reports?${query}&_download=${name}`)
    expect(status).to.equal(200)
    return { text, headers, lines: text.split('\r\n').join('\n').trim().split('\n') }
  }

  it('show last week by default: usage by floor, type, weekday and hour, and no-shows', async () => {
    const words = await open(`building=${quay}`)
    expect(words).to.include('9 November 2026 to 15 November 2026.')
    // Three desks and a room have 4 × 5 × 10 hours in total; 41 desk hours and 2 room hours were booked.
    expect(words).to.include('22 % utilisation')
    expect(words).to.include('8 bookings').and.include('1 no-show, 13 % of bookings')
    expect(words).to.match(/Desk 27 % 41 h 6 1/)
    expect(words).to.match(/Meeting room 4 % 2 h 1 0/)
    expect(words).to.match(/Home office – 0 h 1 0/)
    expect(words).to.match(/Deck Quay 22 % 43 h 8 1/)
    expect(words).to.include('Busiest on Tuesday: 30 % utilisation.')
    expect(words).to.include('1 booking was released because nobody checked in.')
    expect(words).to.match(/Friday 3 % /)
    // Of 20 hours at 8:00 (four bookables on five days), five are booked.
    expect(words).to.match(/08:00 25 % 09:00 25 %/)
    expect(words).to.match(/18:00 0 %/)
  })

  it('compare each figure in words with the figure of the previous period', async () => {
    expect(await open(`building=${quay}`)).to.include(
      '22 % utilisation ▲ 22 points more than in the week before',
    )
    // Monday has two bookings, and Tuesday has three.
    const tuesday = await open(`building=${quay}&from=2026-11-17&to=2026-11-17`)
    expect(tuesday).to.include('0 bookings ▼ 100 % less than on the same days a week earlier')
    expect(browser.page.text).to.include('<span aria-hidden="true">▼</span>')
    expect(await open(`building=${quay}&from=2026-11-10&to=2026-11-17`)).to.include(
      'than in the 8 days before',
    )
  })

  it('omit charts and columns that contain only zeros', async () => {
    const words = await open(`building=${quay}&from=2026-11-16&to=2026-11-17`)
    expect(words).to.include('Nothing was booked on these days.')
    expect(words)
      .to.include('No booking was released: nobody missed a check-in.')
      .and.not.include('Show as a table')
    expect(browser.page.text).to.not.include('>No-shows</th>')
  })

  it('are available in German', async () => {
    const headers = { 'Accept-Language': 'de' }
    await browser.open(`/dashboard/reports?building=${quay}`, { headers })
    expect(browser.words)
      .to.include('9. November 2026 bis 15. November 2026.')
      .and.include('8 Buchungen')
      .and.include('1 No-Show, 13 % der Buchungen')
      .and.include('Am meisten belegt am Dienstag: 30 % Auslastung.')
      .and.include('1 Buchung wurde freigegeben, weil niemand eingecheckt hat.')
      .and.include('(von 8:00 bis 18:00 Uhr, Montag bis Freitag)')
      .and.include('Freitag 3 %')
    expect(browser.page.text).to.match(/<text [^>]*>Mo<\/text>/)
  })

  it('count only the chosen hours and days', async () => {
    const all = await open(`building=${quay}&hours=all&days=all`)
    // Counts 4 × 7 × 24 hours, including Saturday.
    expect(all).to.include('8 % utilisation').and.include('9 bookings')
    expect(all).to.match(/Saturday 10 %/)
    expect(await open(`building=${quay}&type=2`)).to.include('4 % utilisation')
    expect(await open()).to.include('17 % utilisation')
  })

  it('add up stored months and days if the range covers most of a year', async () => {
    const words = await open(`building=${quay}&from=2026-01-01&to=2026-11-12`)
    expect(words).to.include('7 bookings').and.include('0 no-shows')
    expect(words).to.match(/Desk 1 Deck Quay 40 h 4 /)
    expect((await file('bookables-csv', 'from=2026-01-01&to=2026-11-12')).text).to.include(
      'Desk 1,desk,2400,4,0',
    )
  })

  it('rank desks and rooms, but do not call restricted ones idle', async () => {
    const words = await open(`building=${quay}`)
    const [, busiest = '', idlest = ''] = /Busiest (Name .*) Least used (Name .*)/.exec(words) ?? []
    expect(busiest).to.match(/Desk 1 Deck Quay 41 h 5 1 Desk 2 Deck Quay 11 h 2 0 Aquarium Deck Quay 2 h 1 0/)
    expect(idlest)
      .to.match(/Aquarium .* Desk 2 .* Desk 1 /)
      .and.not.include('somebody')
  })

  it('exclude the current day, and a note on the page explains this', async () => {
    const words = await open(`building=${quay}&from=2026-11-16&to=2026-11-30`)
    expect(words).to.include(
      '16 November 2026 to 17 November 2026. Days are in the time zone of each building. Today counts once it is over.',
    )
    expect(words).to.include('0 bookings')
    expect(await open('from=2026-11-18')).to.include('These days are not over yet.')
    expect(await open('to=2026-01-05')).to.match(/Monday,? 5 January 2026.*No figures for these days/)
  })

  it('say how recent the figures are if the upkeep job is late', async () => {
    expect(await open()).to.not.include('Figures are complete up to')
    await world.database.raw("UPDATE figured_locations SET last_day = '2026-11-11'")
    expect(await open()).to.include('Figures are complete up to 11 November 2026.')
    await world.database.raw("UPDATE figured_locations SET last_day = '2026-11-17'")
  })

  it('can be downloaded as files: floors by day, and totals of desks and rooms', async () => {
    const query = `building=${quay}`
    const floors = await file('floors-csv', query)
    expect(floors.headers.get('Content-Disposition')).to.equal(
      'attachment; filename="floors-2026-11-09-to-2026-11-15.csv"',
    )
    expect(floors.lines[0]).to.equal(
      'day,building,location,type,available_minutes,booked_minutes,bookings,no_shows',
    )
    expect(floors.lines).to.include('2026-11-09,Quay,Deck,desk,1800,600,2,0')
    expect(floors.lines).to.include('2026-11-13,Quay,Deck,desk,1800,60,1,1')
    expect(floors.lines).to.include('2026-11-10,Quay,Deck,home office,0,0,1,0')
    expect(floors.lines).to.have.length(1 + 5 * 3)
    const sums = await file('bookables-csv', query)
    expect(sums.lines[0]).to.equal('id,building,location,name,type,booked_minutes,bookings,no_shows')
    expect(sums.lines.slice(1).map((line) => line.replace(/^\d+,/, ''))).to.deep.equal([
      'Quay,Deck,Aquarium,meeting room,120,1,0',
      'Quay,Deck,Desk 1,desk,2460,5,1',
      'Quay,Deck,Desk 2,desk,660,2,0',
      'Quay,Deck,Desk of somebody,desk,0,0,0',
    ])
    expect((await file('floors-csv')).text, 'no formula').to.include(`"'=HYPERLINK(""x"")"`)
  })

  it('can be downloaded as spreadsheets with numeric cells', async () => {
    const address = `${world.url}/dashboard/reports?building=${quay}&_download=bookables-xlsx`
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(address, { headers: { Cookie: cookie } })
    const workbook = new exceljs.Workbook()
    await workbook.xlsx.load((await answer.arrayBuffer()) as ArrayBuffer)
    const sheet = workbook.getWorksheet('Desks and rooms')
    expect(sheet?.getRow(1).getCell(6).value).to.equal('booked_minutes')
    expect([4, 6, 7, 8].map((cell) => sheet?.getRow(3).getCell(cell).value)).to.deep.equal([
      'Desk 1',
      2460,
      5,
      1,
    ])
  })

  it('contain no names of people, and are safe to open in a spreadsheet program', async () => {
    await open()
    expect(browser.page.text).to.not.include('Ada').and.to.not.include('ada@')
    for (const name of ['floors-csv', 'bookables-csv']) {
      expect((await file(name)).text)
        .to.not.include('Ada')
        .and.to.not.include('ada@')
    }
    await open()
    expectHarmless(browser.page.text, HOSTILE)
  })

  it('are visible to the role front desk, but not to the role reader', async () => {
    const visit = async (role: 'front-desk' | 'reader') => {
      const other: Browser = await createSignedIn(world, `${role}@reports.example`, role)
      return [
        (await other.open('/dashboard/reports')).status,
        (await other.open('/dashboard/reports?_download=floors-csv')).status,
      ]
    }
    expect(await visit('front-desk')).to.deep.equal([200, 200])
    expect(await visit('reader')).to.deep.equal([403, 403])
  })

  it('keep the chosen place in links to other date ranges', async () => {
    await open(`building=${quay}`)
    await browser.follow('Last quarter')
    expect(browser.words).to.include('1 July 2026 to 30 September 2026.')
    expect(browser.page.path).to.include(`building=${quay}`)
    await browser.submit('Show', { from: '2026-11-12', to: '2026-11-12' })
    expect(browser.words).to.match(/Thursday,? 12 November 2026\. .* 1 booking /)
    await browser.follow('Last month')
    expect(browser.words).to.include('1 October 2026 to 31 October 2026.')
  })
})

describe('the date range of a report', () => {
  it('is the previous whole week, month, quarter or year', () => {
    expect(resolveNamedRange('last-week', '2026-11-16')).to.deep.equal({
      first: '2026-11-09',
      last: '2026-11-15',
    })
    expect(resolveNamedRange('last-week', '2026-11-15')).to.deep.equal({
      first: '2026-11-02',
      last: '2026-11-08',
    })
    expect(resolveNamedRange('last-month', '2026-03-31')).to.deep.equal({
      first: '2026-02-01',
      last: '2026-02-28',
    })
    expect(resolveNamedRange('last-month', '2026-01-01')).to.deep.equal({
      first: '2025-12-01',
      last: '2025-12-31',
    })
    expect(resolveNamedRange('last-quarter', '2026-02-10')).to.deep.equal({
      first: '2025-10-01',
      last: '2025-12-31',
    })
    expect(resolveNamedRange('last-year', '2026-11-16')).to.deep.equal({
      first: '2025-01-01',
      last: '2025-12-31',
    })
  })

  it('is compared with the previous week, month, quarter or year, or with as many days before', () => {
    const former = (
      range: 'last-week' | 'last-month' | 'last-quarter' | 'last-year',
      from?: string,
      to?: string,
    ) => {
      const asked = { range, from, to }
      const { first, last } =
        findEarlierReportDays(asked, findReportDays(asked, '2026-11-18') ?? expect.fail()) ?? {}
      return [first, last]
    }
    expect(former('last-week')).to.deep.equal(['2026-11-02', '2026-11-08'])
    expect(former('last-month')).to.deep.equal(['2026-09-01', '2026-09-30'])
    expect(former('last-quarter')).to.deep.equal(['2026-04-01', '2026-06-30'])
    expect(former('last-year')).to.deep.equal(['2024-01-01', '2024-12-31'])
    expect(former('last-week', '2026-10-01', '2026-10-30')).to.deep.equal(['2026-09-01', '2026-09-30'])
    expect(former('last-week', '1000-01-01')).to.deep.equal([undefined, undefined])
    expect(former('last-week', '2026-11-16', '2026-11-17')).to.deep.equal(['2026-11-09', '2026-11-10'])
  })

  it('excludes days that are not over', () => {
    const ask = (from?: string, to?: string) => findReportDays({ range: 'last-week', from, to }, '2026-11-18')
    expect(ask('2026-11-01', '2026-12-24')).to.deep.equal({ first: '2026-11-01', last: '2026-11-17' })
    expect(ask('2026-11-17')).to.deep.equal({ first: '2026-11-17', last: '2026-11-17' })
    expect(ask('2026-11-05', '2026-11-01')).to.deep.equal({ first: '2026-11-05', last: '2026-11-05' })
    expect(ask('2026-11-18')).to.equal(undefined)
  })
})
