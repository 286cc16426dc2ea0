// Tests MCP tools with a personal token: they work for the token's person by default, and hide other people's data.
import { expect } from 'chai'
import { ABILITIES } from '../../../../shared/tokens/token-store.ts'
import { type Campus, createCampus } from '../../../support/campus.ts'
import { createBooking, hoursFromNow } from '../../../support/factories.ts'
import { createPersonalToken } from '../../../support/personal-tokens.ts'
import { use } from '../../../support/use.ts'
import { useWorld } from '../../../support/world.ts'
import { type Agent, at, connectWith, findZoneAtNoon, getDateAtNoonZone } from './agent.ts'

const TOOLS_ABOUT_OTHERS = ['find_people', 'who_is_in']
const TOOLS_FOR_OWNER = [
  'find_free',
  'check_booking',
  'list_bookings',
  'book',
  'move_booking',
  'cancel_booking',
  'change_meeting',
  'cancel_meeting',
  'check_in',
  'explain_refusal',
]
const DAY = getDateAtNoonZone(1)
const times = { from_time: at(9), to_time: at(10) }

/** Tool calls whose arguments refer to another person's resources. */
const CALLS_ABOUT_OTHERS: Array<[string, (ben: Campus) => Record<string, unknown>]> = [
  ['find_people', () => ({})],
  ['find_people', ({ group }) => ({ group_id: group })],
  ['who_is_in', ({ building }) => ({ day: DAY, building_id: building })],
  ['who_is_in', ({ user }) => ({ day: DAY, user_id: user })],
  ['find_free', ({ building }) => ({ day: DAY, building_id: building })],
  ['find_free', ({ building, user }) => ({ day: DAY, building_id: building, near_user_ids: [user] })],
  ['find_free', ({ building, group }) => ({ day: DAY, building_id: building, near_group_id: group })],
  ['find_free', ({ building, user }) => ({ day: DAY, building_id: building, user_id: user })],
  ['list_bookings', () => ({ day: DAY })],
  ['list_bookings', ({ user }) => ({ day: DAY, user_id: user })],
  ['list_bookings', ({ desk }) => ({ day: DAY, bookable_id: desk })],
  ['list_bookings', ({ location }) => ({ day: DAY, location_id: location })],
  ['list_bookings', ({ building }) => ({ day: DAY, building_id: building })],
  ['list_bookings', ({ booking }) => ({ booking_id: booking })],
  ['check_booking', ({ desk, location }) => ({ bookable_id: desk, location_id: location, ...times })],
  [
    'check_booking',
    ({ free, location, user }) => ({ bookable_id: free, location_id: location, user_id: user, ...times }),
  ],
  ['book', ({ desk, location }) => ({ bookable_id: desk, location_id: location, ...times })],
  [
    'book',
    ({ free, location, user }) => ({ bookable_id: free, location_id: location, user_id: user, ...times }),
  ],
  ['check_in', ({ booking }) => ({ booking_id: booking })],
  ['move_booking', ({ booking, free }) => ({ booking_id: booking, bookable_id: free })],
  ['cancel_booking', ({ booking }) => ({ booking_id: booking })],
  ['change_meeting', ({ event }) => ({ event_id: event, title: 'Mine' })],
  ['cancel_meeting', ({ event }) => ({ event_id: event })],
  ['explain_refusal', ({ desk }) => ({ code: 'booking_conflict', bookable_id: desk })],
]

describe('an MCP agent with a personal token', () => {
  const world = useWorld({ environment: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const people = use(async () => {
    const { database } = world
    const [anna, ben] = [await createCampus(database, 'Hers'), await createCampus(database, 'His')]
    const timezone = findZoneAtNoon()
    await database('buildings').update({ timezone })
    await database('users').where({ id: anna.user }).update({ name: 'Anna Arnold' })
    const secret = { name: 'Secret Ben', email: `secret${ben.user}@example.com` }
    await database('users').where({ id: ben.user }).update(secret)
    const guest = { guest_name: 'Secret Guest', booking_info: 'Secret purpose' }
    const span = { from: at(9), to: at(17) }
    const booking = await createBooking(database, {
      ...span,
      ...guest,
      bookable_id: ben.desk,
      user_id: ben.user,
    })
    const own = await createBooking(database, { ...span, bookable_id: anna.desk, user_id: anna.user })
    return { anna: { ...anna, booking: own }, ben: { ...ben, booking } }
  })
  const opened: Agent[] = []
  after(() => Promise.all(opened.map((agent) => agent.close())))
  const connect = async (userId: number | undefined) => {
    const abilities = userId === undefined ? (['read', 'booking-write'] as const) : ABILITIES
    const agent = await connectWith(
      world.url,
      await createPersonalToken(world.database, userId, [...abilities]),
    )
    opened.push(agent)
    return agent
  }

  it('can use only the tools and resources whose endpoints accept a personal token', async () => {
    const agent = await connect(people.anna.user)
    expect(await agent.toolNames()).to.have.members(TOOLS_FOR_OWNER)
    for (const name of TOOLS_ABOUT_OTHERS) {
      const { isError, structured } = await agent.call(name, {})
      expect([isError, structured.refused.code], name).to.deep.equal([true, 'personal_token'])
    }
    const templates = (await agent.sdk.listResourceTemplates()).resourceTemplates
    expect(templates.map(({ name }) => name)).to.deep.equal(['floor'])
    const day = await agent.resource(`berth://buildings/${people.ben.building}/days/${DAY}`).then(
      () => expect.fail('It was read'),
      ({ message }: { message: string }) => message,
    )
    expect(day).to.match(/personal token/)
  })

  it('can neither read nor change the bookings of others with any tool', async () => {
    const { anna, ben } = people
    const agent = await connect(anna.user)
    const ofBen = () => world.database('bookings').where({ user_id: ben.user }).orderBy('id')
    const before = await ofBen()
    expect(new Set(CALLS_ABOUT_OTHERS.map(([name]) => name))).to.deep.equal(
      new Set([...TOOLS_FOR_OWNER, ...TOOLS_ABOUT_OTHERS]),
    )
    for (const [name, given] of CALLS_ABOUT_OTHERS) {
      const { text, structured } = await agent.call(name, given(ben))
      const seen = JSON.stringify([text, structured])
      expect(seen, `${name} ${JSON.stringify(given(ben))}`).to.not.match(/secret/i)
    }
    for (const uri of ['berth://buildings', `berth://locations/${ben.location}`])
      expect(JSON.stringify(await agent.resource(uri))).to.not.match(/secret/i)
    expect(await ofBen()).to.deep.equal(before)
  })

  it('does not see the data that other tokens see', async () => {
    const agent = await connect(undefined)
    const reads = CALLS_ABOUT_OTHERS.filter(([name]) =>
      [...TOOLS_ABOUT_OTHERS, 'find_free', 'list_bookings'].includes(name),
    )
    const seen = await Promise.all(reads.map(async ([name, given]) => agent.call(name, given(people.ben))))
    expect(seen.filter(({ text }) => /secret/i.test(text))).to.have.length.at.least(8)
  })

  it('books, checks availability, lists and searches for its owner by default', async () => {
    const { anna, ben } = people
    const agent = await connect(anna.user)
    const { bookings } = await agent.ask('list_bookings', { day: DAY, days: 1 })
    expect(bookings.map(({ booking_id }: { booking_id: number }) => booking_id)).to.deep.equal([anna.booking])
    const find = async () => {
      const { free } = await agent.ask('find_free', { day: getDateAtNoonZone(3), building_id: anna.building })
      return free.map(({ bookable_id }: { bookable_id: number }) => bookable_id)
    }
    expect(await find()).to.include(anna.free)
    const wanted = {
      bookable_id: anna.free,
      location_id: anna.location,
      from_time: at(9, 3),
      to_time: at(17, 3),
    }
    expect(await agent.ask('check_booking', wanted)).to.deep.equal({ allowed: true, reason: null })
    const { booking } = await agent.ask('book', wanted)
    expect(booking.user).to.deep.equal({ user_id: anna.user, name: 'Anna Arnold' })
    const others = await agent.call('book', { ...wanted, user_id: ben.user, from_time: hoursFromNow(1) })
    expect([others.isError, others.structured.refused.code]).to.deep.equal([true, 'personal_token'])
    // Assigns the desk to somebody else, so that it is not free for the person.
    await world.database('bookables').where({ id: anna.room }).update({ type: 0, status: 2 })
    await world.database('bookable_assignees').insert({ bookable_id: anna.room, user_id: ben.user })
    expect(await find()).to.not.include(anna.room)
  })
})
