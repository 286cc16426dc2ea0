// Checks that attempts that share a transaction are each done exactly once, even if their worker closes or loses its connections.
import { randomUUID } from 'node:crypto'
import type { Job } from 'bullmq'
import { expect } from 'chai'
import { REPLIES_PART } from '../../../shared/identity/keys.ts'
import { BATCH_JOB, type Envelope, type Outcome } from '../../../shared/jobs/jobs.ts'
import { RedisConnections } from '../../../shared/redis/connections.ts'
import { Queues } from '../../../shared/runtime/queues.ts'
import type { Config } from '../../../shared/settings/config.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { closeConsumer, connectWorkDatabase, openConsumer } from '../../../workers/delivery/consumers.ts'
import type { AttemptTools } from '../../../workers/runtime/attempts.ts'
import { KEYS } from '../../support/databases.ts'
import {
  countBookings,
  createEnvelope,
  createSlot,
  findTransactions,
  listenAsGateways,
  type NewBooking,
  ownIdentity,
  startProxies,
  useWrites,
} from '../../support/faults/pipeline.ts'
import { closeProxies, type Direction } from '../../support/faults/proxy.ts'
import { eventually } from '../../support/time.ts'
import { useWith } from '../../support/use.ts'
import { useWorld } from '../../support/world.ts'

type Attempt = Envelope<NewBooking>

const CONCURRENCY = 3
// Longer than a worker needs to take over jobs on a busy machine.
const DEADLINE_MS = 60_000

describe('jobs whose attempts share a transaction', () => {
  const world = useWorld({ workers: [], each: true })
  const writes = useWrites(world)
  const gateways = useWith(
    world,
    () => listenAsGateways(world, ['one', 'two']),
    ({ close }) => close(),
  )
  let jobs: Job[]
  let attempts: Attempt[]

  // Two gateways queue one job more than a consumer runs at a time.
  beforeEach(async () => {
    const slots = await Promise.all(Array.from({ length: CONCURRENCY + 2 }, () => createSlot(world)))
    attempts = slots.map((slot, index) =>
      createEnvelope(slot, {
        deadlineMs: Date.now() + DEADLINE_MS,
        replyTo: gateways.channels[index % 2] ?? null,
      }),
    )
    jobs = []
    for (const together of [
      attempts.slice(0, 1),
      attempts.slice(1, 2),
      attempts.slice(2, 4),
      attempts.slice(4),
    ])
      jobs.push(await addJob(together))
  })
  afterEach(closeProxies)

  function addJob(together: Attempt[]): Promise<Job> {
    const [first] = together
    if (first && together.length === 1)
      return writes.queue.add('bookings.create', first, { jobId: first.attempt })
    const data = { attempts: together.map((each) => ({ ...each, job: 'bookings.create' })) }
    return writes.queue.add(BATCH_JOB, data, { jobId: randomUUID() })
  }

  /** Opens a consumer that takes jobs, but starts their attempts only when `start` is called. */
  async function openWaitingConsumer(config: Config) {
    const log = createLog('test', 'silent')
    const redis = new RedisConnections(config, 'persistent', log)
    const replies = new RedisConnections(config, 'fail-fast', log)
    const database = connectWorkDatabase('writes', CONCURRENCY, config)
    const queues = new Queues(redis, KEYS)
    let takenJobs = 0
    let start: () => void = () => undefined
    const started = new Promise<void>((resolve) => {
      start = resolve
    })
    const tools: AttemptTools = {
      database,
      redis: replies.get(REPLIES_PART),
      log,
      outcomeLog: log,
      identity: ownIdentity,
      clock: {
        now: Date.now,
        get compared() {
          takenJobs++
          return started
        },
      },
      queueAlone: ({ id, name, data }) => queues.get('writes').add(name, data, { jobId: id }),
    }
    await replies.ready()
    const connection = redis.get('writes')
    const options = { queue: 'writes', concurrency: CONCURRENCY, connection, keys: KEYS } as const
    const consumer = openConsumer(options, tools, queues, config)
    await eventually(() => expect(takenJobs).to.equal(CONCURRENCY))
    return {
      start,
      async close() {
        await closeConsumer(consumer)
        await database.destroy()
        await queues.close()
        redis.disconnect()
        replies.disconnect()
      },
    }
  }

  async function findOutcome({ attempt }: Attempt): Promise<Outcome> {
    return (await world.database('receipts').where({ attempt }).first())?.outcome
  }
  /** Returns the different replies to an attempt, and their channels. */
  function findReplies({ attempt }: Attempt): string[] {
    const replies = gateways
      .read()
      .flatMap((messages, index) =>
        messages.map((message) => ({ channel: gateways.channels[index], message })),
      )
      .filter(({ message }) => message.attempt === attempt)
    return [...new Set(replies.map((each) => JSON.stringify(each)))]
  }
  async function expectDoneOnce(done: Attempt[]) {
    for (const each of done) {
      const { attempt, replyTo: channel, input } = each
      await eventually(() => expect(findReplies(each)).to.have.length(1))
      const reply = JSON.parse(String(findReplies(each)[0]))
      expect(reply).to.deep.equal({ channel, message: { attempt, outcome: await findOutcome(each) } })
      expect(reply.message.outcome.status).to.equal(200)
      expect(await countBookings(world, input)).to.equal(1)
    }
  }

  it('are finished by a worker that closes while they wait, and other workers do the jobs that it has not taken', async () => {
    const consumer = await openWaitingConsumer(world.config)
    consumer.start()
    // The second and the third job now wait for the transaction of the first one, whose statements have no answer yet.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    await consumer.close()
    expect(await Promise.all(jobs.map((job) => job.getState()))).to.deep.equal([
      ...Array(CONCURRENCY).fill('completed'),
      'waiting',
    ])
    await expectDoneOnce(attempts.slice(0, 4))
    const [alone, ...shared] = await findTransactions(world, attempts.slice(0, 4))
    expect(new Set(shared)).to.have.property('size', 1)
    expect(shared).not.to.include(alone)
    await world.startWorkers(['writes'])
    await expectDoneOnce(attempts)
  })

  for (const [moment, toward] of [
    ['before their COMMIT', 'server'],
    ['before the answer to their COMMIT', 'client'],
  ] satisfies Array<[string, Direction]>) {
    /** Starts attempts in two transactions, and holds back each COMMIT or its answer. */
    async function startHeldTransactions() {
      const proxies = await startProxies(world)
      const [databaseUrl, redisUrl] = [proxies.postgres.url, proxies.redis.url]
      const consumer = await openWaitingConsumer({ ...world.config, databaseUrl, redisUrl })
      const held = proxies.postgres.catch(toward, 'COMMIT', 'hold', 2)
      consumer.start()
      await held
      // Postgres ends the held transactions after a while. The frozen proxy keeps the consumer from retrying them yet.
      proxies.postgres.freeze()
      const stored = await Promise.all(attempts.map(findOutcome))
      expect(stored.filter(Boolean)).to.have.length(toward === 'client' ? 4 : 0)
      return { consumer, ...proxies }
    }

    it(`are done once by a worker that loses its connections to Postgres ${moment}`, async () => {
      const { consumer, postgres } = await startHeldTransactions()
      await postgres.cut()
      await postgres.restore()
      await expectDoneOnce(attempts)
      await consumer.close()
    })

    it(`are done once by other workers if their worker loses all connections ${moment} and then returns`, async () => {
      const { consumer, postgres, redis } = await startHeldTransactions()
      await Promise.all([postgres.cut(), redis.cut()])
      expect(attempts.flatMap(findReplies)).to.deep.equal([])
      await world.startWorkers(['writes'])
      await expectDoneOnce(attempts)
      await Promise.all([postgres.restore(), redis.restore()])
      await consumer.close()
      await expectDoneOnce(attempts)
    })
  }
})
