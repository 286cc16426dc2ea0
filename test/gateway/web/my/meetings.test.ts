// Tests meetings on people's own pages: inviting colleagues and guests to a room, and what the organizer can do on My
// day.
import { expect } from 'chai'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import { createSignedIn, parseForms } from '../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

// A Tuesday in winter, when local time is an hour ahead of UTC.
const DAY = '2031-02-11'
const TIME_QUERY = `date=${DAY}&from=10:00&to=11:00`

describe('meetings on people’s own pages', () => {
  const world = useWorld()
  const admin = useAdmin(world)

  async function createRoom(rules?: object) {
    const { database } = world
    const building_id = await createBuilding(database, { timezone: 'Europe/Berlin', name: 'Quay' })
    const location_id = await createLocation(database, { building_id, name: 'Third floor' })
    const room = await createBookable(database, {
      location_id,
      type: 2,
      name: 'Lagoon',
      capacity: 6,
      ...(rules && { rules: JSON.stringify(rules) }),
    })
    const ada = await createUser(database, { name: 'Ada Lovelace' })
    return { room, ada, browser: await signInAs(world, ada), page: `/my/book/${room}?${TIME_QUERY}` }
  }

  async function bookWith(people: string) {
    const found = await createRoom()
    await found.browser.open(found.page)
    await found.browser.submit('Book', { people, title: 'Harbour plans' })
    const { event_id } = await world.database('bookings').where({ bookable_id: found.room }).first('event_id')
    return { ...found, event_id: event_id as number, path: `/my/meetings/${event_id}` }
  }

  const attendeesOf = (organizer_user_id: number) =>
    world
      .database('event_attendees')
      .join('events', 'events.id', 'event_id')
      .where({ organizer_user_id })
      .orderBy('event_attendees.id')
      .select('user_id', 'email')

  it('are booked with a colleague, found by name, and several guests, all entered in one field', async () => {
    const anna = await createUser(world.database, { name: 'Anna Einzig', email: 'anna.einzig@example.com' })
    const people = 'anna einzig, Grace Hopper <grace@navy.example.org>\nalan@park.example.org'
    const { ada, browser, event_id } = await bookWith(people)
    expect(browser.words)
      .to.match(/Lagoon \(.+, .+\) is booked: Tue, 11 Feb 2031, 10:00 – 11:00\./)
      .and.include('Harbour plans')
      .and.include('Grace Hopper guest no answer yet')
    const attendees = await world.database('event_attendees').where({ event_id }).orderBy('id')
    expect(attendees.map(({ user_id, email, name }) => [user_id ?? email, name])).to.deep.equal([
      [ada, null],
      [anna, null],
      ['grace@navy.example.org', 'Grace Hopper'],
      ['alan@park.example.org', null],
    ])
    expect((await world.database('events').where({ id: event_id }).first()).invites).to.equal(true)

    // Opens the page on which the front desk sees expected guests.
    const dashboard = await createSignedIn(world)
    await dashboard.open(`/dashboard/visitors?date=${DAY}&search=grace+hopper`)
    expect(dashboard.words)
      .to.include('Grace Hopper')
      .and.include('Harbour plans')
      .and.not.include('alan@park.example.org')

    const colleague = await signInAs(world, anna)
    await colleague.open(`/my/meetings/${event_id}`)
    expect(colleague.words).to.include('Ada Lovelace organizer').and.not.include('Cancel meeting')
  })

  it('let the person choose if several colleagues match a name, and keep everything else that was entered', async () => {
    const ids: number[] = []
    for (const name of ['Otto Zweimal-Eins', 'Otto Zweimal-Zwei'])
      ids.push(await createUser(world.database, { name }))
    const { ada, browser, page } = await createRoom()
    await browser.open(page)
    await browser.submit('Book', { people: 'zweimal, grace@navy.example.org', title: 'Harbour plans' })
    expect(browser.words)
      .to.include('Several colleagues match zweimal.')
      .and.include('Otto Zweimal-Eins')
      .and.include('Otto Zweimal-Zwei')
    await browser.submit('Book', { chosen: String(ids[1]) })
    expect(browser.words).to.include('Harbour plans')
    const attendees = await attendeesOf(ada)
    expect(attendees.map(({ user_id, email }) => user_id ?? email)).to.deep.equal([
      ada,
      ids[1],
      'grace@navy.example.org',
    ])
  })

  it('do not find hidden people, and say how to invite a person as a guest', async () => {
    const hidden = await createUser(world.database, { name: 'Henry Versteckt' })
    await world.database('person_settings').insert({ user_id: hidden, visibility: 'nobody' })
    const { ada, browser, page } = await createRoom()
    // Also finds people who have a meeting with the person.
    const [from, to] = [`${DAY}T12:00:00Z`, `${DAY}T13:00:00Z`]
    const event_id = await createEvent(world.database, { organizer_user_id: hidden, from, to })
    await world.database('event_attendees').insert({ event_id, user_id: ada })
    await browser.open(page)
    await browser.submit('Book', { people: 'Versteckt' })
    expect(browser.words).to.include(
      'Nobody found with the name Versteckt. To invite a guest, enter an e-mail address',
    )
  })

  it('are plain bookings when nobody is invited', async () => {
    const { room, ada, browser, page } = await createRoom()
    await browser.open(page)
    await browser.submit('Book')
    const [claim] = await world.database('bookings').where({ bookable_id: room })
    expect([claim.user_id, claim.event_id]).to.deep.equal([ada, null])
  })

  it('can repeat, and are changed and cancelled alone, with the following ones, or all', async () => {
    const { browser, page } = await createRoom()
    await browser.open(page)
    await browser.submit('Book', { people: 'grace@navy.example.org', days: '2031-02-13' })
    expect(browser.words).to.include('To invite people on several days, choose a repeat.')
    await browser.open(page)
    await browser.submit('Book', {
      people: 'grace@navy.example.org',
      repeat_on: ['2', '3', '4'],
      repeat_until: '2031-02-13',
    })
    const series = Number(browser.page.path.split('/').at(-1))
    const { series_id } = await world.database('events').where({ id: series }).first()
    const events = () => world.database('events').where({ series_id }).orderBy('id')
    const statuses = async () => (await events()).map(({ status }) => status)
    const all = await events()
    expect(all.length).to.be.above(2)
    await browser.open(`/my/meetings/${all[1].id}`)
    await browser.submit('Save', { name: 'Review', scope: 'following' })
    expect((await events()).map(({ name }) => name === 'Review')).to.deep.equal(
      all.map((_, index) => index > 0),
    )
    await browser.open(`/my/meetings/${all[1].id}`)
    const cancelling = browser.form('This and following')
    const scope = { name: 'scope', value: 'following', type: 'text', checked: false, options: [] }
    await browser.send({ ...cancelling, controls: [...cancelling.controls, scope] })
    expect(browser.words).to.include('Meetings cancelled. Their rooms are free again.')
    expect(await statuses()).to.deep.equal(all.map((_, index) => (index > 0 ? 2 : 1)))
    await browser.submit('Undo')
    expect(await statuses()).to.deep.equal(all.map(() => 1))
  })

  it('have one form that changes their title, time, room and people', async () => {
    const { browser, room, event_id, path } = await bookWith('grace@navy.example.org')
    const { location_id } = await world.database('bookables').where({ id: room }).first('location_id')
    const atoll = await createBookable(world.database, { location_id, type: 2, name: 'Atoll', capacity: 4 })
    await browser.open(path)
    expect(browser.words).to.include('Atoll (Third floor, Quay), 4 seats')
    await browser.submit('Save', {
      name: 'Pier plans',
      from_time: `${DAY}T14:00`,
      to_time: `${DAY}T15:30`,
      room: String(atoll),
      people: 'Alan Turing <alan@park.example.org>, barbara@park.example.org',
    })
    expect(browser.words)
      .to.include('Saved.')
      .and.include('Pier plans')
      .and.include('14:00 – 15:30 · Atoll (Third floor, Quay)')
      .and.include('Alan Turing guest')
    const claims = await world.database('bookings').where({ event_id })
    expect(claims.map(({ bookable_id }) => bookable_id)).to.deep.equal([atoll])
    expect(claims[0].during).to.equal('["2031-02-11 13:00:00+00","2031-02-11 14:30:00+00")')
    await browser.submit('Save', { room: 'none' })
    expect(await world.database('bookings').where({ event_id })).to.have.length(0)
  })

  it('list the rooms that are free at the entered time when a change is refused', async () => {
    const { browser, room, path } = await bookWith('grace@navy.example.org')
    const { location_id } = await world.database('bookables').where({ id: room }).first('location_id')
    const atoll = await createBookable(world.database, { location_id, type: 2, name: 'Atoll' })
    const reef = await createBookable(world.database, { location_id, type: 2, name: 'Reef' })
    const [from, to] = [`${DAY}T13:00:00Z`, `${DAY}T14:00:00Z`]
    await createBooking(world.database, { bookable_id: atoll, from, to })
    await browser.open(path)
    expect(browser.words).to.include('Atoll (').and.include('Reef (')
    const later = { from_time: `${DAY}T14:00`, to_time: `${DAY}T15:00` }
    await browser.submit('Save', { ...later, room: String(atoll), people: 'alan@park.example.org' })
    expect(browser.page.status).to.equal(409)
    expect(browser.words).to.include('alan@park.example.org').and.not.include('Atoll (Third')
    await browser.submit('Save', { room: String(reef) })
    expect(browser.words).to.include('14:00 – 15:00 · Reef').and.include('alan@park.example.org guest')
  })

  it('show on My day who is invited, until the organizer removes somebody', async () => {
    const { ada, browser } = await bookWith('grace@navy.example.org, alan@park.example.org')
    await browser.open('/my')
    expect(browser.words)
      .to.include('Harbour plans')
      .and.include('With grace@navy.example.org (no answer yet), alan@park.example.org (no answer yet)')
    await browser.follow('Harbour plans')
    // The guests, in the order in which they were invited.
    const [grace] = parseForms(browser.page.text).filter(({ buttons }) => buttons.includes('Remove'))
    if (grace) await browser.send(grace)
    const attendees = await attendeesOf(ada)
    expect(attendees.map(({ email }) => email)).to.deep.equal([null, 'alan@park.example.org'])
  })

  it('let attendees answer, and show the answer to everybody', async () => {
    const anna = await createUser(world.database, { name: 'Anna Antwort' })
    const { browser, path, event_id } = await bookWith('Anna Antwort, grace@navy.example.org')
    const attendee = await signInAs(world, anna)
    expect(attendee.words).to.not.include('Harbour plans')
    await attendee.open(path)
    expect(attendee.words)
      .to.include('Your answer: no answer yet')
      .and.include('grace@navy.example.org guest')
      .and.not.include('Invite more people')
      .and.not.include('Free times')
    await attendee.submit('Maybe')
    expect(attendee.words).to.include('Answer saved.').and.include('Your answer: maybe')
    const [answered] = await world.database('event_attendees').where({ event_id, user_id: anna })
    expect(answered.status).to.equal(2)
    await browser.open(path)
    expect(browser.words).to.include('Anna Antwort maybe').and.not.include('Will you come?')
    await browser.open('/my')
    expect(browser.words).to.include('With Anna Antwort (maybe), grace@navy.example.org (no answer yet)')
  })

  it('can be created from a booked room and invite everybody in one step', async () => {
    const { room, ada, browser, page } = await createRoom()
    await browser.open(page)
    await browser.submit('Book')
    const { id } = await world.database('bookings').where({ bookable_id: room }).first('id')
    await browser.press('Invite: Lagoon')
    await browser.submit('Invite', { people: 'grace@navy.example.org, alan@park.example.org' })
    expect(browser.words).to.include('Meeting of Ada Lovelace').and.include('grace@navy.example.org guest')
    const claims = await world.database('bookings').where({ bookable_id: room })
    expect(claims.map(({ user_id, event_id }) => [user_id, event_id !== null])).to.deep.equal([[null, true]])
    expect(claims[0].during).to.equal('["2031-02-11 09:00:00+00","2031-02-11 10:00:00+00")')
    expect((await attendeesOf(ada)).map(({ email }) => email)).to.deep.equal([
      null,
      'grace@navy.example.org',
      'alan@park.example.org',
    ])
    const { event_id } = claims[0]
    expect((await world.database('events').where({ id: event_id }).first()).invites).to.equal(true)
    // The booking no longer exists, because the meeting has replaced it.
    await browser.open(`/my/bookings/${id}/invite`)
    expect(browser.page.status).to.equal(404)
    await browser.open(`/my/meetings/${event_id}`)
    await browser.submit('Save', { name: 'Harbour plans' })
    expect(browser.words).to.include('Harbour plans')
  })

  it('leave the booked room unchanged if the meeting is refused', async () => {
    const { room, ada, browser, page } = await createRoom()
    await browser.open(page)
    await browser.submit('Book')
    await browser.press('Invite: Lagoon')
    await world.database('bookables').where({ id: room }).update({ status: 1 })
    await browser.submit('Invite', { people: 'grace@navy.example.org' })
    expect(browser.page.status).to.equal(409)
    const [claim] = await world.database('bookings').where({ bookable_id: room })
    expect(claim.user_id).to.equal(ada)
  })

  it('can be created from a booking that was approved', async () => {
    const { room, browser, page } = await createRoom()
    await browser.open(page)
    await browser.submit('Book')
    const [before] = await world.database('bookings').where({ bookable_id: room })
    const rules = JSON.stringify({ approvers: { user_ids: [await createUser(world.database)] } })
    await world.database('bookables').where({ id: room }).update({ rules })
    await browser.press('Invite: Lagoon')
    await browser.submit('Invite', { people: 'grace@navy.example.org' })
    expect(browser.words).to.include('grace@navy.example.org guest')
    const [claim] = await world.database('bookings').where({ bookable_id: room })
    expect(claim).to.include({ user_id: null, during: before.during })
  })

  it('free their room when the organizer cancels', async () => {
    const { room, browser } = await bookWith('grace@navy.example.org')
    await browser.submit('Cancel this meeting')
    expect(browser.words).to.include('Meeting cancelled.').and.not.include('Harbour plans')
    expect(await world.database('bookings').where({ bookable_id: room })).to.have.length(0)
  })

  it('show why they lost their room, and take another room with one press', async () => {
    const { room, browser } = await bookWith('grace@navy.example.org')
    const { event_id } = await world.database('bookings').where({ bookable_id: room }).first('event_id')
    const { location_id } = await world.database('bookables').where({ id: room }).first('location_id')
    const atoll = await createBookable(world.database, { location_id, type: 2, name: 'Atoll', capacity: 6 })
    await createBookable(world.database, { location_id, type: 2, name: 'Closet', capacity: 1 })
    // Stores an event without a time zone.
    await world.database('events').where({ id: event_id }).update({ from_timezone: 'UTC' })
    const closed = [{ from: `${DAY}T08:00`, to: `${DAY}T18:00`, reason: 'Water damage' }]
    const done = await admin.ask('bookables.close', { ids: [room], closed, in_the_way: 'release' })
    expect(done.status).to.equal(200)
    await browser.open('/my')
    expect(browser.words)
      .to.include('10:00 – 11:00')
      .and.include('This meeting has lost its room. Lagoon is closed at that time (Water damage).')
    const attendee = await createUser(world.database)
    await world.database('event_attendees').insert({ event_id, user_id: attendee, status: 2 })
    const invited = await signInAs(world, attendee)
    await invited.open(`/my/meetings/${event_id}`)
    expect(invited.words)
      .to.include('This meeting has lost its room. Lagoon is closed at that time (Water damage).')
      .and.not.include('Take Atoll')
    expect(browser.words).to.include('Take Atoll')
    await browser.follow('Harbour plans')
    expect(browser.words)
      .to.match(/Tue,? 11 Feb 2031, 10:00 – 11:00 /)
      .and.not.match(/11:00 · (?!Lagoon|Atoll)/)
    expect(browser.words).to.not.include('Take Closet')
    await browser.submit('Take Atoll (Third floor, Quay)')
    expect(browser.words)
      .to.include('The meeting has a room again.')
      .and.include('· Atoll (Third floor, Quay)')
      .and.not.include('has lost its room')
    expect(await world.database('bookings').where({ bookable_id: atoll, event_id })).to.have.length(1)
  })

  it('say that they have lost one of two rooms, until the organizer takes another or gives one up', async () => {
    const { room, browser, event_id, path } = await bookWith('grace@navy.example.org')
    const { location_id } = await world.database('bookables').where({ id: room }).first('location_id')
    const create = (name: string) =>
      createBookable(world.database, { location_id, type: 2, name, capacity: 6 })
    const [atoll, reef] = [await create('Atoll'), await create('Reef')]
    const closed = [{ from: `${DAY}T08:00`, to: `${DAY}T18:00`, reason: 'Water damage' }]
    const close = async (id: number) => {
      const done = await admin.ask('bookables.close', { ids: [id], closed, in_the_way: 'release' })
      expect(done.status).to.equal(200)
    }
    const reopen = (id: number) => world.database('bookables').where({ id }).update({ rules: null })
    const roomsOf = async () =>
      (await world.database('bookings').where({ event_id }).orderBy('bookable_id')).map(
        ({ bookable_id }) => bookable_id,
      )
    const add = { attendees: { add: [{ type: 'bookable', id: String(atoll) }] } }
    expect((await (await world.client()).patch(`events/${event_id}`, add)).status).to.equal(200)

    await close(room)
    await browser.open('/my')
    expect(browser.words)
      .to.include('This meeting has lost one of its rooms. Lagoon is closed at that time (Water damage).')
      .and.include('Atoll (Third floor, Quay)')
    await browser.open(path)
    await browser.submit('Save', { name: 'Pier plans' })
    expect(browser.words).to.include('This meeting has lost one of its rooms.')
    await browser.submit('Take Reef (Third floor, Quay)')
    expect(browser.words).to.not.include('has lost')
    expect(await roomsOf()).to.deep.equal([atoll, reef])

    // The meeting gets its first room back, and loses it again.
    await reopen(room)
    const addAgain = { attendees: { add: [{ type: 'bookable', id: String(room) }] } }
    expect((await (await world.client()).patch(`events/${event_id}`, addAgain)).status).to.equal(200)
    await browser.open(path)
    expect(browser.words).to.not.include('has lost')
    await close(room)
    await browser.open(path)
    expect(browser.words).to.include('This meeting has lost one of its rooms. Lagoon is closed')

    // The organizer gives up the rooms that are left, and knows that the meeting has none.
    await browser.submit('Save', { room: 'none' })
    expect(await roomsOf()).to.deep.equal([])
    expect(browser.words).to.not.include('has lost')
  })

  it('refuse another room if they lose the first one meanwhile, and offer rooms again', async () => {
    const { room, browser, event_id, path } = await bookWith('grace@navy.example.org')
    const { location_id } = await world.database('bookables').where({ id: room }).first('location_id')
    const atoll = await createBookable(world.database, { location_id, type: 2, name: 'Atoll', capacity: 6 })
    await browser.open(path)
    const closed = [{ from: `${DAY}T08:00`, to: `${DAY}T18:00`, reason: 'Water damage' }]
    await admin.ask('bookables.close', { ids: [room], closed, in_the_way: 'release' })
    await browser.submit('Save', { room: String(atoll) })
    expect(browser.page.status).to.equal(409)
    expect(browser.words)
      .to.include('The rooms of this meeting have changed meanwhile.')
      .and.include('Take Atoll')
    await browser.submit('Save', { room: String(atoll) })
    expect(browser.words).to.include('Saved.').and.not.include('has lost')
    expect(await world.database('bookings').where({ event_id })).to.have.length(1)
  })

  it('keep what others changed meanwhile when the organizer saves an outdated form, and refuse to replace it', async () => {
    const { browser, event_id, path } = await bookWith('grace@navy.example.org')
    await browser.open(path)
    const first = browser.form('Save')
    await browser.open(path)
    const second = browser.form('Save')
    const change = { name: 'Pier plans', from_time: `${DAY}T13:00:00Z`, to_time: `${DAY}T14:00:00Z` }
    expect((await (await world.client()).patch(`events/${event_id}`, change)).status).to.equal(200)
    const present = async () => {
      const { name, during } = await world.database('events').where({ id: event_id }).first()
      return [name, during]
    }
    const moved = ['Pier plans', `["${DAY} 13:00:00+00","${DAY} 14:00:00+00")`]

    await browser.send(first, { people: 'alan@park.example.org' })
    expect(browser.words).to.include('Saved.').and.include('alan@park.example.org guest')
    expect(await present()).to.deep.equal(moved)

    await browser.send(second, { to_time: `${DAY}T12:00`, people: 'barbara@park.example.org' })
    expect(browser.page.status).to.equal(409)
    expect(browser.words)
      .to.include('Title was “Harbour plans”, is now “Pier plans”.')
      .and.include(`You entered “${DAY}T12:00”.`)
      .and.not.include('barbara@park.example.org guest')
    expect(await present()).to.deep.equal(moved)

    // The form now has the new title and start, and keeps what the organizer entered.
    await browser.submit('Save', { to_time: `${DAY}T16:00` })
    expect(browser.words).to.include('Saved.').and.include('barbara@park.example.org guest')
    expect(await present()).to.deep.equal(['Pier plans', `["${DAY} 13:00:00+00","${DAY} 15:00:00+00")`])
  })

  it('refuse an answer to a time that has changed meanwhile, and ask again for the new time', async () => {
    const anna = await createUser(world.database, { name: 'Anna Umzug' })
    const { browser, path, event_id } = await bookWith('Anna Umzug')
    const attendee = await signInAs(world, anna)
    await attendee.open(path)
    await browser.submit('Save', { from_time: `${DAY}T14:00`, to_time: `${DAY}T15:00` })
    await attendee.submit('Yes')
    expect(attendee.page.status).to.equal(409)
    expect(attendee.words)
      .to.match(/The time of this meeting has changed: it is now .*11 Feb.* 2031/)
      .and.include('Answer again for this time.')
      .and.include('Tue, 11 Feb 2031, 14:00 – 15:00')
    const statusOf = async () =>
      (await world.database('event_attendees').where({ event_id, user_id: anna }).first()).status
    expect(await statusOf()).to.equal(0)
    await attendee.submit('Yes')
    expect(attendee.words).to.include('Answer saved.').and.include('Your answer: accepted')
    expect(await statusOf()).to.equal(1)
  })

  it('never get two rooms when two tabs are used', async () => {
    const { room, browser, event_id } = await bookWith('grace@navy.example.org')
    const { location_id } = await world.database('bookables').where({ id: room }).first('location_id')
    for (const name of ['Atoll', 'Reef'])
      await createBookable(world.database, { location_id, type: 2, name, capacity: 6 })
    const closed = [{ from: `${DAY}T08:00`, to: `${DAY}T18:00`, reason: 'Water damage' }]
    const done = await admin.ask('bookables.close', { ids: [room], closed, in_the_way: 'release' })
    expect(done.status).to.equal(200)
    await browser.open('/my')
    const tab = parseForms(browser.page.text).find(({ buttons }) => buttons[0]?.startsWith('Take Reef'))
    await browser.submit('Take Atoll (Third floor, Quay)')
    expect(browser.words).to.include('The meeting has a room again.')
    await browser.send(tab ?? expect.fail('Reef is not offered'))
    expect(browser.words).to.include('The rooms of this meeting have changed meanwhile.')
    expect(await world.database('bookings').where({ event_id })).to.have.length(1)
  })

  for (const [state, change, sentence] of [
    [
      'closed',
      {
        rules: JSON.stringify({
          closed: [{ from: `${DAY}T07:00:00Z`, to: `${DAY}T17:00:00Z`, reason: 'Water damage' }],
        }),
      },
      'Lagoon is closed until 18:00 (Water damage).',
    ],
    ['blocked', { status: 1 }, 'Lagoon is blocked.'],
  ] as const)
    it(`show that their room is ${state} when they keep it`, async () => {
      const { room, browser } = await bookWith('grace@navy.example.org')
      const { event_id } = await world.database('bookings').where({ bookable_id: room }).first('event_id')
      await world.database('bookables').where({ id: room }).update(change)
      for (const path of ['/my', `/my/meetings/${event_id}`]) {
        await browser.open(path)
        expect(browser.words, path).to.include(sentence).and.not.include('has lost its room')
      }
    })

  it('are hidden from people who do not attend, and cannot be changed by them', async () => {
    const { room } = await bookWith('grace@navy.example.org')
    const { event_id } = await world.database('bookings').where({ bookable_id: room }).first('event_id')
    const stranger = await signInAs(world, await createUser(world.database))
    await stranger.open(`/my/meetings/${event_id}`)
    expect(stranger.page.status).to.equal(404)
    expect(stranger.words).to.not.include('grace@')
  })
})
