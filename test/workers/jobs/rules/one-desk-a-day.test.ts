// Tests the rule of one desk a day: what it counts, and on which days.
import { expect } from 'chai'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createDesk,
  createLocation,
  createUser,
} from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

// Two future days in winter, when New York is five hours behind UTC, independent of when the test runs.
const YEAR = new Date().getUTCFullYear() + 1
const [EVE, FIRST, SECOND] = [`${YEAR}-01-30`, `${YEAR}-02-01`, `${YEAR}-02-02`]
const EXPECTED_REFUSAL = { status: 409, code: 'already_booked_that_day' }

describe('the rule of one desk a day', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write')
  const admin = useAdmin(world)
  let desk: Awaited<ReturnType<typeof createDesk>>

  beforeEach(async () => {
    const building_id = await createBuilding(world.database, {
      timezone: 'America/New_York',
      rules: JSON.stringify({ one_desk_a_day: true }),
    })
    desk = await createDesk(world.database, {
      location_id: await createLocation(world.database, { building_id }),
    })
  })

  const book = (from_time: string, to_time: string, more: object = {}) =>
    client.post('bookings', { ...desk, from_time, to_time, ...more })
  const neighbour = async (row: object = {}) => ({
    bookable_id: await createBookable(world.database, { location_id: desk.location_id, ...row }),
  })
  /** Creates a booking for the user of the desk, unless `row` says otherwise. */
  const hold = async (from: string, to: string, row: object = {}) =>
    createBooking(world.database, { ...(await neighbour()), user_id: desk.user_id, from, to, ...row })
  const change = (id: number, from_time: string, to_time: string) =>
    client.patch(`bookings/${id}`, { from_time, to_time })

  it('counts each local day that a booking touches', async () => {
    const building_id = await createBuilding(world.database, { name: 'Quay' })
    const location_id = await createLocation(world.database, { building_id, name: 'Floor 9' })
    const elsewhere = await createDesk(world.database, { name: 'Desk 3', location_id })
    // The booking is from midnight to one in New York.
    await hold(`${FIRST}T05:00:00Z`, `${FIRST}T06:00:00Z`, { bookable_id: elsewhere.bookable_id })
    const late = await book(`${SECOND}T04:00:00Z`, `${SECOND}T05:00:00Z`)
    const held = `Desk 3 (Floor 9, Quay) from 05:00 to 06:00 UTC on ${FIRST}`
    expect(late.json).to.include({
      ...EXPECTED_REFUSAL,
      detail: `The user already has ${held} and can have only one desk a day.`,
    })
    expect((await book(`${EVE}T12:00:00Z`, `${FIRST}T05:00:00.001Z`)).json).to.include(EXPECTED_REFUSAL)
    expect((await book(`${EVE}T12:00:00Z`, `${FIRST}T05:00:00Z`)).status).to.equal(200)
    expect((await book(`${SECOND}T05:00:00Z`, `${SECOND}T06:00:00Z`)).status).to.equal(200)
    // The day before is now one of three taken days.
    const between = [`${YEAR}-01-31T20:00:00Z`, `${YEAR}-01-31T21:00:00Z`] as const
    expect((await book(...between, await neighbour())).json).to.include(EXPECTED_REFUSAL)
  })

  it('ignores meeting rooms, other types of bookables, other people and guests', async () => {
    await hold(`${FIRST}T14:00:00Z`, `${FIRST}T16:00:00Z`)
    const free = [`${FIRST}T18:00:00Z`, `${FIRST}T20:00:00Z`] as const
    for (const other of [{ type: 1 }, { type: 2 }, { type: 2 }, { type: 3 }])
      expect((await book(...free, await neighbour(other))).status, JSON.stringify(other)).to.equal(200)
    expect((await book(...free, { ...(await neighbour({ type: 1 })) })).json).to.include(EXPECTED_REFUSAL)
    const [guest_name, user_id] = ['A guest', await createUser(world.database)]
    expect((await book(...free, { ...(await neighbour()), guest_name })).status).to.equal(200)
    expect((await book(...free, { ...(await neighbour()), user_id })).status).to.equal(200)
    expect((await book(...free)).json).to.include(EXPECTED_REFUSAL)
  })

  it('lets a booking move within its day or to another desk, but not to another booking’s day', async () => {
    const one = await hold(`${FIRST}T14:00:00Z`, `${FIRST}T16:00:00Z`)
    await hold(`${SECOND}T14:00:00Z`, `${SECOND}T16:00:00Z`)
    expect((await change(one, `${FIRST}T18:00:00Z`, `${FIRST}T20:00:00Z`)).status).to.equal(200)
    expect((await change(one, `${SECOND}T18:00:00Z`, `${SECOND}T20:00:00Z`)).json).to.include(
      EXPECTED_REFUSAL,
    )
    expect((await client.post(`bookings/${one}/move`, await neighbour())).status).to.equal(200)
  })

  it('allows swaps between two people, and between two days of one person', async () => {
    const user_id = await createUser(world.database)
    const morning = [`${FIRST}T14:00:00Z`, `${FIRST}T16:00:00Z`] as const
    const swap = async (ids: number[]) => {
      const [one, other] = await world
        .database('bookings')
        .whereIn('id', ids)
        .orderBy('id')
        .select('id', 'bookable_id')
      return admin.ask('bookings.swap', { one, other })
    }
    const ids = [await hold(...morning), await hold(...morning, { user_id })]
    const own = await hold(`${SECOND}T14:00:00Z`, `${SECOND}T16:00:00Z`)
    expect((await swap(ids)).status).to.equal(200)
    expect((await swap([ids[0] ?? 0, own])).status).to.equal(200)
  })
})
