// Checks that check-ins, changes, moves and deletions of bookings have the same effect in one batch as one after
// another.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { BATCH_JOB, type DoneOutcome, type Envelope, type JobName } from '../../shared/jobs/jobs.ts'
import { runDelivery } from '../../workers/delivery/run.ts'
import {
  createBookable,
  createBooking,
  createDesk,
  createLocation,
  hoursFromNow,
} from '../support/factories.ts'
import { createEnvelope, useTools } from '../support/faults/pipeline.ts'
import { eventually } from '../support/time.ts'
import { useWorld } from '../support/world.ts'

const JOB_KINDS = ['bookings.check-in', 'bookings.update', 'bookings.move', 'bookings.delete'] as const
type JobKind = (typeof JOB_KINDS)[number]

// A check-in requires a booking or event that has begun and has not ended.
const [FROM, TO] = [-1, 8]

describe('changes of bookings in one batch', () => {
  const world = useWorld({ workers: [] })
  const tools = useTools(world)

  type Input = { id: number; [name: string]: unknown }
  type Attempt = Envelope<{ id: number }> & { job: JobName }
  const attemptOf = (job: JobKind, input: Input, changes: Partial<Envelope> = {}): Attempt => ({
    ...createEnvelope(input, changes),
    input,
    job,
  })
  const deliver = (attempts: unknown[]) =>
    runDelivery({ id: randomUUID(), name: BATCH_JOB, data: { attempts } }, tools)
  const statuses = async (attempts: unknown[]) =>
    ((await deliver(attempts)) as Array<{ status: number; refused?: string }>).map(
      ({ status, refused }) => refused ?? status,
    )
  const insert = async (row: object = {}, [from, to] = [FROM, TO]) =>
    createBooking(world.database, { from: hoursFromNow(from), to: hoursFromNow(to), ...row })
  const insertMany = (number: number) => Promise.all(Array.from({ length: number }, () => insert()))
  const rowOf = (id: number) => world.database('bookings').where({ id }).first()
  async function bodyOf({ attempt }: { attempt: string }) {
    const { outcome } = await world.database('receipts').where({ attempt }).first()
    const { status, body, etag } = outcome as DoneOutcome
    return { status, etag, body: JSON.parse(body ?? 'null') }
  }
  /** Creates a desk in the same building as the booking, if the booking exists. */
  async function createDeskBeside(id: number) {
    const [location_id] = await world
      .database('bookings')
      .join('bookables', 'bookables.id', 'bookable_id')
      .where('bookings.id', id)
      .pluck('location_id')
    return createBookable(world.database, location_id ? { location_id } : {})
  }
  /** Returns an input with which the job changes the booking. */
  async function inputOf(job: JobKind, id: number) {
    if (job === 'bookings.update') return { id, to_time: hoursFromNow(TO - 1) }
    if (job === 'bookings.move') return { id, bookable_id: await createDeskBeside(id) }
    return { id }
  }

  it('do not wait for a booking that another transaction has locked', async () => {
    const [held, ...others] = await insertMany(3)
    const attempts = [held, ...others].map((id) => attemptOf('bookings.delete', { id: Number(id) }))
    const lock = await world.database.transaction()
    await lock('bookings').where({ id: held }).forUpdate()
    const delivered = statuses(attempts)
    try {
      await eventually(async () =>
        expect(await world.database('bookings').whereIn('id', others)).to.deep.equal([]),
      )
      expect(await rowOf(Number(held))).to.include({ id: held })
    } finally {
      await lock.commit()
    }
    expect(await delivered).to.deep.equal([204, 204, 204])
  })

  for (const kind of JOB_KINDS) {
    it(`keep the caller, audit entry, change and reply of each write apart: ${kind}`, async () => {
      const ids = await insertMany(5)
      const attempts = await Promise.all(
        ids.map(async (id, index) =>
          attemptOf(kind, await inputOf(kind, id), {
            requestId: `${kind}-${index}`,
            baseUrl: `http://host-${index}`,
            actor: { type: 'admin', id: index, name: `A${index}` },
          }),
        ),
      )
      const done = kind === 'bookings.delete' ? 204 : 200
      expect(await statuses(attempts)).to.deep.equal(ids.map(() => done))
      const requests = attempts.map(({ requestId }) => requestId)
      for (const [table, order] of Object.entries({ audit_log: 'id', changes: 'sequence' })) {
        const rows = await world.database(table).whereIn('request_id', requests).orderBy(order)
        expect(
          rows.map((row) => [row.resource_id, row.request_id, row.actor_id, row.actor_name]),
          table,
        ).to.deep.equal(ids.map((each, index) => [each, requests[index], index, `A${index}`]))
      }
      for (const [index, id] of ids.entries()) {
        const { body, etag } = await bodyOf(attempts[index] as Attempt)
        const [entry] = await world.database('audit_log').where({ request_id: requests[index] })
        expect(entry.before.id).to.equal(id)
        expect(entry.after?.id).to.equal(done === 204 ? undefined : id)
        if (done === 204) continue
        expect([body.data.id, body.data.livemap.slice(0, 13)]).to.deep.equal([id, `http://host-${index}`])
        expect(etag).to.match(/^"[\w-]{27}"$/)
      }
    })

    it(`are refused one by one, while all valid writes are executed: ${kind}`, async () => {
      const [first, last] = await insertMany(2)
      const over = await insert({}, [-3, -2])
      const attempts = await Promise.all(
        [first, 999_999, over, last].map(async (id) => attemptOf(kind, await inputOf(kind, Number(id)))),
      )
      const done = kind === 'bookings.delete' ? 204 : 200
      expect(await statuses(attempts)).to.deep.equal([
        done,
        'not_found',
        kind === 'bookings.delete' ? 204 : 'booking_ended',
        done,
      ])
    })

    it(`answer 404 for bookings outside the caller’s buildings: ${kind}`, async () => {
      const ids = await insertMany(3)
      const [building] = await world
        .database('bookings')
        .join('bookables', 'bookables.id', 'bookable_id')
        .join('locations', 'locations.id', 'location_id')
        .where('bookings.id', ids[1])
        .pluck('building_id')
      const limits = [[building + 1_000], [building], undefined]
      const attempts = await Promise.all(
        ids.map(async (id, index) => {
          const buildingIds = limits[index]
          return attemptOf(kind, await inputOf(kind, id), buildingIds ? { buildingIds } : {})
        }),
      )
      const done = kind === 'bookings.delete' ? 204 : 200
      expect(await statuses(attempts)).to.deep.equal(['not_found', done, done])
    })
  }

  it('are applied one after another if they affect the same booking', async () => {
    const [checked, deleted, changed] = await insertMany(3)
    const attempts = [
      attemptOf('bookings.check-in', { id: Number(checked) }),
      attemptOf('bookings.delete', { id: Number(deleted) }),
      attemptOf('bookings.update', { id: Number(changed), to_time: hoursFromNow(6) }),
      attemptOf('bookings.check-in', { id: Number(checked) }),
      attemptOf('bookings.delete', { id: Number(deleted) }),
      attemptOf('bookings.update', { id: Number(changed), to_time: hoursFromNow(5) }),
    ]
    expect(await statuses(attempts)).to.deep.equal([200, 204, 200, 200, 'not_found', 200])
    const entries = await world
      .database('audit_log')
      .whereIn('resource_id', [checked, deleted, changed].map(Number))
      .where({ resource: 'bookings' })
      .orderBy('id')
    const of = (id: number | undefined) => entries.filter(({ resource_id }) => resource_id === id)
    expect([of(checked).length, of(deleted).length, of(changed).length]).to.deep.equal([1, 1, 2])
    const [one, two] = of(changed)
    expect(two.before).to.deep.equal(one.after)
    const [first, second] = [attempts[0], attempts[3]]
    if (!first || !second) throw new Error('There are two check-ins')
    expect((await bodyOf(second)).body).to.deep.equal((await bodyOf(first)).body)
  })

  it('are refused only if their ETag or version is outdated', async () => {
    const ids = await insertMany(4)
    const [one, two, three, four] = ids.map(Number)
    if (!one || !two || !three || !four) throw new Error('There are four')
    const attempts = [
      attemptOf('bookings.update', { id: one, to_time: hoursFromNow(5) }),
      attemptOf('bookings.update', { id: two, to_time: hoursFromNow(5), if_match: ['"other"'] }),
      attemptOf('bookings.update', { id: three, to_time: hoursFromNow(5), version: 'other' }),
      attemptOf('bookings.delete', { id: four, if_match: ['"other"'] }),
    ]
    const expected = [200, 'precondition_failed', 'changed_meanwhile', 'precondition_failed']
    expect(await statuses(attempts)).to.deep.equal(expected)
    const { etag } = await bodyOf(attempts[0] as Attempt)
    const again = [attemptOf('bookings.delete', { id: one, if_match: [etag] })]
    expect(await statuses(again)).to.deep.equal([204])
    expect(await rowOf(four)).to.not.equal(undefined)
  })

  it('may use a time that an earlier change freed, but not one that it booked', async () => {
    const { location_id: _, ...held } = await createDesk(world.database)
    const [morning, evening] = [await insert(held, [10, 12]), await insert(held, [12, 14])]
    const update = (id: number, from: number, to: number) =>
      attemptOf('bookings.update', { id, from_time: hoursFromNow(from), to_time: hoursFromNow(to) })
    const [shorter, earlier] = [update(morning, 10, 11), update(evening, 11, 14)]
    expect(await statuses([shorter, earlier])).to.deep.equal([200, 200])
    expect(await statuses([update(morning, 10, 12), update(evening, 13, 14)])).to.deep.equal([
      'booking_conflict',
      200,
    ])
    // A booking with a conflict does not affect unrelated bookings.
    const [other, third] = [await insert({}, [10, 12]), await insert({}, [10, 12])]
    const into = attemptOf('bookings.move', { id: other, bookable_id: held.bookable_id })
    const free = attemptOf('bookings.move', {
      id: third,
      bookable_id: (await createDesk(world.database)).bookable_id,
    })
    expect(await statuses([into, free])).to.deep.equal(['booking_conflict', 200])
    expect((await bodyOf(into)).body.conflict).to.include({ bookable_id: held.bookable_id })
  })

  it('are checked one after another against the limits of their user', async () => {
    const location_id = await createLocation(world.database)
    const rules = JSON.stringify({ one_at_a_time: true })
    const desks = await Promise.all([1, 2].map(() => createDesk(world.database, { location_id, rules })))
    const user_id = desks[0]?.user_id
    const bookings = await Promise.all(
      desks.map(({ bookable_id }, index) =>
        insert({ bookable_id, user_id }, [20 + 10 * index, 21 + 10 * index]),
      ),
    )
    const times = { from_time: hoursFromNow(40), to_time: hoursFromNow(41) }
    const attempts = bookings.map((id) => attemptOf('bookings.update', { id, ...times }))
    expect(await statuses(attempts)).to.deep.equal([200, 'already_booked'])
  })

  it('run once if two of them have the same idempotency key', async () => {
    const [one, two] = (await insertMany(2)).map(Number)
    if (!one || !two) throw new Error('There are two')
    const idempotency = { scope: 'token:1', key: randomUUID(), fingerprint: 'ab' }
    const attempts = [one, two].map((id) => attemptOf('bookings.delete', { id }, { idempotency }))
    expect(await statuses(attempts)).to.deep.equal([204, 'idempotency_key_in_use'])
    expect(await rowOf(two)).to.not.equal(undefined)
    expect(await statuses([attemptOf('bookings.delete', { id: one }, { idempotency })])).to.deep.equal([204])
  })

  it('have their usual outcome even if one of them crashes the batch', async () => {
    const ids = await insertMany(4)
    await world.database.raw(`
      CREATE FUNCTION be_poisoned() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'poison'; END $$;
      CREATE TRIGGER poison BEFORE UPDATE ON bookings FOR EACH ROW
        WHEN (NEW.id = ${ids[2]}) EXECUTE FUNCTION be_poisoned()`)
    for (const kind of ['bookings.check-in', 'bookings.update'] as const) {
      const attempts = await Promise.all(ids.map(async (id) => attemptOf(kind, await inputOf(kind, id))))
      const failure = await Promise.resolve(deliver(attempts)).catch((error: Error) => error.message)
      expect(failure).to.match(/^1 of 4 attempts failed/)
      const outcomes = await Promise.all(attempts.map(bodyOf))
      expect(outcomes.map(({ status }) => status)).to.deep.equal([200, 200, 500, 200])
    }
    await world.database.raw('DROP TRIGGER poison ON bookings; DROP FUNCTION be_poisoned()')
  })
})
