// Many callers want the same few desks: one statement explains their conflicts, and other bookings do not wait for it.
import { expect } from 'chai'
import { BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { observeStatements } from '../../shared/database/statements.ts'
import { BATCH, type Envelope, type Outcome } from '../../shared/jobs/jobs.ts'
import { run } from '../../workers/delivery/run.ts'
import type { Tools } from '../../workers/runtime/attempts.ts'
import { createBookable, createBooking, createDesk, hoursFromNow } from '../support/factories.ts'
import { countBookings, createSlot, envelopeOf, useTools } from '../support/faults/pipeline.ts'
import { startProxy, type TcpProxy } from '../support/faults/proxy.ts'
import { eventually } from '../support/time.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'

// The name of the statement that finds conflicts.
const EXPLAINS = 'find-conflicts'
const SPAN = { from: hoursFromNow(24), to: hoursFromNow(32) }
const TIMES = { from_time: SPAN.from, to_time: SPAN.to }

describe('a storm of conflicts', () => {
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
    const attempts = inputs.map((input) => ({ ...envelopeOf(input), job: name }))
    return { attempts, data: { attempts } }
  }
  const deliver = (inputs: object[], by: Tools = tools) => {
    const { attempts, data } = batchOf(inputs)
    return { attempts, results: Promise.resolve(run({ id: `batch-${Date.now()}`, name: BATCH, data }, by)) }
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
    Promise.all(desks.map(({ bookable_id }) => createBooking(world.database, { bookable_id, ...SPAN })))

  it('is explained by one statement for each batch, before anything is locked', async () => {
    const desks = await createFloor(8)
    await take(desks.slice(0, 4))
    const wanted = Array.from({ length: 32 }, (_, index) => ({ ...desks[index % 4], ...TIMES }))
    const { attempts, results } = deliver(wanted)
    expect(await results).to.deep.equal(wanted.map(() => ({ status: 409, refused: 'booking_conflict' })))
    const explaining = [...statements].filter(([name]) => name.startsWith(EXPLAINS))
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

  it('in one batch gives each free desk to the first caller, and explains the other conflicts with one statement', async () => {
    const desks = await createFloor(3)
    const wanted = Array.from({ length: 30 }, (_, index) => ({ ...desks[index % 3], ...TIMES }))
    const { attempts, results } = deliver(wanted)
    const statuses = ((await results) as Array<{ status: number }>).map(({ status }) => status)
    expect(statuses).to.deep.equal(wanted.map((_, index) => (index < 3 ? 200 : 409)))
    // It runs once before anything is locked, and once for the bookings that were too late.
    const explaining = [...statements].filter(([name]) => name.startsWith(EXPLAINS))
    expect(explaining.map(([, number]) => number)).to.deep.equal([2])
    const last = await bodyOf(attempts.at(-1) ?? { attempt: '' })
    expect(last).to.deep.include({ code: 'booking_conflict' })
    expect(last.conflict.bookable_id).to.equal(desks[2]?.bookable_id)
  })

  it('lets people share a home office, even if it was a booked desk before', async () => {
    const office = await createDesk(world.database)
    await take([office])
    await world
      .database('bookables')
      .where({ id: office.bookable_id })
      .update({ type: BOOKABLE_TYPES.homeOffice })
    const { results } = deliver([1, 2].map(() => ({ ...office, ...TIMES })))
    expect(await results).to.deep.equal([{ status: 200 }, { status: 200 }])
  })

  describe('whose explanation takes long', () => {
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

    it('does not delay the bookings of the same batch', async () => {
      const [taken, free] = [await createSlot(world), await createSlot(world)]
      await take([taken])
      const held = proxied.proxy.catch('server', EXPLAINS, 'hold')
      const { attempts, results } = deliver([taken, free], proxied.tools)
      await held
      const [late, early] = attempts
      await eventually(async () => expect((await outcomeOf(early as Envelope))?.status).to.equal(200))
      expect(await countBookings(world, free)).to.equal(1)
      expect(await outcomeOf(late as Envelope)).to.equal(undefined)
      await proxied.proxy.restore()
      expect(await results).to.deep.equal([{ status: 409, refused: 'booking_conflict' }, { status: 200 }])
    })

    it('books a desk that has become free meanwhile', async () => {
      const slots = await Promise.all(Array.from({ length: 3 }, () => createSlot(world)))
      const ids = await take(slots)
      const held = proxied.proxy.catch('server', EXPLAINS, 'hold')
      const { results } = deliver(slots, proxied.tools)
      await held
      await world.database('bookings').whereIn('id', ids).delete()
      await proxied.proxy.restore()
      expect(await results).to.deep.equal(slots.map(() => ({ status: 200 })))
    })

    it('books every desk that has become free meanwhile, for a request with many bookings', async () => {
      const slots = await Promise.all(Array.from({ length: 8 }, () => createSlot(world)))
      const ids = await take(slots)
      const held = proxied.proxy.catch('server', EXPLAINS, 'hold')
      const envelope = envelopeOf({ bookings: slots, atomic: false })
      const name = 'bookings.create-batch'
      const result = Promise.resolve(run({ id: envelope.attempt, name, data: envelope }, proxied.tools))
      await held
      await world.database('bookings').whereIn('id', ids).delete()
      await proxied.proxy.restore()
      await result
      const statuses = (await bodyOf(envelope)).data.map(({ status }: { status: number }) => status)
      expect(statuses).to.deep.equal(slots.map(() => 200))
    })
  })
})
