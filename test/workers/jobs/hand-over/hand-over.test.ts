// Tests handing over what a person is responsible for: one write, which changes everything or nothing and can be undone.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { EVENT_STATUSES } from '../../../../shared/events/events.ts'
import { MEETINGS_HANDED_OVER_MAX } from '../../../../shared/hand-over/hand-over.ts'
import { readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createGroup,
  createLoan,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { countLockWaits } from '../../../support/faults/pipeline.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

const TOMORROW = { from: hoursFromNow(24), to: hoursFromNow(26) }

describe('handing over in one write', () => {
  const world = useWorld()
  const admin = useAdmin(world)
  let [leaver, successor, building, room, meeting] = [0, 0, 0, 0, 0]

  beforeEach(async () => {
    const { database } = world
    leaver = await createUser(database)
    successor = await createUser(database)
    building = await createBuilding(database)
    const location_id = await createLocation(database, { building_id: building })
    room = await createBookable(database, { location_id, type: 2, status: 2 })
    await database('bookable_assignees').insert({ bookable_id: room, user_id: leaver })
    const rules = { days_ahead_max: 9, approvers: { user_ids: [leaver], group_ids: [] } }
    await database('buildings')
      .where({ id: building })
      .update({ rules: JSON.stringify(rules) })
    await database('locations')
      .where({ id: location_id })
      .update({ rules: JSON.stringify(rules) })
    // The person organizes a meeting in the room that is assigned to them.
    meeting = await createEvent(database, { organizer_user_id: leaver, ...TOMORROW })
    await createBooking(database, { bookable_id: room, event_id: meeting, ...TOMORROW })
  })

  const handOver = (to = successor, requestId: string = randomUUID()) =>
    admin.ask('users.hand-over', { id: leaver, to }, { requestId })
  async function whoHas() {
    const { database } = world
    const { organizer_user_id } = await database('events').where({ id: meeting }).first()
    const assignees = await database('bookable_assignees').where({ bookable_id: room }).pluck('user_id')
    const approvers = await database('buildings').where({ id: building }).first()
    const onFloor = await database('locations').where({ building_id: building }).first()
    return [
      Number(organizer_user_id),
      ...assignees.map(Number),
      ...approvers.rules.approvers.user_ids,
      ...onFloor.rules.approvers.user_ids,
    ]
  }

  it('hands over everything, and one undo returns everything', async () => {
    const requestId = randomUUID()
    const { json } = await handOver(successor, requestId)
    expect(json).to.deep.equal({ data: { meetings: 1, places: 2, assigned: 1, is_complete: true } })
    expect(await whoHas()).to.deep.equal([successor, successor, successor, successor])
    const entries = await readAudit(world, requestId)
    expect(new Set(entries.map(({ attempt }: { attempt: string }) => attempt))).to.have.property('size', 1)
    const undone = await admin.ask('audit-entries.undo', { id: entries.at(-1).id })
    expect(undone.status, JSON.stringify(undone.json)).to.equal(200)
    expect(await whoHas()).to.deep.equal([leaver, leaver, leaver, leaver])
  })

  it('changes nothing if one part of it is refused', async () => {
    // Somebody else’s assigned room: the successor may not organize a meeting there.
    const taken = await createBookable(world.database, { type: 2, status: 2 })
    const owner = await createUser(world.database)
    await world.database('bookable_assignees').insert({ bookable_id: taken, user_id: owner })
    await createBooking(world.database, { bookable_id: taken, event_id: meeting, ...TOMORROW })
    expect((await handOver()).status).to.equal(409)
    expect(await whoHas()).to.deep.equal([leaver, leaver, leaver, leaver])
    const former = await createUser(world.database, { deactivated_at: new Date() })
    for (const to of [former, leaver]) expect((await handOver(to)).json.errors).to.have.key('to')
  })

  it('includes meetings in rooms that the successor is not allowed to book', async () => {
    const rules = { group_ids: [await createGroup(world.database)] }
    await world
      .database('bookables')
      .where({ id: room })
      .update({ rules: JSON.stringify(rules) })
    const { status, json } = await handOver()
    expect(status, JSON.stringify(json)).to.equal(200)
    expect((await whoHas())[0]).to.equal(successor)
  })

  it('keeps other assignees and approvers, also those who have left, and bookings on a lent desk', async () => {
    const { database } = world
    const other = await createUser(database, { deactivated_at: new Date() })
    await database('bookable_assignees').insert({ bookable_id: room, user_id: other })
    const rules = { approvers: { user_ids: [other, leaver, successor], group_ids: [] } }
    await database('buildings')
      .where({ id: building })
      .update({ rules: JSON.stringify(rules) })
    const loan = await createLoan(database, {
      bookable_id: room,
      user_id: leaver,
      days: '[2030-03-01,2030-03-15)',
    })
    const guest = await createUser(database)
    const span = { from: hoursFromNow(48), to: hoursFromNow(50) }
    const booking = await createBooking(database, { bookable_id: room, user_id: guest, ...span })
    expect((await handOver()).status).to.equal(200)
    const present = await database('buildings').where({ id: building }).first()
    expect(present.rules.approvers.user_ids).to.deep.equal([other, successor])
    const assignees = await database('bookable_assignees').where({ bookable_id: room }).pluck('user_id')
    expect(assignees.map(Number)).to.have.members([other, successor])
    expect(await database('loans').where({ id: loan })).to.have.length(0)
    expect(await database('bookings').where({ id: booking })).to.have.length(1)
  })

  it('hands over the next meetings first, and says that there are more', async () => {
    const { database } = world
    const { rows } = await database.raw(
      `INSERT INTO events (organizer_user_id, name, during)
       SELECT ?, 'Daily', tstzrange(now() + day * interval '1 day', now() + day * interval '1 day' + interval '1 hour')
       FROM generate_series(2, ?) AS day RETURNING id`,
      [leaver, MEETINGS_HANDED_OVER_MAX + 1],
    )
    expect((await handOver()).json.data).to.include({
      is_complete: false,
      meetings: MEETINGS_HANDED_OVER_MAX,
    })
    const last = await database('events')
      .where({ id: rows.at(-1).id })
      .first()
    expect(Number(last.organizer_user_id)).to.equal(leaver)
    expect((await handOver()).json.data).to.include({ is_complete: true, meetings: 1 })
  })

  describe('while another write changes what is handed over', () => {
    /**
     * Hands over while another transaction holds a lock on this row. That transaction changes the row and commits once the
     * hand-over waits for the lock.
     */
    async function handOverDuring(
      table: 'bookables' | 'events' | 'locations',
      id: number,
      change: (row: Knex.QueryBuilder) => PromiseLike<unknown>,
    ) {
      const trx = await world.database.transaction()
      await trx(table).where({ id }).forNoKeyUpdate()
      const handing = handOver()
      await eventually(async () => expect(await countLockWaits(world)).to.equal(1))
      await change(trx(table).where({ id }))
      await trx.commit()
      return handing
    }

    it('leaves out a place that no longer names the person as an approver', async () => {
      const other = await createUser(world.database)
      const rules = JSON.stringify({ approvers: { user_ids: [other], group_ids: [] } })
      for (const present of [null, rules]) {
        const floor = await createLocation(world.database, {
          rules: JSON.stringify({ approvers: { user_ids: [leaver], group_ids: [] } }),
        })
        const { status, json } = await handOverDuring('locations', floor, (row) =>
          row.update({ rules: present }),
        )
        expect(status, JSON.stringify(json)).to.equal(200)
        const { rules: kept } = await world.database('locations').where({ id: floor }).first()
        expect(kept).to.deep.equal(present === null ? null : JSON.parse(rules))
      }
      expect(await whoHas()).to.deep.equal([successor, successor, successor, successor])
    })

    it('leaves out a floor that is deleted', async () => {
      const rules = JSON.stringify({ approvers: { user_ids: [leaver], group_ids: [] } })
      const floor = await createLocation(world.database, { rules })
      const { status, json } = await handOverDuring('locations', floor, (row) => row.delete())
      expect(status, JSON.stringify(json)).to.equal(200)
      expect(json.data).to.include({ places: 2, assigned: 1 })
    })

    it('leaves out an assigned desk that is deleted', async () => {
      const desk = await createBookable(world.database, { status: 2 })
      await world.database('bookable_assignees').insert({ bookable_id: desk, user_id: leaver })
      const { status, json } = await handOverDuring('bookables', desk, (row) => row.delete())
      expect(status, JSON.stringify(json)).to.equal(200)
      expect(json.data).to.include({ places: 2, assigned: 1 })
    })

    it('leaves out a meeting that is cancelled', async () => {
      const times = { from: hoursFromNow(48), to: hoursFromNow(50) }
      const cancelled = await createEvent(world.database, { organizer_user_id: leaver, ...times })
      const { status, json } = await handOverDuring('events', cancelled, (row) =>
        row.update({ status: EVENT_STATUSES.cancelled }),
      )
      expect(status, JSON.stringify(json)).to.equal(200)
      expect(json.data).to.include({ meetings: 1 })
      expect(await world.database('events').where({ id: cancelled }).first()).to.include({
        organizer_user_id: leaver,
      })
    })
  })
})
