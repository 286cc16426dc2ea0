// A conversation as an agent leads it: “Find Anna a desk near her team tomorrow, she needs a monitor; if there is none, the day
// after.” Every id and time that it sends comes from an answer.
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
import { type Agent, at, connectAgent, dayThere, zoneAtNoon } from './agent.ts'

describe('an agent', () => {
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
    const building = await createBuilding(database, { name: 'Harbour House', timezone: zoneAtNoon() })
    await createBuilding(database, { name: 'Elsewhere' })
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

  it('finds a person a desk near the team, or one on the next day if none is free', async () => {
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
      time_zone: zoneAtNoon(),
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

  it('gets free alternatives with a refusal, and books one of them', async () => {
    const { desks, anna, ben } = team
    await createBooking(world.database, {
      from: at(9, 4),
      to: at(12, 4),
      bookable_id: desks.near,
      user_id: ben,
    })
    const { location } = (await agent.ask('list_bookings', { user_id: ben, day: dayThere(4), days: 1 }))
      .bookings[0]
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
    expect(refused.conflict.time_zone).to.equal(zoneAtNoon())
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

  it('is told which tags exist when it asks for an unknown tag', async () => {
    const { structured } = await agent.call('find_free', { location_id: team.ground, features: ['screen'] })
    expect(structured.refused.code).to.equal('validation_failed')
    expect(structured.refused.errors.features).to.deep.equal([
      'Nothing there has screen. What desks and rooms there have: Monitor.',
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
