// Tests bookables that administrators assign to people, and release.

import { expect } from 'chai'
import type { JobName } from '../../../../shared/jobs/jobs.ts'
import { readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createDesk,
  createEvent,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

describe('bookables that an administrator assigns', () => {
  const world = useWorld()
  const admin = useAdmin(world)
  let desk: Awaited<ReturnType<typeof createDesk>>

  beforeEach(async () => {
    desk = await createDesk(world.database, { name: 'Desk 12' })
  })

  const statusOf = async (id: number) => (await world.database('bookables').where({ id }).first()).status
  const assigneesOf = (bookable_id: number) =>
    world.database('bookable_assignees').where({ bookable_id }).orderBy('user_id').pluck('user_id')
  const time = () => ({ from_time: hoursFromNow(1), to_time: hoursFromNow(2) })
  const book = (user_id: number) => admin.ask('bookings.create', { ...desk, user_id, ...time() })

  it('are reserved for their assignees until an administrator releases the bookable', async () => {
    const { bookable_id: id, user_id } = desk
    const [other, stranger] = [await createUser(world.database), await createUser(world.database)]
    const ask = async (job: JobName, input: object, requestId: string) =>
      expect(await admin.ask(job, { id, ...input }, { requestId })).to.include({ status: 200 })
    await ask('bookables.assign', { user_id }, 'first')
    await ask('bookables.assign', { user_id: other }, 'second')
    await ask('bookables.assign', { user_id: other }, 'repeated')
    expect(await statusOf(id)).to.equal(2)
    expect(await assigneesOf(id)).to.deep.equal([user_id, other])
    expect((await book(stranger)).json.code).to.equal('bookable_assigned')
    const booked = await book(other)
    expect(booked.status).to.equal(200)
    await ask('bookables.unassign', { user_id: stranger }, 'nothing')
    await ask('bookables.unassign', { user_id }, 'third')
    expect(await assigneesOf(id)).to.deep.equal([other])
    expect(await statusOf(id)).to.equal(2)
    await ask('bookables.unassign-all', {}, 'free')
    expect(await statusOf(id)).to.equal(0)
    expect(await assigneesOf(id)).to.deep.equal([])
    const requests = ['first', 'second', 'repeated', 'nothing', 'third', 'free']
    const log = (await Promise.all(requests.map((each) => readAudit(world, each)))).flat()
    expect(log.map(({ action, before, after }) => [action, before.assignees, after.assignees])).to.deep.equal(
      [
        ['bookables.assign', [], [user_id]],
        ['bookables.assign', [user_id], [user_id, other]],
        ['bookables.unassign', [user_id, other], [other]],
        ['bookables.unassign-all', [other], []],
      ],
    )
    expect(log.map(({ before, after }) => [before.status, after.status])).to.deep.equal([
      [0, 2],
      [2, 2],
      [2, 2],
      [2, 0],
    ])
  })

  it('become free for everybody when their last assignee is removed', async () => {
    const { bookable_id: id, user_id } = desk
    await admin.ask('bookables.assign', { id, user_id })
    const { json } = await admin.ask('bookables.unassign', { id, user_id })
    expect(json.data).to.deep.equal({ id, assignees: 0 })
    expect(await statusOf(id)).to.equal(0)
  })

  it('keep all assignees that are added simultaneously', async () => {
    const id = desk.bookable_id
    const users = await Promise.all(Array.from({ length: 8 }, () => createUser(world.database)))
    const assigned = await Promise.all(users.map((user_id) => admin.ask('bookables.assign', { id, user_id })))
    expect(assigned.map(({ status }) => status)).to.deep.equal(users.map(() => 200))
    expect(await assigneesOf(id)).to.deep.equal(users.sort((a, b) => a - b))
    await Promise.all(users.map((user_id) => admin.ask('bookables.unassign', { id, user_id })))
    expect([await assigneesOf(id), await statusOf(id)]).to.deep.equal([[], 0])
  })

  it('cannot be assigned while other people have bookings; the refusal contains the number of bookings', async () => {
    const { bookable_id, user_id } = desk
    const stranger = await createUser(world.database)
    const hold = (holder: object, from: number, to: number | null) =>
      createBooking(world.database, {
        ...holder,
        bookable_id,
        from: hoursFromNow(from),
        to: to === null ? null : hoursFromNow(to),
      })
    await hold({ user_id: stranger }, -9, -8)
    await hold({ user_id }, -2, 3)
    const assign = () => admin.ask('bookables.assign', { id: bookable_id, user_id })
    const span = { from: hoursFromNow(3), to: hoursFromNow(4) }
    const own = await createEvent(world.database, { ...span, organizer_user_id: user_id })
    await hold({ event_id: own }, 3, 4)
    expect((await assign()).status, 'what is past or theirs does not matter').to.equal(200)
    await admin.ask('bookables.unassign', { id: bookable_id, user_id })
    const event_id = await createEvent(world.database, { from: hoursFromNow(4), to: hoursFromNow(5) })
    await hold({ event_id }, 4, 5)
    await hold({ user_id: stranger }, 6, null)
    const { status, json } = await assign()
    expect([status, json.code]).to.deep.equal([409, 'in_use'])
    expect(json.detail).to.include('Desk 12 has 2 upcoming bookings by other users, including events')
    expect(await statusOf(bookable_id)).to.equal(0)
    expect(await assigneesOf(bookable_id)).to.deep.equal([])
  })

  it('accept only active users as assignees, and at most 100 of them', async () => {
    const id = desk.bookable_id
    const gone = await createUser(world.database, { deactivated_at: new Date() })
    for (const user_id of [gone, 999_999]) {
      const { status, json } = await admin.ask('bookables.assign', { id, user_id })
      expect(status).to.equal(422)
      expect(json.errors).to.deep.equal({ user_id: ['There is no active user with this id.'] })
    }
    expect(await statusOf(id)).to.equal(0)
    const many = await Promise.all(Array.from({ length: 100 }, () => createUser(world.database)))
    const rows = many.map((user_id) => ({ bookable_id: id, user_id }))
    await world.database('bookable_assignees').insert(rows)
    const { status, json } = await admin.ask('bookables.assign', { id, user_id: desk.user_id })
    expect(status).to.equal(422)
    expect(json.errors).to.deep.equal({
      user_id: ['It can be assigned to at most 100 users.'],
    })
  })

  it('stay blocked if they are released but were never assigned', async () => {
    const id = await createBookable(world.database, { status: 1 })
    expect((await admin.ask('bookables.unassign-all', { id }, { requestId: 'never' })).status).to.equal(200)
    expect(await statusOf(id)).to.equal(1)
    expect(await readAudit(world, 'never')).to.deep.equal([])
    for (const [job, input] of [
      ['bookables.assign', { user_id: desk.user_id }],
      ['bookables.unassign', { user_id: desk.user_id }],
      ['bookables.unassign-all', {}],
    ] as const) {
      expect((await admin.ask(job, { id: 999_999, ...input })).status).to.equal(404)
    }
  })

  it('are never both assigned and booked for somebody else, despite simultaneous requests', async () => {
    const stranger = await createUser(world.database)
    const outcomes = new Set<string>()
    for (let round = 0; round < 20; round++) {
      desk = await createDesk(world.database)
      const { bookable_id: id, user_id } = desk
      const assign = () => admin.ask('bookables.assign', { id, user_id })
      const meet = () => {
        const attendees = [{ type: 'bookable', id }]
        return admin.ask('events.create', { name: 'E', organizer_user_id: stranger, ...time(), attendees })
      }
      const take = () => (round % 4 < 2 ? book(stranger) : meet())
      const works = round % 2 ? [take(), assign()] : [assign(), take()]
      const statuses = (await Promise.all(works)).map(({ status }) => status)
      outcomes.add(statuses.sort().join())
      const claims = await world.database('bookings').where({ bookable_id: id })
      expect((await statusOf(id)) === 2 && claims.length > 0).to.equal(false)
    }
    expect([...outcomes]).to.deep.equal(['200,409'])
  })

  // A write that waited for the lock of the bookable must not see its previous assignees.
  for (const [made, ask] of [
    ['a booking', (user_id: number) => book(user_id)],
    ['an event', (user_id: number) => meet(user_id)],
  ] as const) {
    it(`refuse ${made} of a person whose assignment is being removed`, async () => {
      const { bookable_id: id, user_id } = desk
      await admin.ask('bookables.assign', { id, user_id })
      const other = await createUser(world.database)
      const taking = await world.database.transaction()
      await taking('bookables').where({ id }).update({ updated_at: taking.fn.now() })
      await taking('bookable_assignees').where({ bookable_id: id }).update({ user_id: other })
      const asked = ask(user_id)
      await eventually(async () => {
        const { rows } = await world.database.raw(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        expect(rows).to.have.length(1)
      })
      await taking.commit()
      expect((await asked).json.code).to.equal('bookable_assigned')
    })
  }

  function meet(organizer_user_id: number) {
    const attendees = [{ type: 'bookable', id: desk.bookable_id }]
    return admin.ask('events.create', { name: 'E', organizer_user_id, ...time(), attendees })
  }
})
