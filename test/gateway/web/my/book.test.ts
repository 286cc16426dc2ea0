// Tests the page Book: a person finds a free desk on their usual floor and books it in three touches;
// refusals name free alternatives.
import { expect } from 'chai'
import type { Knex } from 'knex'
import { createFloorPlanColumns, drawPng } from '../../../support/dashboard/pictures.ts'
import { createBookable, createBooking, createUser, createVehicle } from '../../../support/factories.ts'
import { createFloor as createTestFloor, DAY, FROM, TO } from '../../../support/people/floor.ts'
import { useWorld } from '../../../support/world.ts'

describe('booking on people’s own pages', () => {
  const world = useWorld()

  const createFloor = (names?: string[], rules?: object) =>
    createTestFloor(world, { ...(names && { names }), rules })

  const bookingsOf = (database: Knex, user_id: number) =>
    database('bookings')
      .where({ user_id })
      .select('id', 'bookable_id', database.raw('lower(during) AS "from", upper(during) AS "to"'))

  it('proposes office hours if a building is open for longer, and otherwise its whole day', async () => {
    const open = (from: string, to: string) => ({ opening_hours: [{ day: 2, from, to }], minutes_max: 720 })
    const long = await createFloor(['Desk 1'], open('06:00', '22:00'))
    await long.browser.open(long.place)
    expect(long.browser.words).to.include('09:00 – 17:00').and.include('Desk 1')
    const usual = await createFloor(['Desk 1'], open('07:30', '18:00'))
    await usual.browser.open(usual.place)
    expect(usual.browser.words).to.include('07:30 – 18:00').and.include('Desk 1')
  })

  it('can last until midnight if the place is open until midnight', async () => {
    const evening = { opening_hours: [{ day: 2, from: '14:00', to: '24:00' }] }
    const { browser, place, user_id } = await createFloor(['Desk 1'], evening)
    await browser.open(place)
    await browser.follow('Desk 1')
    await browser.submit('Book')
    expect(browser.words).to.include('Desk 1 (Third floor, Quay) is booked: Tue, 11 Feb 2031, 14:00 – 00:00.')
    expect((await bookingsOf(world.database, user_id))[0].to).to.equal(`${DAY} 23:00:00+00`)
  })

  it('takes two presses for a desk for the whole day', async () => {
    const { browser, place, desks, user_id } = await createFloor()
    await browser.open(place)
    expect(browser.words).to.include('09:00 – 17:00 · Third floor, Quay')
    await browser.follow('Desk 1')
    await browser.submit('Book')
    expect(browser.words).to.include('Desk 1 (Third floor, Quay) is booked: Tue, 11 Feb 2031, 09:00 – 17:00.')
    const booked = await bookingsOf(world.database, user_id)
    expect(booked).to.have.length(1)
    expect(browser.page.path).to.equal(`/my/bookings/${booked[0].id}`)
    expect(booked[0].bookable_id).to.equal(desks[0])
    expect([booked[0].from, booked[0].to]).to.deep.equal([`${DAY} 08:00:00+00`, `${DAY} 16:00:00+00`])
  })

  it('starts on the usual floor, and lists the usual desk first', async () => {
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

  it('books the usual parking spot for the vehicle of the person with one press', async () => {
    const { browser, user_id, location_id } = await createFloor()
    await createVehicle(world.database, { user_id, license_plate: 'B-ER 1815' })
    const spot = { location_id, name: 'Spot 1', type: 1, requires_vehicle: true }
    const bookable_id = await createBookable(world.database, spot)
    const hour = 3_600_000
    for (const week of [1, 2]) {
      const start = Date.now() - week * 7 * 24 * hour
      const [from, to] = [new Date(start).toISOString(), new Date(start + hour).toISOString()]
      await createBooking(world.database, { user_id, bookable_id, from, to })
    }
    await browser.open(`/my/book?type=1&date=${DAY}`)
    expect(browser.words).to.include('Your usual place · B-ER 1815')
    await browser.submit('Book')
    expect(browser.words).to.include('Spot 1 (Third floor, Quay) is booked')
    const booked = await world
      .database('bookings')
      .where({ user_id, bookable_id, license_plate: 'B-ER 1815' })
    expect(booked).to.have.length(1)
  })

  it('does not list taken desks, and names colleagues only if they allow it', async () => {
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

  it('lists desks near a colleague first', async () => {
    const { browser, place, desks } = await createFloor(['Desk 1', 'Desk 2', 'Desk 3', 'Desk 4'])
    const anna = await createUser(world.database, { name: 'Anna Berg' })
    await createBooking(world.database, { user_id: anna, bookable_id: desks[3], from: FROM, to: TO })
    await browser.open(place)
    expect(browser.words).to.match(/Desk 1.*Desk 2.*Desk 3/s)
    await browser.follow('Anna Berg Desk 4 Sit nearby')
    expect(browser.words).to.match(/Desk 3 Nearest to Anna Berg \(Desk 4\).*Desk 3.*Desk 2.*Desk 1/s)
  })

  it('lists desks near a colleague’s own desk first, and says if the page does not know whether the colleague is in', async () => {
    const { browser, place, desks } = await createFloor(['Desk 1', 'Desk 2', 'Desk 3'])
    const anna = await createUser(world.database, { name: 'Anna Berg' })
    await world.database('bookables').where({ id: desks[2] }).update({ status: 2 })
    await world.database('bookable_assignees').insert({ bookable_id: desks[2], user_id: anna })
    await browser.open(place)
    await browser.follow('Anna Berg Desk 3 · own desk Sit nearby')
    expect(browser.words).to.match(/so nobody knows whether they are in\..*Desk 2.*Desk 1/s)
  })

  it('shows the hours at which colleagues have their desks, unless they have them the whole time', async () => {
    const { browser, place, desks } = await createFloor()
    const anna = await createUser(world.database, { name: 'Anna Berg' })
    const noon = `${DAY}T11:00:00Z`
    await createBooking(world.database, { user_id: anna, bookable_id: desks[0], from: FROM, to: noon })
    await browser.open(place)
    expect(browser.words).to.include('Anna Berg Desk 1 · until 12:00')
  })

  it('finds desks and rooms with the chosen equipment', async () => {
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

  it('shows why a desk cannot be booked, and books a free desk instead with one press', async () => {
    const { browser, place, desks, user_id } = await createFloor()
    await browser.open(place)
    await browser.follow('Desk 1')
    await createBooking(world.database, { bookable_id: desks[0], from: FROM, to: TO })
    await browser.submit('Book')
    expect(browser.words).to.include('Desk 1 was just taken.')
    await browser.submit('Book Desk 2 instead')
    expect(browser.words).to.include('Desk 2 (Third floor, Quay) is booked')
    expect(await bookingsOf(world.database, user_id)).to.have.length(1)
  })

  it('sends a request if a desk requires approval', async () => {
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

  it('lists the smallest room that is large enough first', async () => {
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

  it('finds a room that is large enough, and books it', async () => {
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

  it('lets a person book for a guest', async () => {
    const { browser, desks, user_id } = await createFloor()
    await browser.open(`/my/book/${desks[0]}?date=${DAY}`)
    await browser.submit('Book', { guest_name: 'Grace Hopper' })
    const booked = await world.database('bookings').where({ user_id }).first()
    expect(booked.guest_name).to.equal('Grace Hopper')
  })

  const addFloorPlan = (id: number) =>
    world
      .database('locations')
      .where({ id })
      .update(createFloorPlanColumns(drawPng(60, 40)))

  const stateOf = (text: string, id: number | undefined) =>
    new RegExp(`id="cell-${id}"[^>]* data-state="(\\w+)"`).exec(text)?.[1]

  it('opens on the map if the floor has a floor plan, and has the list as a second tab', async () => {
    const { browser, place, location_id } = await createFloor()
    await browser.open(place)
    expect(browser.page.text).to.include('my-seats').and.not.include('map-cells')
    await addFloorPlan(location_id)
    await browser.open(place)
    expect(browser.page.text).to.include('map-cells').and.not.include('my-seats')
    await browser.follow('List')
    expect(browser.page.text).to.include('my-seats').and.not.include('map-cells')
  })

  it('shows what is free, who has a desk, and whose desks are mine or of my people', async () => {
    const names = [1, 2, 3, 4, 5].map((number) => `Desk ${number}`)
    const { browser, place, desks, user_id, location_id } = await createFloor(names)
    await addFloorPlan(location_id)
    const anna = await createUser(world.database, { name: 'Anna Berg' })
    const hidden = await createUser(world.database, { name: 'Henry Hidden' })
    await world.database('person_settings').insert({ user_id: hidden, visibility: 'nobody' })
    await world.database('favourite_colleagues').insert({ user_id, colleague_id: anna })
    for (const [index, who] of [user_id, anna, hidden].entries())
      await createBooking(world.database, { user_id: who, bookable_id: desks[index], from: FROM, to: TO })
    await world.database('bookables').where({ id: desks[3] }).update({ status: 1 })
    const { text } = await browser.open(place)
    expect(desks.map((id) => stateOf(text, id))).to.deep.equal([
      'mine',
      'people',
      'occupied',
      'blocked',
      'free',
    ])
    expect(text)
      .to.include('<title>Desk 2: Anna Berg</title>')
      .and.include('<title>Desk 3: Someone</title>')
      .and.include('<title>Desk 5: free</title>')
      .and.not.include('Henry')
    expect(browser.words).to.include('free mine my people taken not available')
  })

  it('filters the map and the list in the same way', async () => {
    const { browser, place, desks, location_id } = await createFloor()
    await addFloorPlan(location_id)
    await world
      .database('bookables')
      .where({ id: desks[1] })
      .update({ tags: ['window'] })
    await browser.open(place)
    await browser.follow('window')
    expect(desks.map((id) => stateOf(browser.page.text, id))).to.deep.equal(['blocked', 'free', 'blocked'])
    await browser.follow('List')
    expect(browser.page.text).to.include(`/my/book/${desks[1]}?`).and.not.include(`/my/book/${desks[2]}?`)
  })

  it('leads from a free desk on the map to its page, which books it', async () => {
    const { browser, place, desks, location_id } = await createFloor()
    await addFloorPlan(location_id)
    await browser.open(place)
    const cell = new RegExp(`<a href="([^"]*)" class="cell" id="cell-${desks[1]}"`).exec(browser.page.text)
    await browser.open((cell?.[1] ?? '').replaceAll('&amp;', '&'))
    await browser.submit('Book')
    expect(browser.words).to.include('Desk 2 (Third floor, Quay) is booked')
  })

  it('says who has a taken desk and when it is taken, and offers the desks beside it and the waitlist', async () => {
    const { browser, desks, user_id } = await createFloor()
    const anna = await createUser(world.database, { name: 'Anna Berg' })
    const noon = `${DAY}T11:00:00Z`
    await createBooking(world.database, { user_id: anna, bookable_id: desks[0], from: FROM, to: noon })
    await browser.open(`/my/book/${desks[0]}?date=${DAY}`)
    expect(browser.words).to.include('Taken: Anna Berg · until 12:00').and.include('Free instead')
    expect(browser.page.text)
      .to.include('aria-label="Desk 1: taken 09:00 – 12:00"')
      .and.match(new RegExp(`/my/waits/new\\?bookable=${desks[0]}&`))
    await browser.submit('Book Desk 2 instead')
    expect(await world.database('bookings').where({ user_id, bookable_id: desks[1] })).to.have.length(1)
    await browser.open(`/my/book/${desks[0]}?date=${DAY}`)
    await browser.follow('Afternoon 13–17')
    expect(browser.words).to.not.include('Taken: Anna Berg')
  })

  it('says who sits near a desk', async () => {
    const { browser, desks } = await createFloor()
    const anna = await createUser(world.database, { name: 'Anna Berg' })
    const far = await createUser(world.database, { name: 'Frida Far' })
    for (const [index, position_x] of [0.1, 0.2, 0.9].entries())
      await world.database('bookables').where({ id: desks[index] }).update({ position_x, position_y: 0.5 })
    for (const [user_id, bookable_id] of [
      [anna, desks[1]],
      [far, desks[2]],
    ])
      await createBooking(world.database, { user_id, bookable_id, from: FROM, to: TO })
    await browser.open(`/my/book/${desks[0]}?date=${DAY}`)
    expect(browser.words).to.include('Near Anna Berg (Desk 2)').and.not.include('Frida Far')
  })

  it('proposes the usual desk, which one press books', async () => {
    const { browser, place, desks, user_id } = await createFloor()
    const hour = 3_600_000
    for (const week of [1, 2]) {
      const start = Date.now() - week * 7 * 24 * hour
      const [from, to] = [new Date(start).toISOString(), new Date(start + hour).toISOString()]
      await createBooking(world.database, { user_id, bookable_id: desks[2], from, to })
    }
    await browser.open(place)
    expect(browser.words).to.include('Desk 3 Your usual place')
    await browser.submit('Book')
    expect(browser.words).to.include('Desk 3 (Third floor, Quay) is booked')
  })

  it('can be followed by a change of the time, or shows why the change is not possible', async () => {
    const { browser, desks, user_id } = await createFloor()
    await browser.open(`/my/book/${desks[0]}?date=${DAY}`)
    await browser.submit('Book')
    await browser.submit('Change the time', { from_time: `${DAY}T10:00`, to_time: `${DAY}T12:00` })
    const [booked] = await bookingsOf(world.database, user_id)
    expect([booked.from, booked.to]).to.deep.equal([`${DAY} 09:00:00+00`, `${DAY} 11:00:00+00`])
    const [from, to] = [`${DAY}T13:00:00Z`, TO]
    await createBooking(world.database, { bookable_id: desks[0], from, to })
    await browser.submit('Change the time', { to_time: `${DAY}T15:00` })
    expect(browser.page.status).to.equal(409)
    expect(browser.words).to.include('Desk 1 was just taken.')
  })

  it('gives no access to the bookings of other people', async () => {
    const { browser, desks } = await createFloor()
    const other = await createBooking(world.database, { bookable_id: desks[0], from: FROM, to: TO })
    await browser.open(`/my/bookings/${other}`)
    expect(browser.page.status).to.equal(404)
  })

  it('creates bookings only for the person who has signed in', async () => {
    const { browser, desks, user_id } = await createFloor()
    await browser.open(`/my/book/${desks[0]}?date=${DAY}`)
    await browser.submit('Book', { seat: String(desks[1]) })
    const booked = await bookingsOf(world.database, user_id)
    expect(booked.map(({ bookable_id }) => bookable_id)).to.deep.equal([desks[1]])
  })
})
