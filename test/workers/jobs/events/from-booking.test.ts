// Tests turning the booking of a room into an event where bookings need approval.
import { expect } from 'chai'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import { createBookable, createBooking, createUser, hoursFromNow } from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

describe('an event that replaces an approved booking', () => {
  const world = useWorld()
  const admin = useAdmin(world)

  it('needs no second approval for its room, but one for every other room', async () => {
    const rules = JSON.stringify({ approvers: { user_ids: [await createUser(world.database)] } })
    const [room, other] = [
      await createBookable(world.database, { type: 2, name: 'Isar', rules }),
      await createBookable(world.database, { type: 2, name: 'Elbe', rules }),
    ]
    const times = { from: hoursFromNow(24), to: hoursFromNow(25) }
    const booking_id = await createBooking(world.database, { bookable_id: room, ...times })
    const input = { booking_id, name: 'Planning' }
    const attendees = [{ type: 'bookable', id: String(other) }]
    const { json } = await admin.ask('events.create-from-booking', { ...input, attendees })
    expect(json.code, JSON.stringify(json)).to.equal('needs_approval')
    const created = await admin.ask('events.create-from-booking', input)
    expect(created.status, JSON.stringify(created.json)).to.equal(200)
    const claims = await world.database('bookings').whereIn('bookable_id', [room, other])
    expect(claims.map((each) => each.bookable_id)).to.deep.equal([room])
  })
})
