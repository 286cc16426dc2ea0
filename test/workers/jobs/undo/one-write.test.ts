// Tests that one write is one attempt with an id from the server: its changes are undone, shown and mailed together.
// Callers choose the id of a request, so several writes may share it.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { BATCH_JOB, type InputOf, type JobName } from '../../../../shared/jobs/jobs.ts'
import { runDelivery } from '../../../../workers/delivery/run.ts'
import { queueBookingMails, recordSender } from '../../../../workers/pollers/mail/queue-booking-mails.ts'
import { ADMIN_ACTOR } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { createEnvelope, useTools } from '../../../support/faults/pipeline.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

const BOOKING_TIMES = { from_time: hoursFromNow(24), to_time: hoursFromNow(32) }
const BOOKING_COUNT = 12

describe('writes that share a request id, an actor and a transaction', () => {
  const world = useWorld({ workers: [] })
  const tools = useTools(world)
  let [location_id, user_id, requestId] = [0, 0, '']
  // Each test has its own person and request id, because the tests share a database.
  beforeEach(async () => {
    requestId = randomUUID()
    location_id = await createLocation(world.database)
    user_id = await createUser(world.database)
  })

  const attemptOf = <Name extends JobName>(job: Name, input: InputOf<Name>) => ({
    ...createEnvelope(input, { requestId }),
    job,
  })
  const deliver = (attempts: unknown[]) =>
    runDelivery({ id: randomUUID(), name: BATCH_JOB, data: { attempts } }, tools)
  const bookAttempts = () =>
    Promise.all(
      Array.from({ length: BOOKING_COUNT }, async () => {
        const bookable_id = await createBookable(world.database, { location_id })
        return attemptOf('bookings.create', { location_id, bookable_id, user_id, ...BOOKING_TIMES })
      }),
    )
  const entries = () => world.database('audit_log').where({ request_id: requestId }).orderBy('id')
  const undo = async (id: number) => {
    const envelope = createEnvelope({ id }, { actor: ADMIN_ACTOR })
    await runDelivery({ id: envelope.attempt, name: 'audit-entries.undo', data: envelope }, tools)
    const { outcome } = await world.database('receipts').where({ attempt: envelope.attempt }).first()
    return { status: outcome.status, json: JSON.parse(outcome.body) }
  }
  const presentIds = () => world.database('bookings').where({ user_id }).orderBy('id').pluck('id')

  it('are undone one by one, even if 12 bookings share a request id', async () => {
    await deliver(await bookAttempts())
    const [first, ...others] = await entries()
    // The writes must share a transaction, because otherwise the test proves nothing.
    expect(new Set([first, ...others].map(({ at }) => String(at)))).to.have.length(1)
    expect(await undo(first.id)).to.deep.equal({ status: 200, json: { data: { undone: 1, left: 0 } } })
    const left = others.map(({ resource_id }) => resource_id)
    expect(await presentIds()).to.deep.equal(left.toSorted((a, b) => a - b))
  })

  it('stay separate when they are delivered again', async () => {
    const attempts = await bookAttempts()
    await deliver(attempts)
    await deliver(attempts)
    expect(await presentIds()).to.have.length(BOOKING_COUNT)
    const stored = (await entries()).map(({ attempt }) => attempt)
    expect(stored.toSorted()).to.deep.equal(attempts.map(({ attempt }) => attempt).toSorted())
  })

  it('are undone one by one, even if several cancellations share a request id', async () => {
    const ids = await Promise.all(
      Array.from({ length: BOOKING_COUNT }, async () => {
        const bookable_id = await createBookable(world.database, { location_id })
        const times = { from: BOOKING_TIMES.from_time, to: BOOKING_TIMES.to_time }
        return createBooking(world.database, { bookable_id, user_id, ...times })
      }),
    )
    await deliver(ids.map((id) => attemptOf('bookings.delete', { id })))
    expect(await presentIds()).to.deep.equal([])
    const [first] = await entries()
    expect((await undo(first.id)).status).to.equal(200)
    expect(await presentIds()).to.deep.equal([first.resource_id])
  })

  it('are mailed separately', async () => {
    await recordSender(world.database)
    await queueBookingMails(world.database)
    await deliver(await bookAttempts())
    // Changes are served only when every earlier transaction on the server has ended, including those of other tests.
    await eventually(async () => {
      await queueBookingMails(world.database)
      const mails = await world.database('mails').where({ user_id })
      expect(mails.map(({ booking_ids }) => booking_ids.length)).to.deep.equal(Array(BOOKING_COUNT).fill(1))
    })
  })

  it('cannot be undone if an earlier release did not store which entries belong together', async () => {
    await deliver(await bookAttempts())
    await entries().update({ attempt: null })
    const [first] = await entries()
    const { status, json } = await undo(first.id)
    expect(status).to.equal(409)
    expect(json.detail).to.include('before Berth started to record which changes belong together')
    expect(await presentIds()).to.have.length(BOOKING_COUNT)
  })

  it('can be undone if an earlier release stored a single entry', async () => {
    await deliver((await bookAttempts()).slice(0, 1))
    await entries().update({ attempt: null })
    const [only] = await entries()
    expect((await undo(only.id)).status).to.equal(200)
    expect(await presentIds()).to.deep.equal([])
  })
})
