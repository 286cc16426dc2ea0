// A write that gets no answer in time is called off: it has not happened, and it will not happen later.

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Queue } from 'bullmq'
import { expect } from 'chai'
import { LOCKS } from '../../shared/database/locks.ts'
import {
  countBookings,
  countLockWaits,
  createSlot,
  type NewBooking,
  openQueueOf,
  type Proxies,
  startProxiedGateway,
  useWrites,
} from '../support/faults/pipeline.ts'
import { closeProxies } from '../support/faults/proxy.ts'
import { type Answered, Client } from '../support/http/http.ts'
import { openRedis } from '../support/redis.ts'
import { eventually, promised, timed, within } from '../support/time.ts'
import { useClient, useWorld } from '../support/world.ts'

const WRITE_WAIT_MS = 1_000
// Where something has to happen within it, on a machine that is busy too.
const LONGER_MS = 2_500

describe('a write without a timely answer', () => {
  const world = useWorld({ workers: [], environment: { WRITE_WAIT_MS: String(WRITE_WAIT_MS) } })
  const client = useClient(world, 'booking-write')
  const writes = useWrites(world)
  let proxied: Proxies & { client: Client }
  let slot: NewBooking

  before(async () => {
    proxied = await startProxiedGateway(world, { WRITE_WAIT_MS: String(LONGER_MS) })
  })
  beforeEach(async () => {
    slot = await createSlot(world)
    await writes.queue.obliterate({ force: true })
  })
  after(() => closeProxies())

  function expectCalledOff(answer: Answered) {
    expect([answer.status, answer.json.code]).to.deep.equal([503, 'not_executed'])
    expect(answer.headers.get('Retry-After')).to.match(/^[1-9]\d*$/)
  }

  /** Waits until the worker has finished all pending work; another write shows that it still works. */
  async function letWorkersWork() {
    const workers = await world.startWorkers(['writes'])
    const other = await createSlot(world)
    // Writes are refused while the queue looks too long.
    await eventually(async () => expect((await client.post('bookings', other)).status).to.equal(200))
    await eventually(async () => {
      const { waiting, active } = await writes.queue.getJobCounts('waiting', 'active')
      expect([waiting, active]).to.deep.equal([0, 0])
    })
    await workers.stop()
  }

  it('is answered 503 after WRITE_WAIT_MS when no worker runs, and does not happen when one comes', async () => {
    const { answer, tookMs } = await timed(() => client.post('bookings', slot))
    expectCalledOff(answer)
    expect(tookMs).to.be.at.least(WRITE_WAIT_MS - 50)
    const receipts = await world.database('receipts').whereNotNull('abandoned_at')
    expect(receipts).to.have.length(1)
    await eventually(async () => expect(await writes.queue.getWaitingCount()).to.equal(0))
    await letWorkersWork()
    expect(await countBookings(world, slot)).to.equal(0)
  })

  // What a Redis that goes at the wrong moment leaves behind: the job waits, and its caller has been refused.
  async function leaveJobBehind() {
    await eventually(async () => {
      expect((await proxied.client.get('/readyz')).json.redis.ok).to.equal(true)
    })
    const asked = proxied.client.post('bookings', slot)
    await eventually(async () => expect(await writes.queue.getWaitingCount()).to.equal(1))
    await proxied.redis.cut()
    expectCalledOff(await asked)
    await proxied.redis.restore()
    const [job] = await writes.queue.getWaiting()
    if (!job) throw new Error('The job has been taken out of the queue')
    return job
  }

  it('does not happen when its job could not be removed from the queue', async () => {
    const job = await leaveJobBehind()
    await letWorkersWork()
    expect(await countBookings(world, slot)).to.equal(0)
    expect((await writes.queue.getJob(String(job.id)))?.returnvalue).to.have.all.keys('skipped')
  })

  it('does not even happen on a worker whose clock is behind', async () => {
    const job = await leaveJobBehind()
    await job.updateData({ ...job.data, deadlineMs: Date.now() + 60_000 })
    await letWorkersWork()
    expect(await countBookings(world, slot)).to.equal(0)
    expect((await writes.queue.getJob(String(job.id)))?.returnvalue).to.deep.equal({
      skipped: 'it was called off',
    })
  })

  it('leaves its Idempotency-Key free', async () => {
    const key = { 'Idempotency-Key': randomUUID() }
    expectCalledOff(await client.post('bookings', slot, key))
    const workers = await world.startWorkers(['writes'])
    const again = await eventually(async () => {
      const answer = await client.post('bookings', slot, key)
      // A worker that has just begun may be too slow for it, and then nothing has happened.
      expect(answer.json.code).to.not.be.oneOf(['not_executed', 'unavailable'])
      return answer
    })
    expect([again.status, again.headers.has('Idempotency-Replayed')]).to.deep.equal([200, false])
    expect(await countBookings(world, slot)).to.equal(1)
    await workers.stop()
  })

  it('gets the true answer if a worker has begun it and ends soon after', async () => {
    const { url } = await world.startGateway({ WRITE_WAIT_MS: String(LONGER_MS) })
    const workers = await world.startWorkers(['writes'])
    const holder = await world.database.transaction()
    await holder('bookables').where({ id: slot.bookable_id }).forUpdate()
    const asked = timed(() => new Client(url, client.token).post('bookings', slot))
    await eventually(async () => expect(await countLockWaits(world)).to.equal(1))
    await wait(LONGER_MS)
    await holder.rollback()
    const { answer, tookMs } = await asked
    expect(answer.status).to.equal(200)
    expect(tookMs).to.be.greaterThan(LONGER_MS)
    expect(await countBookings(world, slot)).to.equal(1)
    await workers.stop()
  })

  it('is called off if a worker has begun it and does not finish', async () => {
    const workers = await world.startWorkers(['writes'])
    const holder = await world.database.transaction()
    await holder('bookables').where({ id: slot.bookable_id }).forUpdate()
    expectCalledOff(await client.post('bookings', slot))
    await holder.rollback()
    await workers.stop()
    expect(await countBookings(world, slot)).to.equal(0)
  })
})

describe('a waited-for import that Redis has lost', () => {
  const world = useWorld({ each: true, workers: [] })
  const client = useClient(world, 'user-write')
  const LIST = 'email,name\nann@lost.example,Ann\n'

  async function loseAll(isThere: (queue: Queue) => Promise<number>) {
    const { queue, close } = openQueueOf(world, 'imports')
    await eventually(async () => expect(await isThere(queue)).to.equal(1))
    const redis = openRedis(world.config)
    await redis.flushdb()
    redis.disconnect()
    await close()
  }

  it('is called off within seconds, not after an hour, and does not happen later', async () => {
    const asked = client.import(LIST)
    await loseAll((queue) => queue.getWaitingCount())
    const answer = await within(promised(8_000), asked)
    expect([answer.status, answer.json.code]).to.deep.equal([503, 'not_executed'])
    expect(answer.json.detail).to.match(/^The job was lost, so the import was called off: /)
    await world.startWorkers(['imports'])
    expect((await client.import(LIST)).json.created).to.deep.equal([2])
    expect(await world.database('audit_log')).to.have.length(1)
  })

  it('gets the answer of its worker, if one is working on it', async () => {
    const holder = await world.database.transaction()
    await holder.raw('SELECT pg_advisory_xact_lock(?)', [LOCKS.imports])
    await world.startWorkers(['imports'])
    const asked = client.import(LIST)
    await loseAll((queue) => queue.getActiveCount())
    // Long enough to miss it twice.
    expect(await Promise.race([asked, wait(4_000, 'waiting')])).to.equal('waiting')
    await holder.rollback()
    expect((await asked).json.created).to.deep.equal([2])
  })
})

describe('a queue that is too long', () => {
  const world = useWorld({ workers: [], environment: { WRITE_WAIT_MS: String(WRITE_WAIT_MS) } })
  const client = useClient(world, 'booking-write')
  const writes = useWrites(world)

  it('causes a write to be refused at once, before it is queued', async () => {
    const slot = await createSlot(world)
    const waiting = Array.from({ length: 500 }, () => ({ name: 'bookings.create', data: {} }))
    await writes.queue.addBulk(waiting)
    await wait(WRITE_WAIT_MS / 2 + 100)
    // The queue is looked at beside the requests: one sets its eyes on it, and the next is refused, unless it comes two seconds
    // later.
    const answer = await eventually(async () => {
      const asked = await client.post('bookings', slot)
      // The code for a write that has waited.
      expect(asked.json.code).to.not.equal('not_executed')
      return asked
    })
    expect([answer.status, answer.json.code]).to.deep.equal([503, 'unavailable'])
    expect(answer.headers.get('Retry-After')).to.match(/^[1-9]\d*$/)
    // The write that was not executed is removed from the queue.
    await eventually(async () => expect(await writes.queue.getWaitingCount()).to.equal(500))
    // Once the queue is short again, writes are taken.
    await writes.queue.obliterate({ force: true })
    const workers = await world.startWorkers(['writes'])
    await eventually(async () => expect((await client.post('bookings', slot)).status).to.equal(200))
    await workers.stop()
  })
})
