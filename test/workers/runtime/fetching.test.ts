// How a worker fetches jobs from Redis: without needless requests, and without a delay for any job.
import { RedisQueueBackend } from 'bullmq'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { queuePrefix } from '../../../shared/identity/keys.ts'
import { DELIVERY } from '../../../shared/runtime/queues.ts'
import { createWorkerBackend } from '../../../workers/runtime/fetching.ts'
import { KEYS } from '../../support/databases.ts'
import { createSlot, envelopeOf, openQueueOf, useWrites } from '../../support/faults/pipeline.ts'
import { Client } from '../../support/http/http.ts'
import { openRedis } from '../../support/redis.ts'
import { eventually } from '../../support/time.ts'
import { useWorld, type World } from '../../support/world.ts'

const WRITES = 40
// In seconds, as Redis has it.
const MINUTE = 60

describe('a worker that fetches jobs', () => {
  const world = useWorld({ workers: [] })
  const writes = useWrites(world)

  it('makes one request for a single job', async () => {
    const asked = await watchAsking(async () => {
      const workers = await world.startWorkers(['writes'])
      await bookAfterOneAnother(world, world.url)
      await workers.stop()
    })
    // By itself BullMQ asks three times. It asks every two seconds too; and the next one may come as it is done with one.
    expect(asked.takes).to.be.within(WRITES / 2, 1.5 * WRITES)
  })

  it('takes the next job while the first is running', async () => {
    const deadlineMs = Date.now() + 600_000
    const slow = envelopeOf(await createSlot(world), { deadlineMs })
    const next = envelopeOf(await createSlot(world), { deadlineMs })
    const stateOf = ({ attempt }: { attempt: string }) => writes.queue.getJobState(attempt)
    for (const each of [slow, next]) await writes.queue.add('bookings.create', each, { jobId: each.attempt })
    const held = await world.database.transaction()
    await held('bookables').where({ id: slow.input.bookable_id }).forUpdate()
    const asked = await watchAsking(async () => {
      const workers = await world.startWorkers(['writes'])
      await eventually(async () => expect(await stateOf(next)).to.equal('completed'))
      await held.commit()
      await workers.stop()
    })
    expect(asked.foundLate).to.equal(0)
  })

  it('fetches when it is woken, even if a probe that ended meanwhile has taken a job', async () => {
    const { queue, close } = openQueueOf(world, 'exports')
    const own = openRedis(world.config, { part: 'exports' })
    const other = new Redis(world.redisUrl)
    const options = { ...DELIVERY.exports, connection: own, prefix: queuePrefix(KEYS, 'exports') }
    const backend = createWorkerBackend('exports', options, { withBlockingConnection: true })
    backend.on('error', () => undefined)
    try {
      const marker = backend.toKey('marker')
      const otherId = await other.client('ID')
      await queue.add('first', {})
      // Another worker is woken for it, and once more as it is taken: it has waited longer.
      await other.bzpopmin(marker, MINUTE)
      const wokenAgain = other.bzpopmin(marker, MINUTE)
      await eventually(async () => expect(await own.client('LIST', 'ID', otherId)).to.include('flags=b'))
      const woken = backend.waitForJob(MINUTE)
      const [first] = await backend.moveToActive('probe')
      await wokenAgain
      await queue.add('second', {})
      await woken
      const [second] = await backend.moveToActive('loop')
      expect([first.name, second?.name]).to.deep.equal(['first', 'second'])
    } finally {
      await Promise.all([backend.close(), close()])
      for (const redis of [own, other]) redis.disconnect()
    }
  })

  it('gets every job as it arrives, from several gateways and beside other workers', async () => {
    const asked = await watchAsking(async () => {
      const workers = [await world.startWorkers(['writes']), await world.startWorkers(['writes'])]
      const gateways = [await world.startGateway(), await world.startGateway(), world]
      await Promise.all(gateways.map(({ url }) => bookAfterOneAnother(world, url)))
      for (const each of workers) await each.stop()
    })
    // Once in a while a job comes in the moment in which a worker gives up waiting.
    expect(asked.foundLate).to.be.at.most(WRITES / 10)
  })
})

async function bookAfterOneAnother(world: World, url: string) {
  const client = new Client(url, (await world.client()).token)
  for (let number = 0; number < WRITES; number++)
    expect((await client.post('bookings', await createSlot(world))).status).to.equal(200)
}

/** How often workers asked for a job, and how often they found one though nothing had woken them. */
async function watchAsking(work: () => Promise<void>): Promise<{ takes: number; foundLate: number }> {
  const { moveToActive, waitForJob } = RedisQueueBackend.prototype
  const asked = { takes: 0, foundLate: 0 }
  const unwoken = new WeakSet<RedisQueueBackend>()
  Object.assign(RedisQueueBackend.prototype, {
    async waitForJob(this: RedisQueueBackend, seconds: number) {
      unwoken.delete(this)
      const marker = await waitForJob.call(this, seconds)
      if (!marker) unwoken.add(this)
      return marker
    },
    async moveToActive(this: RedisQueueBackend, token: string, name?: string) {
      const wasUnwoken = unwoken.delete(this)
      const taken = await moveToActive.call(this, token, name)
      asked.takes++
      if (wasUnwoken && taken[0]) asked.foundLate++
      return taken
    },
  })
  try {
    await work()
  } finally {
    Object.assign(RedisQueueBackend.prototype, { waitForJob, moveToActive })
  }
  return asked
}
