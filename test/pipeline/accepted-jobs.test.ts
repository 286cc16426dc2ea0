// A write that was accepted with 202 is stored in Postgres: it survives the loss of all Redis data, and runs
// once, with the outcome in its row. A part of its file is never taken for the whole file.
import { rejects } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { LOCKS } from '../../shared/database/locks.ts'
import { formatIdentity, readIdentity } from '../../shared/identity/identity.ts'
import type { QueueName } from '../../shared/schemas/job.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { run } from '../../workers/delivery/run.ts'
import { sweep } from '../../workers/pollers/upkeep.ts'
import { reopen, requeueAccepted } from '../../workers/runtime/accepted-jobs.ts'
import { IDENTITY } from '../support/databases.ts'
import { createUser } from '../support/factories.ts'
import { openQueueOf, startProxiedGateway, useTools } from '../support/faults/pipeline.ts'
import { openRedis } from '../support/redis.ts'
import { eventually, promised, within } from '../support/time.ts'
import { countFiles } from '../support/user-lists.ts'
import { useClient, useWorld } from '../support/world.ts'

const LIST = 'email,name\nann@accepted.example,Ann\n'
// Upkeep looks every 15 seconds for jobs that are older than that.
const REQUEUED_MS = 60_000

describe('an accepted job', function () {
  this.timeout(120_000)
  // The tests poll for the outcome of a job.
  const world = useWorld({
    each: true,
    workers: [],
    environment: { RATE_LIMIT_PER_MINUTE: '1000000' },
  })
  const client = useClient(world, 'user-write')
  beforeEach(async () => {
    await createUser(world.database, { email: 'left.out@accepted.example' })
  })

  async function accept(list: string = LIST, headers: Record<string, string> = {}) {
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
    }, REQUEUED_MS)

  async function expectDoneOnce(path: string) {
    expect(await ending(path)).to.deep.include({ state: 'done', progress: 100, error: null })
    expect(await world.database('audit_log').where({ action: 'users.import' })).to.have.length(1)
    const active = await world.database('users').where({ deactivated_at: null }).pluck('email')
    expect(active).to.deep.equal(['ann@accepted.example'])
    expect(await countFiles(world.database)).to.deep.equal({ files: 0, chunks: 0 })
  }

  it('that Redis lost before it began runs once', async () => {
    const path = await accept()
    await loseRedis()
    await makeOld()
    await world.startWorkers(['imports', 'upkeep'])
    await expectDoneOnce(path)
  })

  it('that Redis lost while it ran takes effect once, even though it is delivered again', async () => {
    const holder = await world.database.transaction()
    await holder.raw(`SELECT pg_advisory_xact_lock(${LOCKS.imports})`)
    await world.startWorkers(['imports'])
    const path = await accept()
    await eventually(async () => expect((await client.get(path)).json.data.progress).to.equal(50))
    await loseRedis()
    await makeOld()
    await world.startWorkers(['imports', 'upkeep'])
    const { queue, close } = openQueueOf(world, 'imports')
    await eventually(async () => expect(await queue.getActiveCount()).to.equal(1), REQUEUED_MS)
    await holder.rollback()
    await expectDoneOnce(path)
    await eventually(async () => expect(await queue.getActiveCount()).to.equal(0))
    await expectDoneOnce(path)
    await close()
  })

  it('that the queue gave up while a worker was still running it ends with the outcome of that worker', async () => {
    const path = await accept()
    const attempt = path.split('/').at(-1) as string
    const { queue, close } = openQueueOf(world, 'imports')
    const job = await queue.getJob(attempt)
    await job?.remove()
    await queue.add('users.import', {}, { jobId: attempt })
    await world.startWorkers(['imports'])
    await eventually(async () => expect(await queue.getJobState(attempt)).to.equal('failed'))
    await makeOld()

    // As `perform` does: claims the attempt first, and records the outcome last.
    const slow = await world.database.transaction()
    await slow('receipts').insert({ attempt })
    const log = createLog('test', 'silent')
    const requeued = requeueAccepted(world.database, IDENTITY, () => queue, log)
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

  it('fails and changes nothing if a piece of its file is missing', async () => {
    for (const piece of [0, 1]) {
      const path = await accept(`${LIST}${'bob@accepted.example,Bob\n'.repeat(40_000)}`)
      await world.database('file_chunks').where({ number: piece }).delete()
      const workers = await world.startWorkers(['imports'])
      expect(await ending(path)).to.deep.include({ state: 'failed', result: null })
      await workers.stop()
    }
    const users = await world.database('users').select('email', 'deactivated_at')
    expect(users).to.deep.equal([{ email: 'left.out@accepted.example', deactivated_at: null }])
  })

  describe('whose answer from Postgres is lost', () => {
    const headers = { Prefer: 'respond-async', 'Idempotency-Key': 'stored-unheard' }
    let proxied: Awaited<ReturnType<typeof startProxiedGateway>>
    beforeEach(async () => {
      proxied = await startProxiedGateway(world)
    })
    afterEach(() => Promise.all([proxied.postgres.close(), proxied.redis.close()]))

    const send = () => proxied.client.import(LIST, { deactivate: 'true' }, headers)

    it('is accepted and runs once if it was stored', async () => {
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
      }, REQUEUED_MS)
      expect(await world.database('audit_log').where({ action: 'users.import' })).to.have.length(1)
    })

    it('is called off with 503 if it is not stored, even if it is stored later', async () => {
      const held = proxied.postgres.catch('server', 'accept-job', 'hold')
      const answer = await send()
      await held
      expect([answer.status, answer.json.code]).to.deep.equal([503, 'not_executed'])
      expect(await world.database('receipts').whereNotNull('abandoned_at')).to.have.length(1)
      await eventually(async () =>
        expect(await countFiles(world.database)).to.deep.equal({ files: 0, chunks: 0 }),
      )
    })

    it('is unknown, with 504, and keeps its file if Postgres no longer answers', async () => {
      proxied.postgres.catch('server', 'accept-job', () => {
        proxied.postgres.freeze()
        return 'hold'
      })
      const answer = await send()
      expect([answer.status, answer.json.code]).to.deep.equal([504, 'outcome_unknown'])
      expect(await countFiles(world.database)).to.deep.equal({ files: 1, chunks: 1 })
    })
  })

  it('that was called off never runs, even if its row comes late, and frees its key', async () => {
    const key = { 'Idempotency-Key': 'called-off' }
    const path = await accept(LIST, key)
    const id = path.split('/').at(-1)
    const old = world.database.raw(`now() - interval '2 hours'`)
    await world.database('receipts').insert({ attempt: id, abandoned_at: old, created_at: old })
    await sweep(world.database, createLog('test', 'silent'), world.config)
    const early = await client.import(LIST, { deactivate: 'true' }, { Prefer: 'respond-async', ...key })
    expect([early.status, early.json.code]).to.deep.equal([409, 'idempotency_key_in_use'])
    await makeOld()
    await world.startWorkers(['imports', 'upkeep'])
    const { state, error } = await ending(path)
    expect([state, error.code]).to.deep.equal(['failed', 'not_executed'])
    expect(await world.database('audit_log')).to.have.length(0)
    const again = await accept(LIST, key)
    expect(again).to.not.equal(path)
    await expectDoneOnce(again)
  })

  it('keeps its key for 24 hours', async () => {
    const key = { 'Idempotency-Key': 'a-day' }
    await world.startWorkers(['imports'])
    const path = await accept(LIST, key)
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
      await sweep(world.database, createLog('test', 'silent'), world.config)
      return accept(LIST, key)
    }
    expect(await repeatAt(23.9)).to.equal(path)
    const again = await repeatAt(24.1)
    expect(again).to.not.equal(path)
    expect((await ending(again)).result)
      .to.include({ rows: 1 })
      .and.to.deep.include({ skipped: [2] })
  })

  it('that failed stays failed', async () => {
    await world.startWorkers(['imports'])
    const { state, progress, error } = await ending(await accept('no list'))
    expect([state, error.code]).to.deep.equal(['failed', 'validation_failed'])
    expect(progress).to.be.lessThan(100)
  })

  it('that failed because of a bug frees its key', async () => {
    const key = { 'Idempotency-Key': 'a-fault' }
    await world.startWorkers(['imports'])
    await world.database.raw('ALTER TABLE audit_log RENAME TO audit_log_away')
    const path = await accept(LIST, key)
    expect((await ending(path)).error).to.include({ code: 'internal_error' })
    await world.database.raw('ALTER TABLE audit_log_away RENAME TO audit_log')
    const again = await accept(LIST, key)
    expect(again).to.not.equal(path)
    await ending(again)
    expect(await world.database('audit_log').where({ action: 'users.import' })).to.have.length(1)
  })

  it('is an import or an export: no other row is stored or queued', async () => {
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
    await requeueAccepted(world.database, IDENTITY, queueOf, createLog('test', 'silent'))
    expect(queued).to.deep.equal([])
    expect((await client.get(path)).json.data.state).to.equal('failed')
  })

  it('that was queued before its database moved is declined, and queued again for the new place', async () => {
    const path = await accept()
    const attempt = path.split('/').at(-1) ?? ''
    const { queue, close } = openQueueOf(world, 'imports')
    const job = await queue.getJob(attempt)
    await job?.updateData({ ...job.data, database: `${IDENTITY}@before.1` })
    await world.startWorkers(['imports'])
    await eventually(async () => expect(await queue.getJobState(attempt)).to.equal('failed'))
    await makeOld()
    const identity = await readIdentity(async (sql) => (await world.database.raw(sql)).rows)
    await requeueAccepted(world.database, formatIdentity(identity), () => queue, createLog('test', 'silent'))
    await expectDoneOnce(path)
    await close()
  })

  it('that runs for minutes does not delay upkeep', async () => {
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
    const requeued = requeueAccepted(world.database, IDENTITY, () => queue, createLog('test', 'silent'))
    await within(promised(3_000), requeued)
    expect(await queue.getJobState(lost ?? '')).to.equal('waiting')
    await slow.rollback()
    await close()
  })

  describe('that other workers take over', () => {
    const tools = useTools(world, 'imports')

    /** Acts as the worker that takes the job over. */
    async function takeOver(path: string, stalledCounter: number) {
      const id = path.split('/').at(-1) ?? ''
      const { queue, close } = openQueueOf(world, 'imports')
      const { name, data } = (await queue.getJob(id)) ?? { name: '', data: {} }
      await close()
      await run({ id, name, data, stalledCounter }, tools).catch(() => undefined)
      return (await client.get(path)).json.data
    }

    it('many times, because Redis froze or machines died, still runs', async () => {
      expect((await takeOver(await accept(), 5)).state).to.equal('done')
    })

    it('ends as failed if its file was being read each time, and may be retried', async () => {
      const path = await accept()
      const die = () =>
        world.database('files').update({
          readers: world.database.raw('array_append(readers, gen_random_uuid())'),
        })
      await die()
      await die()
      const { state, error } = await takeOver(path, 2)
      expect([state, error?.code]).to.deep.equal(['failed', 'internal_error'])
      await reopen(tools.database, path.split('/').at(-1) ?? '')
      await die()
      expect((await takeOver(path, 3)).state).to.equal('done')
    })
  })

  it('keeps one file, even if it is sent several times with its key', async () => {
    const key = { 'Idempotency-Key': 'accepted-twice' }
    const path = await accept(LIST, key)
    expect(await accept(LIST, key)).to.equal(path)
    await eventually(async () =>
      expect(await countFiles(world.database)).to.deep.equal({ files: 1, chunks: 1 }),
    )
    await world.startWorkers(['imports'])
    await expectDoneOnce(path)
  })
})
