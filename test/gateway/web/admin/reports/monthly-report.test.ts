// Tests the monthly report over HTTP and in its printed form.
import { expect } from 'chai'
import { createLog } from '../../../../../shared/utilities/log.ts'
import { updateDailyFigures } from '../../../../../workers/pollers/figures/update-daily-figures.ts'
import { createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const NOW = '2026-11-18T12:00:00.000Z'

describe('the monthly report in the dashboard', () => {
  const world = useWorld({ now: () => Date.parse(NOW) })
  const browser = useSignedIn(world)
  let quay: number
  let added: number

  before(async () => {
    const { database } = world
    const created_at = '2026-06-01T00:00:00Z'
    quay = await createBuilding(database, { name: 'Quay', timezone: 'Europe/Berlin' })
    const location_id = await createLocation(database, { name: 'Deck', building_id: quay })
    const make = (name: string) => createBookable(database, { location_id, name, created_at })
    const [desk, other] = [await make('Desk 1'), await make('Desk 2')]
    const user_id = await createUser(database, { name: 'Ada Lovelace', email: 'ada@reports.example' })
    const book = (bookable_id: number, day: string, row: object = {}) =>
      createBooking(database, {
        bookable_id,
        user_id,
        from: `2026-${day}T06:00:00Z`,
        to: `2026-${day}T16:00:00Z`,
        ...row,
      })
    // September and October have 22 working days each, from 8:00 to 18:00 in Berlin.
    for (const day of ['09-01', '09-02']) await book(desk, day)
    for (const day of ['10-01', '10-02', '10-05', '10-06', '10-07']) await book(desk, day)
    await book(other, '10-07', { released_at: '2026-10-07T07:00:00Z', to: '2026-10-07T07:00:00Z' })
    const farther = await createBuilding(database, { name: 'Pier', timezone: 'Europe/Berlin' })
    await createBookable(database, {
      location_id: await createLocation(database, { name: 'Shed', building_id: farther }),
      name: 'Desk 3',
      created_at,
    })
    added = await createBuilding(database, { name: 'Added', timezone: 'Europe/Berlin' })
    await createBookable(database, {
      location_id: await createLocation(database, { name: 'Loft', building_id: added }),
      created_at: '2026-11-09T00:00:00Z',
    })
    await updateDailyFigures(database, createLog('test', 'silent'), { now: NOW })
  })

  const open = async (query = '', headers = {}) => {
    const visit = await browser.open(`/dashboard/reports/month?${query}`, { headers })
    expect(visit.status).to.equal(200)
    return browser.words
  }

  it('shows last month beside the month before: usage, no-shows, busiest days and hours, floors', async () => {
    const words = await open(`building=${quay}`)
    expect(words).to.include('Report for October 2026').and.include('Quay')
    expect(words).to.include('12 % utilisation ▲ 7 points more than in September')
    expect(words).to.include('6 bookings ▲ 200 % more than in September')
    expect(words).to.include('1 no-show, 17 % of bookings ▲ 17 points more than in September')
    expect(words).to.include('Busiest on Wed 7 Oct: 55 % utilisation.').and.include('Busiest at 08:00')
    expect(words).to.match(/Deck 12 % 5 % 51 h 6 1/)
    expect(words).to.match(/Most used .* Desk 1 Deck 50 h Desk 2 Deck 1 h .*Least used .* Desk 2 Deck 1 h/)
    expect(words).to.not.include('Ada')
  })

  it('shows the current month if nothing could be booked last month', async () => {
    expect(await open(`building=${added}`))
      .to.include('Report for November 2026')
      .and.include('0 % utilisation')
  })

  it('can show other months, and all buildings together', async () => {
    expect(await open('month=2026-09-15'))
      .to.include('Report for September 2026')
      .and.include('Shed Pier')
    expect(browser.words).to.include('2 bookings')
    expect(await open('month=2026-12-01')).to.include('No figures for these days.')
    expect(await open('month=2001-01-01'))
      .to.include('January 2001')
      .and.include('No figures for these days.')
    await browser.submit('Show', { month: '2026-10-01', building: String(quay) })
    expect(browser.words).to.include('Report for October 2026')
  })

  it('offers the current month until yesterday, beside the same days of the month before', async () => {
    await open(`building=${quay}`)
    await browser.submit('Show', { month: '2026-11-01' })
    expect(browser.words).to.include('Report for November 2026').and.include('up to 17 November 2026')
    expect(browser.words).to.include('than on the same days of October')
  })

  it('says once in each section that nothing was booked, and then shows no ranking', async () => {
    const words = await open(`month=2026-11-01&building=${quay}`)
    expect(words.split('Nothing was booked on these days.')).to.have.length(4)
    expect(words).to.not.include('Busiest').and.not.include('Least used')
  })

  it('is linked from the reports, available in German, and hidden from the role reader', async () => {
    await browser.open(`/dashboard/reports?building=${quay}`)
    await browser.follow('Monthly report')
    expect(browser.words).to.include('12 % utilisation')
    expect(await open('', { 'Accept-Language': 'de' }))
      .to.include('Bericht Oktober 2026')
      .and.include('Punkte mehr als im September')
    const reader = await createSignedIn(world, 'reader@reports.example', 'reader')
    expect((await reader.open('/dashboard/reports/month')).status).to.equal(403)
  })
})
