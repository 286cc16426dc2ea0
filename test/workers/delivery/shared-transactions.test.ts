// Checks that attempts of several jobs share a transaction, and that none of them affects the others.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import {
  BATCH_ATTEMPTS_MAX,
  BATCH_JOB,
  type Envelope,
  type JobName,
  type Outcome,
} from '../../../shared/jobs/jobs.ts'
import { runDelivery } from '../../../workers/delivery/run.ts'
import { SharedTransactions } from '../../../workers/delivery/shared-transactions.ts'
import type { AttemptResult } from '../../../workers/runtime/attempts.ts'
import { toDoneOutcome } from '../../../workers/runtime/perform.ts'
import { sendReply } from '../../../workers/runtime/replies.ts'
import { createBooking, createDesk, createUser, hoursFromNow } from '../../support/factories.ts'
import {
  countBookings,
  countLockWaits,
  createEnvelope,
  createSlot,
  findTransactions,
  listenAsGateways,
  useTools,
} from '../../support/faults/pipeline.ts'
import { eventually } from '../../support/time.ts'
import { useWorld } from '../../support/world.ts'

type Attempt = Envelope & { job: JobName }

describe('attempts of several jobs', () => {
  const world = useWorld({ workers: [] })
  const tools = useTools(world)
  let nowMs: () => number
  let deliver: (attempts: Attempt[], delivery?: object) => Promise<AttemptResult[]>
  let deliverAlone: (attempt: Attempt, delivery?: object) => Promise<AttemptResult>

  beforeEach(() => {
    nowMs = Date.now
    const withClock = { ...pickTools(), clock: { now: () => nowMs(), compared: Promise.resolve() } }
    const transactions = new SharedTransactions(withClock)
    deliver = async (attempts, delivery = {}) =>
      (await runDelivery(
        { id: randomUUID(), name: BATCH_JOB, data: { attempts }, ...delivery },
        withClock,
        transactions,
      )) as AttemptResult[]
    deliverAlone = async (attempt, delivery = {}) =>
      (await runDelivery(
        { id: attempt.attempt, name: attempt.job, data: attempt, ...delivery },
        withClock,
        transactions,
      )) as AttemptResult
  })

  function pickTools() {
    const { database, redis, log, outcomeLog, identity, queueAlone } = tools
    return { database, redis, log, outcomeLog, identity, queueAlone }
  }
  const attemptOf = (input: object, changes: Partial<Envelope> & { job?: JobName } = {}): Attempt => {
    const { job = 'bookings.create', ...envelope } = changes
    return { ...createEnvelope(input, envelope), job }
  }
  const createAttempt = async (changes: Partial<Envelope> = {}) => attemptOf(await createSlot(world), changes)
  const createAttempts = (number: number) =>
    Promise.all(Array.from({ length: number }, () => createAttempt()))
  async function findOutcome({ attempt }: Attempt): Promise<Outcome> {
    return (await world.database('receipts').where({ attempt }).first()).outcome
  }
  async function withTrigger(body: string, work: () => Promise<void>) {
    await world.database.raw(`
      CREATE FUNCTION hinder() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$;
      CREATE TRIGGER hinder BEFORE INSERT ON bookings FOR EACH ROW
        WHEN (NEW.guest_name = 'hindered') EXECUTE FUNCTION hinder()`)
    try {
      await work()
    } finally {
      await world.database.raw('DROP TRIGGER hinder ON bookings; DROP FUNCTION hinder()')
    }
  }

  it('share the next transaction if they arrive while one is under way, and each gateway gets its replies', async () => {
    const [first, ...others] = await createAttempts(4)
    const gateways = await listenAsGateways(world, ['one', 'two'])
    const [ofOne, ofTwo] = [others.slice(0, 2), others.slice(2)].map((attempts, index) =>
      attempts.map((attempt) => ({ ...attempt, replyTo: gateways.channels[index] ?? null })),
    )
    if (!first || !ofOne || !ofTwo) throw new Error('There are four')
    const results = await Promise.all([deliver([first]), deliver(ofOne), deliver(ofTwo)])
    expect(results.map(({ length }) => length)).to.deep.equal([1, 2, 1])
    expect(results.flat()).to.deep.equal(Array(4).fill({ status: 200 }))
    const [alone, ...shared] = await findTransactions(world, [first, ...ofOne, ...ofTwo])
    expect(new Set(shared)).to.have.property('size', 1)
    expect(shared).not.to.include(alone)
    const namesOf = (all: Array<Array<{ attempt: string }>>) =>
      all.map((each) => each.map(({ attempt }) => attempt))
    await eventually(() => expect(namesOf(gateways.read())).to.deep.equal(namesOf([ofOne, ofTwo])))
    gateways.close()
  })

  it('run in transactions of 128 attempts at most', async () => {
    const office = await createDesk(world.database, { type: BOOKABLE_TYPES.homeOffice })
    const times = { from_time: hoursFromNow(1), to_time: hoursFromNow(2) }
    const batches = [1, 64, 64, 64].map((length) =>
      Array.from({ length: Math.min(length, BATCH_ATTEMPTS_MAX) }, () => attemptOf({ ...office, ...times })),
    )
    await Promise.all(batches.map((attempts) => deliver(attempts)))
    expect(countEach(await findTransactions(world, batches.flat()))).to.deep.equal([1, 128, 64])
  })

  it('run in transactions of 64 attempts at most if they save events', async () => {
    const organizer_user_id = await createUser(world.database)
    const batches = [1, 40, 40].map((length) =>
      Array.from({ length }, () =>
        attemptOf({ name: 'Meeting', organizer_user_id, to_time: hoursFromNow(1) }, { job: 'events.create' }),
      ),
    )
    await Promise.all(batches.map((attempts) => deliver(attempts)))
    expect(countEach(await findTransactions(world, batches.flat()))).to.deep.equal([1, 64, 16])
  })

  it('succeed even if another attempt in their transaction has a fault', async () => {
    await withTrigger("RAISE EXCEPTION 'hindered';", async () => {
      const [first, good, faulty, ofOtherJob] = await createAttempts(4)
      if (!first || !good || !faulty || !ofOtherJob) throw new Error('There are four')
      Object.assign(faulty.input as object, { guest_name: 'hindered' })
      const [, failure, results] = await Promise.all([
        deliver([first]),
        deliver([good, faulty]).catch((error: Error) => error.message),
        deliver([ofOtherJob]),
      ])
      expect(failure).to.match(/^1 of 2 attempts failed/)
      expect(results).to.deep.equal([{ status: 200 }])
      const booked = await Promise.all(
        [good, faulty, ofOtherJob].map(({ input }) => countBookings(world, input as { bookable_id: number })),
      )
      expect(booked).to.deep.equal([1, 0, 1])
      expect(new Set(await findTransactions(world, [good, faulty, ofOtherJob]))).to.have.property('size', 3)
    })
  })

  it('share a transaction with the other attempts of their job after an attempt of another job has a fault', async () => {
    await withTrigger("RAISE EXCEPTION 'hindered';", async () => {
      const [first, faulty, one, two] = await createAttempts(4)
      if (!first || !faulty || !one || !two) throw new Error('There are four')
      Object.assign(faulty.input as object, { guest_name: 'hindered' })
      const [, failure, results] = await Promise.all([
        deliver([first]),
        deliver([faulty]).catch((error: Error) => error.message),
        deliver([one, two]),
      ])
      expect(failure).to.include('hindered')
      expect(results).to.deep.equal([{ status: 200 }, { status: 200 }])
      const [alone, ...shared] = await findTransactions(world, [first, one, two])
      expect(new Set(shared)).to.have.property('size', 1)
      expect(shared).not.to.include(alone)
    })
  })

  it('have their replies in full even if the replies to another gateway are too long', async () => {
    const gateways = await listenAsGateways(world, ['one', 'two'])
    const answered = gateways.channels.map((replyTo, index) => ({
      envelope: { ...createEnvelope({}), replyTo },
      outcome: toDoneOutcome({ text: 'x'.repeat(index === 0 ? 300 * 1024 : 1) }),
    }))
    await sendReply(tools.redis, answered, tools.log)
    const [long, short] = answered.map(({ envelope: { attempt }, outcome }) => ({ attempt, outcome }))
    const expected = [[{ attempt: long?.attempt, isStored: true }], [short]]
    await eventually(() => expect(gateways.read()).to.deep.equal(expected))
    gateways.close()
  })

  it('run alone if they were delivered before', async () => {
    const [first, redelivered, other] = await createAttempts(3)
    if (!first || !redelivered || !other) throw new Error('There are three')
    const results = await Promise.all([
      deliver([first]),
      deliverAlone(redelivered, { stalledCounter: 1 }),
      deliver([other]),
    ])
    expect(results.flat()).to.deep.equal(Array(3).fill({ status: 200 }))
    expect(new Set(await findTransactions(world, [first, redelivered, other]))).to.have.property('size', 3)
  })

  it('run alone after a worker stopped responding with their batch', async () => {
    const [first, redelivered, other] = await createAttempts(3)
    if (!first || !redelivered || !other) throw new Error('There are three')
    const queued: Array<{ data: unknown }> = []
    const { queueAlone } = tools
    await runDelivery(
      { id: randomUUID(), name: BATCH_JOB, data: { attempts: [redelivered] }, stalledCounter: 1 },
      {
        ...pickTools(),
        clock: tools.clock,
        queueAlone: async (each) => {
          queued.push(each)
          return queueAlone(each)
        },
      },
    )
    const results = await Promise.all([
      deliver([first]),
      deliverAlone(queued[0]?.data as Attempt),
      deliver([other]),
    ])
    expect(results.flat()).to.deep.equal(Array(3).fill({ status: 200 }))
    expect(new Set(await findTransactions(world, [first, redelivered, other]))).to.have.property('size', 3)
  })

  it('are skipped if their deadline passes while they wait', async () => {
    const [first, late, other] = await createAttempts(3)
    if (!first || !late || !other) throw new Error('There are three')
    late.deadlineMs = Date.now() + 5_000
    const results = Promise.all([deliver([first]), deliver([late]), deliver([other])])
    // The second and the third job wait for the first job, whose statements have no answer yet.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    nowMs = () => late.deadlineMs + 1
    expect(await results).to.deep.equal([
      [{ status: 200 }],
      [{ skipped: 'its deadline has passed' }],
      [{ status: 200 }],
    ])
    expect(await findTransactions(world, [late])).to.deep.equal(['undefined'])
    expect(await countBookings(world, late.input as { bookable_id: number })).to.equal(0)
  })

  it('do not wait for a slow transaction', async () => {
    const [held, free] = await createAttempts(2)
    if (!held || !free) throw new Error('There are two')
    const lock = await world.database.transaction()
    await lock('bookables')
      .where({ id: (held.input as { bookable_id: number }).bookable_id })
      .forUpdate()
    const waiting = deliver([held])
    await eventually(async () => expect(await countLockWaits(world)).to.equal(1))
    expect(await deliver([free])).to.deep.equal([{ status: 200 }])
    await lock.commit()
    expect(await waiting).to.deep.equal([{ status: 200 }])
  })

  it('change the same booking one after the other', async () => {
    const [first, booking] = await Promise.all(
      [1, 2].map(() => createBooking(world.database, { from: hoursFromNow(-1), to: hoursFromNow(8) })),
    )
    const change = (id: number | undefined, hours: number) =>
      attemptOf({ id, to_time: hoursFromNow(hours) }, { job: 'bookings.update' })
    const [one, two, three] = [change(first, 9), change(booking, 10), change(booking, 11)] as const
    const results = await Promise.all([deliver([one]), deliver([two]), deliver([three])])
    expect(results.flat()).to.deep.equal(Array(3).fill({ status: 200 }))
    const entries = await world
      .database('audit_log')
      .where({ resource_id: booking, action: 'bookings.update' })
      .orderBy('id')
    expect(entries).to.have.length(2)
    expect(entries[1].before.during).to.equal(entries[0].after.during)
    expect(new Set(await findTransactions(world, [one, two, three]))).to.have.property('size', 3)
  })

  it('run once if two jobs contain the same idempotency key, and simultaneous repeats then get the same answer', async () => {
    const slot = await createSlot(world)
    const first = await createAttempt()
    const idempotency = { scope: 'token:1', key: randomUUID(), fingerprint: 'ab' }
    const [one, two, three, four] = Array.from({ length: 4 }, () => attemptOf(slot, { idempotency }))
    if (!one || !two || !three || !four) throw new Error('There are four')
    const results = await Promise.all([deliver([first]), deliver([one]), deliver([two])])
    expect(results).to.deep.equal([
      [{ status: 200 }],
      [{ status: 200 }],
      [{ status: 409, refused: 'idempotency_key_in_use' }],
    ])
    const repeats = await Promise.all([deliver([await createAttempt()]), deliver([three]), deliver([four])])
    expect(repeats.flat()).to.deep.equal(Array(3).fill({ status: 200 }))
    const outcomes = await Promise.all([one, three, four].map(findOutcome))
    const [answer] = outcomes
    expect(outcomes).to.deep.equal([answer, ...Array(2).fill({ ...answer, replayed: true })])
    const transactions = await findTransactions(world, [one, two, three, four])
    expect(countEach(transactions)).to.deep.equal([2, 2])
    expect(await countBookings(world, slot)).to.equal(1)
  })

  it('run once if two jobs contain the same attempt', async () => {
    const office = await createDesk(world.database, { type: BOOKABLE_TYPES.homeOffice })
    const attempt = attemptOf({ ...office, from_time: hoursFromNow(1), to_time: hoursFromNow(2) })
    const first = await createAttempt()
    const results = await Promise.all([deliver([first]), deliver([attempt]), deliver([attempt])])
    expect(results.flat()).to.deep.equal(Array(3).fill({ status: 200 }))
    expect(await countBookings(world, office)).to.equal(1)
  })
})

/** Returns how often each value occurs, in the order in which the values first occur. */
function countEach(values: string[]): number[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts.values()]
}
