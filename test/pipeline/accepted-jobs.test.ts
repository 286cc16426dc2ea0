// Tests writes accepted with 202: they are stored in Postgres, survive the loss of all Redis data, and run once with
// the outcome in their row. A partial file is never treated as complete.
import { rejects } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { LOCKS } from '../../shared/database/locks.ts'
import { formatIdentity, readIdentity } from '../../shared/identity/identity.ts'
import type { QueueName } from '../../shared/schemas/job.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { runDelivery } from '../../workers/delivery/run.ts'
import { deleteExpiredRows } from '../../workers/pollers/upkeep.ts'
import { reopenJob, requeueAcceptedJobs } from '../../workers/runtime/accepted-jobs.ts'
import { IDENTITY } from '../support/databases.ts'
import { createUser } from '../support/factories.ts'
import { openQueueOf, startProxiedGateway, useTools } from '../support/faults/pipeline.ts'
import { openRedis } from '../support/redis.ts'
import { eventually, promised, within } from '../support/time.ts'
import { countFiles } from '../support/user-lists.ts'
import { useClient, useWorld } from '../support/world.ts'

const USER_LIST_CSV = 'email,name\nann@accepted.example,Ann\n'
// The age from which upkeep queues accepted jobs again, which it does every 15 seconds.
const REQUEUE_AGE_MS = 60_000

describe('an accepted job', function () {
  this.timeout(120_000)
  // Allows many requests, because the tests poll for the outcome of a job.
  const world = useWorld({
    each: true,
    workers: [],
    environment: { RATE_LIMIT_PER_MINUTE: '1000000' },
  })
  const client = useClient(world, 'user-write')
  beforeEach(async () => {
    await createUser(world.database, { email: 'left.out@accepted.example' })
  })

  async function accept(list: string = USER_LIST_CSV, headers: Record<string, string> = {}) {
    const accepted = await client.import(
      list,
      { deactivate: 'true' },
      { Prefer: 'respond-async', ...headers },
    )
    expect(accepted.status).to.equal(202)
    const { pathname } = new URL(accepted.headers.get('Location') ?? '')
    return pathname
  }

  async function loseRedis() {
    const redis = openRedis(world.config)
    await redis.flushdb()
    redis.disconnect()
  }

  const makeOld = () =>
    world.database('jobs').update({ created_at: world.database.raw(`now() - interval '1 minute'`) })

  const ending = (path: string) =>
    eventually(async () => {
      const { data } = (await client.get(path)).json
      expect(data.finished_at).to.not.equal(null)
      return data
    }, REQUEUE_AGE_MS)

  async function expectDoneOnce(path: string) {
    expect(await ending(path)).to.deep.include({ state: 'done', progress: 100, error: null })
    expect(await world.database('audit_log').where({ action: 'users.import' })).to.have.length(1)
    const active = await world.database('users').where({ deactivated_at: null }).pluck('email')
    expect(active).to.deep.equal(['ann@accepted.example'])
    expect(await countFiles(world.database)).to.deep.equal({ files: 0, chunks: 0 })
  }

  it('runs once if Redis lost the job before it began', async () => {
    const path = await accept()
    await loseRedis()
    await makeOld()
    await world.startWorkers(['imports', 'upkeep'])
    await expectDoneOnce(path)
  })

  it('takes effect once if Redis lost the job while it ran and delivers it again', async () => {
    const holder = await world.database.transaction()
    await holder.raw(`SELECT pg_advisory_xact_lock(${LOCKS.imports})`)
    await world.startWorkers(['imports'])
    const path = await accept()
    await eventually(async () => expect((await client.get(path)).json.data.progress).to.equal(50))
    await loseRedis()
    await makeOld()
    await world.startWorkers(['imports', 'upkeep'])
    const { queue, close } = openQueueOf(world, 'imports')
    await eventually(async () => expect(await queue.getActiveCount()).to.equal(1), REQUEUE_AGE_MS)
    await holder.rollback()
    await expectDoneOnce(path)
    await eventually(async () => expect(await queue.getActiveCount()).to.equal(0))
    await expectDoneOnce(path)
    await close()
  })

  it("stores the worker's outcome even if the queue gave up while the worker was still running the job", async () => {
    const path = await accept()
    const attempt = path.split('/').at(-1) as string
    const { queue, close } = openQueueOf(world, 'imports')
    const job = await queue.getJob(attempt)
    await job?.remove()
    await queue.add('users.import', {}, { jobId: attempt })
    await world.startWorkers(['imports'])
    await eventually(async () => expect(await queue.getJobState(attempt)).to.equal('failed'))
    await makeOld()

    // Acts like `perform`: claims the attempt first, and records the outcome last.
    const slow = await world.database.transaction()
    await slow('receipts').insert({ attempt })
    const log = createLog('test', 'silent')
    const requeued = requeueAcceptedJobs(world.database, IDENTITY, () => queue, log)
    await wait(300)
    const result = {
      dryRun: false,
      created: [2],
      updated: [],
      deleted: 0,
      skipped: [],
      errors: [],
      errorMessages: {},
      rows: 1,
      filename: 'users.csv',
    }
    const outcome = JSON.stringify({ status: 200, body: JSON.stringify(result) })
    await slow('receipts').where({ attempt }).update({ outcome })
    await slow.commit()
    await requeued
    await close()
    const { data } = (await client.get(path)).json
    expect([data.state, data.result]).to.deep.equal(['done', result])
  })

  it('fails and changes nothing if part of its file is missing', async () => {
    for (const piece of [0, 1]) {
      const path = await accept(`${USER_LIST_CSV}${'bob@accepted.example,Bob\n'.repeat(40_000)}`)
      await world.database('file_chunks').where({ number: piece }).delete()
      const workers = await world.startWorkers(['imports'])
      expect(await ending(path)).to.deep.include({ state: 'failed', result: null })
      await workers.stop()
    }
    const users = await world.database('users').select('email', 'deactivated_at')
    expect(users).to.deep.equal([{ email: 'left.out@accepted.example', deactivated_at: null }])
  })

  describe('when Postgres stores an accepted job but its response is lost', () => {
    const headers = { Prefer: 'respond-async', 'Idempotency-Key': 'stored-unheard' }
    let proxied: Awaited<ReturnType<typeof startProxiedGateway>>
    beforeEach(async () => {
      proxied = await startProxiedGateway(world)
    })
    afterEach(() => Promise.all([proxied.postgres.close(), proxied.redis.close()]))

    const send = () => proxied.client.import(USER_LIST_CSV, { deactivate: 'true' }, headers)

    it('accepts and runs the job once if Postgres has stored the job', async () => {
      const lost = proxied.postgres.catch('server', 'accept-job', (link) => {
        link.loseAnswer()
        return 'forward'
      })
      const answer = await send()
      await lost
      expect([answer.status, answer.headers.has('Idempotency-Replayed')]).to.deep.equal([202, false])
      const repeated = await send()
      expect([repeated.status, repeated.headers.get('Idempotency-Replayed')]).to.deep.equal([202, 'true'])
      expect(repeated.headers.get('Location')).to.equal(answer.headers.get('Location'))
      await world.startWorkers(['imports', 'upkeep'])
      const id = answer.headers.get('Location')?.split('/').at(-1)
      await eventually(async () => {
        expect(await world.database('jobs').where({ id }).pluck('state')).to.deep.equal(['done'])
      }, REQUEUE_AGE_MS)
      expect(await world.database('audit_log').where({ action: 'users.import' })).to.have.length(1)
    })

    it('cancels the job with 503 if Postgres has not stored the job, even if Postgres stores it later', async () => {
      const held = proxied.postgres.catch('server', 'accept-job', 'hold')
      const answer = await send()
      await held
      expect([answer.status, answer.json.code]).to.deep.equal([503, 'not_executed'])
      expect(await world.database('receipts').whereNotNull('abandoned_at')).to.have.length(1)
      await eventually(async () =>
        expect(await countFiles(world.database)).to.deep.equal({ files: 0, chunks: 0 }),
      )
    })

    it('answers 504 with an unknown outcome, and keeps the file, if Postgres stays unreachable', async () => {
      proxied.postgres.catch('server', 'accept-job', () => {
        proxied.postgres.freeze()
        return 'hold'
      })
      const answer = await send()
      expect([answer.status, answer.json.code]).to.deep.equal([504, 'outcome_unknown'])
      expect(await countFiles(world.database)).to.deep.equal({ files: 1, chunks: 1 })
    })
  })

  it('never runs after it was cancelled, even if its row is stored late, and frees its idempotency key', async () => {
    const key = { 'Idempotency-Key': 'called-off' }
    const path = await accept(USER_LIST_CSV, key)
    const id = path.split('/').at(-1)
    const old = world.database.raw(`now() - interval '2 hours'`)
    await world.database('receipts').insert({ attempt: id, abandoned_at: old, created_at: old })
    await deleteExpiredRows(world.database, createLog('test', 'silent'), world.config)
    const early = await client.import(
      USER_LIST_CSV,
      { deactivate: 'true' },
      { Prefer: 'respond-async', ...key },
    )
    expect([early.status, early.json.code]).to.deep.equal([409, 'idempotency_key_in_use'])
    await makeOld()
    await world.startWorkers(['imports', 'upkeep'])
    const { state, error } = await ending(path)
    expect([state, error.code]).to.deep.equal(['failed', 'not_executed'])
    expect(await world.database('audit_log')).to.have.length(0)
    const again = await accept(USER_LIST_CSV, key)
    expect(again).to.not.equal(path)
    await expectDoneOnce(again)
  })

  it('keeps its idempotency key for 24 hours', async () => {
    const key = { 'Idempotency-Key': 'a-day' }
    await world.startWorkers(['imports'])
    const path = await accept(USER_LIST_CSV, key)
    await ending(path)
    const age = (hours: number) =>
      Promise.all(
        ['jobs', 'idempotency_keys'].map((table) =>
          world
            .database(table)
            .update({ created_at: world.database.raw(`now() - ? * interval '1 hour'`, [hours]) }),
        ),
      )
    const repeatAt = async (hours: number) => {
      await age(hours)
      await deleteExpiredRows(world.database, createLog('test', 'silent'), world.config)
      return accept(USER_LIST_CSV, key)
    }
    expect(await repeatAt(23.9)).to.equal(path)
    const again = await repeatAt(24.1)
    expect(again).to.not.equal(path)
    expect((await ending(again)).result)
      .to.include({ rows: 1 })
      .and.to.deep.include({ skipped: [2] })
  })

  it('ends as failed, with its error, if its file is invalid', async () => {
    await world.startWorkers(['imports'])
    const { state, progress, error } = await ending(await accept('no list'))
    expect([state, error.code]).to.deep.equal(['failed', 'validation_failed'])
    expect(progress).to.be.lessThan(100)
  })

  it('frees its idempotency key if a bug made the job fail', async () => {
    const key = { 'Idempotency-Key': 'a-fault' }
    await world.startWorkers(['imports'])
    await world.database.raw('ALTER TABLE audit_log RENAME TO audit_log_away')
    const path = await accept(USER_LIST_CSV, key)
    expect((await ending(path)).error).to.include({ code: 'internal_error' })
    await world.database.raw('ALTER TABLE audit_log_away RENAME TO audit_log')
    const again = await accept(USER_LIST_CSV, key)
    expect(again).to.not.equal(path)
    await ending(again)
    expect(await world.database('audit_log').where({ action: 'users.import' })).to.have.length(1)
  })

  it('is only ever an import or an export', async () => {
    const path = await accept()
    const forged = { name: 'tokens.create', token_id: 1 }
    const change = () => world.database('jobs').update(forged)
    await rejects(change(), /jobs__name_accepted/)
    await world.database.raw('ALTER TABLE jobs DROP CONSTRAINT jobs__name_accepted')
    await change()
    await makeOld()
    const queued: string[] = []
    const queueOf = (name: QueueName) => {
      queued.push(name)
      return openQueueOf(world, name).queue
    }
    await requeueAcceptedJobs(world.database, IDENTITY, queueOf, createLog('test', 'silent'))
    expect(queued).to.deep.equal([])
    expect((await client.get(path)).json.data.state).to.equal('failed')
  })

  it('is queued again if its database moved after the job was first queued', async () => {
    const path = await accept()
    const attempt = path.split('/').at(-1) ?? ''
    const { queue, close } = openQueueOf(world, 'imports')
    const job = await queue.getJob(attempt)
    await job?.updateData({ ...job.data, database: `${IDENTITY}@before.1` })
    await world.startWorkers(['imports'])
    await eventually(async () => expect(await queue.getJobState(attempt)).to.equal('failed'))
    await makeOld()
    const identity = await readIdentity(async (sql) => (await world.database.raw(sql)).rows)
    await requeueAcceptedJobs(
      world.database,
      formatIdentity(identity),
      () => queue,
      createLog('test', 'silent'),
    )
    await expectDoneOnce(path)
    await close()
  })

  it('does not delay upkeep tasks while the job runs for minutes', async () => {
    const [busy, lost] = [await accept(), await accept()].map((path) => path.split('/').at(-1))
    const { queue, close } = openQueueOf(world, 'imports')
    await (await queue.getJob(busy ?? ''))?.remove()
    await queue.add('users.import', {}, { jobId: busy ?? '' })
    const workers = await world.startWorkers(['imports'])
    await eventually(async () => expect(await queue.getJobState(busy ?? '')).to.equal('failed'))
    await workers.stop()
    await queue.remove(lost ?? '')
    await world.database('jobs').where({ id: lost }).update({ state: 'queued', finished_at: null })
    await makeOld()
    const slow = await world.database.transaction()
    await slow('receipts').insert({ attempt: busy })
    const requeued = requeueAcceptedJobs(world.database, IDENTITY, () => queue, createLog('test', 'silent'))
    await within(promised(3_000), requeued)
    expect(await queue.getJobState(lost ?? '')).to.equal('waiting')
    await slow.rollback()
    await close()
  })

  describe('when one worker after another takes over an accepted job', () => {
    const tools = useTools(world, 'imports')

    /** Acts like a worker that takes over the job. */
    async function takeOver(path: string, stalledCounter: number) {
      const id = path.split('/').at(-1) ?? ''
      const { queue, close } = openQueueOf(world, 'imports')
      const { name, data } = (await queue.getJob(id)) ?? { name: '', data: {} }
      await close()
      await runDelivery({ id, name, data, stalledCounter }, tools).catch(() => undefined)
      return (await client.get(path)).json.data
    }

    it('runs the job even after many takeovers, if Redis froze or machines died', async () => {
      expect((await takeOver(await accept(), 5)).state).to.equal('done')
    })

    it('fails the job if its file was being read at every takeover, and allows a retry', async () => {
      const path = await accept()
      const die = () =>
        world.database('files').update({
          readers: world.database.raw('array_append(readers, gen_random_uuid())'),
        })
      await die()
      await die()
      const { state, error } = await takeOver(path, 2)
      expect([state, error?.code]).to.deep.equal(['failed', 'internal_error'])
      await reopenJob(tools.database, path.split('/').at(-1) ?? '')
      await die()
      expect((await takeOver(path, 3)).state).to.equal('done')
    })
  })

  it('stores its file once if a caller uploads the file several times with the same idempotency key', async () => {
    const key = { 'Idempotency-Key': 'accepted-twice' }
    const path = await accept(USER_LIST_CSV, key)
    expect(await accept(USER_LIST_CSV, key)).to.equal(path)
    await eventually(async () =>
      expect(await countFiles(world.database)).to.deep.equal({ files: 1, chunks: 1 }),
    )
    await world.startWorkers(['imports'])
    await expectDoneOnce(path)
  })
})
