// Tests that each attempt gets exactly one correct answer, even if data changes between the transaction of a
// batch and the one that explains conflicts.
import { expect } from 'chai'
import { connectDatabase } from '../../shared/database/database.ts'
import { BATCH_JOB, type Envelope, type Outcome } from '../../shared/jobs/jobs.ts'
import { runDelivery } from '../../workers/delivery/run.ts'
import type { AttemptTools } from '../../workers/runtime/attempts.ts'
import { createBooking, createDesk } from '../support/factories.ts'
import {
  countBookings,
  createEnvelope,
  createSlot,
  type NewBooking,
  useTools,
} from '../support/faults/pipeline.ts'
import { startProxy, type TcpProxy } from '../support/faults/proxy.ts'
import { eventually } from '../support/time.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'

// The name of the statement that finds conflicts.
const FIND_CONFLICTS_STATEMENT = 'find-conflicts'
const CONFLICT_REFUSAL = { status: 409, refused: 'booking_conflict' }

describe('what happens between a batch and the explanation of its conflicts', () => {
  const world = useWorld({ workers: [] })
  const tools = useTools(world)
  const proxied = use(
    async () => {
      const proxy: TcpProxy = await startProxy(world.databaseUrl)
      const database = connectDatabase(proxy.url, { connectionsMax: 10, pipeline: true })
      return { proxy, database }
    },
    {
      async close({ proxy, database }) {
        await proxy.restore()
        await database.destroy()
        await proxy.close()
      },
    },
  )

  const deliver = (attempts: Envelope[], more: Partial<AttemptTools> = {}) => {
    const data = { attempts: attempts.map((attempt) => ({ ...attempt, job: 'bookings.create' })) }
    const { redis, log, outcomeLog, clock, identity, queueAlone } = tools
    const by = { redis, log, outcomeLog, clock, identity, queueAlone, database: proxied.database, ...more }
    return Promise.resolve(runDelivery({ id: `batch-${attempts[0]?.attempt}`, name: BATCH_JOB, data }, by))
  }
  const deliverAlone = (envelope: Envelope) =>
    Promise.resolve(runDelivery({ id: envelope.attempt, name: 'bookings.create', data: envelope }, tools))
  async function outcomeOf({ attempt }: Envelope): Promise<Outcome | undefined> {
    return (await world.database('receipts').where({ attempt }).first())?.outcome
  }
  const keyed = (input: NewBooking, key: string) =>
    createEnvelope(input, { idempotency: { scope: 'token 1', key, fingerprint: 'ab'.repeat(32) } })
  const keptUnder = (key: string) => world.database('idempotency_keys').where({ key })

  /**
   * A slot that booking `id` has taken, and a free slot on a different bookable, so that the batch finds no conflict
   * beforehand.
   */
  async function createSlots() {
    const [taken, free] = [await createSlot(world), await createSlot(world)]
    const { bookable_id, from_time: from, to_time: to } = taken
    return { taken, free, id: await createBooking(world.database, { bookable_id, from, to }) }
  }
  const vacate = (id: number) => world.database('bookings').where({ id }).delete()

  it('skips a booking that its caller has cancelled', async () => {
    const { taken, free, id } = await createSlots()
    const late = keyed(taken, 'called off')
    const held = proxied.proxy.catch('server', FIND_CONFLICTS_STATEMENT, 'hold')
    const results = deliver([late, createEnvelope(free)])
    await held
    await vacate(id)
    await world.database('receipts').insert({ attempt: late.attempt, abandoned_at: new Date() })
    await proxied.proxy.restore()
    expect(await results).to.deep.equal([{ skipped: 'it was called off' }, { status: 200 }])
    expect(await countBookings(world, taken)).to.equal(0)
    expect(await outcomeOf(late)).to.equal(null)
    expect(await keptUnder('called off')).to.deep.equal([])
  })

  it('returns the answer of a faster second delivery', async () => {
    const { taken, free, id } = await createSlots()
    const attempts = [keyed(taken, 'faster'), createEnvelope(free)] as const
    const held = proxied.proxy.catch('server', FIND_CONFLICTS_STATEMENT, 'hold')
    const results = deliver([...attempts])
    await held
    await vacate(id)
    for (const attempt of attempts) expect(await deliverAlone(attempt)).to.deep.equal({ status: 200 })
    await proxied.proxy.restore()
    expect(await results).to.deep.equal([{ status: 200 }, { status: 200 }])
    for (const slot of [taken, free]) expect(await countBookings(world, slot)).to.equal(1)
    expect(await keptUnder('faster')).to.have.length(1)
  })

  it('explains all other conflicts while one write is still being delivered again', async () => {
    const [one, other] = [await createSlots(), await createSlots()]
    const attempts = [createEnvelope(one.taken), createEnvelope(other.taken)] as const
    const held = proxied.proxy.catch('server', FIND_CONFLICTS_STATEMENT, 'hold')
    const results = deliver([...attempts])
    await held
    const second = await world.database.transaction()
    await second('receipts').insert({ attempt: attempts[0].attempt })
    await proxied.proxy.restore()
    await eventually(async () => expect(await outcomeOf(attempts[1])).to.include(CONFLICT_REFUSAL))
    expect(await world.database('receipts').where({ attempt: attempts[0].attempt })).to.deep.equal([])
    await second.rollback()
    expect(await results).to.deep.equal([CONFLICT_REFUSAL, CONFLICT_REFUSAL])
  })

  it('repeats only the unfinished writes after the connection breaks', async () => {
    const { taken, free } = await createSlots()
    const attempts = [keyed(taken, 'broken'), createEnvelope(free)] as const
    const broken = proxied.proxy.catch('server', FIND_CONFLICTS_STATEMENT, (link) => {
      link.drop()
      return 'drop'
    })
    const results = deliver([...attempts])
    await broken
    expect(await results).to.deep.equal([CONFLICT_REFUSAL, { status: 200 }])
    expect(await countBookings(world, free)).to.equal(1)
    expect(await keptUnder('broken')).to.have.length(1)
    expect(await deliverAlone(attempts[0])).to.deep.equal(CONFLICT_REFUSAL)
  })

  it('replays the answer of an earlier attempt with the same idempotency key', async () => {
    const { taken, free } = await createSlots()
    const [first, second, third] = [keyed(taken, 'same'), keyed(free, 'same'), keyed(taken, 'same')]
    const held = proxied.proxy.catch('server', FIND_CONFLICTS_STATEMENT, 'hold')
    const results = deliver([first, second])
    await held
    expect(await keptUnder('same')).to.deep.equal([])
    expect(await outcomeOf(second)).to.include({ refused: 'idempotency_key_in_use' })
    expect(await deliverAlone(third)).to.deep.equal(CONFLICT_REFUSAL)
    await proxied.proxy.restore()
    expect(await results).to.deep.equal([
      CONFLICT_REFUSAL,
      { status: 409, refused: 'idempotency_key_in_use' },
    ])
    expect((await outcomeOf(first))?.body).to.equal((await outcomeOf(third))?.body)
    expect(await outcomeOf(first)).to.include({ replayed: true })
  })

  it('skips a booking if its desk becomes free only after the deadline', async () => {
    const { taken, free, id } = await createSlots()
    const late = createEnvelope(taken)
    let now = Date.now()
    const held = proxied.proxy.catch('server', FIND_CONFLICTS_STATEMENT, 'hold')
    const results = deliver([late, createEnvelope(free)], {
      clock: { now: () => now, compared: Promise.resolve() },
    })
    await held
    await vacate(id)
    now = late.deadlineMs + 1
    await proxied.proxy.restore()
    expect(await results).to.deep.equal([{ skipped: 'its deadline has passed' }, { status: 200 }])
    expect(await countBookings(world, taken)).to.equal(0)
    expect(await world.database('receipts').where({ attempt: late.attempt })).to.deep.equal([])
  })

  it('stores each refused booking once', async () => {
    const { taken, free } = await createSlots()
    const late = createEnvelope(taken)
    const noted: string[] = []
    await deliver([late, createEnvelope(free)], {
      refused: { note: (_name, { attempt }, { refused }) => void (refused && noted.push(attempt)) },
    })
    expect(noted).to.deep.equal([late.attempt])
  })

  it('does not count a conflicting booking towards the limit of its user', async () => {
    const { taken } = await createSlots()
    const rules = JSON.stringify({ one_at_a_time: true })
    const counted = await createDesk(world.database, { rules })
    const { user_id, from_time, to_time } = taken
    const results = await deliver(
      [taken, { ...counted, user_id, from_time, to_time }].map((each) => createEnvelope(each)),
    )
    expect(results).to.deep.equal([CONFLICT_REFUSAL, { status: 200 }])
  })
})
