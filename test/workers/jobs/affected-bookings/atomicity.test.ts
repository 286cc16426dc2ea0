// Checks that affected bookings are all moved or released, or none of them, despite faults and concurrent bookings.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { openAdmin, readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createDesk,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { CUT_CONNECTION_SQL, failAtSecondAuditEntry } from '../../../support/faults/broken-audit-log.ts'
import { expectNoDeadlock } from '../../../support/faults/contention.ts'
import { useWorld } from '../../../support/world.ts'

const createSlot = (number: number) => ({ from: hoursFromNow(24 + number), to: hoursFromNow(25 + number) })
const USER_INDEXES = Array.from({ length: 16 }, (_, index) => index)

describe('a write that moves, ends or cancels affected bookings', () => {
  const world = useWorld()
  const admin = useAdmin(world)
  let desk: Awaited<ReturnType<typeof createDesk>>

  beforeEach(async () => {
    desk = await createDesk(world.database, { name: 'Desk 12' })
  })

  const block = (in_the_way: string, requestId: string = randomUUID()) =>
    admin.ask('bookables.edit', { id: desk.bookable_id, status: 1, in_the_way }, { requestId })
  const claimsOf = (bookable_id: number) =>
    world.database('bookings').where({ bookable_id }).orderBy('id').select('id', 'during', 'bookable_id')

  for (const [resolution, action] of [
    ['release', 'bookings.clear'],
    ['move', 'bookings.move'],
  ] as const) {
    it(`changes nothing if the write fails in the middle: ${resolution}`, async () => {
      const neighbour = await createBookable(world.database, { location_id: desk.location_id })
      for (const number of [0, 1, 2]) await createBooking(world.database, { ...bookingAt(number) })
      const before = await claimsOf(desk.bookable_id)
      const requestId = randomUUID()
      await failAtSecondAuditEntry(world, action, "RAISE EXCEPTION 'broken'", async () => {
        expect((await block(resolution, requestId)).status).to.equal(500)
      })
      expect(await claimsOf(desk.bookable_id)).to.deep.equal(before)
      expect(await claimsOf(neighbour)).to.deep.equal([])
      const { status } = await world.database('bookables').where({ id: desk.bookable_id }).first()
      expect([status, await readAudit(world, requestId)]).to.deep.equal([0, []])
    })

    it(`takes effect once if the database connection breaks in the middle: ${resolution}`, async () => {
      const neighbour = await createBookable(world.database, { location_id: desk.location_id })
      for (const number of [0, 1, 2]) await createBooking(world.database, { ...bookingAt(number) })
      const requestId = randomUUID()
      await failAtSecondAuditEntry(world, action, CUT_CONNECTION_SQL, async () => {
        expect((await block(resolution, requestId)).status).to.equal(200)
      })
      expect(await claimsOf(desk.bookable_id)).to.deep.equal([])
      expect(await claimsOf(neighbour)).to.have.length(resolution === 'move' ? 3 : 0)
      const actions = (await readAudit(world, requestId)).map((entry) => entry.action)
      expect(actions).to.deep.equal([action, action, action, 'bookables.edit'])
    })
  }

  const bookingAt = (number: number) => ({
    bookable_id: desk.bookable_id,
    user_id: desk.user_id,
    ...createSlot(number),
  })

  it('leaves no booking on a blocked or closed bookable, despite simultaneous bookings', async () => {
    for (let round = 0; round < 12; round++) {
      desk = await createDesk(world.database)
      const { bookable_id, location_id, user_id } = desk
      await createBooking(world.database, bookingAt(0))
      const { from, to } = createSlot(1)
      const input = { bookable_id, location_id, user_id, from_time: from, to_time: to }
      const rules = { closed: [{ from: createSlot(0).from, to, reason: 'Moving' }] }
      const clear = () =>
        round % 4 < 2
          ? block('release')
          : admin.ask('locations.set-rules', { id: location_id, rules, in_the_way: 'release' })
      const take = () => admin.ask('bookings.create', input)
      const works = round % 2 ? [take(), clear()] : [clear(), take()]
      const answers = await Promise.all(works)
      const refused = answers.filter(({ status }) => status !== 200).map(({ json }) => json.code)
      expect(['', 'bookable_blocked', 'closed', 'in_use']).to.include(refused.join())
      if (refused.includes('in_use')) continue
      expect(await claimsOf(bookable_id)).to.deep.equal([])
    }
  })
})

describe('simultaneous writes that move affected bookings', () => {
  // Allows a long wait, because the writes wait for each other and must not be cancelled in the meantime.
  const world = useWorld({ workers: [], environment: { WRITE_WAIT_MS: '240000' } })

  it('lose no booking while sixteen users book the same desks', async () => {
    const location_id = await createLocation(world.database)
    const desks = await Promise.all(USER_INDEXES.map(() => createBookable(world.database, { location_id })))
    const others = await Promise.all(USER_INDEXES.map(() => createBookable(world.database, { location_id })))
    const users = await Promise.all(USER_INDEXES.map(() => createUser(world.database)))
    const strangers = await Promise.all(USER_INDEXES.map(() => createUser(world.database)))
    const held = await Promise.all(
      desks.map((bookable_id, number) =>
        createBooking(world.database, { bookable_id, user_id: users[number], ...createSlot(0) }),
      ),
    )
    let booked: number[] = []
    await expectNoDeadlock(world, async () => {
      const admin = await openAdmin(world)
      const { from, to } = createSlot(0)
      const clears = desks.map((id) =>
        admin.ask('bookables.edit', { id, status: 1, in_the_way: 'move-or-release' }),
      )
      const takes = others.map((bookable_id, number) =>
        admin.ask('bookings.create', {
          bookable_id,
          location_id,
          user_id: strangers[number],
          from_time: from,
          to_time: to,
        }),
      )
      const answers = await Promise.all(clears)
      expect(answers.map(({ status }) => status)).to.deep.equal(desks.map(() => 200))
      const taken = await Promise.all(takes)
      expect(taken.every(({ status }) => status === 200 || status === 409)).to.equal(true)
      booked = taken.filter(({ status }) => status === 200).map(({ json }) => json.data[0].id)
      await admin.close()
    })
    const present = await world.database('bookings').whereIn('id', held)
    const released = await world
      .database('audit_log')
      .where({ action: 'bookings.clear' })
      .whereIn('resource_id', held)
    expect(present.length + released.length).to.equal(held.length)
    expect(present.map(({ bookable_id }) => bookable_id).filter((id) => desks.includes(id))).to.deep.equal([])
    // The moved and the new bookings together fill all other desks.
    expect(present.length + booked.length).to.equal(others.length)
    expect(await world.database('bookings').whereIn('id', booked)).to.have.length(booked.length)
  })
})
