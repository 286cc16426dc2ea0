// Tests writes that get no answer in time: they are cancelled, and do not take effect later.

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
import { type ApiAnswer, Client } from '../support/http/http.ts'
import { openRedis } from '../support/redis.ts'
import { eventually, measureTime, promised, within } from '../support/time.ts'
import { useClient, useWorld } from '../support/world.ts'

const WRITE_WAIT_MS = 1_000
// A longer wait for tests in which something must happen before its end, even on a busy machine.
const LONGER_WAIT_MS = 2_500

describe('a write without a timely answer', () => {
  const world = useWorld({ workers: [], environment: { WRITE_WAIT_MS: String(WRITE_WAIT_MS) } })
  const client = useClient(world, 'booking-write')
  const writes = useWrites(world)
  let proxied: Proxies & { client: Client }
  let slot: NewBooking

  before(async () => {
    proxied = await startProxiedGateway(world, { WRITE_WAIT_MS: String(LONGER_WAIT_MS) })
  })
  beforeEach(async () => {
    slot = await createSlot(world)
    await writes.queue.obliterate({ force: true })
  })
  after(() => closeProxies())

  function expectCalledOff(answer: ApiAnswer) {
    expect([answer.status, answer.json.code]).to.deep.equal([503, 'not_executed'])
    expect(answer.headers.get('Retry-After')).to.match(/^[1-9]\d*$/)
  }

  /** Waits until the worker has finished all pending work, which the success of a later write shows. */
  async function letWorkersWork() {
    const workers = await world.startWorkers(['writes'])
    const other = await createSlot(world)
    // The gateway refuses writes while it considers the queue too long.
    await eventually(async () => expect((await client.post('bookings', other)).status).to.equal(200))
    await eventually(async () => {
      const { waiting, active } = await writes.queue.getJobCounts('waiting', 'active')
      expect([waiting, active]).to.deep.equal([0, 0])
    })
    await workers.stop()
  }

  it('gets 503 after WRITE_WAIT_MS if no worker runs, and is never executed', async () => {
    const { answer, tookMs } = await measureTime(() => client.post('bookings', slot))
    expectCalledOff(answer)
    expect(tookMs).to.be.at.least(WRITE_WAIT_MS - 50)
    const receipts = await world.database('receipts').whereNotNull('abandoned_at')
    expect(receipts).to.have.length(1)
    await eventually(async () => expect(await writes.queue.getWaitingCount()).to.equal(0))
    await letWorkersWork()
    expect(await countBookings(world, slot)).to.equal(0)
  })

  // Simulates a Redis that fails at the wrong moment: the job is still queued although its caller was refused.
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

  it('is not executed even if its job could not be removed from the queue', async () => {
    const job = await leaveJobBehind()
    await letWorkersWork()
    expect(await countBookings(world, slot)).to.equal(0)
    expect((await writes.queue.getJob(String(job.id)))?.returnvalue).to.have.all.keys('skipped')
  })

  it('is not executed after its cancellation, even by a worker whose clock is behind', async () => {
    const job = await leaveJobBehind()
    await job.updateData({ ...job.data, deadlineMs: Date.now() + 60_000 })
    await letWorkersWork()
    expect(await countBookings(world, slot)).to.equal(0)
    expect((await writes.queue.getJob(String(job.id)))?.returnvalue).to.deep.equal({
      skipped: 'it was called off',
    })
  })

  it('frees its idempotency key when the write is cancelled', async () => {
    const key = { 'Idempotency-Key': randomUUID() }
    expectCalledOff(await client.post('bookings', slot, key))
    const workers = await world.startWorkers(['writes'])
    const again = await eventually(async () => {
      const answer = await client.post('bookings', slot, key)
      // A worker that has just started may be too slow to execute the write in time.
      expect(answer.json.code).to.not.be.oneOf(['not_executed', 'unavailable'])
      return answer
    })
    expect([again.status, again.headers.has('Idempotency-Replayed')]).to.deep.equal([200, false])
    expect(await countBookings(world, slot)).to.equal(1)
    await workers.stop()
  })

  it('returns the outcome if a worker has begun the write and finishes shortly afterwards', async () => {
    const { url } = await world.startGateway({ WRITE_WAIT_MS: String(LONGER_WAIT_MS) })
    const workers = await world.startWorkers(['writes'])
    const holder = await world.database.transaction()
    await holder('bookables').where({ id: slot.bookable_id }).forUpdate()
    const asked = measureTime(() => new Client(url, client.token).post('bookings', slot))
    await eventually(async () => expect(await countLockWaits(world)).to.equal(1))
    await wait(LONGER_WAIT_MS)
    await holder.rollback()
    const { answer, tookMs } = await asked
    expect(answer.status).to.equal(200)
    expect(tookMs).to.be.greaterThan(LONGER_WAIT_MS)
    expect(await countBookings(world, slot)).to.equal(1)
    await workers.stop()
  })

  it('is cancelled if a worker has begun the write but does not finish in time', async () => {
    const workers = await world.startWorkers(['writes'])
    const holder = await world.database.transaction()
    await holder('bookables').where({ id: slot.bookable_id }).forUpdate()
    expectCalledOff(await client.post('bookings', slot))
    await holder.rollback()
    await workers.stop()
    expect(await countBookings(world, slot)).to.equal(0)
  })
})

describe('a caller that waits for an import that Redis lost', () => {
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

  it('learns within seconds that the import is cancelled and will never be executed', async () => {
    const asked = client.import(LIST)
    await loseAll((queue) => queue.getWaitingCount())
    const answer = await within(promised(8_000), asked)
    expect([answer.status, answer.json.code]).to.deep.equal([503, 'not_executed'])
    expect(answer.json.detail).to.match(/^The job was lost, so the import was called off: /)
    await world.startWorkers(['imports'])
    expect((await client.import(LIST)).json.created).to.deep.equal([2])
    expect(await world.database('audit_log')).to.have.length(1)
  })

  it("gets the worker's answer if a worker is already running the import", async () => {
    const holder = await world.database.transaction()
    await holder.raw('SELECT pg_advisory_xact_lock(?)', [LOCKS.imports])
    await world.startWorkers(['imports'])
    const asked = client.import(LIST)
    await loseAll((queue) => queue.getActiveCount())
    // Long enough for two checks that find no job.
    expect(await Promise.race([asked, wait(4_000, 'waiting')])).to.equal('waiting')
    await holder.rollback()
    expect((await asked).json.created).to.deep.equal([2])
  })
})

describe('a queue of writes that is too long', () => {
  const world = useWorld({ workers: [], environment: { WRITE_WAIT_MS: String(WRITE_WAIT_MS) } })
  const client = useClient(world, 'booking-write')
  const writes = useWrites(world)

  it('makes the gateway refuse further writes immediately', async () => {
    const slot = await createSlot(world)
    const waiting = Array.from({ length: 500 }, () => ({ name: 'bookings.create', data: {} }))
    await writes.queue.addBulk(waiting)
    await wait(WRITE_WAIT_MS / 2 + 100)
    // The gateway checks the queue length in parallel with requests: one request triggers the check, and the
    // next is refused unless it comes more than two seconds later.
    const answer = await eventually(async () => {
      const asked = await client.post('bookings', slot)
      // The code “not_executed” means that the write has waited.
      expect(asked.json.code).to.not.equal('not_executed')
      return asked
    })
    expect([answer.status, answer.json.code]).to.deep.equal([503, 'unavailable'])
    expect(answer.headers.get('Retry-After')).to.match(/^[1-9]\d*$/)
    // The gateway removes the unexecuted write from the queue.
    await eventually(async () => expect(await writes.queue.getWaitingCount()).to.equal(500))
    // Once the queue is short again, the gateway accepts writes.
    await writes.queue.obliterate({ force: true })
    const workers = await world.startWorkers(['writes'])
    await eventually(async () => expect((await client.post('bookings', slot)).status).to.equal(200))
    await workers.stop()
  })
})
