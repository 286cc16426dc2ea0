// Tests undoing a write of bookings or bookables: it restores everything, unless somebody has changed it since.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import type { JobName } from '../../../../shared/jobs/jobs.ts'
import { ADMIN_ACTOR, readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createEvent,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { CUT_CONNECTION_SQL, failAtSecondAuditEntry } from '../../../support/faults/broken-audit-log.ts'
import { useWorld } from '../../../support/world.ts'

const createSpan = (from: number, to: number) => ({ from: hoursFromNow(from), to: hoursFromNow(to) })
const TOMORROW = createSpan(24, 32)

describe('undoing a change', () => {
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

  /** Makes a change, and returns its last audit entry. */
  async function change(name: JobName, input: unknown): Promise<number> {
    const requestId = randomUUID()
    const { status, json } = await admin.ask(name, input, { requestId })
    expect(status, JSON.stringify(json)).to.be.below(300)
    return (await readAudit(world, requestId)).at(-1).id
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

  it('returns a moved booking to its old desk and time', async () => {
    const id = await book()
    const before = await rowOf(id)
    const moved = { id, bookable_id: stern, from_time: hoursFromNow(26), to_time: hoursFromNow(40) }
    const entry = await change('bookings.move', moved)
    const requestId = randomUUID()
    expect((await undo(entry, {}, requestId)).status).to.equal(200)
    expect(await rowOf(id)).to.deep.include({ bookable_id: bow, during: before.during })
    const [undoing] = await readAudit(world, requestId)
    expect(undoing).to.include({ action: 'bookings.update', undoes: entry, actor_name: ADMIN_ACTOR.name })
    const [told] = await world.database('changes').where({ request_id: requestId })
    expect(told).to.include({ type: 'booking', action: 'updated', resource_id: id })
  })

  it('reverts an early end or a changed guest, even if the person has checked in since', async () => {
    const id = await book(bow, anna, createSpan(-1, 8))
    const { during } = await rowOf(id)
    const entry = await change('bookings.update', { id, to_time: hoursFromNow(1), guest_name: 'Grace' })
    await change('bookings.check-in', { id })
    await expectUndone(entry)
    const after = await rowOf(id)
    expect(after).to.deep.include({ during, guest_name: null })
    expect(after.checked_in_at).to.not.equal(null)
  })

  it('returns two swapped bookings to their old desks', async () => {
    const [one, other] = [await book(bow, anna), await book(stern, ben)]
    const input = { one: { id: one, bookable_id: bow }, other: { id: other, bookable_id: stern } }
    await expectUndone(await change('bookings.swap', input))
    expect([(await rowOf(one)).bookable_id, (await rowOf(other)).bookable_id]).to.deep.equal([bow, stern])
    expect([(await rowOf(one)).exclusive, (await rowOf(other)).exclusive]).to.deep.equal([true, true])
  })

  it('restores a cancelled booking with its id', async () => {
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
    // The revision must increase, so that calendars no longer show the booking as cancelled.
    expect(revision).to.be.above(old)
    expect(await world.database('cancelled_bookings').where({ booking_id: id })).to.deep.equal([])
    const [told] = await world.database('changes').where({ request_id: requestId })
    expect(told).to.include({ action: 'created', resource_id: id })
    // The restored booking prevents other bookings again.
    const other = {
      bookable_id: bow,
      location_id,
      user_id: ben,
      from_time: TOMORROW.from,
      to_time: TOMORROW.to,
    }
    expect((await admin.ask('bookings.create', other)).json.code).to.equal('booking_conflict')
  })

  it('is refused for a cancellation once somebody else has booked the desk', async () => {
    const [moved, cancelled] = [await book(bow), await book(stern, anna, createSpan(40, 48))]
    const other = await createBookable(world.database, { location_id })
    const entries = [
      await change('bookings.move', { id: moved, bookable_id: other }),
      await change('bookings.delete', { id: cancelled }),
    ] as const
    await book(bow, ben)
    await book(stern, ben, createSpan(44, 50))
    await expectRefused(entries[0], 'Bow is taken')
    await expectRefused(entries[1], 'Stern is taken')
  })

  it('is refused for a cancellation once the desk has become a home office', async () => {
    const entry = await change('bookings.move', { id: await book(), bookable_id: stern })
    await change('bookables.edit', { id: bow, type: BOOKABLE_TYPES.homeOffice })
    await expectRefused(entry, 'Bow has since become a home office')
  })

  it('succeeds once, for the first caller', async () => {
    for (const name of ['bookings.move', 'bookings.delete'] as const) {
      const id = await book(bow, anna, createSpan(50, 58))
      const entry = await change(name, name === 'bookings.move' ? { id, bookable_id: stern } : { id })
      const answers = await Promise.all([undo(entry), undo(entry)])
      expect(answers.map(({ status }) => status).sort(), name).to.deep.equal([200, 409])
      expect(answers.find(({ status }) => status === 409)?.json).to.include({ code: 'changed_meanwhile' })
      await expectRefused(entry, `${ADMIN_ACTOR.name} has already undone this`)
      expect((await rowOf(id)).bookable_id).to.equal(bow)
      await world.database('bookings').where({ id }).delete()
    }
  })

  it('can itself be undone', async () => {
    const id = await book()
    const entry = await change('bookings.delete', { id })
    const requestId = randomUUID()
    await undo(entry, {}, requestId)
    const [undoing] = await readAudit(world, requestId)
    await expectUndone(undoing.id)
    expect(await rowOf(id)).to.equal(undefined)
  })

  it('is refused if somebody has changed the resource since, and names that person', async () => {
    const id = await book()
    const entry = await change('bookings.move', { id, bookable_id: stern })
    await change('bookings.update', { id, to_time: hoursFromNow(30) })
    await expectRefused(entry, `${ADMIN_ACTOR.name} has changed this since then`)
    await change('bookings.delete', { id })
    await expectRefused(entry, 'has changed this since then')
  })

  it('is refused without naming a time if the place, and so its time zone, no longer exists', async () => {
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

  it('happens once if the request names two entries of the same write', async () => {
    const [one, other] = [await book(bow, anna), await book(stern, ben)]
    const swap = { one: { id: one, bookable_id: bow }, other: { id: other, bookable_id: stern } }
    const entry = await change('bookings.swap', swap)
    const { attempt } = await world.database('audit_log').where({ id: entry }).first()
    const also = await world.database('audit_log').where({ attempt }).whereNot({ id: entry }).pluck('id')
    const { status, json } = await admin.ask('audit-entries.undo', { id: entry, also: also.map(Number) })
    expect([status, json]).to.deep.equal([200, { data: { undone: 2, left: 0 } }])
  })

  it('is refused if the booking could not be made again', async () => {
    const book = async (hour: number) =>
      change('bookings.delete', {
        id: await createBooking(world.database, {
          bookable_id: bow,
          user_id: ben,
          ...createSpan(hour, hour + 1),
        }),
      })
    const [entry, over] = [
      await book(24),
      await change('bookings.delete', {
        id: await createBooking(world.database, { bookable_id: bow, user_id: anna, ...createSpan(-3, -1) }),
      }),
    ]
    await expectRefused(over, 'already over')
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

  it('reverts the rules of a floor and a building before it restores bookings there', async () => {
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
      await expectRefused(second, `${ADMIN_ACTOR.name} has changed this since then`)
      expect(await rulesOf()).to.deep.equal({ minutes_max: 800 })
      await world.database('bookings').where({ id: booking }).delete()
    }
  })

  it('counts bookings that the person has made since towards the limits', async () => {
    await admin.ask('bookables.set-rules', { id: bow, rules: { one_at_a_time: true } })
    const id = await book()
    const entry = await change('bookings.delete', { id })
    await book(stern, anna)
    await expectRefused(entry, 'Stern')
  })

  it('restores many cancelled bookings all together, or with “skips” those that fit', async () => {
    const ids = [
      await book(bow, anna, createSpan(-1, 8)),
      await book(stern, anna, createSpan(24, 32)),
      await book(bow, ben, createSpan(24, 32)),
    ] as const
    const before = await Promise.all(ids.map(rowOf))
    const entry = await change('bookings.cancel', { ids })
    const other = await book(stern, ben)
    await expectRefused(entry, '1 of 2 bookings cannot be restored')
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
    it(`unblocks a desk and restores the affected bookings: ${in_the_way}`, async () => {
      const id = await book()
      const before = await rowOf(id)
      await expectUndone(await change('bookables.edit', { id: bow, status: 1, in_the_way }))
      expect((await deskOf(bow)).status).to.equal(0)
      expect(await rowOf(id)).to.deep.include({ bookable_id: bow, during: before.during, user_id: anna })
    })
  }

  describe('where bookings need approval', () => {
    beforeEach(async () => {
      const rules = JSON.stringify({ approvers: { user_ids: [await createUser(world.database)] } })
      await world.database('bookables').whereIn('id', [bow]).update({ rules })
    })

    for (const in_the_way of ['move', 'release'] as const)
      it(`unblocks a desk and restores the affected bookings: ${in_the_way}`, async () => {
        const [running, later] = [await book(bow, anna, createSpan(-1, 8)), await book()]
        const before = [await rowOf(running), await rowOf(later)]
        await expectUndone(await change('bookables.edit', { id: bow, status: 1, in_the_way }))
        for (const { id, during } of before)
          expect(await rowOf(id)).to.deep.include({ bookable_id: bow, during, user_id: anna })
      })

    it('restores exactly what was booked, and grants nothing beyond that', async () => {
      const id = await book()
      const { during } = await rowOf(id)
      await expectUndone(await change('bookings.move', { id, bookable_id: stern }))
      expect(await rowOf(id)).to.deep.include({ bookable_id: bow, during })
      const longer = await admin.ask('bookings.update', { id, to_time: hoursFromNow(40) })
      expect(longer.json.code).to.equal('needs_approval')
    })
  })

  it('reopens a desk whose closed time split a booking, and joins the booking again', async () => {
    const id = await book(bow, anna, createSpan(24, 48))
    const before = await rowOf(id)
    const rules = { closed: [{ ...createSpan(30, 34), reason: 'Works' }] }
    const entry = await change('bookables.set-rules', { id: bow, rules, in_the_way: 'release' })
    expect(await world.database('bookings').where({ bookable_id: bow })).to.have.length(2)
    await expectUndone(entry)
    expect((await deskOf(bow)).rules).to.equal(null)
    const left = await world.database('bookings').where({ bookable_id: bow })
    expect(left.map(({ during }) => during)).to.deep.equal([before.during])
  })

  it('unblocks several desks, but is refused if one was changed since', async () => {
    const entry = await change('bookables.set-status', { ids: [bow, stern], status: 1 })
    await expectUndone(entry)
    expect([(await deskOf(bow)).status, (await deskOf(stern)).status]).to.deep.equal([0, 0])
    const again = await change('bookables.set-status', { ids: [bow, stern], status: 1 })
    await change('bookables.set-status', { ids: [stern], status: 0 })
    await expectRefused(again, 'has changed this since then')
    expect((await deskOf(bow)).status).to.equal(1)
  })

  it('reverts an assignment, the removal of an assignment, and changes of other fields', async () => {
    const assignees = () => world.database('bookable_assignees').where({ bookable_id: bow }).pluck('user_id')
    await expectUndone(await change('bookables.assign', { id: bow, user_id: anna }))
    expect([await assignees(), (await deskOf(bow)).status]).to.deep.equal([[], 0])
    await change('bookables.assign', { id: bow, user_id: ben })
    await expectUndone(await change('bookables.unassign', { id: bow, user_id: ben }))
    expect([await assignees(), (await deskOf(bow)).status]).to.deep.equal([[ben], 2])
    await expectUndone(await change('bookables.set-tags', { ids: [bow], add: ['window'], remove: [] }))
    expect((await deskOf(bow)).tags).to.deep.equal([])
  })

  it('is refused for check-ins, rooms of events and unsupported resources', async () => {
    const id = await book(bow, anna, createSpan(-1, 8))
    await expectRefused(await change('bookings.check-in', { id }), 'cannot be undone here')
    const room = await createBookable(world.database, { location_id, type: 2 })
    const event_id = await createEvent(world.database, TOMORROW)
    await createBooking(world.database, { bookable_id: room, event_id, ...TOMORROW })
    const blocked = await change('bookables.edit', { id: room, status: 1, in_the_way: 'release' })
    await expectRefused(blocked, 'cannot be undone here')
    await expectRefused(await change('buildings.create', { name: 'Harbour' }), 'cannot be undone here')
    await expectRefused(2 ** 50, 'does not exist')
  })

  it('is refused if an erasure has removed the values from the audit entry', async () => {
    const id = await book()
    const moved = await change('bookings.move', { id, bookable_id: stern })
    for (const row of [null, {}]) {
      const emptied = { before: row && JSON.stringify(row), after: row && JSON.stringify(row) }
      await world.database('audit_log').where({ id: moved }).update(emptied)
      await expectRefused(moved, 'cannot be undone here')
    }
  })

  it('happens once if the database connection breaks in the middle', async () => {
    const [one, other] = [await book(bow, anna), await book(stern, ben)]
    const input = { one: { id: one, bookable_id: bow }, other: { id: other, bookable_id: stern } }
    const entry = await change('bookings.swap', input)
    const requestId = randomUUID()
    await failAtSecondAuditEntry(world, 'bookings.update', CUT_CONNECTION_SQL, async () => {
      expect((await undo(entry, {}, requestId)).status).to.equal(200)
    })
    expect([(await rowOf(one)).bookable_id, (await rowOf(other)).bookable_id]).to.deep.equal([bow, stern])
    expect(await readAudit(world, requestId)).to.have.length(2)
  })
})
