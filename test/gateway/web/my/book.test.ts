// Book: a person finds a free desk on their usual floor and books it in three touches; refusals say what is free instead.
import { expect } from 'chai'
import type { Knex } from 'knex'
import { createBookable, createBooking, createUser } from '../../../support/factories.ts'
import { createFloor as createTestFloor, DAY, FROM, TO } from '../../../support/people/floor.ts'
import { useWorld } from '../../../support/world.ts'

describe('booking on one’s own pages', () => {
  const world = useWorld()

  const createFloor = (names?: string[], rules?: object) =>
    createTestFloor(world, { ...(names && { names }), rules })

  const bookingsOf = (database: Knex, user_id: number) =>
    database('bookings')
      .where({ user_id })
      .select('id', 'bookable_id', database.raw('lower(during) AS "from", upper(during) AS "to"'))

  it('offers office hours when a building is open longer than a working day, and otherwise the whole day', async () => {
    const open = (from: string, to: string) => ({ opening_hours: [{ day: 2, from, to }], minutes_max: 720 })
    const long = await createFloor(['Desk 1'], open('06:00', '22:00'))
    await long.browser.open(long.place)
    expect(long.browser.words).to.include('09:00 – 17:00').and.include('Desk 1')
    const usual = await createFloor(['Desk 1'], open('07:30', '18:00'))
    await usual.browser.open(usual.place)
    expect(usual.browser.words).to.include('07:30 – 18:00').and.include('Desk 1')
  })

  it('books until midnight when the place is open that long', async () => {
    const evening = { opening_hours: [{ day: 2, from: '14:00', to: '24:00' }] }
    const { browser, place, user_id } = await createFloor(['Desk 1'], evening)
    await browser.open(place)
    await browser.follow('Desk 1')
    await browser.submit('Book')
    expect(browser.words).to.include('Desk 1 (Third floor, Quay) is booked: Tue, 11 Feb 2031, 14:00 – 00:00.')
    expect((await bookingsOf(world.database, user_id))[0].to).to.equal(`${DAY} 23:00:00+00`)
  })

  it('books a desk for the whole day in two presses from the page', async () => {
    const { browser, place, desks, user_id } = await createFloor()
    await browser.open(place)
    expect(browser.words).to.include('09:00 – 17:00 · Third floor, Quay')
    await browser.follow('Desk 1')
    await browser.submit('Book')
    expect(browser.page.path).to.equal('/my')
    expect(browser.words).to.include('Desk 1 (Third floor, Quay) is booked: Tue, 11 Feb 2031, 09:00 – 17:00.')
    const booked = await bookingsOf(world.database, user_id)
    expect(booked).to.have.length(1)
    expect(booked[0].bookable_id).to.equal(desks[0])
    expect([booked[0].from, booked[0].to]).to.deep.equal([`${DAY} 08:00:00+00`, `${DAY} 16:00:00+00`])
  })

  it('opens the usual floor, with the usual desk first', async () => {
    await createFloor(['Desk A'])
    const { browser, desks, user_id, location_id } = await createFloor()
    const hour = 3_600_000
    for (const week of [1, 2]) {
      const start = Date.now() - week * 7 * 24 * hour
      const [from, to] = [new Date(start).toISOString(), new Date(start + hour).toISOString()]
      await createBooking(world.database, { user_id, bookable_id: desks[2], from, to })
    }
    await browser.open(`/my/book?date=${DAY}`)
    expect(browser.page.text).to.include(`<option value="${location_id}" selected`)
    expect(browser.words).to.match(/Desk 3\s+usual.*Desk 1.*Desk 2/s)
  })

  it('leaves out what is taken, and names colleagues only if they allow it', async () => {
    const { browser, place, desks } = await createFloor()
    const anna = await createUser(world.database, { name: 'Anna Berg' })
    const hidden = await createUser(world.database, { name: 'Henry Hidden' })
    await world.database('person_settings').insert({ user_id: hidden, visibility: 'nobody' })
    await createBooking(world.database, { user_id: anna, bookable_id: desks[0], from: FROM, to: TO })
    await createBooking(world.database, { user_id: hidden, bookable_id: desks[1], from: FROM, to: TO })
    await browser.open(place)
    expect(browser.page.text).to.not.include(`/my/book/${desks[0]}?`).and.not.include(`/my/book/${desks[1]}?`)
    expect(browser.words).to.include('Anna Berg Desk 1').and.include('Someone Desk 2')
    expect(browser.page.text).to.not.include('Henry')
  })

  it('shows what is nearest to a colleague first', async () => {
    const { browser, place, desks } = await createFloor(['Desk 1', 'Desk 2', 'Desk 3', 'Desk 4'])
    const anna = await createUser(world.database, { name: 'Anna Berg' })
    await createBooking(world.database, { user_id: anna, bookable_id: desks[3], from: FROM, to: TO })
    await browser.open(place)
    expect(browser.words).to.match(/Desk 1.*Desk 2.*Desk 3/s)
    await browser.follow('Anna Berg Desk 4 Sit nearby')
    expect(browser.words).to.include('The nearest to Anna Berg, Desk 4, come first.')
    expect(browser.words).to.match(/come first\..*Desk 3.*Desk 2.*Desk 1/s)
  })

  it('shows what is nearest to a colleague’s own desk, and says that nobody knows whether they are in', async () => {
    const { browser, place, desks } = await createFloor(['Desk 1', 'Desk 2', 'Desk 3'])
    const anna = await createUser(world.database, { name: 'Anna Berg' })
    await world.database('bookables').where({ id: desks[2] }).update({ status: 2 })
    await world.database('bookable_assignees').insert({ bookable_id: desks[2], user_id: anna })
    await browser.open(place)
    await browser.follow('Anna Berg Desk 3 · own desk Sit nearby')
    expect(browser.words).to.match(/so nobody knows whether they are in\..*Desk 2.*Desk 1/s)
  })

  it('shows the hours at which colleagues have their desks, unless it is the whole time', async () => {
    const { browser, place, desks } = await createFloor()
    const anna = await createUser(world.database, { name: 'Anna Berg' })
    const noon = `${DAY}T11:00:00Z`
    await createBooking(world.database, { user_id: anna, bookable_id: desks[0], from: FROM, to: noon })
    await browser.open(place)
    expect(browser.words).to.include('Anna Berg Desk 1 · until 12:00')
  })

  it('finds places with the chosen equipment', async () => {
    const { browser, place, desks } = await createFloor()
    await world
      .database('bookables')
      .where({ id: desks[1] })
      .update({ tags: ['standing desk', 'window'] })
    await world
      .database('bookables')
      .where({ id: desks[2] })
      .update({ tags: ['window'] })
    await browser.open(place)
    await browser.follow('window')
    await browser.follow('standing desk')
    expect(browser.page.text).to.include(`/my/book/${desks[1]}?`).and.not.include(`/my/book/${desks[2]}?`)
  })

  it('says why a desk cannot be booked, and books a free one instead with one press', async () => {
    const { browser, place, desks, user_id } = await createFloor()
    await browser.open(place)
    await browser.follow('Desk 1')
    await createBooking(world.database, { bookable_id: desks[0], from: FROM, to: TO })
    await browser.submit('Book')
    expect(browser.words).to.include('Desk 1 is taken').and.include('Free instead')
    await browser.submit('Desk 2')
    expect(browser.words).to.include('Desk 2 (Third floor, Quay) is booked')
    expect(await bookingsOf(world.database, user_id)).to.have.length(1)
  })

  it('asks for approval when it is required', async () => {
    const boss = await createUser(world.database, { name: 'Grace Hopper' })
    const { browser, place, desks, user_id } = await createFloor(['Desk 1'], {
      approvers: { user_ids: [boss] },
    })
    await browser.open(place)
    expect(browser.words).to.include('on request')
    await browser.follow('Desk 1 on request')
    expect(browser.words).to.include('Approved by Grace Hopper')
    await browser.submit('Send request')
    expect(browser.words).to.include('Desk 1 (Third floor, Quay) is requested')
    const requests = await world.database('holds').where({ user_id, bookable_id: desks[0] })
    expect(requests).to.have.length(1)
    expect(await bookingsOf(world.database, user_id)).to.have.length(0)
  })

  it('shows the smallest room that fits first', async () => {
    const { browser, location_id } = await createFloor()
    for (const [name, capacity] of [
      ['A', 12],
      ['B', 4],
      ['C', 6],
    ] as const)
      await createBookable(world.database, { location_id, type: 2, name, capacity })
    await browser.open(`/my/book?location=${location_id}&type=2&date=${DAY}&people=5`)
    expect(browser.words)
      .to.match(/C 6 seats.*A 12 seats/s)
      .and.not.include('B 4 seats')
  })

  it('books a room that is large enough', async () => {
    const { browser, location_id, user_id } = await createFloor()
    const room = { location_id, type: 2 }
    await createBookable(world.database, { ...room, name: 'Small', capacity: 2 })
    const large = await createBookable(world.database, { ...room, name: 'Large', capacity: 8 })
    await browser.open(`/my/book?location=${location_id}&type=2&date=${DAY}&people=5`)
    expect(browser.words).to.not.include('Small')
    await browser.follow('Large 8 seats')
    await browser.submit('Book')
    expect(await world.database('bookings').where({ user_id, bookable_id: large })).to.have.length(1)
  })

  it('books a desk for a guest', async () => {
    const { browser, desks, user_id } = await createFloor()
    await browser.open(`/my/book/${desks[0]}?date=${DAY}`)
    await browser.submit('Book', { guest_name: 'Grace Hopper' })
    const booked = await world.database('bookings').where({ user_id }).first()
    expect(booked.guest_name).to.equal('Grace Hopper')
  })

  it('shows on the map what is free and who sits where, and leads to what is free', async () => {
    const { browser, place, desks } = await createFloor()
    const anna = await createUser(world.database, { name: 'Anna Berg' })
    await createBooking(world.database, { user_id: anna, bookable_id: desks[0], from: FROM, to: TO })
    await browser.open(place)
    await browser.follow('Map')
    expect(browser.page.text)
      .to.include('<title>Desk 1: Anna Berg</title>')
      .and.include('<title>Desk 2: free</title>')
    expect(browser.words).to.include('free taken not available')
    expect(browser.page.text).to.match(new RegExp(`/my/waits/new\\?bookable=${desks[0]}&`))
    const cell = new RegExp(`<a href="([^"]*)" class="cell" id="cell-${desks[1]}"`).exec(browser.page.text)
    await browser.open((cell?.[1] ?? '').replaceAll('&amp;', '&'))
    await browser.submit('Book')
    expect(browser.words).to.include('Desk 2 (Third floor, Quay) is booked')
  })

  it('changes the time of a booking, and says why when that is not possible', async () => {
    const { browser, desks, user_id } = await createFloor()
    await browser.open(`/my/book/${desks[0]}?date=${DAY}`)
    await browser.submit('Book')
    await browser.follow('Desk 1')
    await browser.submit('Change the time', { from_time: `${DAY}T10:00`, to_time: `${DAY}T12:00` })
    const [booked] = await bookingsOf(world.database, user_id)
    expect([booked.from, booked.to]).to.deep.equal([`${DAY} 09:00:00+00`, `${DAY} 11:00:00+00`])
    const [from, to] = [`${DAY}T13:00:00Z`, TO]
    await createBooking(world.database, { bookable_id: desks[0], from, to })
    await browser.follow('Desk 1')
    await browser.submit('Change the time', { to_time: `${DAY}T15:00` })
    expect(browser.page.status).to.equal(409)
    expect(browser.words).to.include('Desk 1 is taken')
  })

  it('does not open the bookings of other people', async () => {
    const { browser, desks } = await createFloor()
    const other = await createBooking(world.database, { bookable_id: desks[0], from: FROM, to: TO })
    await browser.open(`/my/bookings/${other}`)
    expect(browser.page.status).to.equal(404)
  })

  it('books a desk only for the person who has signed in', async () => {
    const { browser, desks, user_id } = await createFloor()
    await browser.open(`/my/book/${desks[0]}?date=${DAY}`)
    await browser.submit('Book', { seat: String(desks[1]) })
    const booked = await bookingsOf(world.database, user_id)
    expect(booked.map(({ bookable_id }) => bookable_id)).to.deep.equal([desks[1]])
  })
})
