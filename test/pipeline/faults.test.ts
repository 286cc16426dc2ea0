// Tests faults: transient ones are retried until they pass; a bug makes the write fail immediately and
// changes nothing.

import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { countBookings, createSlot, useWrites } from '../support/faults/pipeline.ts'
import { eventually } from '../support/time.ts'
import { useClient, useWorld } from '../support/world.ts'

describe('a fault during a write', () => {
  const world = useWorld()
  const client = useClient(world)
  const writes = useWrites(world)

  afterEach(() =>
    world.database.raw('DROP FUNCTION IF EXISTS misbehave CASCADE; DROP SEQUENCE IF EXISTS misbehaved'),
  )

  /**
   * Makes the first bookings fail with the given fault. A sequence counts the failures, because a rollback does not
   * reset sequences.
   */
  async function misbehave(behaviour: string, { times = 1, timing = 'BEFORE INSERT ON bookings' } = {}) {
    const kind = timing.startsWith('AFTER') ? 'CONSTRAINT TRIGGER' : 'TRIGGER'
    const deferred = timing.startsWith('AFTER') ? 'DEFERRABLE INITIALLY DEFERRED' : ''
    await world.database.raw(`
      CREATE SEQUENCE misbehaved;
      CREATE FUNCTION misbehave() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('misbehaved') <= ${times} THEN ${behaviour}; END IF;
        RETURN NEW;
      END $$;
      CREATE ${kind} misbehave ${timing} ${deferred} FOR EACH ROW EXECUTE FUNCTION misbehave()`)
  }

  const raise = (code: string) => `RAISE EXCEPTION 'on purpose' USING ERRCODE = '${code}'`
  const commit = { timing: 'AFTER INSERT ON bookings' }
  const passing: Array<[string, string, { times?: number; timing?: string }]> = [
    ['a serialization failure', raise('40001'), { times: 3 }],
    ['a deadlock', raise('40P01'), { times: 3 }],
    ['a serialization failure at the commit', raise('40001'), { times: 2, ...commit }],
    ['a lock that was not available', raise('55P03'), {}],
    ['a lock without memory', raise('53200'), {}],
    ['a lost connection', 'PERFORM pg_terminate_backend(pg_backend_pid())', { times: 2 }],
    ['a connection lost at the commit', 'PERFORM pg_terminate_backend(pg_backend_pid())', commit],
  ]
  for (const [title, behaviour, when] of passing) {
    it(`is retried and succeeds if the fault was ${title}`, async () => {
      const slot = await createSlot(world)
      await misbehave(behaviour, when)
      const answer = await client.post('bookings', slot)
      expect([answer.status, await countBookings(world, slot)]).to.deep.equal([200, 1])
      const { rows } = await world.database.raw('SELECT last_value FROM misbehaved')
      expect(rows[0].last_value).to.equal((when.times ?? 1) + 1)
    })
  }

  it('is answered with 500 immediately, without details, if the fault is a bug', async () => {
    const slot = await createSlot(world)
    // The write runs once in a batch, and once more alone.
    await misbehave(`RAISE EXCEPTION 'the secret inside'`, { times: 2 })
    const key = { 'Idempotency-Key': randomUUID(), 'X-Request-Id': `bug-${randomUUID()}` }
    const answer = await client.post('bookings', slot, key)
    // A write that waits without success gets a different code.
    expect([answer.status, answer.json.code]).to.deep.equal([500, 'internal_error'])
    expect(answer.text).to.not.contain('secret')
    expect(answer.json.request_id).to.equal(key['X-Request-Id'])
    expect(await countBookings(world, slot)).to.equal(0)

    const job = await eventually(async () => {
      const [failed] = await writes.queue.getFailed()
      return failed ?? expect.fail('No job has failed')
    })
    expect(job.data.requestId).to.equal(key['X-Request-Id'])
    expect(job.failedReason).to.contain('the secret inside')

    // The job would succeed now, but its caller already has the failure.
    await job.retry()
    await eventually(async () => {
      const { failedReason } = (await writes.queue.getJob(String(job.id))) ?? {}
      expect(failedReason).to.equal('Left undone: its caller has already been told that it failed')
    })
    expect(await job.getState()).to.equal('failed')
    expect(await countBookings(world, slot)).to.equal(0)
    const again = await client.post('bookings', slot, key)
    expect([again.status, again.headers.has('Idempotency-Replayed')]).to.deep.equal([200, false])
  })

  it('leaves no partial changes if the fault is a bug', async () => {
    const slot = await createSlot(world)
    await misbehave(`RAISE EXCEPTION 'on purpose'`, { times: 2, timing: 'BEFORE INSERT ON audit_log' })
    expect((await client.post('bookings', slot)).status).to.equal(500)
    expect(await countBookings(world, slot)).to.equal(0)
  })

  it('cancels the write if the fault does not pass in time', async () => {
    const { url } = await world.startGateway({ WRITE_WAIT_MS: '500' })
    const hasty = Object.assign(await world.client(), { url })
    const slot = await createSlot(world)
    await misbehave(raise('40001'), { times: 1_000 })
    const answer = await hasty.post('bookings', slot)
    expect([answer.status, answer.json.code]).to.deep.equal([503, 'not_executed'])
    expect(await countBookings(world, slot)).to.equal(0)
  })
})
