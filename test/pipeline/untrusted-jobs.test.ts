// Tests untrusted jobs, which anything with access to Redis can add. A job that the gateway would not create
// has no effect, and delays nothing.

import { randomUUID } from 'node:crypto'
import type { JobsOptions } from 'bullmq'
import { expect } from 'chai'
import { getReplyChannel, REPLIES_PART } from '../../shared/identity/keys.ts'
import { KEYS } from '../support/databases.ts'
import {
  countBookings,
  createEnvelope,
  createSlot,
  type NewBooking,
  openQueueOf,
  useWrites,
} from '../support/faults/pipeline.ts'
import { openRedis } from '../support/redis.ts'
import { eventually, promised, within } from '../support/time.ts'
import { useWorld } from '../support/world.ts'

describe('a job that was added to Redis by hand', () => {
  const lines: string[] = []
  const world = useWorld({ onLog: (line) => lines.push(line) })
  const writes = useWrites(world)
  let slot: NewBooking

  before(async () => {
    slot = await createSlot(world)
  })

  async function stateOf(name: string, data: unknown, options: JobsOptions): Promise<string> {
    const { id } = await writes.queue.add(name, data, options)
    return eventually(async () => {
      const state = await writes.queue.getJobState(String(id))
      expect(state).to.be.oneOf(['completed', 'failed'])
      const job = await writes.queue.getJob(String(id))
      return `${state}: ${state === 'failed' ? job?.failedReason : JSON.stringify(job?.returnvalue)}`
    })
  }

  const broken = {
    'has an unknown name': ['bookings.steal', {}],
    'has the name of an inherited property': ['constructor', {}],
    'has no payload': ['bookings.create', { undo: true }],
    'lacks a field of its input': ['bookings.create', { input: { to_time: undefined } }],
    'has an input of another type': ['bookings.create', { input: { bookable_id: '1; DROP TABLE bookings' } }],
    'has an end before its start': ['bookings.create', { input: { to_time: '2020-01-01T00:00:00.000000Z' } }],
    'has an actor of an unknown kind': ['bookings.create', { envelope: { actor: { type: 'root' } } }],
    'has an invalid attempt id': ['bookings.create', { envelope: { attempt: 'mine' } }],
    'has the attempt id of another job': ['bookings.create', { jobId: randomUUID() }],
  } as const

  for (const [title, [name, changes]] of Object.entries(broken)) {
    it(`fails without any effect if the job ${title}`, async () => {
      const { input, envelope, jobId, undo } = changes as Record<string, object | undefined>
      const good = createEnvelope({ ...slot, ...input }, envelope)
      const state = await stateOf(name, undo ? 'nothing' : good, { jobId: String(jobId ?? good.attempt) })
      expect(state).to.match(/^failed: (Not a valid payload|There is no job)/)
      expect(await countBookings(world, slot)).to.equal(0)
      const failed = await world.database('receipts').select('attempt', 'outcome')
      // Another release may know the job, so its caller cancels the write.
      const isUnknownJob = name !== 'bookings.create'
      const isAttemptKnown = !undo && !jobId && good.attempt !== 'mine' && !isUnknownJob
      expect(failed.map(({ attempt, outcome }) => [attempt, outcome.status])).to.deep.equal(
        isAttemptKnown ? [[good.attempt, 500]] : [],
      )
      await world.database('receipts').delete()
    })
  }

  it('is answered with 500 immediately if a caller is waiting for the job', async () => {
    const client = await world.client('user-write')
    const { queue, close } = openQueueOf(world, 'imports')
    const list = 'email,name\nann@example.com,Ann\n'
    const asked = client.import(list)
    const accepted = await client.import(list, {}, { Prefer: 'respond-async' })
    const waiting = await eventually(async () => {
      expect(await queue.getWaitingCount()).to.equal(2)
      return queue.getWaiting()
    })
    // Simulates a release that cut names in the middle of a character.
    for (const job of waiting)
      await job.updateData({ ...job.data, input: { ...job.data.input, filename: 'a\ud83d' } })
    const workers = await world.startWorkers(['imports'])
    const answer = await within(promised(3_000), asked)
    expect([answer.status, answer.json.code]).to.deep.equal([500, 'internal_error'])
    const { pathname } = new URL(accepted.headers.get('Location') ?? '')
    await eventually(async () => {
      const { state, error } = (await client.get(pathname)).json.data
      expect([state, error?.code]).to.deep.equal(['failed', 'internal_error'])
    })
    expect(await world.database('receipts').whereRaw(`outcome ->> 'status' = '500'`)).to.have.length(2)
    const told = lines.filter((line) => line.includes('not a valid payload') && line.includes('users.import'))
    expect(told).to.have.length(2)
    await workers.stop()
    await close()
  })

  it('is declined immediately, with all its writes, if another release may have created the job', async () => {
    const redis = openRedis(world.config, { part: REPLIES_PART, kind: 'subscriber' })
    const replyTo = getReplyChannel(KEYS.prefix, randomUUID())
    const told: unknown[] = []
    await world.database('receipts').delete()
    redis.on('smessage', (_channel: string, text: string) => told.push(...JSON.parse(text)))
    await redis.ssubscribe(replyTo)
    const attempts = Array.from({ length: 2 }, () => ({
      ...createEnvelope(slot, { replyTo }),
      job: 'bookings.create',
    }))
    const [first, second] = attempts
    const odd = [
      ['bookings.steal', createEnvelope(slot, { replyTo, attempt: first?.attempt ?? '' }), first?.attempt],
      ['heap', { attempts }, randomUUID()],
      ['batch', { attempts: [...attempts, first] }, randomUUID()],
    ] as const
    for (const [name, data, jobId = ''] of odd) {
      told.length = 0
      const state = await stateOf(name, data, { jobId })
      expect(state, name).to.match(/^failed: /)
      const declined = (name === 'bookings.steal' ? [first] : [first, second]).map((each) => ({
        attempt: each?.attempt,
        isDeclined: true,
      }))
      await eventually(() => expect(told, name).to.deep.include.members(declined))
      expect(
        lines.filter((line) => line.includes('not a valid payload') && line.includes(`"${name}"`)),
      ).to.not.have.length(0)
    }
    redis.disconnect()
    expect(await world.database('receipts')).to.deep.equal([])
    for (const [, , jobId = ''] of odd) await writes.queue.remove(jobId)
  })

  it('is skipped if its deadline has passed', async () => {
    const late = createEnvelope(slot, { deadlineMs: Date.now() - 1 })
    expect(await stateOf('bookings.create', late, { jobId: late.attempt })).to.match(/^completed: .*skipped/)
    expect(await countBookings(world, slot)).to.equal(0)
  })

  it('does not stop the worker, even if the job is malformed', async () => {
    const client = await world.client('booking-write')
    expect((await client.post('bookings', slot)).status).to.equal(200)
    expect(await writes.queue.getFailedCount()).to.equal(Object.keys(broken).length)
  })
})
