// Checks that holds reserve a place like a booking, and are released when the place becomes unavailable.
import { expect } from 'chai'
import { eraseUser } from '../../../../shared/erasures/erase-user.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import { createHold } from '../../../../workers/jobs/claims/holds.ts'
import { anonymizeOldBookings } from '../../../../workers/pollers/erasures/old-bookings.ts'
import { openWrite } from '../../../../workers/runtime/write.ts'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBooking,
  createDesk,
  createLocation,
  createUser,
  hoursFromNow,
  createHold as insertHold,
} from '../../../support/factories.ts'
import { sendDuring } from '../../../support/faults/lock-waits.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const HELD_SPAN = { from: hoursFromNow(24), to: hoursFromNow(26) }
const HELD_TIMES = { from_time: HELD_SPAN.from, to_time: HELD_SPAN.to }
const author = {
  actor: { type: 'system', id: null, name: 'test' } as const,
  requestId: 'test',
  attempt: null,
}

describe('a hold that reserves a bookable', () => {
  const world = useWorld({ workers: ['writes'] })
  const client = useClient(world)
  const admin = useAdmin(world)
  const stateOf = async (id: number) => (await world.database('holds').where({ id }).first())?.state
  const claimsOf = (bookable_id: number) => world.database('bookings').where({ bookable_id })

  const hold = (desk: { bookable_id: number; user_id: number }, exclusive = true) =>
    world.database.transaction(async (trx) => {
      const write = { ...openWrite(trx, author), now: new Date().toISOString() }
      const { from, to } = HELD_SPAN
      const wanted = { kind: 'request', from, to, exclusive, expiresAt: from, guest_name: '' } as const
      return createHold(write as never, { ...wanted, ...desk })
    })

  it('makes other bookings fail with the conflict and free alternatives', async () => {
    const { bookable_id, location_id } = await createDesk(world.database, { name: 'Bow' })
    const other = await createDesk(world.database, { name: 'Stern', location_id })
    await insertHold(world.database, { ...HELD_SPAN, bookable_id })
    const user_id = await createUser(world.database)
    const { status, json } = await client.post('bookings', {
      bookable_id,
      location_id,
      user_id,
      ...HELD_TIMES,
    })
    expect(status).to.equal(409)
    expect(json.code).to.equal('booking_conflict')
    expect(json.conflict.bookable_id).to.equal(bookable_id)
    expect(json.alternatives).to.deep.equal([{ id: other.bookable_id, name: 'Stern' }])
  })

  it('becomes a booking even if another write moves the bookable to another floor first', async () => {
    const { bookable_id } = await createDesk(world.database)
    const location_id = await createLocation(world.database)
    const id = await insertHold(world.database, { ...HELD_SPAN, bookable_id })
    const { status, text } = await sendDuring(world, {
      lock: (trx) => trx('bookables').where({ id: bookable_id }).forNoKeyUpdate(),
      send: () => client.post(`booking-requests/${id}/approve`, undefined),
      write: (trx) => trx('bookables').where({ id: bookable_id }).update({ location_id }),
    })
    expect(status, text).to.equal(200)
    expect(await stateOf(id)).to.equal('approved')
  })

  it('is not created if the bookable is taken', async () => {
    const desk = await createDesk(world.database)
    await createBooking(world.database, { ...HELD_SPAN, bookable_id: desk.bookable_id })
    expect(await hold(desk)).to.equal(undefined)
    expect(await world.database('holds').where({ bookable_id: desk.bookable_id })).to.deep.equal([])
  })

  it('is created once for several simultaneous requests for a free bookable', async () => {
    const desk = await createDesk(world.database)
    const made = await Promise.all(Array.from({ length: 8 }, () => hold(desk)))
    expect(made.filter((id) => id !== undefined)).to.have.length(1)
  })

  for (const [what, path, body] of [
    ['deleted', (id: number) => `bookables/${id}`, undefined],
    ['blocked', (id: number) => `bookables/${id}`, { status: 1, in_the_way: 'release' }],
    ['blocked while its bookings stay', (id: number) => `bookables/${id}`, { status: 1 }],
  ] as const)
    it(`is released when its bookable is ${what}`, async () => {
      const { bookable_id } = await createDesk(world.database)
      const id = await insertHold(world.database, { ...HELD_SPAN, bookable_id })
      const { status } = body
        ? await client.patch(path(bookable_id), body)
        : await client.delete(path(bookable_id))
      expect(status).to.be.oneOf([200, 204])
      expect(await stateOf(id)).to.equal('released')
      expect(await claimsOf(bookable_id)).to.deep.equal([])
    })

  it('is released when its bookable is deleted in the dashboard', async () => {
    const { bookable_id } = await createDesk(world.database)
    const id = await insertHold(world.database, { ...HELD_SPAN, bookable_id })
    expect((await admin.ask('bookables.delete', { ids: [bookable_id] })).status).to.equal(200)
    expect(await stateOf(id)).to.equal('released')
    expect((await world.database('bookables').where({ id: bookable_id }).first()).deleted_at).to.not.equal(
      null,
    )
  })

  it('can never be found as a booking by its id', async () => {
    const { bookable_id } = await createDesk(world.database)
    await insertHold(world.database, { ...HELD_SPAN, bookable_id })
    const [{ id }] = await claimsOf(bookable_id)
    for (const answer of [
      await client.get(`bookings/${id}`),
      await client.get(`bookings/${id}/livemap`),
      await client.patch(`bookings/${id}`, { to_time: hoursFromNow(25) }),
      await client.post(`bookings/${id}/check-in`, undefined),
      await client.post(`bookings/${id}/move`, { bookable_id }),
      await client.delete(`bookings/${id}`),
    ])
      expect(answer.status).to.equal(404)
    expect((await admin.ask('bookings.cancel', { ids: [id] })).json.data.kept).to.deep.equal([id])
  })

  it('is deleted with its person, and frees the bookable', async () => {
    const { bookable_id, user_id } = await createDesk(world.database)
    const id = await insertHold(world.database, { ...HELD_SPAN, bookable_id, user_id, guest_name: 'Grace' })
    await world.database.transaction((trx) =>
      eraseUser(trx, { id: user_id, now: new Date().toISOString() }, author),
    )
    expect(await stateOf(id)).to.equal(undefined)
    expect(await claimsOf(bookable_id)).to.deep.equal([])
    expect(await world.database('cancelled_bookings').where({ bookable_id })).to.deep.equal([])
  })

  it('is deleted when bookings as old as the hold become anonymous', async () => {
    const old = { from: '2020-01-01T09:00:00Z', to: '2020-01-01T17:00:00Z' }
    const { bookable_id, user_id } = await createDesk(world.database)
    const id = await insertHold(world.database, { ...old, bookable_id, user_id })
    await world.database('bookings').where({ hold_id: id }).delete()
    await world.database('holds').where({ id }).update({ state: 'lapsed', decided_at: new Date() })
    await anonymizeOldBookings(world.database, 12, createLog('test', 'silent'))
    expect(await stateOf(id)).to.equal(undefined)
  })
})
