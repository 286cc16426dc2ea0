// What was accepted with 202 is in Postgres, and nowhere else for sure: it survives the loss of all of Redis and ends,
// once, as its row says; and no part of its file is ever taken for the whole.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createLog } from '../../shared/log.ts'
import { connectRedis } from '../../shared/redis.ts'
import { requeueAccepted } from '../../workers/accepted.ts'
import { createUser } from '../support/factories.ts'
import { openQueueOf, startProxiedGateway } from '../support/faults/pipeline.ts'
import { eventually } from '../support/time.ts'
import { countFiles } from '../support/user-lists.ts'
import { useClient, useWorld } from '../support/world.ts'

const IMPORT_LOCK = 7_301_002
const LIST = 'email,name\nann@accepted.example,Ann\n'
// Upkeep looks every 15 seconds for jobs that are older than that.
const REQUEUED_MS = 60_000

describe('an accepted job', function () {
  this.timeout(120_000)
  const world = useWorld({ each: true, workers: [] })
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
    const redis = connectRedis(world.redisUrl, 'persistent', createLog('test', 'silent'))
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

  it('that Redis lost before it was begun is done, once', async () => {
    const path = await accept()
    await loseRedis()
    await makeOld()
    await world.startWorkers(['imports', 'upkeep'])
    await expectDoneOnce(path)
  })

  it('that Redis lost while it was done is done once, though it is delivered again', async () => {
    const holder = await world.database.transaction()
    await holder.raw(`SELECT pg_advisory_xact_lock(${IMPORT_LOCK})`)
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

  it('that the queue gave up, while a worker was still at it, ends as that worker says', async () => {
    const path = await accept()
    const attempt = path.split('/').at(-1) as string
    const { queue, close } = openQueueOf(world, 'imports')
    const job = await queue.getJob(attempt)
    await job?.remove()
    await queue.add('users.import', {}, { jobId: attempt })
    await world.startWorkers(['imports'])
    await eventually(async () => expect(await queue.getJobState(attempt)).to.equal('failed'))
    await makeOld()

    // As `perform` does it: claims the attempt first, and says last what became of it.
    const slow = await world.database.transaction()
    await slow('receipts').insert({ attempt })
    const log = createLog('test', 'silent')
    const requeued = requeueAccepted(world.database, () => queue, log)
    await wait(300)
    const outcome = JSON.stringify({ status: 200, body: '{"created":[2]}' })
    await slow('receipts').where({ attempt }).update({ outcome })
    await slow.commit()
    await requeued
    await close()
    const { data } = (await client.get(path)).json
    expect([data.state, data.result]).to.deep.equal(['done', { created: [2] }])
  })

  it('of whose file a piece is missing fails, and changes nobody', async () => {
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

  it('that was stored, but whose caller was told 504, is found by a repeat, and done', async () => {
    const proxied = await startProxiedGateway(world)
    const headers = { Prefer: 'respond-async', 'Idempotency-Key': 'stored-unheard' }
    const lost = proxied.postgres.catch('server', 'accept-job', (link) => {
      link.loseAnswer()
      return 'forward'
    })
    const unheard = await proxied.client.import(LIST, { deactivate: 'true' }, headers)
    await lost
    expect([unheard.status, unheard.json.code]).to.deep.equal([504, 'outcome_unknown'])
    const repeated = await proxied.client.import(LIST, { deactivate: 'true' }, headers)
    expect([repeated.status, repeated.headers.get('Idempotency-Replayed')]).to.deep.equal([202, 'true'])
    await world.startWorkers(['imports', 'upkeep'])
    await makeOld()
    const id = repeated.headers.get('Location')?.split('/').at(-1)
    await eventually(async () => {
      expect(await world.database('jobs').where({ id }).pluck('state')).to.deep.equal(['done'])
    }, REQUEUED_MS)
    expect(await world.database('audit_log').where({ action: 'users.import' })).to.have.length(1)
    await Promise.all([proxied.postgres.close(), proxied.redis.close()])
  })

  it('keeps one file, however often it is sent with its key', async () => {
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
