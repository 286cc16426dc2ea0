// Tests the dashboard's check of a booking, which shows the rules that apply and books nothing.
import { expect } from 'chai'
import { formatLocalDateTime } from '../../../../../shared/schemas/wall-clock.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const TIME_ZONE = 'Europe/Berlin'

describe('testing a booking in the dashboard', () => {
  const world = useWorld({ workers: ['writes'] })
  const browser = useSignedIn(world)
  let anna: number
  let building: number
  let desk: number

  before(async () => {
    anna = await createUser(world.database, { name: 'Anna Berg' })
  })
  beforeEach(async () => {
    const { database } = world
    building = await createBuilding(database, { name: 'Harbour House', timezone: TIME_ZONE })
    const location_id = await createLocation(database, { building_id: building, name: 'Deck' })
    desk = await createBookable(database, { location_id, name: 'Desk 3' })
  })

  const setRules = (place: string, id: number, rules: object) =>
    world
      .database(place)
      .where({ id })
      .update({ rules: JSON.stringify(rules) })
  const local = (instant: string) => formatLocalDateTime(instant, TIME_ZONE)
  const test = () =>
    browser.submit('Test', { from_time: local(hoursFromNow(48)), to_time: local(hoursFromNow(50)) })
  const bookings = () => world.database('bookings').where({ bookable_id: desk })

  it('starts from the page of a person, and says that this person can book', async () => {
    await browser.open(`/dashboard/people/${anna}`)
    await browser.follow('Test a booking')
    await browser.submit('Search', { place: 'Desk 3' })
    await browser.press('Choose Desk 3')
    await test()
    expect(browser.words).to.include('Anna Berg can book Desk 3 at this time.')
    expect(await bookings()).to.deep.equal([])
    expect(await world.database('audit_log').where({ action: 'bookings.create' })).to.deep.equal([])
  })

  it('starts from the page of a desk, and links to each rule that forbids the booking', async () => {
    await setRules('buildings', building, {
      minutes_max: 60,
      bookings_ahead_max: 1,
      days_ahead_max: 365,
      closed: [{ from: hoursFromNow(49), to: hoursFromNow(90), reason: 'Moving' }],
    })
    await setRules('bookables', desk, { days_ahead_max: 0 })
    await createBooking(world.database, {
      user_id: anna,
      bookable_id: desk,
      from: hoursFromNow(24),
      to: hoursFromNow(25),
    })
    await browser.open(`/dashboard/places/bookables/${desk}`)
    await browser.follow('Test a booking')
    await browser.submit('Search', { person: 'Anna' })
    await browser.press('Choose Anna Berg')
    await test()
    expect(browser.words)
      .to.include('Anna Berg cannot book Desk 3 at this time.')
      .and.include('Harbour House is closed')
      .and.include('Days ahead at most 0 set for Desk 3')
      .and.include('Longest booking 60 minutes set for Harbour House')
      .and.include('Bookings per person at most 1 current and upcoming set for Harbour House')
      .and.match(/Closed .*: Moving set for Harbour House/)
    expect(browser.page.text).to.include(`href="/dashboard/places/buildings/${building}/rules"`)
    expect(await bookings()).to.have.length(1)
  })

  it('says who has booked the desk, and is available in German', async () => {
    const who = await createUser(world.database, { name: 'Cora Lind' })
    const time = { from: hoursFromNow(47), to: hoursFromNow(60) }
    await createBooking(world.database, { user_id: who, bookable_id: desk, ...time })
    await browser.open(`/dashboard/bookings/test?user=${anna}&bookable=${desk}`)
    await test()
    expect(browser.words).to.include('Desk 3 is taken by Cora Lind')
    await browser.open('/dashboard/language/de')
    await browser.open(`/dashboard/bookings/test?user=${anna}&bookable=${desk}`)
    await browser.submit('Testen', {
      from_time: local(hoursFromNow(48)),
      to_time: local(hoursFromNow(50)),
    })
    expect(browser.words)
      .to.include('Anna Berg kann Desk 3 zu dieser Zeit nicht buchen.')
      .and.match(/Desk 3 ist .* belegt: Cora Lind/)
  })
})
