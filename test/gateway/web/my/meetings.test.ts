// Meetings of a person: a room with colleagues and guests who are invited, and what its organizer does about it on their day.
import { expect } from 'chai'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import { createSignedIn, formsOf } from '../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

// A Tuesday in winter, when local time is an hour ahead of UTC.
const DAY = '2031-02-11'
const TIME = `date=${DAY}&from=10:00&to=11:00`

describe('meetings on one’s own pages', () => {
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
    return { room, ada, browser: await signInAs(world, ada), page: `/my/book/${room}?${TIME}` }
  }

  async function bookWith(who: string) {
    const found = await createRoom()
    await found.browser.open(found.page)
    await found.browser.submit('Add', { who })
    await found.browser.submit('Book', { title: 'Harbour plans' })
    return found
  }

  const attendeesOf = (organizer_user_id: number) =>
    world
      .database('event_attendees')
      .join('events', 'events.id', 'event_id')
      .where({ organizer_user_id })
      .orderBy('event_attendees.id')
      .select('user_id', 'email')

  it('books a room with a colleague, found by name, and several guests by e-mail', async () => {
    const anna = await createUser(world.database, { name: 'Anna Einzig', email: 'anna.einzig@example.com' })
    const { room, ada, browser, page } = await createRoom()
    await browser.open(page)
    await browser.submit('Add', { who: 'anna einzig' })
    expect(browser.words).to.include('Anna Einzig Remove')
    await browser.submit('Add', { who: 'grace@navy.example.org, alan@park.example.org' })
    expect(browser.words).to.include('grace@navy.example.org Remove').and.include('alan@park.example.org')
    await browser.submit('Book', { title: 'Harbour plans' })
    expect(browser.words)
      .to.match(/Lagoon \(.+, .+\) is booked: Tue, 11 Feb 2031, 10:00 – 11:00\./)
      .and.include('Harbour plans')
    const attendees = await attendeesOf(ada)
    expect(attendees.map(({ user_id, email }) => user_id ?? email)).to.deep.equal([
      ada,
      anna,
      'grace@navy.example.org',
      'alan@park.example.org',
    ])
    const [claim] = await world.database('bookings').where({ bookable_id: room })
    expect(claim.event_id).to.be.a('number')

    // Where the front desk expects them.
    const dashboard = await createSignedIn(world)
    await dashboard.open(`/dashboard/visitors?date=${DAY}`)
    expect(dashboard.words).to.include('grace@navy.example.org').and.include('Harbour plans')

    const colleague = await signInAs(world, anna)
    await colleague.open(`/my/meetings/${claim.event_id}`)
    expect(colleague.words).to.include('Ada Lovelace organizer').and.not.include('Cancel meeting')
  })

  it('asks which of several colleagues with a name is meant', async () => {
    for (const name of ['Otto Zweimal', 'Otto Zweimal-Dreimal']) await createUser(world.database, { name })
    const { browser, page } = await createRoom()
    await browser.open(page)
    await browser.submit('Add', { who: 'zweimal' })
    await browser.submit('Otto Zweimal-Dreimal')
    expect(browser.words).to.include('Otto Zweimal-Dreimal Remove')
  })

  it('does not find people who hide, and says how to invite a guest', async () => {
    const hidden = await createUser(world.database, { name: 'Henry Versteckt' })
    await world.database('person_settings').insert({ user_id: hidden, visibility: 'nobody' })
    const { ada, browser, page } = await createRoom()
    // This includes people with whom the person has a meeting.
    const [from, to] = [`${DAY}T12:00:00Z`, `${DAY}T13:00:00Z`]
    const event_id = await createEvent(world.database, { organizer_user_id: hidden, from, to })
    await world.database('event_attendees').insert({ event_id, user_id: ada })
    await browser.open(page)
    await browser.submit('Add', { who: 'Versteckt' })
    expect(browser.words).to.include(
      'Nobody found with this name. To invite a guest, enter an e-mail address.',
    )
  })

  it('removes an invited person before booking, and makes a plain booking when nobody is left', async () => {
    const { room, ada, browser, page } = await createRoom()
    await browser.open(page)
    await browser.submit('Add', { who: 'grace@navy.example.org' })
    await browser.follow('Remove')
    await browser.submit('Book')
    const [claim] = await world.database('bookings').where({ bookable_id: room })
    expect([claim.user_id, claim.event_id]).to.deep.equal([ada, null])
  })

  it('shows on my day who is invited; the organizer invites more and removes somebody', async () => {
    const { ada, browser } = await bookWith('grace@navy.example.org')
    await browser.open('/my')
    expect(browser.words).to.include('Harbour plans').and.include('With grace@navy.example.org')
    await browser.follow('Harbour plans')
    await browser.submit('Invite', { who: 'alan@park.example.org' })
    expect(browser.words).to.include('Invited.').and.include('alan@park.example.org')
    // The guests, in the order in which they were invited.
    const [grace] = formsOf(browser.page.text).filter(({ buttons }) => buttons.includes('Remove'))
    if (grace) await browser.send(grace)
    const attendees = await attendeesOf(ada)
    expect(attendees.map(({ email }) => email)).to.deep.equal([null, 'alan@park.example.org'])
  })

  it('turns a booked room into a meeting with the first guest, in one step', async () => {
    const { room, ada, browser, page } = await createRoom()
    await browser.open(page)
    await browser.submit('Book')
    const { id } = await world.database('bookings').where({ bookable_id: room }).first('id')
    await browser.open('/my')
    await browser.press('Invite: Lagoon')
    await browser.submit('Invite', { who: 'grace@navy.example.org' })
    expect(browser.words).to.include('Meeting of Ada Lovelace').and.include('grace@navy.example.org guest')
    const claims = await world.database('bookings').where({ bookable_id: room })
    expect(claims.map(({ user_id, event_id }) => [user_id, event_id !== null])).to.deep.equal([[null, true]])
    expect(claims[0].during).to.equal('["2031-02-11 09:00:00+00","2031-02-11 10:00:00+00")')
    expect((await attendeesOf(ada)).map(({ email }) => email)).to.deep.equal([null, 'grace@navy.example.org'])
    // The booking no longer exists: the meeting has the room now.
    await browser.open(`/my/bookings/${id}/invite`)
    expect(browser.page.status).to.equal(404)
    await browser.open(`/my/meetings/${claims[0].event_id}`)
    await browser.submit('Save', { name: 'Harbour plans' })
    expect(browser.words).to.include('Harbour plans')
  })

  it('keeps the booking if the meeting is refused', async () => {
    const { room, ada, browser, page } = await createRoom()
    await browser.open(page)
    await browser.submit('Book')
    await browser.open('/my')
    await browser.press('Invite: Lagoon')
    await world.database('bookables').where({ id: room }).update({ status: 1 })
    await browser.submit('Invite', { who: 'grace@navy.example.org' })
    expect(browser.page.status).to.equal(409)
    const [claim] = await world.database('bookings').where({ bookable_id: room })
    expect(claim.user_id).to.equal(ada)
  })

  it('frees the room when the organizer cancels the meeting', async () => {
    const { room, browser } = await bookWith('grace@navy.example.org')
    await browser.submit('Cancel this meeting')
    expect(browser.words).to.include('Meeting cancelled.').and.not.include('Harbour plans')
    expect(await world.database('bookings').where({ bookable_id: room })).to.have.length(0)
  })

  it('shows why it lost its room, in the time zone of its building, and takes another room with one press', async () => {
    const { room, browser } = await bookWith('grace@navy.example.org')
    const { event_id } = await world.database('bookings').where({ bookable_id: room }).first('event_id')
    const { location_id } = await world.database('bookables').where({ id: room }).first('location_id')
    const atoll = await createBookable(world.database, { location_id, type: 2, name: 'Atoll', capacity: 6 })
    await createBookable(world.database, { location_id, type: 2, name: 'Closet', capacity: 1 })
    // As for an event without a time zone.
    await world.database('events').where({ id: event_id }).update({ from_timezone: 'UTC' })
    const closed = [{ from: `${DAY}T08:00`, to: `${DAY}T18:00`, reason: 'Water damage' }]
    const done = await admin.ask('bookables.close', { ids: [room], closed, in_the_way: 'release' })
    expect(done.status).to.equal(200)
    await browser.open('/my')
    expect(browser.words)
      .to.include('10:00 – 11:00')
      .and.include('This meeting has lost its room: Lagoon is closed at that time (Water damage).')
    const attendee = await createUser(world.database)
    await world.database('event_attendees').insert({ event_id, user_id: attendee, status: 2 })
    const invited = await signInAs(world, attendee)
    await invited.open(`/my/meetings/${event_id}`)
    expect(invited.words)
      .to.include('This meeting has lost its room: Lagoon is closed at that time (Water damage).')
      .and.not.include('Take Atoll')
    await browser.follow('Choose another room')
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
    it(`says that its room is ${state} when it keeps the room`, async () => {
      const { room, browser } = await bookWith('grace@navy.example.org')
      const { event_id } = await world.database('bookings').where({ bookable_id: room }).first('event_id')
      await world.database('bookables').where({ id: room }).update(change)
      for (const path of ['/my', `/my/meetings/${event_id}`]) {
        await browser.open(path)
        expect(browser.words, path).to.include(sentence).and.not.include('has lost its room')
      }
    })

  it('does not show a meeting to people who do not take part, or let them change it', async () => {
    const { room } = await bookWith('grace@navy.example.org')
    const { event_id } = await world.database('bookings').where({ bookable_id: room }).first('event_id')
    const stranger = await signInAs(world, await createUser(world.database))
    await stranger.open(`/my/meetings/${event_id}`)
    expect(stranger.page.status).to.equal(404)
    expect(stranger.words).to.not.include('grace@')
  })
})
