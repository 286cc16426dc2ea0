// Tests check-in to the rooms of events, if the rules of a room require it for events.
import { expect } from 'chai'
import { createLog } from '../../../../shared/utilities/log.ts'
import { releaseNoShows } from '../../../../workers/pollers/check-ins/no-shows.ts'
import { createDesk } from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const log = createLog('test', 'silent')
const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

describe('check-in to an event', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write', 'object-write')
  let room: Awaited<ReturnType<typeof createDesk>>

  beforeEach(async () => {
    room = await createDesk(world.database, { name: 'Elbe', type: 2 })
  })

  const set = (check_in: object) => client.put(`bookables/${room.bookable_id}/rules`, { check_in })
  const asked = { opens_minutes_before: 10, release_minutes_after: 20, events: true }
  const body = (from_time: string) => ({
    name: 'Meeting',
    organizer_user_id: room.user_id,
    from_time,
    to_time: minutesFromNow(240),
    attendees: [{ type: 'bookable', id: room.bookable_id }],
  })
  const meet = async (from_time: string): Promise<number> =>
    (await client.post('events', body(from_time))).json.data.id
  const claimOf = (event_id: number) => world.database('bookings').where({ event_id }).first()
  const checkIn = (id: number) => client.post(`events/${id}/check-in`, undefined)

  it('is required only if the check-in rule applies to events', async () => {
    await set({ ...asked, events: false })
    expect((await claimOf(await meet(minutesFromNow(300 - 290)))).check_in_until).to.equal(null)
  })

  it('applies to all rooms of the event together, and returns the same answer to a repeat', async () => {
    await set(asked)
    const id = await meet(minutesFromNow(5))
    const first = await checkIn(id)
    expect(first.status, first.text).to.equal(200)
    expect(first.json.data.id).to.equal(id)
    expect((await checkIn(id)).json).to.deep.equal(first.json)
    expect((await claimOf(id)).checked_in_at).to.not.equal(null)
    expect(
      await world.database('audit_log').where({ action: 'events.check-in', resource_id: id }),
    ).to.have.length(1)
  })

  it('follows the same times as check-in to a booking', async () => {
    await set(asked)
    const id = await meet(minutesFromNow(30))
    expect((await checkIn(id)).json.code).to.equal('check_in_too_early')
    await world
      .database('bookings')
      .where({ event_id: id })
      .update({ check_in_until: minutesFromNow(-1) })
    expect((await checkIn(id)).json.code).to.equal('booking_ended')
    expect((await checkIn(999_999)).status).to.equal(404)
  })

  it('stays recorded when the event is saved again, and a released room stays free', async () => {
    await set(asked)
    const from = minutesFromNow(-5)
    const id = await meet(from)
    expect((await checkIn(id)).status).to.equal(200)
    const { checked_in_at } = await claimOf(id)
    expect((await client.put(`events/${id}`, body(from))).status).to.equal(200)
    expect((await claimOf(id)).checked_in_at).to.deep.equal(checked_in_at)

    await world
      .database('bookings')
      .where({ event_id: id })
      .update({ checked_in_at: null, check_in_until: minutesFromNow(-1) })
    expect(await releaseNoShows(world.database, log)).to.equal(1)
    const taken = { ...room, from_time: minutesFromNow(10), to_time: minutesFromNow(60) }
    expect((await client.post('bookings', taken)).status).to.equal(200)
    const again = await client.put(`events/${id}`, body(from))
    expect(again.status, again.text).to.equal(200)
    expect(again.json.data.bookables).to.have.length(1)
    expect((await claimOf(id)).released_at).to.not.equal(null)
  })

  describe('check-in to an event that somebody changes', () => {
    const put = (id: number, changes: object) =>
      client.put(`events/${id}`, { ...body(minutesFromNow(0)), from_time: undefined, ...changes })
    const windowOf = async (id: number) => {
      const { check_in_from, check_in_until, checked_in_at } = await claimOf(id)
      return { check_in_from, check_in_until, checked_in_at }
    }
    const meetAnHourAgo = async (closes: number) => {
      await set(asked)
      const id = await meet(minutesFromNow(-60))
      const check_in_until = minutesFromNow(closes)
      await world.database('bookings').where({ event_id: id }).update({ check_in_until })
      return id
    }

    it('keeps its deadline if the event gets another end or another start in the past', async () => {
      const id = await meetAnHourAgo(1)
      const before = await windowOf(id)
      for (const changes of [
        {},
        { to_time: minutesFromNow(300) },
        { to_time: minutesFromNow(90) },
        { from_time: minutesFromNow(-59.999) },
      ]) {
        const answer = await put(id, changes)
        expect(answer.status, answer.text).to.equal(200)
        expect(Date.parse((await windowOf(id)).check_in_until)).to.equal(Date.parse(before.check_in_until))
      }
    })

    it('leaves a released room free if the event gets another start in the past', async () => {
      const id = await meetAnHourAgo(-1)
      for (const from_time of [minutesFromNow(-59.999), minutesFromNow(-5), minutesFromNow(-120)]) {
        expect((await put(id, { from_time })).status).to.equal(200)
        expect((await checkIn(id)).json.code).to.equal('booking_ended')
      }
      expect(await releaseNoShows(world.database, log)).to.equal(1)
      const taken = { ...room, from_time: minutesFromNow(0), to_time: minutesFromNow(60) }
      expect((await client.post('bookings', taken)).status).to.equal(200)
      expect((await put(id, { from_time: minutesFromNow(-2) })).status).to.equal(200)
    })

    it('books released rooms again if the event moves to the future, or refuses the move', async () => {
      const id = await meetAnHourAgo(-1)
      expect(await releaseNoShows(world.database, log)).to.equal(1)
      const from_time = minutesFromNow(600)
      const to_time = minutesFromNow(660)
      const taken = { ...room, from_time, to_time }
      const other = (await client.post('bookings', taken)).json.data[0].id
      expect((await put(id, { from_time, to_time })).json.code).to.equal('booking_conflict')
      expect((await client.delete(`bookings/${other}`)).status).to.equal(204)
      expect((await put(id, { from_time, to_time })).status).to.equal(200)
      const claim = await claimOf(id)
      expect(claim.released_at).to.equal(null)
      expect(Date.parse(claim.check_in_until)).to.equal(Date.parse(from_time) + 20 * 60_000)
    })

    it('leaves released rooms free when somebody checks in to the remaining rooms', async () => {
      await set(asked)
      const { bookable_id: other } = await createDesk(world.database, { type: 2 })
      const attendees = [room.bookable_id, other].map((id) => ({ type: 'bookable', id }))
      const id = (await client.post('events', { ...body(minutesFromNow(-5)), attendees })).json.data.id
      const lost = { event_id: id, bookable_id: room.bookable_id }
      await world
        .database('bookings')
        .where(lost)
        .update({ check_in_until: minutesFromNow(-1) })
      expect((await checkIn(id)).status).to.equal(200)
      const rows = await world.database('bookings').where({ event_id: id }).orderBy('bookable_id')
      expect(rows.map(({ checked_in_at }) => checked_in_at !== null)).to.deep.equal([false, true])
    })
  })
})
