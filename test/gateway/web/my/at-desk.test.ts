// QR codes: a floor's sheet, and what scanning one shows and does. Opening the page does nothing.
import { expect } from 'chai'
import { Browser, createSignedIn } from '../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { createSignInLink, signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

describe('QR codes', () => {
  const world = useWorld()

  async function createDesk() {
    const location_id = await createLocation(world.database, { name: '3rd floor' })
    const bookable_id = await createBookable(world.database, { name: 'Desk 3.12', location_id })
    const code = `code-${bookable_id}`
    await world.database('bookable_codes').insert({ bookable_id, code })
    return { location_id, bookable_id, path: `/my/at/${code}` }
  }

  const bookingsOf = (bookable_id: number) => world.database('bookings').where({ bookable_id }).orderBy('id')

  it('makes a code for each desk, which leads to its page, and renews one', async () => {
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
    expect(person.words).to.include('This code leads nowhere any more.')
  })

  it('shows twelve codes on a page, those of one sheet, and counts the missing ones on the last', async () => {
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

  it('books a free desk until the evening, and leaves it', async () => {
    const { bookable_id, path } = await createDesk()
    const user_id = await createUser(world.database)
    const browser = await signInAs(world, user_id)
    await browser.open(path)
    await browser.open(path)
    expect(await bookingsOf(bookable_id), 'opening books nothing').to.have.length(0)
    const [label = ''] = /Book until \d\d:\d\d/.exec(browser.words) ?? []
    await browser.submit(label)
    expect(browser.words).to.include('Desk 3.12 is yours.')
    const [booking] = await bookingsOf(bookable_id)
    expect(Number(booking.user_id)).to.equal(user_id)
    await browser.submit('Leave now')
    expect(browser.words).to.include('Your booking ends now.')
  })

  it('checks in to the booking of the person who scans', async () => {
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

  it('names who has the desk only to those who may see it', async () => {
    const { bookable_id, path } = await createDesk()
    const user_id = await createUser(world.database, { name: 'Anna Bauer' })
    await createBooking(world.database, { bookable_id, user_id, from: hoursFromNow(-1), to: hoursFromNow(3) })
    const browser = await signInAs(world, await createUser(world.database))
    await browser.open(path)
    expect(browser.words).to.include('Anna Bauer has it until')
    await world.database('person_settings').insert({ user_id, visibility: 'nobody' })
    await browser.open(path)
    expect(browser.words).to.include('Someone has it until').and.not.include('Anna')
  })

  it('does not name a deactivated person who still holds the desk', async () => {
    const { bookable_id, path } = await createDesk()
    const user_id = await createUser(world.database, { name: 'Carla Lehmann', deactivated_at: new Date() })
    await createBooking(world.database, { bookable_id, user_id, from: hoursFromNow(-1), to: hoursFromNow(3) })
    const browser = await signInAs(world, await createUser(world.database))
    await browser.open(path)
    expect(browser.words).to.include('has it until').and.not.include('Carla')
  })

  it('returns to the desk after signing in', async () => {
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
