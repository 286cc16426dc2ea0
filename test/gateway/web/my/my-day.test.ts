// Tests My day: people check in to their bookings, leave early and cancel, but only their own bookings.
import { expect } from 'chai'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { createSignedIn } from '../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

describe('the page My day of a person', () => {
  const world = useWorld()

  async function createPerson() {
    const user_id = await createUser(world.database)
    return { user_id, browser: await signInAs(world, user_id) }
  }

  it('checks in to a booking when check-in is open', async () => {
    const { user_id, browser } = await createPerson()
    const id = await createBooking(world.database, {
      user_id,
      from: hoursFromNow(-2),
      to: hoursFromNow(3),
      check_in_from: hoursFromNow(-3),
      check_in_until: hoursFromNow(1),
    })
    await browser.open('/my')
    await browser.submit('Check in')
    expect(browser.words).to.include('You are checked in.')
    const { checked_in_at } = await world.database('bookings').where({ id }).first()
    expect(checked_in_at).to.not.equal(null)
    const { actor_type, actor_id } = await world
      .database('audit_log')
      .where({ action: 'bookings.check-in', resource_id: id })
      .first()
    expect([actor_type, Number(actor_id)]).to.deep.equal(['user', user_id])
  })

  it('ends a current booking, and cancels a future booking', async () => {
    const { user_id, browser } = await createPerson()
    const running = await createBooking(world.database, {
      user_id,
      from: hoursFromNow(-1),
      to: hoursFromNow(3),
    })
    await browser.open('/my')
    await browser.submit('Leave now')
    expect(browser.words).to.match(/Your booking of Desk \d+ \(Floor \d+, Building \d+\) has ended\./)
    const ended = await world
      .database('bookings')
      .where({ id: running })
      .first(world.database.raw('upper(during) <= now() AS over'))
    expect(ended.over).to.equal(true)

    const future = await createBooking(world.database, {
      user_id,
      from: hoursFromNow(48),
      to: hoursFromNow(50),
    })
    await browser.open(`/my/bookings/${future}`)
    await browser.submit('Cancel it')
    expect(browser.words).to.match(/Cancelled: Desk \d+ \(Floor \d+, Building \d+\), /)
    expect(await world.database('bookings').where({ id: future })).to.have.length(0)
  })

  it('does not say that nothing is booked while a meeting is still to come today or is running', async () => {
    const { user_id, browser } = await createPerson()
    await browser.open('/my')
    expect(browser.words).to.include('You have nothing booked today.')
    const running = { from: hoursFromNow(-0.5), to: hoursFromNow(0.5) }
    const id = await createEvent(world.database, { organizer_user_id: user_id, name: 'Weekly', ...running })
    await browser.open('/my')
    expect(browser.words).to.include('Weekly').and.not.include('You have nothing booked')
    const later = world.database.raw('tstzrange(?, ?)', [hoursFromNow(26), hoursFromNow(28)])
    await world.database('events').where({ id }).update({ during: later })
    await browser.open('/my')
    expect(browser.words).to.include('Weekly').and.include('You have nothing booked today.')
  })

  it('shows a series as one row with its next date, and opens the others', async () => {
    const { user_id, browser } = await createPerson()
    const [series] = await world
      .database('series')
      .insert({ repeat: { every: 'week', interval: 1, on: [1], count: 4 }, timezone: 'UTC' })
      .returning('id')
    const bookable_id = await createBookable(world.database, { name: 'Window desk' })
    const ids: number[] = []
    for (const days of [2, 9, 16, 23])
      ids.push(
        await createBooking(world.database, {
          user_id,
          bookable_id,
          series_id: series.id,
          from: hoursFromNow(24 * days),
          to: hoursFromNow(24 * days + 2),
        }),
      )
    await browser.open('/my')
    expect(browser.words.match(/Window desk/g), 'rows').to.have.length(1)
    expect(browser.words).to.match(/and 3 more until \w+ \d+|and 3 more until \d+ \w+/)
    for (const id of ids) expect(browser.page.text).to.include(`/my/bookings/${id}`)
  })

  it('counts all dates of a long series of meetings', async () => {
    const { user_id, browser } = await createPerson()
    const [series] = await world
      .database('series')
      .insert({ repeat: { every: 'day', interval: 1, count: 45 }, timezone: 'UTC' })
      .returning('id')
    for (let day = 2; day < 47; day++)
      await createEvent(world.database, {
        organizer_user_id: user_id,
        name: 'Standup',
        series_id: series.id,
        from: hoursFromNow(24 * day),
        to: hoursFromNow(24 * day + 0.5),
      })
    await browser.open('/my')
    expect(browser.words).to.include('and 44 more until')
  })

  it('keeps the row of a date of a series that the person can check in to', async () => {
    const { user_id, browser } = await createPerson()
    const [series] = await world
      .database('series')
      .insert({ repeat: { every: 'day', interval: 1, count: 2 }, timezone: 'UTC' })
      .returning('id')
    const booking = {
      user_id,
      series_id: series.id,
      bookable_id: await createBookable(world.database, { name: 'Window desk' }),
    }
    await createBooking(world.database, { ...booking, from: hoursFromNow(-5), to: hoursFromNow(-0.2) })
    await createBooking(world.database, {
      ...booking,
      from: hoursFromNow(-0.1),
      to: hoursFromNow(3),
      check_in_from: hoursFromNow(-3),
      check_in_until: hoursFromNow(1),
    })
    await createBooking(world.database, { ...booking, from: hoursFromNow(40), to: hoursFromNow(42) })
    await browser.open('/my')
    expect(browser.words).to.include('and 1 more until')
    await browser.submit('Check in')
    expect(browser.words).to.include('You are checked in.')
  })

  it('does not let a person change the booking of another person', async () => {
    const { user_id, browser } = await createPerson()
    const future = { user_id, from: hoursFromNow(48), to: hoursFromNow(50) }
    const own = await createBooking(world.database, future)
    await createBooking(world.database, { user_id, from: hoursFromNow(-2), to: hoursFromNow(2) })
    for (const [button, path] of [
      ['Cancel it', `/my/bookings/${own}`],
      ['Leave now', '/my'],
    ] as const) {
      const theirs = await createBooking(world.database, { from: hoursFromNow(-2), to: hoursFromNow(5) })
      await browser.open(path)
      await browser.submit(button, { id: String(theirs) })
      expect(browser.words).to.not.include('Cancelled').and.not.include('has ended')
      const kept = await world
        .database('bookings')
        .where({ id: theirs })
        .first(world.database.raw('upper(during) > now() AS held'))
      expect(kept.held).to.equal(true)
    }
  })

  it('restores a cancelled booking for the person who cancelled it', async () => {
    const { user_id, browser } = await createPerson()
    const id = await createBooking(world.database, { user_id, from: hoursFromNow(48), to: hoursFromNow(50) })
    await browser.open(`/my/bookings/${id}`)
    await browser.submit('Cancel it')
    const { address } = browser.form('Undo')
    const other = await createPerson()
    await other.browser.open(address)
    await other.browser.submit('Undo')
    expect(other.browser.words).to.include('This audit log entry does not exist')
    expect(await world.database('bookings').where({ id })).to.have.length(0)
    await browser.submit('Undo')
    expect(browser.words).to.include('Undone.')
    expect(await world.database('bookings').where({ id }).first('user_id')).to.deep.equal({ user_id })
  })

  it('names the office team, not the administrator, if an administrator has already undone a change', async () => {
    const { user_id, browser } = await createPerson()
    const times = { from: hoursFromNow(48), to: hoursFromNow(50) }
    const id = await createBooking(world.database, { user_id, ...times })
    await browser.open(`/my/bookings/${id}`)
    await browser.submit('Cancel it')
    const { address } = browser.form('Undo')
    const admin = await createSignedIn(world)
    const entry = await world
      .database('audit_log')
      .where({ action: 'bookings.delete', resource_id: id })
      .first()
    await admin.open(`/dashboard/undo/${entry.id}`)
    await admin.submit('Undo')
    await browser.open(address)
    await browser.submit('Undo')
    expect(browser.words).to.include('The office team has already undone this').and.not.include('@')
  })

  it('does not let a person undo what another person did with the booking', async () => {
    const { user_id, browser } = await createPerson()
    const id = await createBooking(world.database, { user_id, from: hoursFromNow(48), to: hoursFromNow(50) })
    const admin = await createSignedIn(world)
    await admin.open(`/dashboard/bookings/${id}/cancel`)
    await admin.submit('Cancel booking')
    const entry = await world
      .database('audit_log')
      .where({ action: 'bookings.delete', resource_id: id })
      .first()
    await browser.open(`/my/undo/${entry.id}`)
    await browser.submit('Undo')
    expect(browser.words).to.include('This audit log entry does not exist')
    expect(await world.database('bookings').where({ id })).to.have.length(0)
  })

  it('shows only the floors of favourite colleagues and of group members', async () => {
    const { user_id, browser } = await createPerson()
    const [anna, ben, carla, dora] = await Promise.all(
      ['Anna Berg', 'Ben Tal', 'Carla See', 'Dora Feld'].map((name) => createUser(world.database, { name })),
    )
    const groups = await world.database('groups').insert({ name: 'Design' }, 'id')
    const group_id = groups[0].id
    await world
      .database('group_members')
      .insert([user_id, ben, dora].map((each) => ({ group_id, user_id: each })))
    await world.database('favourite_colleagues').insert({ user_id, colleague_id: anna })
    await world.database('person_settings').insert({ user_id: dora, visibility: 'nobody' })
    for (const each of [anna, ben, carla, dora])
      await createBooking(world.database, {
        user_id: each,
        from: hoursFromNow(-0.01),
        to: hoursFromNow(0.01),
      })
    await browser.open('/my')
    expect(browser.words).to.include('Anna Berg').and.include('Ben Tal')
    expect(browser.words).to.not.include('Carla See').and.not.include('Dora Feld')
  })

  it('does not treat a desk that a colleague booked for a guest as the colleague’s seat', async () => {
    const { user_id, browser } = await createPerson()
    const colleague_id = await createUser(world.database, { name: 'Anna Berg' })
    await world.database('favourite_colleagues').insert({ user_id, colleague_id })
    const span = { from: hoursFromNow(-0.01), to: hoursFromNow(0.01) }
    await createBooking(world.database, { user_id: colleague_id, ...span, guest_name: 'Gast Geheim' })
    await browser.open('/my')
    expect(browser.words).to.not.include('Anna Berg').and.not.include('Gast Geheim')
  })

  it('lists a booking that has no end', async () => {
    const { user_id, browser } = await createPerson()
    await createBooking(world.database, { user_id, from: hoursFromNow(-1), to: null })
    await browser.open('/my')
    expect(browser.words).to.include('open-ended').and.include('Leave now')
  })

  it('shows the next ten bookings, and all of them on demand', async () => {
    const { user_id, browser } = await createPerson()
    for (let day = 2; day <= 12; day += 1)
      await createBooking(world.database, {
        user_id,
        from: hoursFromNow(day * 24),
        to: hoursFromNow(day * 24 + 2),
      })
    await browser.open('/my')
    const countShown = () => browser.page.text.split('href="/my/bookings/').length - 1
    expect(countShown()).to.equal(10)
    await browser.follow('Show all')
    expect(countShown()).to.equal(11)
  })

  it('names the time zones only if they differ, and shows the year of distant bookings', async () => {
    const { user_id, browser } = await createPerson()
    const far = hoursFromNow(24 * 400)
    await createBooking(world.database, { user_id, from: far, to: hoursFromNow(24 * 400 + 2) })
    await browser.open('/my')
    expect(browser.words).to.include(far.slice(0, 4)).and.not.include('(UTC)')
    const building_id = await createBuilding(world.database, { timezone: 'Pacific/Auckland' })
    const location_id = await createLocation(world.database, { building_id })
    const bookable_id = await createBookable(world.database, {
      location_id,
      type: BOOKABLE_TYPES.parkingSpot,
    })
    await createBooking(world.database, {
      user_id,
      bookable_id,
      from: hoursFromNow(72),
      to: hoursFromNow(74),
    })
    await browser.open('/my')
    expect(browser.words).to.include('(UTC)').and.include('(Pacific/Auckland)').and.include('Parking spot')
  })

  it('offers to try again if a page fails, with the same address and the request ID', async () => {
    const { browser } = await createPerson()
    await world.database.schema.renameTable('waits', 'waits_elsewhere')
    try {
      expect((await browser.open('/my?all=true')).status).to.equal(500)
      expect(browser.words).to.include(`Status 500, request ID ${browser.page.headers.get('X-Request-Id')}`)
      expect(browser.words).to.include('Try again').and.include('My day')
    } finally {
      await world.database.schema.renameTable('waits_elsewhere', 'waits')
    }
    await browser.follow('Try again')
    expect([browser.page.status, browser.page.path]).to.deep.equal([200, '/my?all=true'])
    expect(browser.words).to.not.include('Try again')
  })
})
