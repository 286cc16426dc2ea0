// Tests the write that swaps the places of two bookings: both move, or neither.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { openAdmin, readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { CUT_CONNECTION_SQL, failAtSecondAuditEntry } from '../../../support/faults/broken-audit-log.ts'
import { expectNoDeadlock } from '../../../support/faults/contention.ts'
import { useWorld } from '../../../support/world.ts'

const createSpan = (from: number, to: number) => ({ from: hoursFromNow(from), to: hoursFromNow(to) })
const MORNING = createSpan(24, 28)
const AFTERNOON = createSpan(28, 32)

describe('two bookings that are swapped', () => {
  const world = useWorld()
  const admin = useAdmin(world)
  let location_id: number
  let bow: number
  let stern: number
  beforeEach(async () => {
    location_id = await createLocation(world.database)
    bow = await createBookable(world.database, { location_id, name: 'Bow' })
    stern = await createBookable(world.database, { location_id, name: 'Stern' })
  })

  const book = async (bookable_id: number, times = MORNING, row = {}) =>
    createBooking(world.database, {
      bookable_id,
      user_id: await createUser(world.database),
      ...times,
      ...row,
    })
  const rowOf = (id: number) => world.database('bookings').where({ id }).first()
  const placesOf = (ids: number[]) =>
    Promise.all(ids.map(async (id) => (await rowOf(id))?.bookable_id as number))
  const swap = (one: number, other: number, more = {}, requestId: string = randomUUID()) =>
    admin.ask(
      'bookings.swap',
      { one: { id: one, bookable_id: bow }, other: { id: other, bookable_id: stern }, ...more },
      { requestId },
    )

  it('exchange their desks, and keep their times, ids and people', async () => {
    const ids = [await book(bow), await book(stern)] as const
    const before = await Promise.all(ids.map(rowOf))
    const requestId = randomUUID()
    const { status, json } = await swap(...ids, {}, requestId)
    expect(status).to.equal(200)
    expect(json.data.map(({ bookable }: { bookable: { name: string } }) => bookable.name)).to.deep.equal([
      'Stern',
      'Bow',
    ])
    const after = await Promise.all(ids.map(rowOf))
    expect(after.map(({ bookable_id }) => bookable_id)).to.deep.equal([stern, bow])
    for (const [index, row] of after.entries()) {
      const { during, user_id, exclusive } = before[index]
      expect(row).to.deep.include({ during, user_id, exclusive })
    }
    const entries = await readAudit(world, requestId)
    expect(entries.map(({ action }) => action)).to.deep.equal(['bookings.update', 'bookings.update'])
    for (const entry of entries) {
      expect(entry.before.exclusive).to.equal(true)
      expect(entry.after.exclusive).to.equal(true)
    }
    const changes = await world.database('changes').where({ request_id: requestId })
    expect(changes.map(({ action }) => action)).to.deep.equal(['updated', 'updated'])
  })

  it('may have different times', async () => {
    const ids = [await book(bow, MORNING), await book(stern, AFTERNOON)] as const
    expect((await swap(...ids)).status).to.equal(200)
    expect(await placesOf([...ids])).to.deep.equal([stern, bow])
  })

  it('stay unchanged if a third booking conflicts with one of them', async () => {
    const ids = [await book(bow, createSpan(24, 32)), await book(stern, MORNING)] as const
    await book(stern, AFTERNOON)
    const { status, json } = await swap(...ids)
    expect([status, json.code]).to.deep.equal([409, 'booking_conflict'])
    expect(json.detail).to.include('Stern is taken')
    expect(await placesOf([...ids])).to.deep.equal([bow, stern])
    expect((await rowOf(ids[0])).exclusive).to.equal(true)
    // Both bookings still prevent other bookings.
    const other = { bookable_id: bow, location_id, user_id: await createUser(world.database) }
    const taken = await admin.ask('bookings.create', {
      ...other,
      from_time: hoursFromNow(29),
      to_time: hoursFromNow(30),
    })
    expect(taken.json.code).to.equal('booking_conflict')
  })

  it('stay unchanged if a rule forbids the swap, unless the administrator overrides the rule', async () => {
    const ids = [await book(bow), await book(stern)] as const
    await admin.ask('bookables.set-rules', { id: stern, rules: { minutes_max: 60 } })
    const refused = await swap(...ids)
    expect(refused.status, JSON.stringify(refused.json)).to.equal(409)
    expect(await placesOf([...ids])).to.deep.equal([bow, stern])
    expect((await swap(...ids, { overrides_rules: true })).status).to.equal(200)
    expect(await placesOf([...ids])).to.deep.equal([stern, bow])
  })

  it('stay unchanged if one of them has been moved since, so that a repeat does not undo the swap', async () => {
    const ids = [await book(bow), await book(stern)] as const
    const answers = await Promise.all([swap(...ids), swap(...ids)])
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409])
    expect(answers.find(({ status }) => status === 409)?.json.code).to.equal('changed_meanwhile')
    expect(await placesOf([...ids])).to.deep.equal([stern, bow])
  })

  it('must not be on the same desk, or in a home office and on a desk', async () => {
    const [one, other] = [await book(bow), await book(bow, AFTERNOON)]
    const same = { one: { id: one, bookable_id: bow }, other: { id: other, bookable_id: bow } }
    expect((await admin.ask('bookings.swap', same)).json.code).to.equal('validation_failed')
    const home = await createBookable(world.database, { location_id, type: 3 })
    const away = await book(home, MORNING, { exclusive: false })
    const mixed = { one: { id: one, bookable_id: bow }, other: { id: away, bookable_id: home } }
    expect((await admin.ask('bookings.swap', mixed)).json.code).to.equal('validation_failed')
  })

  it('are swapped once if the database connection breaks in the middle', async () => {
    const ids = [await book(bow), await book(stern)] as const
    const requestId = randomUUID()
    await failAtSecondAuditEntry(world, 'bookings.update', CUT_CONNECTION_SQL, async () => {
      expect((await swap(...ids, {}, requestId)).status).to.equal(200)
    })
    expect(await placesOf([...ids])).to.deep.equal([stern, bow])
    expect(await readAudit(world, requestId)).to.have.length(2)
  })
})

describe('bookings that many people swap, move and create simultaneously', () => {
  const world = useWorld({ workers: [] })

  it('never deadlock or overlap, and one swap succeeds', () =>
    expectNoDeadlock(world, async () => {
      const admin = await openAdmin(world)
      const location_id = await createLocation(world.database)
      const [bow, stern, anna, ben, carl] = await Promise.all([
        createBookable(world.database, { location_id }),
        createBookable(world.database, { location_id }),
        ...Array.from({ length: 3 }, () => createUser(world.database)),
      ])
      for (let round = 0; round < 8; round++) {
        const times = createSpan(48 + 4 * round, 50 + 4 * round)
        const one = {
          id: await createBooking(world.database, { bookable_id: bow, user_id: anna, ...times }),
          bookable_id: bow,
        }
        const other = {
          id: await createBooking(world.database, { bookable_id: stern, user_id: ben, ...times }),
          bookable_id: stern,
        }
        const wanted = { location_id, user_id: carl, from_time: times.from, to_time: times.to }
        const answers = await Promise.all([
          admin.ask('bookings.swap', { one, other }),
          admin.ask('bookings.create', { ...wanted, bookable_id: bow }),
          admin.ask('bookings.move', { id: one.id, bookable_id: stern }),
          admin.ask('bookings.create', { ...wanted, bookable_id: stern }),
          admin.ask('bookings.swap', { one: other, other: one }),
        ])
        const [swapped, first, moved, second, again] = answers.map(({ status }) => status)
        expect([swapped, again].sort()).to.deep.equal([200, 409])
        expect([first, second]).to.deep.equal([409, 409])
        // The move is refused if the swap has already moved the booking there.
        expect(moved).to.be.oneOf([200, 409])
      }
      await admin.close()
    }))
})
