// Tests imports and exports with and without waiting callers: progress, the first chunk of an export, keep-alive,
// disconnected callers and lost jobs.
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { LOCKS } from '../../../../../shared/database/locks.ts'
import { createUser } from '../../../../support/factories.ts'
import { openQueueOf, type Proxies, startProxies } from '../../../../support/faults/pipeline.ts'
import { closeProxies } from '../../../../support/faults/proxy.ts'
import { openAnswer, readAll } from '../../../../support/http/reading.ts'
import { beginImport, openImport } from '../../../../support/http/uploads.ts'
import { eventually, measureTime, promised } from '../../../../support/time.ts'
import { countFiles, readPeople } from '../../../../support/user-lists.ts'
import { createWorld, useClient, useWorld } from '../../../../support/world.ts'

const BEGIN_AFTER_MS = 1_000
const RESPOND_ASYNC_HEADERS = { Prefer: 'respond-async' }
const NO_STORED_FILES = { files: 0, chunks: 0 }

describe('callers that import or export users', function () {
  this.timeout(120_000)
  // Allows many requests, because the tests poll for results.
  const environment = {
    KEEPALIVE_AFTER_MS: String(BEGIN_AFTER_MS),
    RATE_LIMIT_PER_MINUTE: '100000',
  }
  const world = useWorld({ workers: [], environment })
  const client = useClient(world, 'user-write')
  let proxies: Proxies
  let holder: Knex.Transaction | undefined
  before(async () => {
    proxies = await startProxies(world)
    await world.startWorkers(['imports', 'exports'], proxies.environment)
  })
  afterEach(async () => {
    await letGo()
    await proxies.postgres.restore()
  })
  after(() => closeProxies())

  async function hold(statement: string) {
    holder = await world.database.transaction()
    await holder.raw(statement)
  }
  const holdImports = () => hold(`SELECT pg_advisory_xact_lock(${LOCKS.imports})`)
  async function letGo() {
    if (holder && !holder.isCompleted()) await holder.rollback()
  }
  let number = 0
  const listOfOne = () => `email,name\nperson${++number}@callers.example,Person\n`
  const find = () =>
    world
      .database('users')
      .where({ email: `person${number}@callers.example` })
      .first()
  const expectNothingKept = () =>
    eventually(async () => expect(await countFiles(world.database)).to.deep.equal(NO_STORED_FILES))
  const waitingFor = (lock: string) =>
    eventually(async () => {
      const { rows } = await world.database.raw(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = ?`,
        [lock],
      )
      expect(rows).to.have.length(1)
    })

  describe('callers that follow an accepted job', () => {
    it('see the progress of the job', async () => {
      await holdImports()
      const accepted = await client.import(listOfOne(), {}, RESPOND_ASYNC_HEADERS)
      const { pathname } = new URL(accepted.headers.get('Location') ?? '')
      const seen: number[] = []
      const look = async () => {
        const { data } = (await client.get(pathname)).json
        seen.push(data.progress)
        return data
      }
      await eventually(async () =>
        expect(await look()).to.include({ state: 'running', progress: 50, finished_at: null }),
      )
      await letGo()
      await eventually(async () => expect(await look()).to.include({ state: 'done', progress: 100 }))
      expect(seen).to.deep.equal([...seen].sort((a, b) => a - b))
    })
  })

  describe('callers that wait a long time for an import', () => {
    it('receive white space first and then the response, which together are valid JSON', async () => {
      await hold('LOCK TABLE users IN ACCESS EXCLUSIVE MODE')
      const opened = measureTime(() => openImport(client, listOfOne()))
      await waitingFor('relation')
      const { answer, tookMs } = await opened
      expect(answer.status).to.equal(200)
      expect(tookMs).to.be.within(BEGIN_AFTER_MS, promised(BEGIN_AFTER_MS + 3_000))
      await wait(2 * BEGIN_AFTER_MS)
      await letGo()
      const body = await readAll(answer)
      expect(body).to.match(/^ {2,}\{/)
      expect(JSON.parse(body).created).to.deep.equal([2])
    })

    it('receive the status code of a refusal, even if the refusal comes late', async () => {
      const held = proxies.postgres.catch('server', 'SELECT data FROM file_chunks', 'hold')
      const refused = client.import('%PDF-1.7')
      await held
      await wait(BEGIN_AFTER_MS + 1_500)
      await proxies.postgres.restore()
      expect((await refused).status).to.equal(422)
    })

    it('receive early refusals without waiting for an import that came before', async () => {
      await holdImports()
      const empty = await client.import('email,name\n', { deactivate: 'true' })
      expect([empty.status, empty.json.code]).to.deep.equal([422, 'validation_failed'])
    })
  })

  describe('callers that disconnect', () => {
    it('leave no data behind if they disconnect during their upload', async () => {
      for (const bytes of [1_000, 600_000, 3_000_000]) {
        const socket = await beginImport(client, 'x'.repeat(bytes), { isWhole: false })
        if (bytes > 512 * 1024)
          await eventually(async () => expect((await countFiles(world.database)).files).to.equal(1))
        socket.destroy()
        await expectNothingKept()
      }
    })

    it('cancel their import if they disconnect before the import begins', async () => {
      const idle = await createWorld({ workers: [] })
      try {
        const asking = await idle.client('user-write')
        await createUser(idle.database, { email: 'ada@callers.example', name: 'Ada' })
        const before = await readPeople(idle.database)
        const socket = await beginImport(asking, listOfOne())
        const { queue, close } = openQueueOf(idle, 'imports')
        await eventually(async () => expect(await queue.getWaitingCount()).to.equal(1))
        socket.destroy()
        await eventually(async () => {
          expect(await countFiles(idle.database)).to.deep.equal(NO_STORED_FILES)
          expect(await queue.getWaitingCount()).to.equal(0)
        })
        const [receipt] = await idle.database('receipts')
        expect([receipt.outcome, receipt.abandoned_at === null]).to.deep.equal([null, false])
        await close()
        await idle.startWorkers(['imports'])
        expect((await asking.import('email\n')).json.rows).to.equal(0)
        expect(await readPeople(idle.database)).to.deep.equal(before)
      } finally {
        await idle.close()
      }
    })

    it('leave only the changes of the import behind if they disconnect during the import', async () => {
      await holdImports()
      const socket = await beginImport(client, listOfOne())
      await waitingFor('advisory')
      socket.destroy()
      await expectNothingKept()
      await letGo()
      await eventually(async () => expect(await find()).to.include({ name: 'Person' }))
    })
  })

  // Simulates a Postgres that shuts down at the statement that stores the last chunk of a file.
  it('callers get an error if the end of their file could not be stored', async () => {
    await world.database.raw(`
      CREATE FUNCTION shut_down() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'shutting down' USING ERRCODE = '57P01'; END $$;
      CREATE TRIGGER broken BEFORE INSERT ON file_chunks FOR EACH ROW EXECUTE FUNCTION shut_down()`)
    try {
      const { status, json } = await client.import(listOfOne())
      expect([status, json.code]).to.deep.equal([503, 'unavailable'])
      await expectNothingKept()
    } finally {
      await world.database.raw('DROP FUNCTION shut_down CASCADE')
    }
  })

  describe('callers that wait for an export', () => {
    before(async () => {
      await world.database.raw(`
        INSERT INTO users (email, name)
        SELECT 'user' || number || '@export.example', (
          SELECT string_agg(md5(number || '.' || part), '') FROM generate_series(1, 7) AS part
        ) FROM generate_series(1, 20000) AS number`)
    })

    // Opens an export whose third chunk has not arrived yet.
    async function openExport(format: string) {
      let pieces = 0
      const isThird = () => ++pieces === 3
      const held = new Promise<void>((resolve) => {
        const untrap = proxies.postgres.trap('server', 'INSERT INTO file_chunks', () => {
          if (!isThird()) return 'forward'
          untrap()
          resolve()
          return 'hold'
        })
      })
      const opened = await openAnswer(client, `users/export?format=${format}`)
      return { opened, held }
    }

    it('receive the first part while the rest is still being written', async () => {
      const { opened, held } = await openExport('csv')
      await held
      expect(opened.status).to.equal(200)
      if (opened.begun.length === 0) await once(opened.socket, 'readable')
      expect(await world.database('files').whereNotNull('completed_at')).to.have.length(0)
      await proxies.postgres.restore()
      const lines = (await readAll(opened)).split('\n')
      expect(lines.filter((line) => line.includes('@export.example'))).to.have.length(20_000)
      await expectNothingKept()
    })

    it('leave no file behind if they disconnect before the first part', async () => {
      await hold('LOCK TABLE users IN ACCESS EXCLUSIVE MODE')
      const leaving = new AbortController()
      const headers = { Authorization: `Bearer ${client.token}` }
      const asked = fetch(`${client.url}/api/v1/users/export?format=csv`, { headers, signal: leaving.signal })
      await waitingFor('relation')
      leaving.abort()
      expect(await asked.catch((error: Error) => error.name)).to.equal('AbortError')
      await letGo()
      const { queue, close } = openQueueOf(world, 'exports')
      await eventually(async () => expect(await queue.getActiveCount()).to.equal(0))
      await close()
      await expectNothingKept()
    })

    for (const format of ['csv', 'xlsx']) {
      it(`stop the export and leave no file behind if they disconnect (${format})`, async () => {
        const { opened, held } = await openExport(format)
        await held
        let pieces = 0
        const untrap = proxies.postgres.trap('server', 'INSERT INTO file_chunks', () => {
          pieces++
          return 'forward'
        })
        opened.socket.destroy()
        await expectNothingKept()
        await proxies.postgres.restore()
        const { queue, close } = openQueueOf(world, 'exports')
        await eventually(async () => expect(await queue.getActiveCount()).to.equal(0))
        await close()
        untrap()
        expect(pieces).to.equal(0)
        await expectNothingKept()
      })
    }
  })
})
