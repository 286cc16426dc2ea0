// Checks that writes in one batch have the same effect as separate writes: a write that is late, cancelled,
// refused, repeated or crashes the batch does not affect the other writes.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import {
  BATCH_ATTEMPTS_MAX,
  BATCH_JOB,
  type Envelope,
  type JobName,
  type Outcome,
} from '../../shared/jobs/jobs.ts'
import { runDelivery } from '../../workers/delivery/run.ts'
import { createBooking, createDesk, hoursFromNow } from '../support/factories.ts'
import {
  countBookings,
  countLockWaits,
  createEnvelope,
  createSlot,
  type NewBooking,
  useTools,
  useWrites,
} from '../support/faults/pipeline.ts'
import { eventually } from '../support/time.ts'
import { useClient, useWorld } from '../support/world.ts'

describe('writes in one batch', () => {
  const world = useWorld({ workers: [] })
  const tools = useTools(world)
  const writes = useWrites(world)

  const slots = (number: number) => Promise.all(Array.from({ length: number }, () => createSlot(world)))
  const attemptOf = (input: object, changes: Partial<Envelope> & { job?: JobName } = {}) => {
    const { job = 'bookings.create', ...envelope } = changes
    return { ...createEnvelope(input, envelope), job }
  }
  const deliver = (attempts: unknown[], delivery: object = {}) =>
    runDelivery({ id: randomUUID(), name: BATCH_JOB, data: { attempts }, ...delivery }, tools)
  const booked = (slot: NewBooking) => countBookings(world, slot)

  async function outcomeOf({ attempt }: { attempt: string }): Promise<Outcome | undefined> {
    return (await world.database('receipts').where({ attempt }).first())?.outcome
  }
  async function bodyOf(envelope: { attempt: string }) {
    return JSON.parse(String((await outcomeOf(envelope))?.body))
  }

  it('each get a reply and an audit entry with the name of the right caller', async () => {
    const some = await slots(BATCH_ATTEMPTS_MAX)
    const attempts = some.map((slot, index) =>
      attemptOf(slot, {
        requestId: `batch-${index}`,
        actor: { type: 'admin', id: index, name: `A${index}` },
      }),
    )
    expect(await deliver(attempts)).to.deep.equal(some.map(() => ({ status: 200 })))
    for (const [index, attempt] of attempts.entries()) {
      const { bookable_id, user_id } = some[index] ?? {}
      const [{ id, bookable, user }] = (await bodyOf(attempt)).data
      expect([bookable.id, user.id]).to.deep.equal([bookable_id, user_id])
      const row = await world.database('bookings').where({ id, bookable_id, user_id }).first()
      expect(row).to.include({ exclusive: true })
      const [entry, ...others] = await world.database('audit_log').where({ request_id: `batch-${index}` })
      expect(others).to.deep.equal([])
      expect(entry).to.include({
        resource_id: id,
        actor_type: 'admin',
        actor_id: index,
        actor_name: `A${index}`,
      })
      expect(entry.after).to.include({ id, bookable_id, user_id })
    }
  })

  it('book a time once, and report the conflict to all other callers', async () => {
    const slot = await createSlot(world)
    const later = { ...slot, from_time: hoursFromNow(28), to_time: hoursFromNow(36) }
    const attempts = [slot, slot, later, slot].map((each) => attemptOf(each))
    const results = (await deliver(attempts)) as Array<{ status: number }>
    expect(results.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409, 409])
    expect(await booked(slot)).to.equal(1)
    for (const [index, { status }] of results.entries()) {
      const body = await bodyOf(attempts[index] ?? { attempt: '' })
      if (status === 409) expect(body.conflict).to.include({ bookable_id: slot.bookable_id })
    }
  })

  it('may book the same home office', async () => {
    const office = await createDesk(world.database, { type: BOOKABLE_TYPES.homeOffice })
    const times = { from_time: hoursFromNow(1), to_time: hoursFromNow(2) }
    const attempts = [1, 2, 3].map(() => attemptOf({ ...office, ...times }))
    expect(await deliver(attempts)).to.deep.equal(Array(3).fill({ status: 200 }))
    const ids = await Promise.all(attempts.map(async (attempt) => (await bodyOf(attempt)).data[0].id))
    expect(new Set(ids)).to.have.property('size', 3)
  })

  it('are refused one by one for broken rules and conflicts', async () => {
    const [good, taken, past, nobody] = await slots(4)
    if (!good || !taken || !past || !nobody) throw new Error('There are four')
    const { bookable_id, user_id, from_time: from, to_time: to } = taken
    await createBooking(world.database, { bookable_id, user_id, from, to })
    const attempts = [
      attemptOf(taken),
      attemptOf({ ...past, from_time: hoursFromNow(-2), to_time: hoursFromNow(-1) }),
      attemptOf({ ...nobody, user_id: 999_999 }),
      attemptOf(good),
    ]
    expect(await deliver(attempts)).to.deep.equal([
      { status: 409, refused: 'booking_conflict' },
      { status: 422, refused: 'validation_failed' },
      { status: 422, refused: 'validation_failed' },
      { status: 200 },
    ])
    expect(await booked(good)).to.equal(1)
    expect(await booked(nobody)).to.equal(0)
  })

  it('have their usual outcome even if one of them crashes the batch', async () => {
    const some = await slots(5)
    await world.database.raw(`
      CREATE FUNCTION be_poisoned() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'poison'; END $$;
      CREATE TRIGGER poison BEFORE INSERT ON bookings FOR EACH ROW
        WHEN (NEW.guest_name = 'poison') EXECUTE FUNCTION be_poisoned()`)
    const attempts = some.map((slot, index) =>
      attemptOf(index === 2 ? { ...slot, guest_name: 'poison' } : slot),
    )
    const failure = await Promise.resolve(deliver(attempts)).catch((error: Error) => error.message)
    expect(failure).to.match(/^1 of 5 attempts failed/)
    const outcomes = await Promise.all(attempts.map(outcomeOf))
    expect(outcomes.map((outcome) => outcome?.status)).to.deep.equal([200, 200, 500, 200, 200])
    expect(await Promise.all(some.map(booked))).to.deep.equal([1, 1, 0, 1, 1])
    // Simulates a manual retry. A write whose caller got a failure stays failed, and no write runs twice.
    const again = await Promise.resolve(deliver(attempts, { attemptsMade: 1 })).catch((error: Error) => error)
    expect(again)
      .to.be.an('error')
      .with.property('message', 'Left undone: its caller has already been told that it failed')
    expect(await Promise.all(some.map(booked))).to.deep.equal([1, 1, 0, 1, 1])
    await world.database.raw('DROP TRIGGER poison ON bookings; DROP FUNCTION be_poisoned()')
  })

  it('are not started again after a fault that lasted until their deadline', async () => {
    const some = await slots(2)
    await world.database.raw(`
      CREATE FUNCTION be_slow_and_fail() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_sleep(1.5); RAISE EXCEPTION 'slow'; END $$;
      CREATE TRIGGER slow BEFORE INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION be_slow_and_fail()`)
    const attempts = some.map((slot) => attemptOf(slot, { deadlineMs: Date.now() + 1_000 }))
    expect(await deliver(attempts)).to.deep.equal(Array(2).fill({ skipped: 'its deadline has passed' }))
    await world.database.raw('DROP TRIGGER slow ON bookings; DROP FUNCTION be_slow_and_fail()')
    // The callers cancel their writes.
    expect(
      await world.database('receipts').whereIn(
        'attempt',
        attempts.map(({ attempt }) => attempt),
      ),
    ).to.deep.equal([])
  })

  it('are applied once if the batch is delivered twice, with the same replies both times', async () => {
    const some = await slots(4)
    const attempts = some.map((slot) => attemptOf(slot))
    const deliveries = await Promise.all([
      deliver(attempts),
      deliver(attempts),
      deliver([...attempts].reverse()),
    ])
    for (const results of deliveries) expect(results).to.deep.equal(Array(4).fill({ status: 200 }))
    expect(await Promise.all(some.map(booked))).to.deep.equal([1, 1, 1, 1])
  })

  it('are skipped if they were cancelled or their deadline has passed', async () => {
    const [first, off, late, last] = await slots(4)
    if (!first || !off || !late || !last) throw new Error('There are four')
    const attempts = [
      attemptOf(first),
      attemptOf(off),
      attemptOf(late, { deadlineMs: Date.now() - 1 }),
      attemptOf(last),
    ]
    await world.database('receipts').insert({ attempt: attempts[1]?.attempt, abandoned_at: new Date() })
    expect(await deliver(attempts)).to.deep.equal([
      { status: 200 },
      { skipped: 'it was called off' },
      { skipped: 'its deadline has passed' },
      { status: 200 },
    ])
    expect(await Promise.all([first, off, late, last].map(booked))).to.deep.equal([1, 0, 0, 1])
    expect(await outcomeOf(attempts[1] ?? { attempt: '' })).to.equal(null)
  })

  it('run once if two of them have the same idempotency key', async () => {
    const [slot, other] = await slots(2)
    if (!slot || !other) throw new Error('There are two')
    const idempotency = { scope: 'token:1', key: randomUUID(), fingerprint: 'ab' }
    const attempts = [
      attemptOf(slot, { idempotency }),
      attemptOf(slot, { idempotency }),
      attemptOf(other, { idempotency: { ...idempotency, scope: 'token:2' } }),
    ]
    expect(await deliver(attempts)).to.deep.equal([
      { status: 200 },
      { status: 409, refused: 'idempotency_key_in_use' },
      { status: 200 },
    ])
    const [repeat, misuse] = [
      attemptOf(slot, { idempotency }),
      attemptOf(slot, { idempotency: { ...idempotency, fingerprint: 'cd' } }),
    ]
    expect(await deliver([repeat])).to.deep.equal([{ status: 200 }])
    expect(await deliver([misuse])).to.deep.equal([{ status: 422, refused: 'idempotency_key_reused' }])
    expect(await outcomeOf(repeat)).to.deep.equal({
      ...(await outcomeOf(attempts[0] ?? { attempt: '' })),
      replayed: true,
    })
    expect(await booked(slot)).to.equal(1)
  })

  it('are refused one by one if they are invalid', async () => {
    const [good, other] = await slots(2)
    if (!good || !other) throw new Error('There are two')
    const attempts = [
      attemptOf({ ...other, user_id: 'somebody' }),
      attemptOf(good),
      { ...attemptOf(other), job: 'constructor' },
    ]
    const failure = await Promise.resolve(deliver(attempts)).catch((error: Error) => error.message)
    expect(failure).to.match(/^2 of 3 attempts failed/)
    expect((await outcomeOf(attempts[0] ?? { attempt: '' }))?.refused).to.equal('internal_error')
    expect(await booked(good)).to.equal(1)
  })

  for (const [why, data] of Object.entries({
    'has a repeated attempt': (attempt: unknown) => ({ attempts: [attempt, attempt] }),
    'has too many attempts': (attempt: unknown) => ({
      attempts: Array(BATCH_ATTEMPTS_MAX + 1).fill(attempt),
    }),
    'is not a list': () => ({ attempts: 'all' }),
    'is null': () => null,
  })) {
    it(`are all refused if the batch ${why}`, async () => {
      const slot = await createSlot(world)
      const failure = await Promise.resolve(
        runDelivery({ id: randomUUID(), name: BATCH_JOB, data: data(attemptOf(slot)) }, tools),
      ).catch((error: Error) => error)
      expect(failure)
        .to.be.an('error')
        .with.property('message')
        .that.matches(/^Not a valid payload of a batch/)
      expect(await booked(slot)).to.equal(0)
    })
  }

  it('are queued separately after their worker stopped responding', async () => {
    // Longer than a worker needs to start on a busy machine.
    const deadlineMs = Date.now() + 60_000
    const attempts = (await slots(3)).map((slot) => attemptOf(slot, { deadlineMs }))
    expect(await deliver(attempts, { stalledCounter: 1 })).to.have.property('skipped')
    const jobs = await writes.queue.getJobs(['waiting'])
    expect(jobs.map(({ id }) => id)).to.have.members(attempts.map(({ attempt }) => attempt))
    expect(jobs.map(({ name }) => name)).to.deep.equal(Array(3).fill('bookings.create'))
    const workers = await world.startWorkers(['writes'])
    await eventually(async () =>
      expect(await Promise.all(attempts.map(outcomeOf))).to.satisfy((outcomes: Array<Outcome | undefined>) =>
        outcomes.every((outcome) => outcome?.status === 200),
      ),
    )
    await workers.stop()
  })
})

describe('writes that arrive at the same moment', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world)
  const writes = useWrites(world)

  it('are put into a few shared jobs, but each write gets its own reply', async () => {
    const some = await Promise.all(Array.from({ length: 40 }, () => createSlot(world)))
    const asked = some.map((slot) => client.post('bookings', slot))
    await world.startWorkers(['writes'])
    const answers = await Promise.all(asked)
    for (const [index, { status, json }] of answers.entries()) {
      expect(status).to.equal(200)
      expect(json.data[0].bookable.id).to.equal(some[index]?.bookable_id)
    }
    // A job finishes in its queue shortly after its callers are answered.
    await eventually(async () => {
      const { completed, active, waiting } = await writes.queue.getJobCounts('completed', 'active', 'waiting')
      expect([active, waiting]).to.deep.equal([0, 0])
      expect(completed).to.be.within(1, 20)
    })

    const ids = answers.map(({ json }) => json.data[0].id)
    const mixed = await Promise.all([
      ...ids.slice(0, 15).map((id) => client.delete(`bookings/${id}`)),
      ...ids
        .slice(15, 30)
        .map((id, index) =>
          client.put(`bookings/${id}`, { to_time: some[index]?.to_time, from_time: hoursFromNow(25) }),
        ),
      ...some
        .slice(0, 10)
        .map((slot) =>
          client.post('bookings', { ...slot, from_time: hoursFromNow(48), to_time: hoursFromNow(50) }),
        ),
    ])
    expect(mixed.map(({ status }) => status)).to.deep.equal([
      ...Array(15).fill(204),
      ...Array(15).fill(200),
      ...Array(10).fill(200),
    ])
  })

  it('do not wait for a slow write', async () => {
    const [held, free] = await Promise.all([createSlot(world), createSlot(world)])
    const lock = await world.database.transaction()
    await lock('bookables').where({ id: held.bookable_id }).forUpdate()
    const waiting = client.post('bookings', held)
    await eventually(async () => expect(await countLockWaits(world)).to.equal(1))
    expect((await client.post('bookings', free)).status).to.equal(200)
    await lock.commit()
    expect((await waiting).status).to.equal(200)
  })

  it('use statements that Postgres plans once, and never scan a whole table', async () => {
    await world.database.raw(`
      CREATE TABLE modes (mode text, reads_all text);
      CREATE FUNCTION note_mode() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO modes VALUES (current_setting('plan_cache_mode'), current_setting('enable_seqscan'));
          RETURN NULL; END $$;
      CREATE TRIGGER noted AFTER INSERT ON bookings FOR EACH STATEMENT EXECUTE FUNCTION note_mode()`)
    expect((await client.post('bookings', await createSlot(world))).status).to.equal(200)
    expect(await world.database('modes')).to.deep.equal([{ mode: 'force_generic_plan', reads_all: 'off' }])
  })
})
