// Tests QR codes: the printed sheet of a floor, and the page that a scanned code opens. Opening the page changes
// nothing.
import { expect } from 'chai'
import { Browser, createSignedIn } from '../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { createSignInLink, signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

describe('QR codes on desks', () => {
  const world = useWorld()

  async function createDesk() {
    const location_id = await createLocation(world.database, { name: '3rd floor' })
    const bookable_id = await createBookable(world.database, { name: 'Desk 3.12', location_id })
    const code = `code-${bookable_id}`
    await world.database('bookable_codes').insert({ bookable_id, code })
    return { location_id, bookable_id, path: `/my/at/${code}` }
  }

  const bookingsOf = (bookable_id: number) => world.database('bookings').where({ bookable_id }).orderBy('id')

  it('are created for each desk, lead to the page of the desk, and can be renewed', async () => {
    const location_id = await createLocation(world.database)
    const desk = await createBookable(world.database, { name: 'Desk 1', location_id })
    await createBookable(world.database, { name: 'Home', location_id, type: 3 })
    const admin = await createSignedIn(world)
    await admin.open(`/dashboard/places/locations/${location_id}/codes`)
    expect(await world.database('bookable_codes').where({ bookable_id: desk })).to.have.length(0)
    await admin.submit('Create 1 code')
    const [made] = await world.database('bookable_codes').where({ bookable_id: desk })
    expect(admin.page.text).to.include('QR code of Desk 1').and.not.include('QR code of Home')

    const person = await signInAs(world, await createUser(world.database))
    await person.open(`/my/at/${made.code}`)
    expect(person.words).to.include('Desk 1')
    await admin.submit('Renew', { id: String(desk) })
    await person.open(`/my/at/${made.code}`)
    expect(person.page.status).to.equal(404)
    expect(person.words).to.include('This code no longer works.')
  })

  it('are printed twelve to a sheet, and the page counts desks without a code', async () => {
    const location_id = await createLocation(world.database)
    const desks = []
    for (let number = 1; number <= 14; number++)
      desks.push(await createBookable(world.database, { location_id, name: `Desk ${number}` }))
    const coded = desks.slice(0, 13).map((bookable_id) => ({ bookable_id, code: `code-${bookable_id}` }))
    await world.database('bookable_codes').insert(coded)
    const admin = await createSignedIn(world)
    const codes = () => [...admin.page.text.matchAll(/QR code of (Desk \d+)/g)].map(([, name]) => name)
    await admin.open(`/dashboard/places/locations/${location_id}/codes`)
    expect(codes()).to.have.length(12).and.not.include('Desk 13')
    expect(admin.words).to.include('1–12 of 13').and.include('Create 1 code')
    await admin.open(`${admin.page.path}?page=2`)
    expect(codes()).to.deep.equal(['Desk 13'])
  })

  it('let a person book a free desk until the evening, and leave it again', async () => {
    const { bookable_id, path } = await createDesk()
    const user_id = await createUser(world.database)
    const browser = await signInAs(world, user_id)
    await browser.open(path)
    await browser.open(path)
    expect(await bookingsOf(bookable_id), 'opening books nothing').to.have.length(0)
    const [label = ''] = /Book until \d\d:\d\d/.exec(browser.words) ?? []
    await browser.submit(label)
    expect(browser.words).to.include('Desk 3.12 (3rd floor, ').and.include(' is booked')
    const [booking] = await bookingsOf(bookable_id)
    expect(Number(booking.user_id)).to.equal(user_id)
    await browser.open(path)
    await browser.submit('Leave now')
    expect(browser.words).to.include('Your booking has ended.')
  })

  it('check in to the booking of the person who scans them', async () => {
    const { bookable_id, path } = await createDesk()
    const user_id = await createUser(world.database)
    const id = await createBooking(world.database, {
      bookable_id,
      user_id,
      from: hoursFromNow(-1),
      to: hoursFromNow(3),
      check_in_from: hoursFromNow(-2),
      check_in_until: hoursFromNow(1),
    })
    const browser = await signInAs(world, user_id)
    await browser.open(path)
    const isCheckedIn = async () =>
      (await world.database('bookings').where({ id }).first()).checked_in_at !== null
    expect(await isCheckedIn(), 'opening checks in to nothing').to.equal(false)
    await browser.submit('Check in')
    expect(await isCheckedIn()).to.equal(true)
  })

  it('name the person who has the desk only to people who may see that', async () => {
    const { bookable_id, path } = await createDesk()
    const user_id = await createUser(world.database, { name: 'Anna Bauer' })
    await createBooking(world.database, { bookable_id, user_id, from: hoursFromNow(-1), to: hoursFromNow(3) })
    const browser = await signInAs(world, await createUser(world.database))
    await browser.open(path)
    expect(browser.words).to.include('Booked by Anna Bauer until')
    await world.database('person_settings').insert({ user_id, visibility: 'nobody' })
    await browser.open(path)
    expect(browser.words).to.include('Booked by somebody until').and.not.include('Anna')
  })

  it('do not name a deactivated person who still has the desk', async () => {
    const { bookable_id, path } = await createDesk()
    const user_id = await createUser(world.database, { name: 'Carla Lehmann', deactivated_at: new Date() })
    await createBooking(world.database, { bookable_id, user_id, from: hoursFromNow(-1), to: hoursFromNow(3) })
    const browser = await signInAs(world, await createUser(world.database))
    await browser.open(path)
    expect(browser.words).to.include('Booked by').and.not.include('Carla')
  })

  it('lead back to the desk after the person signs in', async () => {
    const { path } = await createDesk()
    const user_id = await createUser(world.database)
    const browser = new Browser(world.url)
    await browser.open(path)
    expect(browser.page.path).to.match(/^\/my\/sign-in/)
    await browser.open(await createSignInLink(world.database, user_id))
    await browser.submit('Sign in')
    expect(browser.page.path).to.equal(path)
  })
})

describe('a QR code that is scanned late in the evening', () => {
  // It is 23:20 in Berlin.
  const world = useWorld({ workers: ['writes'], now: () => Date.parse('2031-02-11T22:20:00Z') })

  it('books the desk until 23:59, because the booking ends on its day', async () => {
    const building_id = await createBuilding(world.database, { timezone: 'Europe/Berlin' })
    const location_id = await createLocation(world.database, { building_id })
    const bookable_id = await createBookable(world.database, { name: 'Desk 3.12', location_id })
    await world.database('bookable_codes').insert({ bookable_id, code: 'late' })
    const browser = await signInAs(world, await createUser(world.database))
    await browser.open('/my/at/late')
    await browser.submit('Book until 23:59')
    expect(browser.words).to.include('Desk 3.12').and.include(' is booked')
    const { rows } = await world.database.raw(
      "SELECT to_char(timezone('Europe/Berlin', upper(during)), 'YYYY-MM-DD HH24:MI') AS until FROM bookings WHERE bookable_id = ?",
      [bookable_id],
    )
    expect(rows).to.deep.equal([{ until: '2031-02-11 23:59' }])
  })
})
