// Tests how a worker fetches jobs from Redis: without unnecessary requests, and without delaying any job.
import { RedisQueueBackend } from 'bullmq'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { getQueuePrefix } from '../../../shared/identity/keys.ts'
import { DELIVERY_SETTINGS } from '../../../shared/runtime/queues.ts'
import { createWorkerBackend } from '../../../workers/runtime/fetching.ts'
import { KEYS } from '../../support/databases.ts'
import { createEnvelope, createSlot, openQueueOf, useWrites } from '../../support/faults/pipeline.ts'
import { Client } from '../../support/http/http.ts'
import { openRedis } from '../../support/redis.ts'
import { eventually } from '../../support/time.ts'
import { useWorld, type World } from '../../support/world.ts'

const WRITE_COUNT = 40
// The time in seconds, which is the unit of the Redis command.
const MINUTE_SECONDS = 60

describe('a worker that fetches jobs', () => {
  const world = useWorld({ workers: [] })
  const writes = useWrites(world)

  it('sends one request to Redis for a single job', async () => {
    const asked = await watchAsking(async () => {
      const workers = await world.startWorkers(['writes'])
      await bookAfterOneAnother(world, world.url)
      await workers.stop()
    })
    // Without our patch, BullMQ would ask three times per job. The range allows for its polling, and for jobs that
    // arrive just as one ends.
    expect(asked.takes).to.be.within(WRITE_COUNT / 2, 1.5 * WRITE_COUNT)
  })

  it('takes the next job while the first job is running', async () => {
    const deadlineMs = Date.now() + 600_000
    const slow = createEnvelope(await createSlot(world), { deadlineMs })
    const next = createEnvelope(await createSlot(world), { deadlineMs })
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

  it('fetches when a new job wakes it, even if a probe has just taken a job', async () => {
    const { queue, close } = openQueueOf(world, 'exports')
    const own = openRedis(world.config, { part: 'exports' })
    const other = new Redis(world.redisUrl)
    const options = { ...DELIVERY_SETTINGS.exports, connection: own, prefix: getQueuePrefix(KEYS, 'exports') }
    const backend = createWorkerBackend('exports', options, { withBlockingConnection: true })
    backend.on('error', () => undefined)
    try {
      const marker = backend.toKey('marker')
      const otherId = await other.client('ID')
      await queue.add('first', {})
      // The other worker is woken first, because it has waited longer.
      await other.bzpopmin(marker, MINUTE_SECONDS)
      const wokenAgain = other.bzpopmin(marker, MINUTE_SECONDS)
      await eventually(async () => expect(await own.client('LIST', 'ID', otherId)).to.include('flags=b'))
      const woken = backend.waitForJob(MINUTE_SECONDS)
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

  it('gets every job as soon as it arrives, from several gateways and beside other workers', async () => {
    const asked = await watchAsking(async () => {
      const workers = [await world.startWorkers(['writes']), await world.startWorkers(['writes'])]
      const gateways = [await world.startGateway(), await world.startGateway(), world]
      await Promise.all(gateways.map(({ url }) => bookAfterOneAnother(world, url)))
      for (const each of workers) await each.stop()
    })
    // Occasionally a job arrives at the moment when a worker stops waiting.
    expect(asked.foundLate).to.be.at.most(WRITE_COUNT / 10)
  })
})

async function bookAfterOneAnother(world: World, url: string) {
  const client = new Client(url, (await world.client()).token)
  for (let number = 0; number < WRITE_COUNT; number++)
    expect((await client.post('bookings', await createSlot(world))).status).to.equal(200)
}

/** Counts how often workers asked for a job, and how often they found a job without being woken. */
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
