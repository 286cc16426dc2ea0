// Tests rooms of events that break a rule of their place.
import { expect } from 'chai'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import { createDesk, createGroup, createUser, hoursFromNow } from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

describe('the rooms of an event', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write', 'object-write')
  const admin = useAdmin(world)
  let room: Awaited<ReturnType<typeof createDesk>>
  const hour = () => ({ from_time: hoursFromNow(24), to_time: hoursFromNow(25) })

  beforeEach(async () => {
    room = await createDesk(world.database, { name: 'Elbe', type: 2 })
  })

  const set = async (rules: object) =>
    expect((await client.put(`bookables/${room.bookable_id}/rules`, rules)).status).to.equal(200)
  const body = (changes: object = {}) => ({
    name: 'Meeting',
    organizer_user_id: room.user_id,
    attendees: [{ type: 'bookable', id: room.bookable_id }],
    ...hour(),
    ...changes,
  })
  const meet = (changes?: object) => client.post('events', body(changes))

  for (const [rules, code] of [
    [{ closed: [{ from: hoursFromNow(0), to: hoursFromNow(48), reason: 'Moving' }] }, 'closed'],
    [{ slots: [{ name: 'Night', from: '00:00', to: '00:01' }], slot_only: true }, 'outside_slots'],
    [{ minutes_min: 90 }, 'too_short'],
    [{ minutes_max: 30 }, 'too_long'],
    [{ days_ahead_max: 0 }, 'too_far_ahead'],
    [{ opening_hours: [{ day: 1, from: '00:00', to: '00:01' }] }, 'outside_opening_hours'],
  ] as const) {
    it(`are refused if they break ${JSON.stringify(rules)}, and the event is not saved`, async () => {
      await set(rules)
      expect((await meet()).json).to.include({ status: 409, code })
      expect(await world.database('events').where({ organizer_user_id: room.user_id })).to.have.length(0)
    })
  }

  it('require an organizer in the allowed groups', async () => {
    const group = await createGroup(world.database)
    await set({ group_ids: [group] })
    expect((await meet()).json.code).to.equal('not_for_this_user')
    const member = await createUser(world.database)
    await world.database('group_members').insert({ group_id: group, user_id: member })
    expect((await meet({ organizer_user_id: member })).status).to.equal(200)
  })

  for (const [rule, code] of [
    ['group_ids', 'not_for_this_user'],
    ['approvers', 'needs_approval'],
  ] as const) {
    it(`stay only if a new organizer is allowed to book them (${rule})`, async () => {
      const group = await createGroup(world.database)
      await set({ [rule]: rule === 'group_ids' ? [group] : { user_ids: [], group_ids: [group] } })
      const [member, successor] = [await createUser(world.database), await createUser(world.database)]
      for (const user_id of [member, successor])
        await world.database('group_members').insert({ group_id: group, user_id })
      const { id } = (await meet({ organizer_user_id: member })).json.data
      const hand = (organizer_user_id: number) => client.patch(`events/${id}`, { organizer_user_id })
      expect((await hand(room.user_id)).json).to.include({ status: 409, code })
      const replaced = await client.put(`events/${id}`, body())
      expect(replaced.json).to.include({ status: 409, code })
      expect((await hand(successor)).status).to.equal(200)
      const overriding = await admin.ask('events.replace', { ...body(), id, overrides_rules: true })
      expect(overriding.status, JSON.stringify(overriding.json)).to.equal(200)
      const entry = { action: 'events.replace', resource_id: id }
      const { after } = await world.database('audit_log').where(entry).orderBy('id', 'desc').first()
      expect(after.overridden_rules).to.deep.equal([code])
      // The organizer does not change, and other rules are checked only for rooms whose time changes.
      await set({
        [rule]: rule === 'group_ids' ? [group] : { user_ids: [], group_ids: [group] },
        minutes_max: 30,
      })
      expect((await client.patch(`events/${id}`, { name: 'Review' })).status).to.equal(200)
      expect((await hand(member)).status).to.equal(200)
    })
  }

  it('do not count as bookings of a user', async () => {
    await set({ one_at_a_time: true, bookings_ahead_max: 1 })
    expect((await meet()).status).to.equal(200)
    const later = { from_time: hoursFromNow(30), to_time: hoursFromNow(31) }
    expect((await meet(later)).status).to.equal(200)
    const booked = await client.post('bookings', {
      ...room,
      ...later,
      from_time: later.to_time,
      to_time: hoursFromNow(32),
    })
    expect(booked.status).to.equal(200)
  })

  it('follow no rule if the event is over', async () => {
    await set({ minutes_max: 30 })
    expect((await meet({ from_time: hoursFromNow(-30), to_time: hoursFromNow(-28) })).status).to.equal(200)
  })

  it('stay booked if the event is shortened, but must follow rules if it moves', async () => {
    const { id } = (await meet({ to_time: hoursFromNow(28) })).json.data
    await set({ minutes_max: 60 })
    expect((await client.put(`events/${id}`, body({ to_time: hoursFromNow(27) }))).status).to.equal(200)
    const moved = body({ from_time: hoursFromNow(25), to_time: hoursFromNow(28) })
    expect((await client.put(`events/${id}`, moved)).json.code).to.equal('too_long')
    const short = body({ from_time: hoursFromNow(40), to_time: hoursFromNow(41) })
    expect((await client.put(`events/${id}`, short)).status).to.equal(200)
  })

  it('cannot override rules through the API', async () => {
    await set({ minutes_max: 30 })
    expect((await meet({ overrides_rules: true })).json.code).to.equal('too_long')
  })
})
