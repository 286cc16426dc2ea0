// Measures what a write costs: the worker's round trips to Postgres, and the commands to Redis. A batch costs
// no more than a single write.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import pg from 'pg'
import { getReplyChannel } from '../../../shared/identity/keys.ts'
import { BATCH_ATTEMPTS_MAX, BATCH_JOB, type JobName } from '../../../shared/jobs/jobs.ts'
import { runDelivery } from '../../../workers/delivery/run.ts'
import { KEYS } from '../../support/databases.ts'
import { createBooking, createDesk, hoursFromNow } from '../../support/factories.ts'
import { createEnvelope, createSlot, useTools, useWrites } from '../../support/faults/pipeline.ts'
import { eventually } from '../../support/time.ts'
import { useWorld } from '../../support/world.ts'

const SINGLE_WRITE_TRIPS_MAX = 3
const BATCH_TRIPS_MAX = 6

describe('creating or changing bookings', () => {
  const world = useWorld({ workers: [] })
  const tools = useTools(world)
  const writes = useWrites(world)

  const attempt = async (changes: object = {}) => ({
    ...createEnvelope(await createSlot(world), changes),
    job: 'bookings.create' satisfies JobName,
  })
  const attempts = (number: number) => Promise.all(Array.from({ length: number }, () => attempt()))
  const key = () => ({ idempotency: { scope: 'token:1', key: randomUUID(), fingerprint: 'ab' } })
  const deliver = (batch: object[]) =>
    runDelivery({ id: randomUUID(), name: BATCH_JOB, data: { attempts: batch } }, tools)

  // A new connection and an unknown statement cause additional round trips.
  before(async () => {
    for (let times = 0; times < 2; times++) await deliver([await attempt(key())])
  })

  it('takes three round trips to Postgres, even with an idempotency key', async () => {
    for (const each of [await attempt(), await attempt(key())]) {
      const trips = await countRoundTrips(() =>
        runDelivery({ id: each.attempt, name: 'bookings.create', data: each }, tools),
      )
      expect(trips).to.be.within(1, SINGLE_WRITE_TRIPS_MAX)
    }
  })

  it('takes no more round trips for a batch of 64, and two more if some bookings are refused', async () => {
    const good = await attempts(BATCH_ATTEMPTS_MAX)
    expect(await countRoundTrips(() => deliver(good))).to.be.within(1, SINGLE_WRITE_TRIPS_MAX)
    // Books the same times again, and some free times.
    const again = good.slice(0, 40).map((each) => ({ ...each, attempt: randomUUID() }))
    const mixed = [...again, ...(await attempts(24))]
    expect(await countRoundTrips(() => deliver(mixed))).to.be.within(1, BATCH_TRIPS_MAX)
  })

  for (const [job, trips] of Object.entries({
    'bookings.check-in': SINGLE_WRITE_TRIPS_MAX,
    'bookings.delete': SINGLE_WRITE_TRIPS_MAX,
    'bookings.update': SINGLE_WRITE_TRIPS_MAX + 1,
    'bookings.move': SINGLE_WRITE_TRIPS_MAX + 1,
  })) {
    it(`takes ${trips} round trips for ${job}, alone or in a batch`, async () => {
      const change = async () => {
        const desk = await createDesk(world.database)
        const [from, to] = [hoursFromNow(-1), hoursFromNow(8)]
        const { bookable_id, user_id } = desk
        const id = await createBooking(world.database, { bookable_id, user_id, from, to })
        const other = await createDesk(world.database)
        const fields = { 'bookings.update': { to_time: hoursFromNow(9) }, 'bookings.move': other }[job]
        return { ...createEnvelope({ id, ...fields }), job }
      }
      const changes = () => Promise.all(Array.from({ length: 20 }, change))
      await deliver(await changes())
      const lone = await change()
      for (const batch of [[lone], await changes()])
        expect(await countRoundTrips(() => deliver(batch))).to.be.within(1, trips)
    })
  }

  it('causes one reply message for a batch or a single booking', async () => {
    const workers = await world.startWorkers(['writes'])
    const count = async (name: string, data: object, jobId: string) => {
      const job = await writes.queue.add(name, data, { jobId })
      return countReplies(() => eventually(async () => expect(await job.getState()).to.equal('completed')))
    }
    const replyTo = getReplyChannel(KEYS.prefix, 'test')
    const lone = { ...(await attempt()), replyTo }
    expect(await count('bookings.create', lone, lone.attempt)).to.equal(1)
    const many = (await attempts(BATCH_ATTEMPTS_MAX)).map((each) => ({ ...each, replyTo }))
    expect(await count(BATCH_JOB, { attempts: many }, randomUUID())).to.equal(1)
    await workers.stop()
  })
})

async function countReplies(work: () => Promise<unknown>): Promise<number> {
  const original = Redis.prototype.sendCommand
  let replies = 0
  const counted = function (this: Redis, ...parameters: Parameters<typeof original>) {
    if (parameters[0].name === 'spublish') replies++
    return Reflect.apply(original, this, parameters)
  }
  Object.assign(Redis.prototype, { sendCommand: counted })
  try {
    await work()
  } finally {
    Object.assign(Redis.prototype, { sendCommand: original })
  }
  return replies
}

// The gateway uses another application name; it sends a query for the time now and then.
const WORKER_APPLICATION = 'berth'

const getApplicationName = (client: pg.Client) =>
  (client as unknown as { connectionParameters: { application_name?: string } }).connectionParameters
    .application_name

/**
 * Counts round trips. A round trip begins with a statement sent while no response is pending, and includes statements
 * sent in the meantime.
 */
async function countRoundTrips(work: () => Promise<unknown>): Promise<number> {
  const original = pg.Client.prototype.query
  let unanswered = 0
  let trips = 0
  const counted = function (this: pg.Client, ...parameters: unknown[]) {
    if (getApplicationName(this) !== WORKER_APPLICATION) return Reflect.apply(original, this, parameters)
    if (unanswered === 0) trips++
    unanswered++
    const answered = () => {
      unanswered--
    }
    const callback = parameters.at(-1)
    if (typeof callback === 'function') {
      const told = (...results: unknown[]) => {
        answered()
        callback(...results)
      }
      return Reflect.apply(original, this, [...parameters.slice(0, -1), told])
    }
    const result: Promise<unknown> = Reflect.apply(original, this, parameters)
    result.then(answered, answered)
    return result
  }
  Object.assign(pg.Client.prototype, { query: counted })
  try {
    await work()
  } finally {
    Object.assign(pg.Client.prototype, { query: original })
  }
  return trips
}
