// Tests the card of a booking: other times, other desks, people nearby, the map, the calendar file and cancelling.
import { expect } from 'chai'
import type { Browser } from '../../../../support/dashboard/dashboard.ts'
import { createBooking, createEvent, createUser, hoursFromNow } from '../../../../support/factories.ts'
import { createFloor, DAY, FROM, TO } from '../../../../support/people/floor.ts'
import { useWorld } from '../../../../support/world.ts'

/** Presses the button of a time, which sends the time. */
function press(browser: Browser, label: string, fields: Record<string, string> = {}) {
  const { address, controls } = browser.form(label)
  const sent = Object.fromEntries(controls.map(({ name, value }) => [name, value]))
  const span = new RegExp(`value="(\\S+ \\S+)">${label}`).exec(browser.page.text)?.[1] ?? ''
  return browser.post(address, new URLSearchParams({ ...sent, span, ...fields }))
}

describe('the card of a booking', () => {
  const world = useWorld()

  async function createBooked(rules?: object) {
    const floor = await createFloor(world, { rules })
    const { desks, user_id, browser } = floor
    const id = await createBooking(world.database, { user_id, bookable_id: desks[0], from: FROM, to: TO })
    const open = () => browser.open(`/my/bookings/${id}`)
    await open()
    const find = () =>
      world
        .database('bookings')
        .where({ id })
        .first('bookable_id', world.database.raw(`lower(during) AS "from", upper(during) AS "to"`))
    return { ...floor, id, open, find }
  }
  const listTimes = (words: string) => words.match(/(?:From|Until) \d\d:\d\d/g)

  it('offers only free and allowed times, and changes the time with one press', async () => {
    const opening_hours = [{ day: 2, from: '09:00', to: '20:00' }]
    const { browser, desks, open, find } = await createBooked({ opening_hours })
    expect(listTimes(browser.words)).to.deep.equal([
      'From 10:00',
      'Until 16:00',
      'Until 18:00',
      'Until 20:00',
    ])
    const later = { from: `${DAY}T17:30:00Z`, to: `${DAY}T19:00:00Z` }
    await createBooking(world.database, { bookable_id: desks[0], ...later })
    await open()
    expect(listTimes(browser.words)).to.deep.equal(['From 10:00', 'Until 16:00', 'Until 18:00'])
    await press(browser, 'Until 18:00')
    expect(browser.words).to.include('is booked: Tue, 11 Feb 2031, 09:00 – 18:00')
    expect(await find()).to.include({ to: '2031-02-11 17:00:00+00' })
    await browser.submit('Undo')
    expect(await find()).to.include({ to: '2031-02-11 16:00:00+00' })
  })

  it('refuses a time that it did not offer, and changes nothing', async () => {
    const { browser, open, find } = await createBooked()
    for (const span of ['x', `${TO} ${FROM}`, FROM]) {
      await open()
      await press(browser, 'Until 18:00', { span })
      expect(browser.page.status).to.equal(400)
    }
    expect(await find()).to.include({ to: '2031-02-11 16:00:00+00' })
  })

  it('keeps a typed time that the clocks skip, and says that they skip it', async () => {
    const { browser, find } = await createBooked()
    await browser.submit('Change the time', {
      from_time: '2031-03-30T02:30',
      to_time: '2031-03-30T05:00',
    })
    expect(browser.page.status).to.equal(422)
    expect(browser.words).to.include('The clocks in Europe/Berlin skip 2031-03-30 02:30 on that day.')
    expect(browser.page.text).to.include('value="2031-03-30T02:30"').and.include('value="2031-03-30T05:00"')
    expect(await find()).to.include({ to: '2031-02-11 16:00:00+00' })
  })

  it('is shown again if somebody has deleted the chosen desk in the meantime', async () => {
    const { browser, desks, find } = await createBooked()
    await world.database('bookables').where({ id: desks[1] }).update({ deleted_at: new Date() })
    await browser.submit('Desk 2')
    expect(browser.page.status).to.be.oneOf([404, 409, 422])
    expect(browser.words).to.include('Another desk Desk 3')
    expect(await find()).to.include({ bookable_id: desks[0] })
  })

  it('moves the booking to another desk that is free', async () => {
    const { browser, desks, open, find } = await createBooked()
    await createBooking(world.database, { bookable_id: desks[1], from: FROM, to: TO })
    await open()
    expect(browser.words).to.match(/Another desk Desk 3 (?!Desk)/)
    await browser.submit('Desk 3')
    expect(browser.words).to.include('You now have Desk 3 (Third floor).')
    expect(await find()).to.include({ bookable_id: desks[2] })
  })

  it('names the colleagues who sit near, but not those who hide', async () => {
    const { browser, desks, open } = await createBooked()
    const [anna, ben] = await Promise.all(
      ['Anna Berg', 'Ben Tal'].map((name) => createUser(world.database, { name })),
    )
    for (const [index, user_id] of [anna, ben].entries())
      await createBooking(world.database, { user_id, bookable_id: desks[index + 1], from: FROM, to: TO })
    await world.database('person_settings').insert({ user_id: ben, visibility: 'nobody' })
    await open()
    expect(browser.words).to.match(/Near you \w+ Anna Berg Desk 2/)
    expect(browser.words).to.not.include('Ben Tal')
    await browser.follow('Map')
    expect(browser.page.path).to.match(/^\/my\/book\?/)
    expect(browser.page.path).to.include(`near=${desks[0]}`)
  })

  it('offers a calendar file with the same UID as in calendar feeds', async () => {
    const { browser, id } = await createBooked()
    await browser.follow('Add to calendar')
    const { text } = browser.page
    const { id: database } = await world.database('identity').first('id')
    expect(text).to.include('BEGIN:VCALENDAR').and.include(`UID:booking-${id}@${database}.berth`)
    expect(text).to.include('DTSTART:20310211T080000Z').and.include('SUMMARY:Desk 1')
    const stranger = await createBooking(world.database, { from: FROM, to: TO })
    await browser.open(`/my/bookings/${stranger}/calendar`)
    expect(browser.page.status).to.equal(404)
  })

  it('offers the calendar file of a meeting only to its people', async () => {
    const { browser, user_id } = await createBooked()
    const times = { from: hoursFromNow(24), to: hoursFromNow(25) }
    const own = await createEvent(world.database, { organizer_user_id: user_id, name: 'Weekly', ...times })
    await browser.open(`/my/meetings/${own}`)
    await browser.follow('Add to calendar')
    expect(browser.page.text).to.include('SUMMARY:Weekly')
    const other = await createEvent(world.database, { name: 'Secret', ...times })
    await browser.open(`/my/meetings/${other}/calendar`)
    expect(browser.page.status).to.equal(404)
  })

  it('confirms a new booking, and Undo leads to My day', async () => {
    const { browser, desks, user_id } = await createBooked()
    await browser.open(`/my/book/${desks[1]}?date=${DAY}`)
    await browser.submit('Book')
    const [, booked] = await world.database('bookings').where({ user_id }).orderBy('id')
    expect(browser.page.path).to.equal(`/my/bookings/${booked.id}`)
    expect(browser.words).to.match(/Desk 2 \(Third floor, Quay\) is booked: .+ Undo Map Add to calendar/)
    await browser.submit('Undo')
    expect(browser.page.path).to.equal('/my')
    expect(browser.words).to.include('Undone.')
    expect(await world.database('bookings').where({ user_id })).to.have.length(1)
  })

  it('changes and cancels one date, the following dates or all dates of a series', async () => {
    const { browser, desks, user_id } = await createBooked()
    await browser.open(`/my/book/${desks[1]}?date=${DAY}`)
    await browser.submit('Book', { repeat_on: '2', repeat_until: '2031-03-04' })
    const dates = () => world.database('bookings').where({ user_id, bookable_id: desks[1] }).orderBy('during')
    const [, second] = await dates()
    await browser.open(`/my/bookings/${second.id}`)
    await press(browser, 'Until 18:00', { scope: 'following' })
    const ends = (await dates()).map(({ during }) => /,"?[\d-]+ (\d\d)/.exec(during)?.[1])
    expect(ends).to.deep.equal(['16', '17', '17', '17'])
    await browser.open(`/my/bookings/${second.id}`)
    await browser.submit('Cancel this and following')
    expect(browser.words).to.include('3 bookings cancelled.')
    expect(await dates()).to.have.length(1)
  })
})
