// One write is one attempt with an id that the server makes: its changes are undone, shown and mailed together. Callers choose
// the id of a request, so several writes may share it.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { BATCH, type InputOf, type JobName } from '../../../../shared/jobs/jobs.ts'
import { run } from '../../../../workers/delivery/run.ts'
import { noteSender, queueBookingMails } from '../../../../workers/pollers/mail/queue-booking-mails.ts'
import { ADMIN } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { envelopeOf, useTools } from '../../../support/faults/pipeline.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

const TIMES = { from_time: hoursFromNow(24), to_time: hoursFromNow(32) }
const NUMBER = 12

describe('writes that share a request id, an actor and a transaction', () => {
  const world = useWorld({ workers: [] })
  const tools = useTools(world)
  let [location_id, user_id, requestId] = [0, 0, '']
  // Each test has a person and a request id of its own, as tests share a database.
  beforeEach(async () => {
    requestId = randomUUID()
    location_id = await createLocation(world.database)
    user_id = await createUser(world.database)
  })

  const attemptOf = <Name extends JobName>(job: Name, input: InputOf<Name>) => ({
    ...envelopeOf(input, { requestId }),
    job,
  })
  const deliver = (attempts: unknown[]) => run({ id: randomUUID(), name: BATCH, data: { attempts } }, tools)
  const bookAttempts = () =>
    Promise.all(
      Array.from({ length: NUMBER }, async () => {
        const bookable_id = await createBookable(world.database, { location_id })
        return attemptOf('bookings.create', { location_id, bookable_id, user_id, ...TIMES })
      }),
    )
  const entries = () => world.database('audit_log').where({ request_id: requestId }).orderBy('id')
  const undo = async (id: number) => {
    const envelope = envelopeOf({ id }, { actor: ADMIN })
    await run({ id: envelope.attempt, name: 'audit-entries.undo', data: envelope }, tools)
    const { outcome } = await world.database('receipts').where({ attempt: envelope.attempt }).first()
    return { status: outcome.status, json: JSON.parse(outcome.body) }
  }
  const presentIds = () => world.database('bookings').where({ user_id }).orderBy('id').pluck('id')

  it('stay separate: undoing one of 12 bookings removes only that one', async () => {
    await deliver(await bookAttempts())
    const [first, ...others] = await entries()
    // They share a transaction; otherwise this test proves nothing.
    expect(new Set([first, ...others].map(({ at }) => String(at)))).to.have.length(1)
    expect(await undo(first.id)).to.deep.equal({ status: 200, json: { data: { undone: 1, left: 0 } } })
    const left = others.map(({ resource_id }) => resource_id)
    expect(await presentIds()).to.deep.equal(left.toSorted((a, b) => a - b))
  })

  it('stay separate when they are delivered again', async () => {
    const attempts = await bookAttempts()
    await deliver(attempts)
    await deliver(attempts)
    expect(await presentIds()).to.have.length(NUMBER)
    const stored = (await entries()).map(({ attempt }) => attempt)
    expect(stored.toSorted()).to.deep.equal(attempts.map(({ attempt }) => attempt).toSorted())
  })

  it('stay separate when they cancel: undoing one brings back only that booking', async () => {
    const ids = await Promise.all(
      Array.from({ length: NUMBER }, async () => {
        const bookable_id = await createBookable(world.database, { location_id })
        const times = { from: TIMES.from_time, to: TIMES.to_time }
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
    await noteSender(world.database)
    await queueBookingMails(world.database)
    await deliver(await bookAttempts())
    // Changes are read once every transaction before them has ended, also those of other tests on this server.
    await eventually(async () => {
      await queueBookingMails(world.database)
      const mails = await world.database('mails').where({ user_id })
      expect(mails.map(({ booking_ids }) => booking_ids.length)).to.deep.equal(Array(NUMBER).fill(1))
    })
  })

  it('cannot be undone if an earlier release wrote them without storing which belong together', async () => {
    await deliver(await bookAttempts())
    await entries().update({ attempt: null })
    const [first] = await entries()
    const { status, json } = await undo(first.id)
    expect(status).to.equal(409)
    expect(json.detail).to.include('before Berth recorded which changes belong together')
    expect(await presentIds()).to.have.length(NUMBER)
  })

  it('can be undone if an earlier release wrote just one entry', async () => {
    await deliver((await bookAttempts()).slice(0, 1))
    await entries().update({ attempt: null })
    const [only] = await entries()
    expect((await undo(only.id)).status).to.equal(200)
    expect(await presentIds()).to.deep.equal([])
  })
})
