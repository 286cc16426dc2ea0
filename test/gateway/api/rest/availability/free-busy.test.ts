// Tests POST free-busy, which returns the times at which users are busy, without the reason.
import { expect } from 'chai'
import { createToken } from '../../../../../shared/tokens/token-store.ts'
import {
  createBooking,
  createBuilding,
  createDesk,
  createEvent,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { Client } from '../../../../support/http/http.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const at = (hours: number) => hoursFromNow(hours).replace('.000Z', '.000000Z')
const span = (from: number, to: number) => ({ from: hoursFromNow(from), to: hoursFromNow(to) })

describe('POST free-busy', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world, 'read')
  const ask = (user_ids: unknown, fields = {}) =>
    client.post('free-busy', { user_ids, ...span(0, 24), ...fields })

  it('merges bookings and events within the range, and keeps the order of the requested users', async () => {
    const desk = await createDesk(world.database)
    const placed = { bookable_id: desk.bookable_id, user_id: desk.user_id }
    await createBooking(world.database, { ...placed, ...span(-2, 2) })
    await createBooking(world.database, { ...placed, ...span(5, 6), guest_name: 'Grace' })
    await createBooking(world.database, { ...placed, ...span(7, 8), guest_email: 'grace@example.com' })
    await createEvent(world.database, { ...span(9, 10), organizer_user_id: desk.user_id, status: 2 })
    const event = await createEvent(world.database, { ...span(2, 3), organizer_user_id: desk.user_id })
    const invited = await createUser(world.database)
    await world.database('event_attendees').insert({ event_id: event, user_id: invited })
    const declined = await createUser(world.database)
    await world.database('event_attendees').insert({ event_id: event, user_id: declined, status: 3 })
    const answer = await ask([invited, desk.user_id, declined])
    expect(answer.json).to.deep.equal({
      data: [
        { user_id: invited, taken: [{ from: at(2), to: at(3) }] },
        { user_id: desk.user_id, taken: [{ from: at(0), to: at(3) }] },
        { user_id: declined, taken: [] },
      ],
    })
    const rooms = await ask([desk.user_id], { booking_types: [2] })
    expect(rooms.json.data).to.deep.equal([{ user_id: desk.user_id, taken: [{ from: at(2), to: at(3) }] }])
  })

  it('counts only bookings and events in the buildings of a limited token', async () => {
    const building_id = await createBuilding(world.database)
    const location_id = await createLocation(world.database, { building_id })
    const [here, there] = [
      await createDesk(world.database, { location_id }),
      await createDesk(world.database),
    ]
    const user_id = here.user_id
    const organizer_user_id = user_id
    await createBooking(world.database, { bookable_id: here.bookable_id, user_id, ...span(1, 2) })
    await createBooking(world.database, { bookable_id: there.bookable_id, user_id, ...span(3, 4) })
    for (const [from, bookable_id] of [
      [5, here.bookable_id],
      [7, there.bookable_id],
    ] as const) {
      const time = span(from, from + 1)
      const event_id = await createEvent(world.database, { ...time, organizer_user_id })
      await createBooking(world.database, { bookable_id, event_id, ...time })
    }
    await createEvent(world.database, { ...span(9, 10), organizer_user_id })
    const startsOf = async (caller: Client) => {
      const { json } = await caller.post('free-busy', { user_ids: [user_id], ...span(0, 24) })
      return json.data[0].taken.map(({ from }: { from: string }) => from)
    }
    expect(await startsOf(client)).to.deep.equal([1, 3, 5, 7, 9].map(at))
    const token = { name: 'limited', abilities: ['read'] as const, createdBy: 'test' }
    const limited = await createToken(world.database, { ...token, buildingIds: [building_id] })
    expect(await startsOf(new Client(world.url, limited.token))).to.deep.equal([1, 5].map(at))
  })

  it('needs no idempotency key, but at least one user and a range of at most 31 days', async () => {
    const [one, other] = [await createUser(world.database), await createUser(world.database)]
    const asked = async (user_id: number) =>
      client.post('free-busy', { user_ids: [user_id], ...span(0, 24) }, { 'Idempotency-Key': 'one' })
    for (const user_id of [one, other]) expect((await asked(user_id)).json.data[0].user_id).to.equal(user_id)
    const errorsOf = async (fields: object) => Object.keys((await ask([one], fields)).json.errors)
    expect(await errorsOf({ user_ids: [] })).to.deep.equal(['user_ids'])
    expect(await errorsOf({ to: hoursFromNow(24 * 32) })).to.deep.equal(['to'])
    expect(await errorsOf({ booking_types: [4] })).to.deep.equal(['booking_types.0'])
  })

  it('names each unknown or deactivated user in its refusal', async () => {
    const gone = await createUser(world.database, { deactivated_at: new Date() })
    const answer = await ask([await createUser(world.database), gone, 999_999])
    expect([answer.status, Object.keys(answer.json.errors)]).to.deep.equal([
      422,
      ['user_ids.1', 'user_ids.2'],
    ])
  })
})
