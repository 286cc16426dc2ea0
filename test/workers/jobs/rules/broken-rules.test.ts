// Tests bookings that break a rule of their place: each rule has its code, and a sentence with its limit.
import { expect } from 'chai'
import {
  createBookable,
  createBooking,
  createBuilding,
  createDesk,
  createGroup,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const DAY_MS = 24 * 3_600_000
const TIME_ZONE = 'America/New_York'
// Two future days, independent of when the test runs.
const YEAR = new Date().getUTCFullYear() + 1
const [FIRST, SECOND] = [`${YEAR}-03-01`, `${YEAR}-03-02`]

/** Returns a date in the building's local calendar, in which a day may have 23 hours. */
const getDateIn = (days: number) => {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: TIME_ZONE }).format(Date.now())
  return new Date(Date.parse(today) + days * DAY_MS).toISOString().slice(0, 10)
}

describe('a booking under rules', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write', 'object-write')
  let desk: Awaited<ReturnType<typeof createDesk>>
  let building: number
  const morning = () => ({ from_time: hoursFromNow(24), to_time: hoursFromNow(28) })

  beforeEach(async () => {
    building = await createBuilding(world.database, { name: 'Harbour House', timezone: TIME_ZONE })
    const location_id = await createLocation(world.database, { building_id: building, name: 'Floor 1' })
    desk = await createDesk(world.database, { name: 'Desk 12', location_id })
  })

  const set = async (rules: object, path = `bookables/${desk.bookable_id}`) =>
    expect((await client.put(`${path}/rules`, rules)).status).to.equal(200)
  const book = (body: object = morning()) => client.post('bookings', { ...desk, ...body })
  const neighbour = async (row: object = {}) => ({
    bookable_id: await createBookable(world.database, { location_id: desk.location_id, ...row }),
  })
  const refused = async (body: object, code: string, detail: string) => {
    const answer = await book(body)
    expect(answer.json).to.include({ status: 409, code, detail })
  }

  it('must be within the opening hours, in the building’s local time', async () => {
    await set({
      opening_hours: [
        { day: 1, from: '07:00', to: '12:00' },
        { day: 1, from: '12:00', to: '20:00' },
        { day: 2, from: '08:00', to: '18:00' },
      ],
    })
    // A time in January, when New York is five hours behind UTC.
    const year = new Date().getUTCFullYear() + 2
    const monday = new Date(Date.UTC(year, 0, 4))
    while (monday.getUTCDay() !== 1) monday.setUTCDate(monday.getUTCDate() + 1)
    const at = (time: string, days = 0) =>
      `${new Date(monday.getTime() + days * DAY_MS).toISOString().slice(0, 10)}T${time}Z`
    const monday7to20 = `Desk 12 is open from 07:00 to 12:00 and from 12:00 to 20:00 on Mondays (${TIME_ZONE}).`
    const code = 'outside_opening_hours'
    await refused({ from_time: at('11:59'), to_time: at('13:00') }, code, monday7to20)
    await refused({ from_time: at('12:00'), to_time: at('01:00:00.000001', 1) }, code, monday7to20)
    await refused(
      { from_time: at('15:00', 2), to_time: at('16:00', 2) },
      code,
      `Desk 12 is closed on Wednesdays (${TIME_ZONE}).`,
    )
    await refused({ from_time: at('23:00'), to_time: at('14:00', 1) }, code, monday7to20)
    expect((await book({ from_time: at('12:00'), to_time: at('01:00', 1) })).status).to.equal(200)
  })

  it('must end within the configured number of days, by the building’s calendar', async () => {
    await set({ days_ahead_max: 3 })
    const detail = () => `Desk 12 can be booked at most 3 days ahead, until ${getDateIn(3)}.`
    for (const [from, to] of [
      [100, 101],
      [1, 200],
    ] as const) {
      // Local midnight may have passed in the meantime.
      const before = detail()
      const { json } = await book({ from_time: hoursFromNow(from), to_time: hoursFromNow(to) })
      expect(json).to.include({ status: 409, code: 'too_far_ahead' })
      expect(json.detail).to.be.oneOf([before, detail()])
    }
    expect((await book({ from_time: hoursFromNow(47), to_time: hoursFromNow(48) })).status).to.equal(200)
  })

  it('must not be too short or too long', async () => {
    await set({ minutes_min: 90, minutes_max: 240 })
    const from_time = `${FIRST}T09:00:00Z`
    const to = (to_time: string) => ({ from_time, to_time })
    await refused(
      to(`${FIRST}T10:29:59.999999Z`),
      'too_short',
      'Desk 12 must be booked for at least 90 minutes.',
    )
    await refused(to(`${FIRST}T13:00:00.000001Z`), 'too_long', 'Desk 12 can be booked for at most 4 hours.')
    expect((await book(to(`${FIRST}T10:30:00Z`))).status).to.equal(200)
  })

  it('must be for a member of an allowed group', async () => {
    const [sales, support] = [await createGroup(world.database), await createGroup(world.database)]
    await set({ group_ids: [sales, support] })
    const detail = `Desk 12 can only be booked by members of the groups with the ids ${sales}, ${support}.`
    await refused(morning(), 'not_for_this_user', detail)
    await world.database('group_members').insert({ group_id: support, user_id: desk.user_id })
    expect((await book()).status).to.equal(200)
  })

  it('must not exceed the user’s limit for bookings of the same type or place', async () => {
    await set({ bookings_ahead_max: 2 }, `locations/${desk.location_id}`)
    const { user_id } = desk
    const elsewhere = await createDesk(world.database)
    await createBooking(world.database, {
      from: hoursFromNow(-30),
      to: hoursFromNow(-24),
      user_id,
      bookable_id: desk.bookable_id,
    })
    await createBooking(world.database, {
      from: hoursFromNow(50),
      to: hoursFromNow(51),
      user_id,
      ...(await neighbour({ type: 1 })),
    })
    await createBooking(world.database, {
      from: hoursFromNow(50),
      to: hoursFromNow(51),
      user_id,
      bookable_id: elsewhere.bookable_id,
    })
    expect((await book()).status).to.equal(200)
    const other = { ...(await neighbour()), ...morning() }
    expect((await book({ ...other, guest_name: 'A guest' })).status).to.equal(200)
    const third = { ...other, from_time: hoursFromNow(60), to_time: hoursFromNow(61) }
    const detail = 'A user can have at most 2 current and upcoming desk bookings in Floor 1.'
    await refused(third, 'too_many_bookings', detail)
    expect((await book({ ...third, user_id: await createUser(world.database) })).status).to.equal(200)
  })

  it('must not overlap the user’s other bookings of the same type, except for guests', async () => {
    await set({ one_at_a_time: true }, `buildings/${building}`)
    const building_id = await createBuilding(world.database, { name: 'Quay' })
    const location_id = await createLocation(world.database, { building_id, name: 'Floor 9' })
    const elsewhere = await createDesk(world.database, { name: 'Desk 3', location_id })
    const held = { from: `${FIRST}T09:00:00Z`, to: `${FIRST}T17:00:00Z`, user_id: desk.user_id }
    await createBooking(world.database, { ...held, bookable_id: elsewhere.bookable_id })
    const overlapping = { from_time: `${FIRST}T16:59:00Z`, to_time: `${FIRST}T18:00:00Z` }
    await refused(
      overlapping,
      'already_booked',
      `The user already has Desk 3 (Floor 9, Quay) from 09:00 to 17:00 UTC on ${FIRST} and can have only one desk at a time.`,
    )
    const parking = { ...(await neighbour({ type: 1 })), ...overlapping }
    expect((await book(parking)).status).to.equal(200)
    const guest = { ...(await neighbour()), ...overlapping, guest_name: 'A guest' }
    expect((await book(guest)).status).to.equal(200)
    expect((await book({ ...overlapping, from_time: held.to })).status).to.equal(200)
  })

  it('must not be in the closed times of the building, the location or the bookable', async () => {
    const closed = { from: `${FIRST}T09:00:00Z`, to: `${SECOND}T09:00:00Z`, reason: 'New heating' }
    const body = { from_time: `${FIRST}T08:00:00Z`, to_time: `${FIRST}T09:00:00.000001Z` }
    const places = [
      [`buildings/${building}`, 'Harbour House'],
      [`locations/${desk.location_id}`, 'Floor 1'],
      [`bookables/${desk.bookable_id}`, 'Desk 12'],
    ]
    for (const [path, name] of places) {
      await set({ closed: [closed] }, path)
      const detail = `${name} is closed from 04:00 on ${FIRST} to 04:00 (${TIME_ZONE}) on ${SECOND}: New heating`
      await refused(body, 'closed', detail)
      await set({}, path)
    }
    await set({ closed: [closed] }, `buildings/${building}`)
    await set({ closed: [] })
    expect((await book(body)).json.code, 'a nearer place does not open it').to.equal('closed')
    expect((await book({ ...body, to_time: closed.from })).status).to.equal(200)
    const after = { from_time: closed.to, to_time: `${SECOND}T10:00:00Z` }
    expect((await book(after)).status).to.equal(200)
  })

  it('may be of a home office in a closed building, unless the home office itself is closed', async () => {
    const { location_id } = desk
    const home = await createBookable(world.database, { location_id, name: 'Home', type: 3 })
    const closed = [{ from: `${FIRST}T09:00:00Z`, to: `${FIRST}T10:00:00Z`, reason: 'Holiday' }]
    const times = { from_time: `${FIRST}T09:00:00Z`, to_time: `${FIRST}T10:00:00Z` }
    await set({ closed }, `buildings/${building}`)
    await set({ closed }, `locations/${location_id}`)
    const reader = await world.client('read')
    const rulesOf = async (id: number) => (await reader.get(`bookables/${id}/rules`)).json.data.closed.length
    expect([await rulesOf(desk.bookable_id), await rulesOf(home)]).to.deep.equal([2, 0])
    expect((await book({ ...times, bookable_id: home })).status).to.equal(200)
    await set({ closed }, `bookables/${home}`)
    expect((await book({ ...times, bookable_id: home })).json.code).to.equal('closed')
  })

  it('is refused for invalid fields and blocked bookables before any rule is checked', async () => {
    await set({ minutes_max: 30 })
    expect((await book({ ...morning(), user_id: 999_999 })).json.code).to.equal('validation_failed')
    await world.database('bookables').where({ id: desk.bookable_id }).update({ status: 1 })
    expect((await book()).json.code).to.equal('bookable_blocked')
  })

  it('may break a rule that a nearer place lifts', async () => {
    await set({ minutes_max: 30, one_at_a_time: true }, `buildings/${building}`)
    await set({ minutes_max: null, one_at_a_time: false })
    await createBooking(world.database, {
      from: hoursFromNow(24),
      to: hoursFromNow(28),
      user_id: desk.user_id,
      ...(await neighbour()),
    })
    expect((await book()).status).to.equal(200)
  })

  it('cannot override rules through the API', async () => {
    await set({ minutes_max: 30 })
    expect((await book({ ...morning(), overrides_rules: true })).json.code).to.equal('too_long')
  })

  describe('when somebody changes the booking', () => {
    const change = async (body: object, method: 'put' | 'patch' = 'put') => {
      const { id } = (await world.database('bookings').where({ bookable_id: desk.bookable_id }).first()) as {
        id: number
      }
      return client[method](`bookings/${id}`, body)
    }

    it('may be shortened or ended despite rules', async () => {
      expect((await book()).status).to.equal(200)
      await set({
        minutes_min: 300,
        days_ahead_max: 0,
        opening_hours: [{ day: 1, from: '03:00', to: '03:01' }],
      })
      expect((await change({ to_time: hoursFromNow(26) })).status).to.equal(200)
    })

    it('must follow the rules if it is moved or extended', async () => {
      expect((await book()).status).to.equal(200)
      await set({ minutes_max: 300 })
      for (const method of ['put', 'patch'] as const) {
        const answer = await change({ to_time: hoursFromNow(30) }, method)
        expect(answer.json).to.include({ status: 409, code: 'too_long' })
      }
      expect((await change({ to_time: hoursFromNow(29) })).status).to.equal(200)
    })

    it('must follow the rules even if its user has been deactivated, and still requires a check-in', async () => {
      const { json } = await book()
      const { id } = json.data[0]
      const closed = [{ from: hoursFromNow(29), to: hoursFromNow(40), reason: 'Move' }]
      const check_in = { opens_minutes_before: 10, release_minutes_after: 15 }
      await set({ closed, check_in })
      await world.database('users').where({ id: desk.user_id }).update({ deactivated_at: new Date() })
      expect((await change({ to_time: hoursFromNow(35) })).json).to.include({ status: 409, code: 'closed' })
      const moved = await change({ from_time: hoursFromNow(23), to_time: hoursFromNow(27) })
      expect(moved.status, moved.text).to.equal(200)
      const row = await world.database('bookings').where({ id }).first()
      const minutes = (Date.parse(row.check_in_until) - Date.parse(hoursFromNow(23))) / 60_000
      expect(minutes).to.equal(check_in.release_minutes_after)
    })

    it('does not count itself towards limits, unlike the other bookings of the user', async () => {
      await set({ one_at_a_time: true, bookings_ahead_max: 1 })
      expect((await book()).status).to.equal(200)
      expect((await change({ to_time: hoursFromNow(30) })).status).to.equal(200)
      await createBooking(world.database, {
        from: hoursFromNow(31),
        to: hoursFromNow(33),
        user_id: desk.user_id,
        ...(await neighbour()),
      })
      expect((await change({ to_time: hoursFromNow(32) })).json.code).to.equal('already_booked')
      expect((await change({ to_time: hoursFromNow(31) })).status).to.equal(200)
    })
  })

  it('counts towards limits together with the other bookings of its batch', async () => {
    await set({ bookings_ahead_max: 2, one_at_a_time: true }, `locations/${desk.location_id}`)
    const bodies = await Promise.all(
      Array.from({ length: 12 }, async (_, number) => ({
        ...(await neighbour()),
        from_time: hoursFromNow(24 + number),
        to_time: hoursFromNow(26 + number),
      })),
    )
    const answers = await Promise.all(bodies.map((body) => book(body)))
    const done = answers.filter(({ status }) => status === 200)
    expect(done).to.have.length(2)
    const codes = new Set(answers.filter(({ status }) => status !== 200).map(({ json }) => json.code))
    expect([...codes].every((code) => ['too_many_bookings', 'already_booked'].includes(code))).to.equal(true)
  })
})
