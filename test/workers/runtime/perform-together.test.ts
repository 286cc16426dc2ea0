// What a write costs: how often its worker waits for Postgres, and what it asks of Redis. A batch costs no more than one.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import pg from 'pg'
import { replyChannel } from '../../../shared/identity/keys.ts'
import { BATCH, BATCH_ATTEMPTS_MAX, type JobName } from '../../../shared/jobs/jobs.ts'
import { run } from '../../../workers/delivery/run.ts'
import { KEYS } from '../../support/databases.ts'
import { createBooking, createDesk, hoursFromNow } from '../../support/factories.ts'
import { createSlot, envelopeOf, useTools, useWrites } from '../../support/faults/pipeline.ts'
import { eventually } from '../../support/time.ts'
import { useWorld } from '../../support/world.ts'

const LONE_TRIPS_MAX = 3
const BATCH_TRIPS_MAX = 6

describe('the cost of a booking or its change for its worker', () => {
  const world = useWorld({ workers: [] })
  const tools = useTools(world)
  const writes = useWrites(world)

  const attempt = async (changes: object = {}) => ({
    ...envelopeOf(await createSlot(world), changes),
    job: 'bookings.create' satisfies JobName,
  })
  const attempts = (number: number) => Promise.all(Array.from({ length: number }, () => attempt()))
  const key = () => ({ idempotency: { scope: 'token:1', key: randomUUID(), fingerprint: 'ab' } })
  const deliver = (batch: object[]) =>
    run({ id: randomUUID(), name: BATCH, data: { attempts: batch } }, tools)

  // A new connection has more to say, and so has a statement that it does not know yet.
  before(async () => {
    for (let times = 0; times < 2; times++) await deliver([await attempt(key())])
  })

  it('is three round trips to Postgres, with a key too', async () => {
    for (const each of [await attempt(), await attempt(key())]) {
      const trips = await countRoundTrips(() =>
        run({ id: each.attempt, name: 'bookings.create', data: each }, tools),
      )
      expect(trips).to.be.within(1, LONE_TRIPS_MAX)
    }
  })

  it('is the same number for a batch of 64, and two more if some bookings are refused', async () => {
    const good = await attempts(BATCH_ATTEMPTS_MAX)
    expect(await countRoundTrips(() => deliver(good))).to.be.within(1, LONE_TRIPS_MAX)
    // The same times again, and some that are free.
    const again = good.slice(0, 40).map((each) => ({ ...each, attempt: randomUUID() }))
    const mixed = [...again, ...(await attempts(24))]
    expect(await countRoundTrips(() => deliver(mixed))).to.be.within(1, BATCH_TRIPS_MAX)
  })

  for (const [job, trips] of Object.entries({
    'bookings.check-in': LONE_TRIPS_MAX,
    'bookings.delete': LONE_TRIPS_MAX,
    'bookings.update': LONE_TRIPS_MAX + 1,
    'bookings.move': LONE_TRIPS_MAX + 1,
  })) {
    it(`is ${trips} round trips for ${job}, alone or with others`, async () => {
      const change = async () => {
        const desk = await createDesk(world.database)
        const [from, to] = [hoursFromNow(-1), hoursFromNow(8)]
        const { bookable_id, user_id } = desk
        const id = await createBooking(world.database, { bookable_id, user_id, from, to })
        const other = await createDesk(world.database)
        const fields = { 'bookings.update': { to_time: hoursFromNow(9) }, 'bookings.move': other }[job]
        return { ...envelopeOf({ id, ...fields }), job }
      }
      const changes = () => Promise.all(Array.from({ length: 20 }, change))
      await deliver(await changes())
      const lone = await change()
      for (const batch of [[lone], await changes()])
        expect(await countRoundTrips(() => deliver(batch))).to.be.within(1, trips)
    })
  }

  it('is one reply for a batch or a single booking', async () => {
    const workers = await world.startWorkers(['writes'])
    const count = async (name: string, data: object, jobId: string) => {
      const job = await writes.queue.add(name, data, { jobId })
      return countReplies(() => eventually(async () => expect(await job.getState()).to.equal('completed')))
    }
    const replyTo = replyChannel(KEYS.prefix, 'test')
    const lone = { ...(await attempt()), replyTo }
    expect(await count('bookings.create', lone, lone.attempt)).to.equal(1)
    const many = (await attempts(BATCH_ATTEMPTS_MAX)).map((each) => ({ ...each, replyTo }))
    expect(await count(BATCH, { attempts: many }, randomUUID())).to.equal(1)
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

// The gateway beside it has its own, and asks for the time now and then.
const WORKER = 'berth'

const applicationOf = (client: pg.Client) =>
  (client as unknown as { connectionParameters: { application_name?: string } }).connectionParameters
    .application_name

/** Statements that are sent while none is unanswered begin one; what is sent beside them travels with them. */
async function countRoundTrips(work: () => Promise<unknown>): Promise<number> {
  const original = pg.Client.prototype.query
  let unanswered = 0
  let trips = 0
  const counted = function (this: pg.Client, ...parameters: unknown[]) {
    if (applicationOf(this) !== WORKER) return Reflect.apply(original, this, parameters)
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
