// Tests waiting for a place: who may wait, how often, and how an offer ends.
import { expect } from 'chai'
import { eraseUser } from '../../../../shared/erasures/erase-user.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import { lapseHolds } from '../../../../workers/pollers/holds/lapsing.ts'
import { offerPlaces } from '../../../../workers/pollers/holds/offering.ts'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createDesk,
  createLocation,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../../../support/factories.ts'
import { sendDuring } from '../../../support/faults/lock-waits.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const log = createLog('test', 'silent')
const WANTED_SPAN = { from: hoursFromNow(24), to: hoursFromNow(32) }
const WANTED_TIMES = { from_time: WANTED_SPAN.from, to_time: WANTED_SPAN.to }

describe('waiting for a desk to become free', () => {
  const world = useWorld({ workers: ['writes'] })
  const client = useClient(world)
  const admin = useAdmin(world)

  async function createTaken(row: Record<string, unknown> = {}) {
    const { bookable_id, location_id, user_id: holder } = await createDesk(world.database, row)
    const booking = await createBooking(world.database, { ...WANTED_SPAN, bookable_id, user_id: holder })
    return { bookable_id, location_id, booking, user_id: await createUser(world.database) }
  }
  const wait = (input: object) => admin.ask('waits.create', { ...WANTED_TIMES, ...input })
  const waitOf = (id: number) => world.database('waits').where({ id }).first()

  /** Creates a person who has an offer. */
  async function createOffer() {
    const { bookable_id, location_id, booking, user_id } = await createTaken()
    const { json } = await wait({ user_id, bookable_id })
    await world.database('bookings').where({ id: booking }).delete()
    await offerPlaces(world.database, log)
    return { id: json.data.id as number, bookable_id, location_id, user_id }
  }

  /** Sends a request that waits until another transaction has moved this desk to another floor. */
  async function sendWhileMoving(id: number, send: () => ReturnType<typeof admin.ask>) {
    const location_id = await createLocation(world.database)
    return sendDuring(world, {
      lock: (trx) => trx('bookables').where({ id }).forNoKeyUpdate(),
      send,
      write: (trx) => trx('bookables').where({ id }).update({ location_id }),
    })
  }

  it('is possible for desks that are taken or temporarily blocked', async () => {
    const { bookable_id, location_id, user_id } = await createTaken()
    expect((await wait({ user_id, bookable_id })).status).to.equal(200)
    expect((await wait({ user_id, location_id, type: 0 })).status).to.equal(200)
    expect((await wait({ user_id, location_id, type: 2 })).json.code).to.equal('not_found')
    const free = await createBookable(world.database, { location_id, name: 'Bow' })
    for (const input of [{ bookable_id: free }, { location_id, type: 0 }]) {
      const other = await createUser(world.database)
      expect((await wait({ user_id: other, ...input })).json.detail).to.equal(
        'Bow is free at this time. Book it.',
      )
    }
    await world.database('bookables').where({ id: free }).update({ status: 1 })
    expect((await wait({ user_id, bookable_id: free })).status).to.equal(200)
  })

  it('ends when an administrator deletes the desk, and does not prevent them from deleting the floor', async () => {
    const { bookable_id, location_id, booking, user_id } = await createTaken()
    await wait({ user_id, bookable_id })
    await world.database('bookings').where({ id: booking }).delete()
    expect((await client.delete(`bookables/${bookable_id}`)).status).to.equal(204)
    await offerPlaces(world.database, log)
    expect(await world.database('waits').where({ user_id }).pluck('state')).to.deep.equal(['over'])
    expect((await client.delete(`locations/${location_id}`)).status).to.equal(204)
    expect(await world.database('waits').where({ user_id })).to.deep.equal([])
  })

  it('is refused where the rules would forbid a booking', async () => {
    const { bookable_id, location_id, user_id } = await createTaken()
    await world
      .database('locations')
      .where({ id: location_id })
      .update({ rules: JSON.stringify({ minutes_max: 60 }) })
    const { json } = await wait({ user_id, bookable_id })
    expect(json.code).to.equal('too_long')
    // A blocked desk on the floor is no reason to wait for a closed day.
    await createBookable(world.database, { location_id, status: 1 })
    expect((await wait({ user_id, location_id, type: 0 })).json.code).to.equal('too_long')
  })

  it('is limited to one waitlist entry per place and time, and five in total', async () => {
    const { bookable_id, user_id } = await createTaken()
    const answers = await Promise.all(Array.from({ length: 4 }, () => wait({ user_id, bookable_id })))
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
    expect((await wait({ user_id, bookable_id })).json.detail).to.equal('You are already on this waitlist.')
    const others = await Promise.all(Array.from({ length: 6 }, () => createTaken()))
    const more = await Promise.all(others.map((each) => wait({ bookable_id: each.bookable_id, user_id })))
    expect(more.filter(({ status }) => status === 200)).to.have.length(4)
    expect(more.find(({ status }) => status !== 200)?.json.detail).to.include('You can be on 5 waitlists')
  })

  it('ends in a booking if the person accepts the offer, and nobody else gets the desk first', async () => {
    const { id, bookable_id, location_id, user_id } = await createOffer()
    expect((await waitOf(id)).state).to.equal('offered')
    const other = await createUser(world.database)
    const snatched = await client.post('bookings', {
      bookable_id,
      location_id,
      user_id: other,
      ...WANTED_TIMES,
    })
    expect(snatched.json.code).to.equal('booking_conflict')
    expect((await admin.ask('waits.accept', { id })).status).to.equal(204)
    const claims = await world.database('bookings').where({ bookable_id })
    expect(claims.map((each) => [Number(each.user_id), each.hold_id])).to.deep.equal([[user_id, null]])
    expect((await waitOf(id)).state).to.equal('taken')
    expect((await admin.ask('waits.accept', { id })).json.code).to.equal('request_decided')
  })

  it('books an offered parking spot with one of the person’s vehicles', async () => {
    const { bookable_id, booking, user_id } = await createTaken({ type: 1, requires_vehicle: true })
    const without = await wait({ user_id, bookable_id })
    expect(without.json.errors.user_vehicle_id[0]).to.include('Choose one of your vehicles')
    const of = { user_id, license_plate: 'B-ER 1' }
    const user_vehicle_id = await createVehicle(world.database, of)
    const others = await createVehicle(world.database, { user_id: await createUser(world.database) })
    expect((await wait({ user_id, bookable_id, user_vehicle_id: others })).status).to.equal(422)
    const { json } = await wait({ user_id, bookable_id, user_vehicle_id })
    await world.database('bookings').where({ id: booking }).delete()
    expect(await offerPlaces(world.database, log)).to.equal(1)
    expect((await admin.ask('waits.accept', { id: json.data.id })).status).to.equal(204)
    expect((await world.database('bookings').where({ bookable_id }).first()).license_plate).to.equal('B-ER 1')
  })

  it('is recorded in the audit log from the beginning to the end', async () => {
    const { id, bookable_id, user_id } = await createOffer()
    const entries = () =>
      world
        .database('audit_log')
        .where({ resource: 'waits', resource_id: id })
        .orderBy('id')
        .select('action', 'actor_type', 'after')
    await client.patch(`bookables/${bookable_id}`, { status: 1, in_the_way: 'release' })
    await client.patch(`bookables/${bookable_id}`, { status: 0 })
    await offerPlaces(world.database, log)
    await admin.ask('waits.decline', { id })
    const found = await entries()
    expect(found.map(({ action, actor_type, after }) => [action, actor_type, after.state])).to.deep.equal([
      ['waits.create', 'admin', 'waiting'],
      ['waits.offer', 'system', 'offered'],
      ['waits.release', 'token', 'waiting'],
      ['waits.offer', 'system', 'offered'],
      ['waits.decline', 'admin', 'declined'],
    ])
    const { user_id: who, offered_bookable_id } = found.at(-1)?.after ?? {}
    expect([who, offered_bookable_id]).to.deep.equal([user_id, bookable_id])
  })

  it('passes the offer to the next person when somebody declines, is late or gives up', async () => {
    const endings = {
      declined: (id: number) => admin.ask('waits.decline', { id }),
      cancelled: (id: number) => admin.ask('waits.cancel', { id }),
      missed: async () => {
        await world
          .database('holds')
          .where({ state: 'pending' })
          .update({ expires_at: new Date(0) })
        await lapseHolds(world.database, log)
      },
    }
    for (const [state, end] of Object.entries(endings)) {
      const { id, bookable_id } = await createOffer()
      const during = world.database.raw('tstzrange(?, ?)', [WANTED_SPAN.from, WANTED_SPAN.to])
      const next = { user_id: await createUser(world.database), bookable_id, during }
      await world.database('waits').insert(next)
      expect(await offerPlaces(world.database, log)).to.equal(0)
      await end(id)
      expect((await waitOf(id)).state).to.equal(state)
      expect(await offerPlaces(world.database, log)).to.equal(1)
      const { state: offered } = await world.database('waits').where({ user_id: next.user_id }).first()
      expect(offered).to.equal('offered')
    }
  })

  it('keeps the person’s position in the queue if the offered desk gets blocked', async () => {
    const { id, bookable_id } = await createOffer()
    const blocked = await client.patch(`bookables/${bookable_id}`, { status: 1, in_the_way: 'release' })
    expect(blocked.status, blocked.text).to.equal(200)
    expect((await waitOf(id)).state).to.equal('waiting')
    expect(await offerPlaces(world.database, log)).to.equal(0)
    expect((await client.patch(`bookables/${bookable_id}`, { status: 0 })).status).to.equal(200)
    expect(await offerPlaces(world.database, log)).to.equal(1)
  })

  it('ends when the person gives up the offer while another write releases it', async () => {
    const { id } = await createOffer()
    const { hold_id } = await waitOf(id)
    const { status } = await sendDuring(world, {
      lock: (trx) => trx('holds').where({ id: hold_id }).forUpdate(),
      send: () => admin.ask('waits.cancel', { id }),
      async write(trx) {
        await trx('bookings').where({ hold_id }).delete()
        await trx('holds').where({ id: hold_id }).update({ state: 'released', decided_at: trx.fn.now() })
        await trx('waits').where({ id }).update({ state: 'waiting', hold_id: null })
      },
    })
    expect([status, (await waitOf(id)).state]).to.deep.equal([204, 'cancelled'])
  })

  it('ends in a booking even if another write moves the offered desk to another floor first', async () => {
    const { id, bookable_id } = await createOffer()
    const { status } = await sendWhileMoving(bookable_id, () => admin.ask('waits.accept', { id }))
    expect([status, (await waitOf(id)).state]).to.deep.equal([204, 'taken'])
  })

  it('is possible even if another write moves the desk to another floor first', async () => {
    const { bookable_id, user_id } = await createTaken()
    const { status, json } = await sendWhileMoving(bookable_id, () => wait({ user_id, bookable_id }))
    expect([status, json.errors]).to.deep.equal([200, undefined])
  })

  it('brings one offer at a time, and ends when the person has a desk', async () => {
    const { database } = world
    const { id, location_id, user_id } = await createOffer()
    const other = await createTaken()
    await wait({ user_id, bookable_id: other.bookable_id })
    await database('bookings').where({ id: other.booking }).delete()
    expect(await offerPlaces(database, log)).to.equal(0)
    expect((await admin.ask('waits.accept', { id })).status).to.equal(204)
    const states = await database('waits').where({ user_id }).orderBy('id').pluck('state')
    expect(states).to.deep.equal(['taken', 'over'])
    expect(location_id).to.not.equal(other.location_id)
  })

  it('ends and frees the offered desk when the person is erased', async () => {
    const { bookable_id, user_id } = await createOffer()
    const author = {
      actor: { type: 'system', id: null, name: 'test' } as const,
      requestId: 'test',
      attempt: null,
    }
    await world.database.transaction((trx) =>
      eraseUser(trx, { id: user_id, now: new Date().toISOString() }, author),
    )
    expect(await world.database('waits').where({ user_id })).to.deep.equal([])
    expect(await world.database('bookings').where({ bookable_id })).to.deep.equal([])
  })
})
