// Tests requests that nobody decides in time: each request lapses once, whatever else happens at the same time.
import { expect } from 'chai'
import { createLog } from '../../../../shared/utilities/log.ts'
import { lapseHolds } from '../../../../workers/pollers/holds/lapsing.ts'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBuilding,
  createDesk,
  createHold,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { eventually, promised } from '../../../support/time.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const log = createLog('test', 'silent')
const REQUESTED_SPAN = { from: hoursFromNow(24), to: hoursFromNow(26) }
const HOLD_COUNT = 600
const LAPSED_MS_MAX = 15_000

describe('a request whose time for a decision ends', () => {
  const world = useWorld({ workers: ['writes'] })
  const client = useClient(world)
  const admin = useAdmin(world)
  const expired = (more: object = {}) =>
    createHold(world.database, { ...REQUESTED_SPAN, expires_at: hoursFromNow(-3), ...more })
  const rowOf = (id: number) => world.database('holds').where({ id }).first()
  const endsOf = (id: number) =>
    world
      .database('audit_log')
      .where({ resource: 'booking_requests', resource_id: id })
      .whereNot({ action: 'booking_requests.create' })

  it('lapses once, even if several workers check it simultaneously', async () => {
    const [bookable_id, user_id] = [
      await createBookable(world.database, { type: 3 }),
      await createUser(world.database),
    ]
    await world.database.raw(
      `WITH held AS (
         INSERT INTO holds (kind, bookable_id, user_id, during, expires_at)
         SELECT 'request', :bookable_id, :user_id, tstzrange(:from, :to), now() - interval '1 hour' FROM generate_series(1, :holds)
         RETURNING id, during
       ) INSERT INTO bookings (bookable_id, hold_id, during, exclusive) SELECT :bookable_id, id, during, false FROM held`,
      { bookable_id, user_id, ...REQUESTED_SPAN, holds: HOLD_COUNT },
    )
    const counts = await Promise.all(Array.from({ length: 4 }, () => lapseHolds(world.database, log)))
    expect(counts.reduce((sum, count) => sum + count)).to.equal(HOLD_COUNT)
    expect(await world.database('bookings').where({ bookable_id })).to.deep.equal([])
    const { rows } = await world.database.raw(
      `SELECT count(*)::int AS entries, count(DISTINCT resource_id)::int AS requests FROM audit_log
       WHERE action = 'booking_requests.lapse'`,
    )
    expect(rows).to.deep.equal([{ entries: HOLD_COUNT, requests: HOLD_COUNT }])
  })

  it('lapses after 24 working hours in the building’s time zone, not counting holidays', async () => {
    const approver = await createUser(world.database)
    const expiryIn = async (rules: object, receivedAt: string) => {
      const building_id = await createBuilding(world.database, {
        timezone: 'Europe/Berlin',
        rules: JSON.stringify({ approvers: { user_ids: [approver] }, ...rules }),
      })
      const location_id = await createLocation(world.database, { building_id })
      const bookable_id = await createBookable(world.database, { location_id })
      const user_id = await createUser(world.database)
      const times = { from_time: '2024-04-04T07:00:00Z', to_time: '2024-04-04T15:00:00Z' }
      const asked = { bookable_id, location_id, user_id, ...times }
      const { status, json } = await admin.ask('booking-requests.create', asked, { receivedAt })
      expect(status, JSON.stringify(json)).to.equal(200)
      return json.data.expires_at.slice(0, 16)
    }
    // Clocks in Berlin change between this Saturday and the Thursday of the booking. Easter Monday is a holiday.
    const saturday = '2024-03-30T10:00:00.000000Z'
    const easter = { from: '2024-03-31T22:00:00Z', to: '2024-04-01T22:00:00Z', reason: 'Easter' }
    expect(await expiryIn({}, saturday)).to.equal('2024-04-03T10:00')
    expect(await expiryIn({ closed: [easter] }, saturday)).to.equal('2024-04-04T07:00')
    const mornings = [2, 3, 4].map((day) => ({ day, from: '06:00', to: '22:00' }))
    expect(await expiryIn({ opening_hours: mornings }, saturday)).to.equal('2024-04-03T12:00')
  })

  it('stays open if the worker dies before the commit, and lapses at the next attempt', async () => {
    const id = await expired()
    const failed = await lapseHolds(
      {
        transaction: (work: never) =>
          world.database.transaction(async (trx) => {
            await (work as (trx: unknown) => Promise<unknown>)(trx)
            throw new Error('killed')
          }),
      } as never,
      log,
    ).catch(({ message }) => message)
    expect(failed).to.equal('killed')
    expect((await rowOf(id)).state).to.equal('pending')
    expect(await world.database('bookings').where({ hold_id: id })).to.have.length(1)
    await lapseHolds(world.database, log)
    expect((await rowOf(id)).state).to.equal('lapsed')
  })

  it('does not lapse if somebody decides it at the same moment', async () => {
    const id = await expired()
    await world.database.transaction(async (trx) => {
      await trx('holds').where({ id }).forUpdate()
      await lapseHolds(world.database, log)
    })
    expect((await rowOf(id)).state).to.equal('pending')
    await lapseHolds(world.database, log)
    expect(await endsOf(id)).to.have.length(1)
  })

  it('can no longer be approved after it lapsed, and the desk stays with its new booking', async () => {
    const { bookable_id, location_id, user_id } = await createDesk(world.database)
    const id = await expired({ bookable_id, user_id })
    await lapseHolds(world.database, log)
    const times = { from_time: REQUESTED_SPAN.from, to_time: REQUESTED_SPAN.to }
    const booked = await client.post('bookings', {
      bookable_id,
      location_id,
      user_id: await createUser(world.database),
      ...times,
    })
    expect(booked.status, booked.text).to.equal(200)
    for (const job of ['approve', 'decline', 'withdraw'] as const) {
      const late = await admin.ask(`booking-requests.${job}`, { id }, { receivedAt: hoursFromNow(-4) })
      expect([late.status, late.json.code]).to.deep.equal([409, 'request_decided'])
    }
    expect(await world.database('bookings').where({ bookable_id })).to.have.length(1)
    expect((await rowOf(id)).state).to.equal('lapsed')
    expect(await endsOf(id)).to.have.length(1)
  })

  it('is withdrawn when its requester is deactivated, which frees the desk', async () => {
    const user_id = await createUser(world.database)
    const id = await createHold(world.database, { ...REQUESTED_SPAN, user_id })
    expect((await admin.ask('users.deactivate', { ids: [user_id] })).status).to.equal(200)
    await lapseHolds(world.database, log)
    expect((await rowOf(id)).state).to.equal('withdrawn')
    expect(await world.database('bookings').where({ hold_id: id })).to.deep.equal([])
  })

  it('lapses automatically soon after its deadline', async () => {
    const id = await expired()
    const workers = await world.startWorkers(['upkeep'])
    await eventually(async () => expect((await rowOf(id)).state).to.equal('lapsed'), promised(LAPSED_MS_MAX))
    await workers.stop()
  })
})
