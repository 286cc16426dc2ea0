// Tests the screen at a door: what it shows at its secret URL, its buttons, and that it stays up to date.
import { expect } from 'chai'
import { generateToken, hashToken } from '../../../../shared/tokens/token-store.ts'
import {
  createBookable,
  createBooking,
  createEvent,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { createScreen, followScreen } from '../../../support/screens/screens.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

describe('the screen at the door of a room', () => {
  const world = useWorld()

  const open = async (path: string) => {
    const answer = await fetch(`${world.url}${path}`)
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const press = (path: string, fields: Record<string, string>) =>
    fetch(`${world.url}${path}`, {
      method: 'POST',
      headers: { Accept: 'application/json' },
      body: new URLSearchParams(fields),
    })
  const bookingsOf = (bookable_id: number) => world.database('bookings').where({ bookable_id }).orderBy('id')

  it('shows whether the room is free, without using cookies', async () => {
    const bookable_id = await createBookable(world.database, { name: 'Aspen', type: 2 })
    const { path } = await createScreen(world.database, { bookable_id })
    const free = await open(path)
    expect(free.status).to.equal(200)
    expect(free.text).to.include('Aspen').and.include('Free')
    expect(free.headers.get('set-cookie')).to.equal(null)
    expect(free.headers.get('referrer-policy')).to.equal('no-referrer')

    const user_id = await createUser(world.database, { name: 'Anna Adler' })
    await createBooking(world.database, { bookable_id, user_id, from: hoursFromNow(-1), to: hoursFromNow(1) })
    const taken = await open(path)
    expect(taken.text).to.include('Taken').and.include('Anna Adler').and.not.include('Free')
  })

  it('answers 404 with an explanation at an unknown or revoked URL', async () => {
    const bookable_id = await createBookable(world.database)
    const { id, path } = await createScreen(world.database, { bookable_id })
    await world.database('screens').where({ id }).update({ revoked_at: new Date() })
    expect((await followScreen(world.url, path)).status).to.equal(404)
    for (const address of [path, '/screens/screen_unknown', `${path}/nothing`]) {
      const { status, text } = await open(address)
      expect(status).to.equal(404)
      expect(text).to.include('This screen has been switched off, or its address is wrong.')
      expect(text).to.not.include(address)
    }
  })

  it('books the room, and ends the booking', async () => {
    const bookable_id = await createBookable(world.database, { type: 2 })
    const booking_user_id = await createUser(world.database, { name: 'Front desk' })
    const { path } = await createScreen(world.database, { bookable_id, booking_user_id })
    expect((await press(path, { action: 'book', minutes: '30' })).status).to.equal(204)
    const [booking] = await bookingsOf(bookable_id)
    expect(Number(booking.user_id)).to.equal(booking_user_id)
    expect((await press(path, { action: 'end', booking: booking.id })).status).to.equal(200)
    expect((await open(path)).text).to.include('Free')
  })

  it('shows changes, and stops when an administrator switches it off', async () => {
    const bookable_id = await createBookable(world.database, { type: 2 })
    const { id, path } = await createScreen(world.database, { bookable_id })
    const feed = await followScreen(world.url, path)
    await eventually(() => expect(JSON.stringify(feed.events)).to.include('Free'))
    const user_id = await createUser(world.database, { name: 'Anna Adler' })
    await createBooking(world.database, { bookable_id, user_id, from: hoursFromNow(-1), to: hoursFromNow(1) })
    await eventually(() => expect(JSON.stringify(feed.events.at(-1))).to.include('Anna Adler'))
    await world.database('screens').where({ id }).update({ revoked_at: new Date() })
    await eventually(() => expect(feed.isEnded).to.equal(true))
    expect(feed.events.at(-1)?.event).to.equal('off')
  })

  it('ends feeds of the old address when an administrator renews the address', async () => {
    const bookable_id = await createBookable(world.database, { type: 2 })
    const { id, path } = await createScreen(world.database, { bookable_id })
    const feed = await followScreen(world.url, path)
    await eventually(() => expect(JSON.stringify(feed.events)).to.include('Free'))
    await world
      .database('screens')
      .where({ id })
      .update({ hash: hashToken(generateToken('screen')) })
    await eventually(() => expect(feed.isEnded).to.equal(true))
    expect(feed.events.at(-1)?.event).to.equal('off')
  })

  it('shows the title of the current event', async () => {
    const bookable_id = await createBookable(world.database, { type: 2 })
    const organizer_user_id = await createUser(world.database, { name: 'Olga Organ' })
    const span = { from: hoursFromNow(-1), to: hoursFromNow(1) }
    const event_id = await createEvent(world.database, { name: 'Planning', organizer_user_id, ...span })
    await createBooking(world.database, { bookable_id, event_id, ...span })
    const { path } = await createScreen(world.database, { bookable_id })
    expect((await open(path)).text)
      .to.include('Planning')
      .and.include('Olga Organ')
  })
})
