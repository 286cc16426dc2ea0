// POST free-busy: when users are taken, without what by.
import { expect } from 'chai'
import {
  createBooking,
  createDesk,
  createEvent,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const at = (hours: number) => hoursFromNow(hours).replace('.000Z', '.000000Z')
const span = (from: number, to: number) => ({ from: hoursFromNow(from), to: hoursFromNow(to) })

describe('POST free-busy', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world, 'read')
  const ask = (user_ids: unknown, fields = {}) =>
    client.post('free-busy', { user_ids, ...span(0, 24), ...fields })

  it('merges bookings and events within the range, in the order that was asked for', async () => {
    const desk = await createDesk(world.database)
    const placed = { bookable_id: desk.bookable_id, user_id: desk.user_id }
    await createBooking(world.database, { ...placed, ...span(-2, 2) })
    await createBooking(world.database, { ...placed, ...span(5, 6), guest_name: 'Grace' })
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

  it('names each unknown or deactivated user', async () => {
    const gone = await createUser(world.database, { deactivated_at: new Date() })
    const answer = await ask([await createUser(world.database), gone, 999_999])
    expect([answer.status, Object.keys(answer.json.errors)]).to.deep.equal([
      422,
      ['user_ids.1', 'user_ids.2'],
    ])
  })
})
