// Tests places with slots: the page Book offers the slots as chips, and rooms on the same floor can be booked
// by the minute.
import { expect } from 'chai'
import { createBookable, createBooking } from '../../../support/factories.ts'
import { createFloor, DAY } from '../../../support/people/floor.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const SLOTS = [
  { name: 'Morning', from: '08:00', to: '12:00' },
  { name: 'Afternoon', from: '12:00', to: '17:00' },
]

describe('places with slots on people’s own pages', () => {
  const world = useWorld()
  const client = useClient(world, 'read', 'booking-write', 'object-write')
  const create = (rules: object = { slots: SLOTS, slot_only: true }) => createFloor(world, { rules })
  const bookingsOf = (user_id: number) =>
    world.database('bookings').where({ user_id }).orderBy('during').select('bookable_id', 'during')

  it('offer each slot as a chip, and propose all slots together', async () => {
    const { browser, place, desks, user_id } = await create()
    await browser.open(place)
    expect(browser.words).to.include('08:00 – 17:00').and.include('Morning Afternoon All slots')
    await browser.follow('Morning')
    expect(browser.words).to.include('08:00 – 12:00')
    await browser.follow('Desk 1')
    await browser.submit('Book')
    expect(browser.words).to.include('08:00 – 12:00')
    expect(await bookingsOf(user_id)).to.deep.equal([
      { bookable_id: desks[0], during: `["${DAY} 07:00:00+00","${DAY} 11:00:00+00")` },
    ])
  })

  it('share a desk between two people, in the morning and in the afternoon', async () => {
    const { browser, place, desks } = await create()
    const [from, to] = [`${DAY}T07:00:00Z`, `${DAY}T11:00:00Z`]
    for (const bookable_id of desks) await createBooking(world.database, { bookable_id, from, to })
    await browser.open(place)
    expect(browser.words).to.include('Nothing is free here at that time.')
    await browser.follow('Afternoon')
    expect(browser.words).to.include('12:00 – 17:00').and.include('Desk 1')
  })

  it('offer only starts and ends of slots, and replace other times', async () => {
    const { browser, place } = await create()
    await browser.open(`${place}&from=09:00&to=16:00`)
    expect(browser.words).to.include('08:00 – 17:00')
    expect(browser.page.text).to.match(/<select[^>]*name="from"/)
    await browser.submit('Show', { from: '12:00', to: '17:00' })
    expect(browser.words).to.include('12:00 – 17:00')
  })

  it('only suggest the slots if other times are allowed', async () => {
    const { browser, place } = await create({ slots: SLOTS })
    await browser.open(place)
    expect(browser.words).to.include('09:00 – 17:00').and.include('Morning Afternoon')
    expect(browser.page.text).to.match(/<input[^>]*name="from"/)
  })

  it('let people book rooms by the minute if the rooms lift the rule', async () => {
    const { browser, location_id, user_id } = await create()
    const room = await createBookable(world.database, {
      location_id,
      name: 'Elbe',
      type: 2,
      rules: JSON.stringify({ slots: null, slot_only: null }),
    })
    await browser.open(`/my/book?location=${location_id}&type=2&date=${DAY}&from=09:10&to=09:40`)
    expect(browser.words).to.include('09:10 – 09:40').and.not.include('Morning')
    await browser.follow('Elbe')
    await browser.submit('Book')
    expect(await bookingsOf(user_id)).to.deep.equal([
      { bookable_id: room, during: `["${DAY} 08:10:00+00","${DAY} 08:40:00+00")` },
    ])
  })

  it('repeat bookings in slots, in the time zone of the building', async () => {
    const { desks, location_id, user_id } = await create()
    // The clocks change between these weeks.
    const repeat = { every: 'week', count: 3 }
    const series = (from_time: string, to_time: string) =>
      client.post('bookings/series', {
        bookable_id: desks[0],
        location_id,
        user_id,
        from_time,
        to_time,
        repeat,
      })
    const created = await series('2031-03-25T07:00:00Z', '2031-03-25T11:00:00Z')
    expect(created.status, created.text).to.equal(200)
    const times = await world.database('bookings').where({ user_id }).orderBy('during').pluck('during')
    expect(times.map((during: string) => during.slice(13, 18))).to.deep.equal(['07:00', '06:00', '06:00'])
    const refused = await series('2031-03-25T08:00:00Z', '2031-03-25T12:00:00Z')
    expect(refused.json).to.include({ status: 409, code: 'outside_slots' })
  })

  for (const date of ['2031-04-24', '2031-04-25'])
    it(`are shown on ${date}, the day before or after a midnight that the clocks in Cairo skip`, async () => {
      const { building_id, desks, browser } = await createFloor(world)
      await world.database('buildings').where({ id: building_id }).update({ timezone: 'Africa/Cairo' })
      await createBooking(world.database, {
        bookable_id: desks[0],
        from: `${date}T07:00:00Z`,
        to: `${date}T09:00:00Z`,
      })
      await browser.open(`/my/book/${desks[0]}?date=${date}&from=12:00&to=13:00`)
      expect(browser.page.status).to.equal(200)
      expect(browser.words).to.include('Desk 1').and.include('12:00 – 13:00')
    })

  it('can be booked until a midnight that the clocks in Cairo skip', async () => {
    const { building_id, desks, browser, user_id } = await createFloor(world)
    await world.database('buildings').where({ id: building_id }).update({ timezone: 'Africa/Cairo' })
    await browser.open(`/my/book/${desks[0]}?date=2031-04-24&from=14:00&to=24:00`)
    await browser.submit('Book')
    expect(browser.words).to.include('is booked: Thu, 24 Apr 2031')
    expect((await bookingsOf(user_id))[0]?.during).to.equal(
      '["2031-04-24 12:00:00+00","2031-04-24 22:00:00+00")',
    )
  })
})
