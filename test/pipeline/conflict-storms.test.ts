// Tests many callers that want the same few desks: a single statement explains their conflicts, without delaying other
// bookings.
import { expect } from 'chai'
import { BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { observeStatements } from '../../shared/database/statements.ts'
import { BATCH_JOB, type Envelope, type Outcome } from '../../shared/jobs/jobs.ts'
import { runDelivery } from '../../workers/delivery/run.ts'
import type { AttemptTools } from '../../workers/runtime/attempts.ts'
import { createBookable, createBooking, createDesk, hoursFromNow } from '../support/factories.ts'
import { countBookings, createEnvelope, createSlot, useTools } from '../support/faults/pipeline.ts'
import { startProxy, type TcpProxy } from '../support/faults/proxy.ts'
import { eventually } from '../support/time.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'

// The name of the statement that finds conflicts.
const FIND_CONFLICTS_STATEMENT = 'find-conflicts'
const WANTED_SPAN = { from: hoursFromNow(24), to: hoursFromNow(32) }
const WANTED_TIMES = { from_time: WANTED_SPAN.from, to_time: WANTED_SPAN.to }

describe('many simultaneous conflicting bookings', () => {
  const statements = new Map<string, number>()
  let stop = () => undefined as unknown
  // Must run before the pool opens connections.
  before(() => {
    stop = observeStatements(({ name = '' }) => {
      statements.set(name, (statements.get(name) ?? 0) + 1)
      return undefined
    })
  })
  after(() => stop())
  beforeEach(() => statements.clear())
  const world = useWorld({ workers: [] })
  const tools = useTools(world)

  const batchOf = (inputs: object[], name = 'bookings.create') => {
    const attempts = inputs.map((input) => ({ ...createEnvelope(input), job: name }))
    return { attempts, data: { attempts } }
  }
  const deliver = (inputs: object[], by: AttemptTools = tools) => {
    const { attempts, data } = batchOf(inputs)
    return {
      attempts,
      results: Promise.resolve(runDelivery({ id: `batch-${Date.now()}`, name: BATCH_JOB, data }, by)),
    }
  }
  async function outcomeOf({ attempt }: Pick<Envelope, 'attempt'>): Promise<Outcome | undefined> {
    return (await world.database('receipts').where({ attempt }).first())?.outcome
  }
  const bodyOf = async (envelope: Pick<Envelope, 'attempt'>) =>
    JSON.parse(String((await outcomeOf(envelope))?.body))

  async function createFloor(number: number) {
    const { location_id, user_id } = await createDesk(world.database)
    const ids = await Promise.all(
      Array.from({ length: number }, () => createBookable(world.database, { location_id })),
    )
    return ids.sort((a, b) => a - b).map((bookable_id) => ({ bookable_id, location_id, user_id }))
  }
  const take = (desks: Array<{ bookable_id: number }>) =>
    Promise.all(
      desks.map(({ bookable_id }) => createBooking(world.database, { bookable_id, ...WANTED_SPAN })),
    )

  it('are explained per batch with a single statement, before the worker locks anything', async () => {
    const desks = await createFloor(8)
    await take(desks.slice(0, 4))
    const wanted = Array.from({ length: 32 }, (_, index) => ({ ...desks[index % 4], ...WANTED_TIMES }))
    const { attempts, results } = deliver(wanted)
    expect(await results).to.deep.equal(wanted.map(() => ({ status: 409, refused: 'booking_conflict' })))
    const explaining = [...statements].filter(([name]) => name.startsWith(FIND_CONFLICTS_STATEMENT))
    expect(explaining.map(([, number]) => number)).to.deep.equal([1])
    expect(statements.get('insert-bookings')).to.equal(undefined)
    const near = desks.slice(4, 7).map(({ bookable_id }) => bookable_id)
    for (const [index, attempt] of attempts.entries()) {
      const { conflict, alternatives } = await bodyOf(attempt)
      expect(conflict.bookable_id).to.equal(wanted[index]?.bookable_id)
      const ids = alternatives.map(({ id }: { id: number }) => id)
      if (index % 4 === 3) expect(ids).to.deep.equal(near)
      else expect(ids).to.include(near[0])
    }
  })

  it('get each free desk once, and a single statement explains all conflicts', async () => {
    const desks = await createFloor(3)
    const wanted = Array.from({ length: 30 }, (_, index) => ({ ...desks[index % 3], ...WANTED_TIMES }))
    const { attempts, results } = deliver(wanted)
    const statuses = ((await results) as Array<{ status: number }>).map(({ status }) => status)
    expect(statuses).to.deep.equal(wanted.map((_, index) => (index < 3 ? 200 : 409)))
    // The statement runs once before anything is locked, and once for bookings whose desk was taken in the meantime.
    const explaining = [...statements].filter(([name]) => name.startsWith(FIND_CONFLICTS_STATEMENT))
    expect(explaining.map(([, number]) => number)).to.deep.equal([2])
    const last = await bodyOf(attempts.at(-1) ?? { attempt: '' })
    expect(last).to.deep.include({ code: 'booking_conflict' })
    expect(last.conflict.bookable_id).to.equal(desks[2]?.bookable_id)
  })

  it('may share a home office, even if it was a booked desk before', async () => {
    const office = await createDesk(world.database)
    await take([office])
    await world
      .database('bookables')
      .where({ id: office.bookable_id })
      .update({ type: BOOKABLE_TYPES.homeOffice })
    const { results } = deliver([1, 2].map(() => ({ ...office, ...WANTED_TIMES })))
    expect(await results).to.deep.equal([{ status: 200 }, { status: 200 }])
  })

  describe('when it takes long to explain conflicts', () => {
    const proxied = use(
      async () => {
        const proxy: TcpProxy = await startProxy(world.databaseUrl)
        const database = connectDatabase(proxy.url, { connectionsMax: 10, pipeline: true })
        const { redis, log, outcomeLog, clock, identity, queueAlone } = tools
        return { proxy, tools: { database, redis, log, outcomeLog, clock, identity, queueAlone } }
      },
      {
        async close({ proxy, tools: { database } }) {
          await proxy.restore()
          await database.destroy()
          await proxy.close()
        },
      },
    )

    it('does not delay the successful bookings of the same batch', async () => {
      const [taken, free] = [await createSlot(world), await createSlot(world)]
      await take([taken])
      const held = proxied.proxy.catch('server', FIND_CONFLICTS_STATEMENT, 'hold')
      const { attempts, results } = deliver([taken, free], proxied.tools)
      await held
      const [late, early] = attempts
      await eventually(async () => expect((await outcomeOf(early as Envelope))?.status).to.equal(200))
      expect(await countBookings(world, free)).to.equal(1)
      expect(await outcomeOf(late as Envelope)).to.equal(undefined)
      await proxied.proxy.restore()
      expect(await results).to.deep.equal([{ status: 409, refused: 'booking_conflict' }, { status: 200 }])
    })

    it('books a desk that has become free while its conflict was being explained', async () => {
      const slots = await Promise.all(Array.from({ length: 3 }, () => createSlot(world)))
      const ids = await take(slots)
      const held = proxied.proxy.catch('server', FIND_CONFLICTS_STATEMENT, 'hold')
      const { results } = deliver(slots, proxied.tools)
      await held
      await world.database('bookings').whereIn('id', ids).delete()
      await proxied.proxy.restore()
      expect(await results).to.deep.equal(slots.map(() => ({ status: 200 })))
    })

    it('books all desks of a request that have become free in the meantime', async () => {
      const slots = await Promise.all(Array.from({ length: 8 }, () => createSlot(world)))
      const ids = await take(slots)
      const held = proxied.proxy.catch('server', FIND_CONFLICTS_STATEMENT, 'hold')
      const envelope = createEnvelope({ bookings: slots, atomic: false })
      const name = 'bookings.create-batch'
      const result = Promise.resolve(
        runDelivery({ id: envelope.attempt, name, data: envelope }, proxied.tools),
      )
      await held
      await world.database('bookings').whereIn('id', ids).delete()
      await proxied.proxy.restore()
      await result
      const statuses = (await bodyOf(envelope)).data.map(({ status }: { status: number }) => status)
      expect(statuses).to.deep.equal(slots.map(() => 200))
    })
  })
})
