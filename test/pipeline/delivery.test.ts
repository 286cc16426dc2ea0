// Tests that a job delivered more than once takes effect once, and replies the same each time.

import { Worker } from 'bullmq'
import { expect } from 'chai'
import { getQueuePrefix } from '../../shared/identity/keys.ts'
import type { Outcome } from '../../shared/jobs/jobs.ts'
import { DELIVERY_SETTINGS } from '../../shared/runtime/queues.ts'
import { runDelivery } from '../../workers/delivery/run.ts'
import { KEYS } from '../support/databases.ts'
import {
  countBookings,
  createEnvelope,
  createSlot,
  type NewBooking,
  useTools,
  useWrites,
} from '../support/faults/pipeline.ts'
import { eventually } from '../support/time.ts'
import { useClient, useWorld } from '../support/world.ts'

describe('a job that is delivered twice', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world, 'booking-write')
  const writes = useWrites(world)
  const tools = useTools(world)
  let slot: NewBooking

  beforeEach(async () => {
    slot = await createSlot(world)
  })

  const deliver = (envelope: ReturnType<typeof createEnvelope>) =>
    runDelivery({ id: envelope.attempt, name: 'bookings.create', data: envelope }, tools)

  async function receiptOf({ attempt }: { attempt: string }): Promise<Outcome> {
    return (await world.database('receipts').where({ attempt }).first()).outcome
  }

  it('books once if the second delivery comes after the first', async () => {
    const envelope = createEnvelope(slot)
    expect(await deliver(envelope)).to.deep.equal({ status: 200 })
    const first = await receiptOf(envelope)
    expect(await deliver(envelope)).to.deep.equal({ status: 200 })
    expect(await receiptOf(envelope)).to.deep.equal(first)
    expect(await countBookings(world, slot)).to.equal(1)
    expect(await world.database('audit_log')).to.have.length(1)
  })

  it('books once if all deliveries arrive at the same moment', async () => {
    const envelope = createEnvelope(slot)
    const results = await Promise.all(Array.from({ length: 10 }, () => deliver(envelope)))
    expect(results).to.deep.equal(Array(10).fill({ status: 200 }))
    expect(await countBookings(world, slot)).to.equal(1)
  })

  it('is refused both times, even if the desk has become free in between', async () => {
    const rival = createEnvelope(slot)
    await deliver(rival)
    const envelope = createEnvelope(slot)
    expect(await deliver(envelope)).to.deep.equal({ status: 409, refused: 'booking_conflict' })
    await world.database('bookings').where({ bookable_id: slot.bookable_id }).delete()
    expect(await deliver(envelope)).to.deep.equal({ status: 409, refused: 'booking_conflict' })
    expect(await countBookings(world, slot)).to.equal(0)
  })

  it('books once if the same job is added to the queue again', async () => {
    const workers = await world.startWorkers(['writes'])
    const envelope = createEnvelope(slot)
    const add = async () => {
      const job = await writes.queue.add('bookings.create', envelope, { jobId: envelope.attempt })
      await eventually(async () => expect(await job.getState()).to.equal('completed'))
      const done = await writes.queue.getJob(envelope.attempt)
      await done?.remove()
      return done?.returnvalue
    }
    expect(await add()).to.deep.equal({ status: 200 })
    expect(await add()).to.deep.equal({ status: 200 })
    expect(await countBookings(world, slot)).to.equal(1)
    await workers.stop()
  })

  it('books once if the worker stops responding after the commit, and the caller learns of the booking', async () => {
    const silent = new Worker('writes', null, {
      ...DELIVERY_SETTINGS.writes,
      connection: tools.redis,
      prefix: getQueuePrefix(KEYS, 'writes'),
    })
    silent.on('error', () => undefined)
    const asked = client.post('bookings', slot)
    const job = await eventually(async () => {
      const next = await silent.getNextJob('silent', { block: false })
      return next ?? expect.fail('There is no job yet')
    })
    expect(await runDelivery(job, tools)).to.deep.equal({ status: 200 })
    const workers = await world.startWorkers(['writes'])
    await eventually(async () => expect(await job.getState()).to.equal('completed'))
    expect((await writes.queue.getJob(String(job.id)))?.returnvalue).to.deep.equal({ status: 200 })
    expect((await asked).status).to.equal(200)
    expect(await countBookings(world, slot)).to.equal(1)
    await Promise.all([silent.close(), workers.stop()])
  })
})
