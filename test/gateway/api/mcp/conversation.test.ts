// Tests a typical conversation of an agent: “Find Anna a desk near her team tomorrow, she needs a monitor; if there is
// none, the day after.” Every id and time that the agent sends comes from an answer.
import { expect } from 'chai'
import {
  createBookable,
  createBooking,
  createBuilding,
  createGroup,
  createLocation,
  createUser,
} from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'
import { type Agent, at, connectAgent, findZoneAtNoon, getDateAtNoonZone } from './agent.ts'

describe('an agent connected to the MCP server', () => {
  const world = useWorld()
  let agent: Agent
  let team: Awaited<ReturnType<typeof createTeam>>
  before(async () => {
    agent = await connectAgent(world)
    team = await createTeam()
  })
  after(() => agent.close())

  async function createTeam() {
    const { database } = world
    const building = await createBuilding(database, { name: 'Harbour House', timezone: findZoneAtNoon() })
    await createBuilding(database, { name: 'Elsewhere', timezone: findZoneAtNoon() })
    const inBuilding = (name: string) => createLocation(database, { name, building_id: building })
    const [ground, first] = [await inBuilding('Ground floor'), await inBuilding('First floor')]
    const desk = (name: string, location_id: number, x: number, tags: string[] = ['Monitor']) =>
      createBookable(database, { name, location_id, tags, position_x: x, position_y: 0.5 })
    const desks = {
      ground: await desk('G1', ground, 0.5),
      team: await desk('F1', first, 0.1, []),
      far: await desk('F2', first, 0.9),
      near: await desk('F3', first, 0.3),
      plain: await desk('F4', first, 0.2, []),
    }
    const group = await createGroup(database, { name: 'Analytics' })
    const [anna, ben] = [
      await createUser(database, { name: 'Anna Adler' }),
      await createUser(database, { name: 'Ben Busch' }),
    ]
    for (const user_id of [anna, ben]) await database('group_members').insert({ group_id: group, user_id })
    return { desks, anna, ben, ground, first }
  }

  it('finds a desk near the team for a person, or one on the next day if none is free', async () => {
    const { desks, anna, ben, first } = team
    const { database } = world
    const whole = (days: number) => ({ from: at(0, days), to: at(24, days) })
    for (const days of [1, 2])
      await createBooking(database, { ...whole(days), bookable_id: desks.team, user_id: ben })
    for (const bookable_id of [desks.far, desks.near, desks.ground])
      await createBooking(database, { ...whole(1), bookable_id })

    const { people } = await agent.ask('find_people', { search: 'anna' })
    const [person] = people
    expect(people.map((each: { name: string }) => each.name)).to.deep.equal(['Anna Adler'])
    const wanted = {
      user_id: person.user_id,
      near_group_id: person.groups[0].group_id,
      features: ['monitor'],
    }
    const tomorrow = await agent.ask('find_free', { ...wanted, day: 'tomorrow' })
    expect(tomorrow.free).to.deep.equal([])

    const dayAfter = new Date(`${tomorrow.day}T00:00:00Z`)
    dayAfter.setUTCDate(dayAfter.getUTCDate() + 1)
    const later = await agent.ask('find_free', { ...wanted, day: dayAfter.toISOString().slice(0, 10) })
    expect(later.free.map((each: { name: string }) => each.name)).to.deep.equal(['F3', 'F2', 'G1'])
    const [best] = later.free
    expect(best).to.deep.include({
      colleagues_there: [{ user_id: ben, name: 'Ben Busch' }],
      features: ['Monitor'],
    })
    expect(best.location).to.deep.equal({ location_id: first, name: 'First floor' })

    const request = {
      bookable_id: best.bookable_id,
      location_id: best.location.location_id,
      user_id: person.user_id,
      from_time: later.from_time,
      to_time: later.to_time,
    }
    expect(await agent.ask('check_booking', request)).to.deep.equal({ allowed: true, reason: null })
    const { booking } = await agent.ask('book', request)
    expect(booking).to.deep.include({
      user: { user_id: anna, name: 'Anna Adler' },
      time_zone: findZoneAtNoon(),
      from_time: later.from_time,
      to_time: later.to_time,
    })
    expect(new Date(booking.from_time).toISOString()).to.equal(at(9, 2))
    expect(await world.database('bookings').where({ id: booking.booking_id }).first()).to.deep.include({
      bookable_id: desks.near,
      user_id: anna,
    })

    const day = await agent.ask('who_is_in', { day: later.day, location_id: first })
    expect(day.people.map((each: { name: string }) => each.name)).to.have.members(['Anna Adler', 'Ben Busch'])
  })

  it('is offered free alternatives when a booking is refused, and books one of them', async () => {
    const { desks, anna, ben } = team
    await createBooking(world.database, {
      from: at(9, 4),
      to: at(12, 4),
      bookable_id: desks.near,
      user_id: ben,
    })
    const { location } = (
      await agent.ask('list_bookings', { user_id: ben, day: getDateAtNoonZone(4), days: 1 })
    ).bookings[0]
    const request = {
      bookable_id: desks.near,
      location_id: location.location_id,
      user_id: anna,
      from_time: at(10, 4),
      to_time: at(16, 4),
    }
    const { structured, text, isError } = await agent.call('book', request)
    expect(isError).to.equal(true)
    const { refused } = structured
    expect(refused).to.include({ code: 'booking_conflict' })
    expect(refused.sentence).to.match(/^F3 is taken/)
    expect(refused.conflict.time_zone).to.equal(findZoneAtNoon())
    expect(new Date(refused.conflict.from).toISOString()).to.equal(at(9, 4))
    expect(text).to.include('Refused (booking_conflict): <data>F3 is taken')
    const [other] = refused.alternatives
    expect(text).to.include(`bookable_id ${other.bookable_id} <data>${other.name}</data>`)

    const { advice } = await agent.ask('explain_refusal', { code: refused.code, bookable_id: desks.near })
    expect(advice).to.match(/alternatives/)
    const { booking } = await agent.ask('book', { ...request, bookable_id: other.bookable_id })
    const moved = await agent.ask('move_booking', {
      booking_id: booking.booking_id,
      bookable_id: desks.near,
      from_time: refused.conflict.to,
    })
    expect(moved.booking.bookable).to.deep.equal({ bookable_id: desks.near, name: 'F3', type: 'desk' })
    const { cancelled } = await agent.ask('cancel_booking', { booking_id: booking.booking_id })
    expect(cancelled).to.equal(booking.booking_id)
    expect(await world.database('bookings').where({ id: cancelled })).to.deep.equal([])
  })

  it('books a room for a meeting, invites a colleague and a guest, and does so only once', async () => {
    const { anna, ben, first } = team
    const room = await createBookable(world.database, { name: 'Lagoon', type: 2, location_id: first })
    const { people } = await agent.ask('find_people', { search: 'ben busch' })
    const { free, from_time, to_time } = await agent.ask('find_free', {
      location_id: first,
      type: 'meeting_room',
      day: getDateAtNoonZone(3),
      start_time: '10:00',
      end_time: '11:00',
    })
    const request = {
      bookable_id: free[0].bookable_id,
      location_id: free[0].location.location_id,
      user_id: anna,
      from_time,
      to_time,
      title: 'Harbour plans',
      attendees: [{ user_id: people[0].user_id }, { email: 'grace@visitor.example', name: 'Grace <Hopper>' }],
      idempotency_key: 'harbour-plans',
    }
    const { structured, text, isError } = await agent.call('book', request)
    expect(isError, text).to.equal(false)
    const { meeting } = structured
    expect(meeting).to.deep.include({
      title: 'Harbour plans',
      rooms: [{ bookable_id: room, name: 'Lagoon' }],
      organizer: { user_id: anna, name: 'Anna Adler' },
      from_time,
      to_time,
      time_zone: findZoneAtNoon(),
      attendees: [
        { name: 'Anna Adler', user_id: anna, answer: 'accepted' },
        { name: 'Ben Busch', user_id: ben, answer: 'no_answer' },
        { name: 'Grace <Hopper>', user_id: null, answer: 'no_answer' },
      ],
    })
    expect(text).to.include('guest <data>Grace &lt;Hopper&gt;</data>')
    expect(await agent.ask('book', request)).to.deep.equal(structured)
    const [event, ...others] = await world.database('events').where({ name: 'Harbour plans' })
    expect([event.id, event.invites, others]).to.deep.equal([meeting.event_id, true, []])

    const { bookable_id: _, ...elsewhere } = { ...request, idempotency_key: 'other' }
    const refused = await agent.call('book', { ...elsewhere, bookable_id: room })
    expect(refused.structured.refused.code).to.equal('booking_conflict')
    const guest = { ...request, idempotency_key: 'guest', guest_name: 'Grace' }
    expect((await agent.call('book', guest)).structured.refused.errors).to.have.property('guest_name')
    const nobody = { ...request, idempotency_key: 'nobody', attendees: [{ name: 'Grace' }] }
    expect((await agent.call('book', nobody)).structured.refused.code).to.equal('validation_failed')
  })

  it('moves and renames a meeting, learns why a change is refused, and cancels the meeting', async () => {
    const { anna, ben, first } = team
    const room = await createBookable(world.database, { name: 'Marsh', type: 2, location_id: first })
    const book = async (title: string, hour: number) => {
      const times = { from_time: at(hour, 6), to_time: at(hour + 1, 6) }
      const given = { bookable_id: room, location_id: first, user_id: anna, title, ...times }
      return (await agent.ask('book', { ...given, attendees: [{ user_id: ben }] })).meeting
    }
    const { event_id } = await book('Tides', 9)
    await book('Dunes', 13)
    const { meeting } = await agent.ask('change_meeting', {
      event_id,
      title: 'High tides',
      from_time: at(10, 6),
      to_time: at(12, 6),
    })
    expect(meeting.title).to.equal('High tides')
    expect(new Date(meeting.from_time).toISOString()).to.equal(at(10, 6))
    expect(meeting.attendees.map((each: { user_id: number }) => each.user_id)).to.deep.equal([anna, ben])
    const { structured, text } = await agent.call('change_meeting', { event_id, to_time: at(14, 6) })
    expect(structured.refused.code).to.equal('booking_conflict')
    expect(text).to.include('Refused (booking_conflict): <data>Marsh is taken')
    const nothing = await agent.call('change_meeting', { event_id })
    expect(nothing.structured.refused.errors.title).to.deep.equal(['Specify a new title or a new time.'])
    const cancelled = await agent.ask('cancel_meeting', { event_id })
    expect(cancelled.cancelled).to.equal(event_id)
    expect(cancelled.meeting).to.deep.equal(meeting)
    expect(await world.database('bookings').where({ event_id })).to.deep.equal([])
    const again = await agent.call('cancel_meeting', { event_id, idempotency_key: 'again' })
    expect(again.isError, again.text).to.equal(false)
  })

  it('learns which tags exist when it asks for an unknown tag', async () => {
    const { structured } = await agent.call('find_free', { location_id: team.ground, features: ['screen'] })
    expect(structured.refused.code).to.equal('validation_failed')
    expect(structured.refused.errors.features).to.deep.equal([
      'Nothing at that place has screen. Known features at that place: Monitor.',
    ])
  })

  it('is asked to name a building if there are several', async () => {
    const { structured, text } = await agent.call('find_free', { day: 'tomorrow' })
    expect(structured.refused.code).to.equal('validation_failed')
    const [{ building_id, name }] = structured.refused.buildings
    expect(text).to.include(`building_id ${building_id} <data>${name}</data>`)
    expect((await agent.ask('find_free', { day: 'tomorrow', building_id })).day).to.match(/^\d{4}-/)
  })
})
