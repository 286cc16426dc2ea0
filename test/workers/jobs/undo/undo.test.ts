// Undoing a write of bookings or bookables: all that it did comes back, unless somebody has changed it since.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import type { JobName } from '../../../../shared/jobs/jobs.ts'
import { ADMIN, auditOf, useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createEvent,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { breakAtSecond, CUT } from '../../../support/faults/broken-audit-log.ts'
import { useWorld } from '../../../support/world.ts'

const span = (from: number, to: number) => ({ from: hoursFromNow(from), to: hoursFromNow(to) })
const TOMORROW = span(24, 32)

describe('a change that is undone', () => {
  const world = useWorld()
  const admin = useAdmin(world)
  let location_id: number
  let [bow, stern, anna, ben] = [0, 0, 0, 0]
  beforeEach(async () => {
    location_id = await createLocation(world.database)
    bow = await createBookable(world.database, { location_id, name: 'Bow' })
    stern = await createBookable(world.database, { location_id, name: 'Stern' })
    anna = await createUser(world.database)
    ben = await createUser(world.database)
  })

  const book = (bookable_id = bow, user_id = anna, row: { from: string; to: string | null } = TOMORROW) =>
    createBooking(world.database, { bookable_id, user_id, ...row })
  const rowOf = (id: number) => world.database('bookings').where({ id }).first()
  const deskOf = (id: number) => world.database('bookables').where({ id }).first()

  /** Returns the last entry that it leaves. */
  async function change(name: JobName, input: unknown): Promise<number> {
    const requestId = randomUUID()
    const { status, json } = await admin.ask(name, input, { requestId })
    expect(status, JSON.stringify(json)).to.be.below(300)
    return (await auditOf(world, requestId)).at(-1).id
  }
  const undo = (id: number, more = {}, requestId: string = randomUUID()) =>
    admin.ask('audit-entries.undo', { id, ...more }, { requestId })
  async function expectUndone(entry: number, more = {}) {
    const { status, json } = await undo(entry, more)
    expect(status, JSON.stringify(json)).to.equal(200)
    return json.data
  }
  async function expectRefused(entry: number, words: string, more = {}) {
    const before = await world.database('bookings').orderBy('id')
    const { status, json } = await undo(entry, more)
    expect([status, json.detail]).to.satisfy(
      ([code, detail]: [number, string]) => code >= 400 && code < 500 && detail.includes(words),
      `${status} ${json.detail}`,
    )
    expect(await world.database('bookings').orderBy('id')).to.deep.equal(before)
  }

  it('is a move: the booking goes back to its desk and its time', async () => {
    const id = await book()
    const before = await rowOf(id)
    const moved = { id, bookable_id: stern, from_time: hoursFromNow(26), to_time: hoursFromNow(40) }
    const entry = await change('bookings.move', moved)
    const requestId = randomUUID()
    expect((await undo(entry, {}, requestId)).status).to.equal(200)
    expect(await rowOf(id)).to.deep.include({ bookable_id: bow, during: before.during })
    const [undoing] = await auditOf(world, requestId)
    expect(undoing).to.include({ action: 'bookings.update', undoes: entry, actor_name: ADMIN.name })
    const [told] = await world.database('changes').where({ request_id: requestId })
    expect(told).to.include({ type: 'booking', action: 'updated', resource_id: id })
  })

  it('is an early end or a changed guest, even if the person has checked in since', async () => {
    const id = await book(bow, anna, span(-1, 8))
    const { during } = await rowOf(id)
    const entry = await change('bookings.update', { id, to_time: hoursFromNow(1), guest_name: 'Grace' })
    await change('bookings.check-in', { id })
    await expectUndone(entry)
    const after = await rowOf(id)
    expect(after).to.deep.include({ during, guest_name: null })
    expect(after.checked_in_at).to.not.equal(null)
  })

  it('is a swap', async () => {
    const [one, other] = [await book(bow, anna), await book(stern, ben)]
    const input = { one: { id: one, bookable_id: bow }, other: { id: other, bookable_id: stern } }
    await expectUndone(await change('bookings.swap', input))
    expect([(await rowOf(one)).bookable_id, (await rowOf(other)).bookable_id]).to.deep.equal([bow, stern])
    expect([(await rowOf(one)).exclusive, (await rowOf(other)).exclusive]).to.deep.equal([true, true])
  })

  it('is a cancelled booking: it comes back under its number, as it was', async () => {
    const id = await createBooking(world.database, {
      bookable_id: bow,
      user_id: anna,
      ...TOMORROW,
      guest_name: 'Grace',
      booking_info: 'Visit',
      created_at: hoursFromNow(-100),
    })
    const before = await rowOf(id)
    const entry = await change('bookings.delete', { id })
    const requestId = randomUUID()
    expect((await undo(entry, {}, requestId)).status).to.equal(200)
    const { updated_at: _, revision, ...after } = await rowOf(id)
    const { updated_at: __, revision: old, ...was } = before
    expect(after).to.deep.equal(was)
    // Calendars take the newest one, and no longer tell that it was cancelled.
    expect(revision).to.be.above(old)
    expect(await world.database('cancelled_bookings').where({ booking_id: id })).to.deep.equal([])
    const [told] = await world.database('changes').where({ request_id: requestId })
    expect(told).to.include({ action: 'created', resource_id: id })
    // The booking excludes others again.
    const other = {
      bookable_id: bow,
      location_id,
      user_id: ben,
      from_time: TOMORROW.from,
      to_time: TOMORROW.to,
    }
    expect((await admin.ask('bookings.create', other)).json.code).to.equal('booking_conflict')
  })

  it('cannot be undone once somebody else has the desk', async () => {
    const [moved, cancelled] = [await book(bow), await book(stern, anna, span(40, 48))]
    const other = await createBookable(world.database, { location_id })
    const entries = [
      await change('bookings.move', { id: moved, bookable_id: other }),
      await change('bookings.delete', { id: cancelled }),
    ] as const
    await book(bow, ben)
    await book(stern, ben, span(44, 50))
    await expectRefused(entries[0], 'Bow is taken')
    await expectRefused(entries[1], 'Stern is taken')
  })

  it('cannot be undone once its desk has become a home office, which bookings share', async () => {
    const entry = await change('bookings.move', { id: await book(), bookable_id: stern })
    await change('bookables.edit', { id: bow, type: BOOKABLE_TYPES.homeOffice })
    await expectRefused(entry, 'Bow has become a home office since')
  })

  it('is undone once, by the first caller', async () => {
    for (const name of ['bookings.move', 'bookings.delete'] as const) {
      const id = await book(bow, anna, span(50, 58))
      const entry = await change(name, name === 'bookings.move' ? { id, bookable_id: stern } : { id })
      const answers = await Promise.all([undo(entry), undo(entry)])
      expect(answers.map(({ status }) => status).sort(), name).to.deep.equal([200, 409])
      expect(answers.find(({ status }) => status === 409)?.json).to.include({ code: 'changed_meanwhile' })
      await expectRefused(entry, `${ADMIN.name} has already undone this`)
      expect((await rowOf(id)).bookable_id).to.equal(bow)
      await world.database('bookings').where({ id }).delete()
    }
  })

  it('can be done again by undoing that', async () => {
    const id = await book()
    const entry = await change('bookings.delete', { id })
    const requestId = randomUUID()
    await undo(entry, {}, requestId)
    const [undoing] = await auditOf(world, requestId)
    await expectUndone(undoing.id)
    expect(await rowOf(id)).to.equal(undefined)
  })

  it('stays if somebody has changed it since, and the refusal names that person', async () => {
    const id = await book()
    const entry = await change('bookings.move', { id, bookable_id: stern })
    await change('bookings.update', { id, to_time: hoursFromNow(30) })
    await expectRefused(entry, `${ADMIN.name} has changed this since then`)
    await change('bookings.delete', { id })
    await expectRefused(entry, 'has changed this since then')
  })

  it('names no time when the place of a changed booking is gone, and with it the time zone', async () => {
    const place = await createBookable(world.database, { location_id })
    const entry = await change('bookings.create', {
      bookable_id: place,
      location_id,
      user_id: anna,
      from_time: TOMORROW.from,
      to_time: TOMORROW.to,
    })
    const { resource_id: id } = await world.database('audit_log').where({ id: entry }).first()
    await change('bookings.delete', { id: Number(id) })
    await world.database('cancelled_bookings').where({ booking_id: id }).delete()
    await change('bookables.delete', { ids: [place] })
    await expectRefused(entry, 'This has been changed since then. Nothing was undone.')
  })

  it('undoes a write once when two of its entries are named', async () => {
    const [one, other] = [await book(bow, anna), await book(stern, ben)]
    const swap = { one: { id: one, bookable_id: bow }, other: { id: other, bookable_id: stern } }
    const entry = await change('bookings.swap', swap)
    const { attempt } = await world.database('audit_log').where({ id: entry }).first()
    const also = await world.database('audit_log').where({ attempt }).whereNot({ id: entry }).pluck('id')
    const { status, json } = await admin.ask('audit-entries.undo', { id: entry, also: also.map(Number) })
    expect([status, json]).to.deep.equal([200, { data: { undone: 2, left: 0 } }])
  })

  it('stays if the person was deactivated, the place is blocked, closed or gone, or the time is over', async () => {
    const book = async (hour: number) =>
      change('bookings.delete', {
        id: await createBooking(world.database, { bookable_id: bow, user_id: ben, ...span(hour, hour + 1) }),
      })
    const [entry, over] = [
      await book(24),
      await change('bookings.delete', {
        id: await createBooking(world.database, { bookable_id: bow, user_id: anna, ...span(-3, -1) }),
      }),
    ]
    await expectRefused(over, 'over by now')
    await world.database('users').where({ id: ben }).update({ deactivated_at: new Date() })
    await expectRefused(entry, 'deactivated')
    await world.database('users').where({ id: ben }).update({ deactivated_at: null })
    await world.database('bookables').where({ id: bow }).update({ status: 1 })
    await expectRefused(entry, 'Bow is blocked')
    const closed = [{ from: hoursFromNow(20), to: hoursFromNow(30), reason: 'Works' }]
    await world
      .database('bookables')
      .where({ id: bow })
      .update({ status: 0, rules: JSON.stringify({ closed }) })
    await expectRefused(entry, 'Works')
    await world.database('bookables').where({ id: bow }).update({ rules: null, deleted_at: new Date() })
    await expectRefused(entry, 'no longer exists')
  })

  it('is the rules of a floor and a building, which open again before bookings come back', async () => {
    const { building_id } = await world.database('locations').where({ id: location_id }).first()
    for (const [table, id] of [
      ['buildings', building_id],
      ['locations', location_id],
    ] as const) {
      const rulesOf = async () => (await world.database(table).where({ id }).first()).rules
      await admin.ask(`${table}.set-rules`, { id, rules: { minutes_max: 600 } })
      const booking = await book()
      const closed = [{ ...TOMORROW, reason: 'Works' }]
      const entry = await change(`${table}.set-rules`, { id, rules: { closed }, in_the_way: 'release' })
      expect(await rowOf(booking)).to.equal(undefined)
      await expectUndone(entry)
      expect(await rulesOf()).to.deep.equal({ minutes_max: 600 })
      expect(await rowOf(booking)).to.include({ bookable_id: bow, user_id: anna })
      await expectRefused(entry, 'has already undone this')
      const second = await change(`${table}.set-rules`, { id, rules: { minutes_max: 700 } })
      await admin.ask(`${table}.set-rules`, { id, rules: { minutes_max: 800 } })
      await expectRefused(second, `${ADMIN.name} has changed this since then`)
      expect(await rulesOf()).to.deep.equal({ minutes_max: 800 })
      await world.database('bookings').where({ id: booking }).delete()
    }
  })

  it('counts what the person has booked instead', async () => {
    await admin.ask('bookables.set-rules', { id: bow, rules: { one_at_a_time: true } })
    const id = await book()
    const entry = await change('bookings.delete', { id })
    await book(stern, anna)
    await expectRefused(entry, 'Stern')
  })

  it('are many cancelled bookings: all come back, or with “skips” those that can', async () => {
    const ids = [
      await book(bow, anna, span(-1, 8)),
      await book(stern, anna, span(24, 32)),
      await book(bow, ben, span(24, 32)),
    ] as const
    const before = await Promise.all(ids.map(rowOf))
    const entry = await change('bookings.cancel', { ids })
    const other = await book(stern, ben)
    await expectRefused(entry, '1 of 2 bookings cannot come back')
    expect(await expectUndone(entry, { skips: true })).to.deep.equal({ undone: 2, left: 1 })
    expect((await rowOf(ids[0])).during).to.equal(before[0].during)
    expect(await rowOf(ids[1])).to.equal(undefined)
    expect((await rowOf(ids[2])).during).to.equal(before[2].during)
    await world
      .database('bookings')
      .whereIn('id', [...ids, other])
      .delete()
  })

  for (const in_the_way of ['move', 'release'] as const) {
    it(`is a blocked desk with the bookings that were in the way: ${in_the_way}`, async () => {
      const id = await book()
      const before = await rowOf(id)
      await expectUndone(await change('bookables.edit', { id: bow, status: 1, in_the_way }))
      expect((await deskOf(bow)).status).to.equal(0)
      expect(await rowOf(id)).to.deep.include({ bookable_id: bow, during: before.during, user_id: anna })
    })
  }

  it('is a desk that was closed for a time in the middle of a booking, which was split', async () => {
    const id = await book(bow, anna, span(24, 48))
    const before = await rowOf(id)
    const rules = { closed: [{ ...span(30, 34), reason: 'Works' }] }
    const entry = await change('bookables.set-rules', { id: bow, rules, in_the_way: 'release' })
    expect(await world.database('bookings').where({ bookable_id: bow })).to.have.length(2)
    await expectUndone(entry)
    expect((await deskOf(bow)).rules).to.equal(null)
    const left = await world.database('bookings').where({ bookable_id: bow })
    expect(left.map(({ during }) => during)).to.deep.equal([before.during])
  })

  it('are several desks that were blocked, and stays if one was changed since', async () => {
    const entry = await change('bookables.set-status', { ids: [bow, stern], status: 1 })
    await expectUndone(entry)
    expect([(await deskOf(bow)).status, (await deskOf(stern)).status]).to.deep.equal([0, 0])
    const again = await change('bookables.set-status', { ids: [bow, stern], status: 1 })
    await change('bookables.set-status', { ids: [stern], status: 0 })
    await expectRefused(again, 'has changed this since then')
    expect((await deskOf(bow)).status).to.equal(1)
  })

  it('is an assignment, given or ended, and other details', async () => {
    const assignees = () => world.database('bookable_assignees').where({ bookable_id: bow }).pluck('user_id')
    await expectUndone(await change('bookables.assign', { id: bow, user_id: anna }))
    expect([await assignees(), (await deskOf(bow)).status]).to.deep.equal([[], 0])
    await change('bookables.assign', { id: bow, user_id: ben })
    await expectUndone(await change('bookables.unassign', { id: bow, user_id: ben }))
    expect([await assignees(), (await deskOf(bow)).status]).to.deep.equal([[ben], 2])
    await expectUndone(await change('bookables.set-tags', { ids: [bow], add: ['window'], remove: [] }))
    expect((await deskOf(bow)).tags).to.deep.equal([])
  })

  it('is refused for what cannot be undone: check-ins, rooms of events, other things', async () => {
    const id = await book(bow, anna, span(-1, 8))
    await expectRefused(await change('bookings.check-in', { id }), 'cannot be undone here')
    const room = await createBookable(world.database, { location_id, type: 2 })
    const event_id = await createEvent(world.database, TOMORROW)
    await createBooking(world.database, { bookable_id: room, event_id, ...TOMORROW })
    const blocked = await change('bookables.edit', { id: room, status: 1, in_the_way: 'release' })
    await expectRefused(blocked, 'cannot be undone here')
    await expectRefused(await change('buildings.create', { name: 'Harbour' }), 'cannot be undone here')
    await expectRefused(2 ** 50, 'no such entry')
  })

  it('is refused where an erasure has emptied its entry', async () => {
    const id = await book()
    const moved = await change('bookings.move', { id, bookable_id: stern })
    for (const row of [null, {}]) {
      const emptied = { before: row && JSON.stringify(row), after: row && JSON.stringify(row) }
      await world.database('audit_log').where({ id: moved }).update(emptied)
      await expectRefused(moved, 'cannot be undone here')
    }
  })

  it('takes effect once if the connection is cut in the middle', async () => {
    const [one, other] = [await book(bow, anna), await book(stern, ben)]
    const input = { one: { id: one, bookable_id: bow }, other: { id: other, bookable_id: stern } }
    const entry = await change('bookings.swap', input)
    const requestId = randomUUID()
    await breakAtSecond(world, 'bookings.update', CUT, async () => {
      expect((await undo(entry, {}, requestId)).status).to.equal(200)
    })
    expect([(await rowOf(one)).bookable_id, (await rowOf(other)).bookable_id]).to.deep.equal([bow, stern])
    expect(await auditOf(world, requestId)).to.have.length(2)
  })
})
