// Tests the alternative that a page offers first after a refused booking: one press books something else, with what the
// person has entered.
import { expect } from 'chai'
import { parseForms } from '../../../../support/dashboard/dashboard.ts'
import { createBooking, createHold, createUser } from '../../../../support/factories.ts'
import { createFloor, DAY, FROM, TO } from '../../../../support/people/floor.ts'
import { useWorld } from '../../../../support/world.ts'

describe('the alternative to a refused booking', () => {
  const world = useWorld()

  const bookedBy = (user_id: number) =>
    world
      .database('bookings')
      .where({ user_id })
      .orderBy('id')
      .select('id', 'bookable_id', 'guest_name')
      .select(world.database.raw(`lower(during) AS "from", upper(during) AS "to"`))

  /** Opens the page of the first desk. `time` is a query of the page. */
  async function openDesk(rules?: object, time = `date=${DAY}`) {
    const floor = await createFloor(world, { rules })
    await floor.browser.open(`/my/book/${floor.desks[0]}?${time}`)
    return floor
  }

  it('is the nearest similar desk if the desk is taken, and keeps the guest that the person entered', async () => {
    const { browser, desks, user_id } = await openDesk()
    await world
      .database('bookables')
      .where({ id: desks[0] })
      .update({ tags: ['window'] })
    await world
      .database('bookables')
      .where({ id: desks[2] })
      .update({ tags: ['window'] })
    await createBooking(world.database, { bookable_id: desks[0], from: FROM, to: TO })
    await browser.submit('Book', { guest_name: 'Grace Hopper' })
    expect(browser.page.status).to.equal(409)
    expect(browser.words).to.include('Desk 1 was just taken. Book Desk 3 instead')
    await browser.submit('Book Desk 3 instead')
    expect(await bookedBy(user_id)).to.have.length(1)
    expect((await bookedBy(user_id))[0]).to.include({ bookable_id: desks[2], guest_name: 'Grace Hopper' })
  })

  it('says if the offered desk is beside the taken one on the plan', async () => {
    const { browser, desks } = await openDesk()
    for (const [index, id] of desks.entries())
      await world
        .database('bookables')
        .where({ id })
        .update({ position_x: index / 10, position_y: 0.5 })
    await createBooking(world.database, { bookable_id: desks[0], from: FROM, to: TO })
    await browser.submit('Book')
    expect(browser.words).to.include('Book Desk 2 beside it')
  })

  it('is another day or another place if the place is closed', async () => {
    const { browser, desks, user_id } = await openDesk()
    const rules = JSON.stringify({ closed: [{ from: FROM, to: TO, reason: 'Works' }] })
    await world.database('bookables').where({ id: desks[0] }).update({ rules })
    await browser.submit('Book')
    expect(browser.words).to.include('Works').and.include('Book Desk 2 instead')
    await browser.submit('Book Mon, 10 Feb 2031, 09:00 – 17:00')
    expect(await bookedBy(user_id)).to.have.length(1)
    expect((await bookedBy(user_id))[0].from).to.deep.equal('2031-02-10 08:00:00+00')
  })

  const times = {
    'within the opening hours': {
      rules: { opening_hours: [{ day: 2, from: '10:00', to: '12:00' }] },
      button: 'Book Tue, 11 Feb 2031, 10:00 – 12:00',
    },
    'as long as the place allows': {
      rules: { minutes_max: 60 },
      button: 'Book Tue, 11 Feb 2031, 09:00 – 10:00',
    },
    'as long as the place requires': {
      rules: { minutes_min: 600 },
      button: 'Book Tue, 11 Feb 2031, 09:00 – 19:00',
    },
  }
  for (const [what, { rules, button }] of Object.entries(times))
    it(`is the nearest time ${what}`, async () => {
      const { browser, desks, user_id } = await openDesk(rules, `date=${DAY}&from=09:00&to=17:00`)
      await browser.submit('Book')
      expect(browser.page.status).to.equal(409)
      await browser.submit(button)
      expect(browser.words).to.include('is booked')
      expect((await bookedBy(user_id)).map(({ bookable_id }) => bookable_id)).to.deep.equal([desks[0]])
    })

  it('is the last allowed day if the day is too far ahead', async () => {
    const date = new Date(Date.now() + 20 * 24 * 3_600_000).toISOString().slice(0, 10)
    const { browser, user_id } = await openDesk({ days_ahead_max: 7 }, `date=${date}&from=09:00&to=10:00`)
    await browser.submit('Book')
    expect(browser.words).to.include('at most 7 days ahead')
    const [button = ''] = /Book \w{3},? \d+ \w+,? 09:00 – 10:00/.exec(browser.words) ?? []
    await browser.submit(button)
    const [booked] = await bookedBy(user_id)
    const days = (Date.parse(booked.from) - Date.now()) / (24 * 3_600_000)
    expect(days).to.be.within(5.5, 8)
  })

  for (const rules of [{ one_at_a_time: true }, { one_desk_a_day: true }, { bookings_ahead_max: 1 }])
    it(`is the booking to give up if a limit is reached: ${Object.keys(rules)}`, async () => {
      const { browser, desks, user_id } = await openDesk(rules)
      const id = await createBooking(world.database, { user_id, bookable_id: desks[1], from: FROM, to: TO })
      await browser.submit('Book')
      await browser.submit('Move Desk 2, Tue, 11 Feb 2031, 09:00 – 17:00, here')
      expect(browser.page.path).to.equal(`/my/bookings/${id}`)
      expect(await bookedBy(user_id)).to.have.length(1)
      expect((await bookedBy(user_id))[0].bookable_id).to.equal(desks[0])
    })

  it('never moves the booking of somebody else', async () => {
    const { browser, desks, user_id } = await openDesk({ one_at_a_time: true })
    await createBooking(world.database, { user_id, bookable_id: desks[1], from: FROM, to: TO })
    const other = await createBooking(world.database, { bookable_id: desks[2], from: FROM, to: TO })
    await browser.submit('Book')
    await browser.submit('Move Desk 2, Tue, 11 Feb 2031, 09:00 – 17:00, here', { booking: String(other) })
    expect(browser.page.status).to.equal(404)
    expect((await world.database('bookings').where({ id: other }).first()).bookable_id).to.equal(desks[2])
  })

  it('is a request if the place has come to need approval', async () => {
    const { browser, location_id, user_id } = await openDesk()
    const boss = await createUser(world.database)
    const rules = JSON.stringify({ approvers: { user_ids: [boss] } })
    await world.database('locations').where({ id: location_id }).update({ rules })
    await browser.submit('Book', { booking_info: 'A visit' })
    const [, request = ''] = browser.page.text.split('my-alternatives')
    expect(request).to.include('>Send request<')
    // The form of the page sends a request too by now; both have the entered purpose.
    const [form = expect.fail('No form')] = parseForms(request)
    await browser.send(form)
    const [hold] = await world.database('holds').where({ user_id })
    expect(hold).to.include({ state: 'pending', booking_info: 'A visit' })
  })

  it('is a link to the person’s requests if they have too many', async () => {
    const boss = await createUser(world.database)
    const { browser, desks, user_id } = await openDesk({ approvers: { user_ids: [boss] } })
    for (let hour = 0; hour < 10; hour++) {
      const at = (hours: number) =>
        new Date(Date.parse('2031-03-01T08:00:00Z') + hours * 3_600_000).toISOString()
      const [from, to] = [at(hour), at(hour + 1)]
      await createHold(world.database, { user_id, bookable_id: desks[2], from, to })
    }
    await browser.submit('Send request')
    await browser.follow('Withdraw a request')
    expect(browser.page.path).to.equal('/my/requests')
  })

  it('is another desk at the new time if a change of a booking is refused', async () => {
    const { browser, desks, user_id } = await openDesk()
    const id = await createBooking(world.database, { user_id, bookable_id: desks[0], from: FROM, to: TO })
    await createBooking(world.database, { bookable_id: desks[0], from: TO, to: `${DAY}T20:00:00Z` })
    await browser.open(`/my/bookings/${id}`)
    await browser.submit('Change the time', { to_time: `${DAY}T18:00` })
    expect(browser.words).to.include('Desk 1 was just taken.')
    await browser.submit('Book Desk 2 instead')
    const [booked] = await bookedBy(user_id)
    expect(booked).to.include({ bookable_id: desks[1], to: '2031-02-11 17:00:00+00' })
  })
})
