// Moves a database to another Postgres cluster with other transaction ids: webhooks continue after their last change,
// readers of the feed are told to start again, and the log, a metric and the doctor report the move.
import { rmSync } from 'node:fs'
import { expect } from 'chai'
import type { Knex } from 'knex'
import pg from 'pg'
import { checkWebhooks } from '../../commands/doctor/webhooks.ts'
import { OUTBOX_MOVED_MESSAGE } from '../../shared/changes/cluster.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { migrateUp } from '../../shared/database/migrations.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { startHooks } from '../../workers/hooks/hooks.ts'
import { withDatabaseName } from '../support/databases.ts'
import { createSlot } from '../support/faults/pipeline.ts'
import { fetchMetrics, sumMetrics } from '../support/figures.ts'
import { Client } from '../support/http/http.ts'
import { eventually } from '../support/time.ts'
import { use } from '../support/use.ts'
import { createWorld, type World } from '../support/world.ts'
import { startReceiver } from '../workers/hooks/receiver.ts'
import { type DebianPostgres, findPostgresFolder, startDebianPostgres } from './stage/debian-postgres.ts'
import { runProgram } from './stage/programs.ts'

const POSTGRES_VERSION = 15
const POSTGRES_SETTINGS = { fsync: 'off', wal_level: 'logical', max_connections: '200', jit: 'off' }
const ENVIRONMENT = { RATE_LIMIT_PER_MINUTE: '1000000', WEBHOOK_ALLOW_PRIVATE: '127.0.0.1' }
const NAME = 'berth'

type Move = (from: string, server: DebianPostgres) => Promise<string>

async function withDatabase<T>(url: string, work: (database: Knex) => PromiseLike<T>): Promise<T> {
  const database = connectDatabase(url)
  try {
    return await work(database)
  } finally {
    await database.destroy()
  }
}

const useUpTransactionIds = (url: string, number: number) =>
  withDatabase(url, (database) =>
    database.raw(`DO $$ BEGIN
      FOR each IN 1..${number} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP;
    END $$`),
  )

async function createOn(server: DebianPostgres): Promise<string> {
  await withDatabase(server.url, async (database) => {
    // The role owns its database and nothing else, like a role of managed Postgres.
    await database.raw("CREATE ROLE ordinary LOGIN PASSWORD 'berth'")
    await database.raw(`CREATE DATABASE ${NAME} OWNER ordinary`)
  })
  const url = new URL(withDatabaseName(server.url, NAME))
  url.username = 'ordinary'
  return url.href
}

function copyDatabase(from: string, to: string, ...options: string[]) {
  const run = (program: string, ...parameters: string[]) =>
    runProgram(`${findPostgresFolder(POSTGRES_VERSION)}/${program}`, parameters, undefined)
  const file = `/tmp/berth-${process.pid}-${Date.now()}.dump`
  run('pg_dump', '--format=custom', '--no-owner', '--no-acl', ...options, `--file=${file}`, from)
  run('pg_restore', '--no-owner', '--no-comments', '--single-transaction', `--dbname=${to}`, file)
  rmSync(file)
}

const moveByDump: Move = async (from, server) => {
  const to = await createOn(server)
  copyDatabase(from, to)
  return to
}

// Follows the steps in docs/backups.md.
const moveByReplication: Move = async (from, server) => {
  const to = await createOn(server)
  copyDatabase(from, to, '--schema-only')
  const asOwner = new URL(to)
  asOwner.username = NAME
  const source = new URL(from)
  await withDatabase(from, (database) => database.raw('CREATE PUBLICATION moving FOR ALL TABLES'))
  const { port, username, password } = source
  const connection = `host=127.0.0.1 port=${port} user=${username} password=${password} dbname=${NAME}`
  await withDatabase(asOwner.href, async (database) => {
    await database.raw(`CREATE SUBSCRIPTION moving CONNECTION '${connection}' PUBLICATION moving`)
    await eventually(async () => {
      const { rows } = await database.raw("SELECT FROM pg_subscription_rel WHERE srsubstate <> 'r'")
      expect(rows).to.have.length(0)
    })
    await database.raw('DROP SUBSCRIPTION moving')
    const { rows } = await withDatabase(from, (original) =>
      original.raw(
        "SELECT format('SELECT setval(%L, %s)', sequencename, last_value) AS sql FROM pg_sequences WHERE last_value IS NOT NULL",
      ),
    )
    for (const { sql } of rows) await database.raw(sql)
  })
  return to
}

describe('a database that moved to another Postgres cluster', function () {
  this.timeout(300_000)
  // Functions that close connections and processes before the servers stop.
  const open: Array<() => Promise<unknown>> = []
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close()
  })
  const start = async () => {
    const server = await startDebianPostgres(POSTGRES_VERSION, POSTGRES_SETTINGS)
    await eventually(() => withDatabase(server.url, (database) => database.raw('SELECT 1')))
    return server
  }
  const original = use(start, { close: (made) => made.stop(), each: true })
  const another = use(start, { close: (made) => made.stop(), each: true })
  const receiver = use(startReceiver, { close: (made) => made.close(), each: true })

  async function openWorld(databaseUrl: string): Promise<World> {
    const world = await createWorld({ databaseUrl, workers: ['writes'], environment: ENVIRONMENT })
    open.push(() => world.close())
    return world
  }

  async function startTelling(world: World, lines: string[] = []) {
    const log = createLog('hooks', 'info', { write: (line: string) => void lines.push(line) })
    const hooks = await startHooks(
      { ...world.config, metricsPort: 0, webhookAllowPrivate: ['127.0.0.1'] },
      log,
    )
    open.push(() => hooks.stop())
    return hooks
  }

  async function book(world: World, client: Client): Promise<number> {
    const { status, json, text } = await client.post('bookings', await createSlot(world))
    expect(status, text).to.equal(200)
    return json.data[0].id
  }

  const told = () => receiver.received.map(({ body }) => JSON.parse(body).data.id)

  /** Starts a Berth whose webhook has received its first booking, but not the second. */
  async function createOriginal() {
    const url = withDatabaseName(original.url, NAME)
    await withDatabase(original.url, (database) => database.raw(`CREATE DATABASE ${NAME}`))
    await withDatabase(url, migrateUp)
    const world = await openWorld(url)
    const client = await world.client()
    const hooks = await startTelling(world)
    expect((await client.post('webhooks', { url: receiver.url, types: ['booking.*'] })).status).to.equal(200)
    await eventually(async () => expect(await world.database('webhook_position')).to.have.length(1))
    const first = await book(world, client)
    await eventually(() => expect(told()).to.deep.equal([first]))
    await hooks.stop()
    const second = await book(world, client)
    const { next } = (await client.get('changes')).json
    return { url, client, first, second, next }
  }

  const findingsOf = async (world: World) => {
    const pool = new pg.Pool({ connectionString: world.databaseUrl, max: 1 })
    const findings = await checkWebhooks(pool).finally(() => pool.end())
    return findings.filter(({ about }) => about === 'cluster').map(({ level, says }) => `${level}: ${says}`)
  }

  async function expectMoved(move: Move) {
    const { url, client, first, second, next } = await createOriginal()
    const world = await openWorld(await move(url, another))
    const follower = new Client(world.url, client.token)
    expect((await findingsOf(world))[0]).to.match(/^problem: the database has come from another cluster/)
    // The change is written before any process has noticed the move.
    const third = await book(world, follower)

    const lines: string[] = []
    await startTelling(world, lines)
    await eventually(() => expect(told()).to.have.members([first, second, third]))
    const fourth = await book(world, follower)
    await eventually(() => expect(told()).to.have.members([first, second, third, fourth]))

    const expired = await follower.get(`changes?after=${next}`)
    expect([expired.status, expired.json.code]).to.deep.equal([410, 'cursor_expired'])
    const now = (await follower.get('changes')).json.next
    const fifth = await book(world, follower)
    await eventually(async () => {
      const { data } = (await follower.get(`changes?after=${now}`)).json
      expect(data.map(({ id }: { id: number }) => id)).to.include(fifth)
    })
    await eventually(() => expect(told()).to.have.members([first, second, third, fourth, fifth]))

    expect(lines.filter((line) => line.includes(OUTBOX_MOVED_MESSAGE))).to.have.length(1)
    expect((await findingsOf(world))[0]).to.match(
      /^ok: webhooks and the feed have continued in this one since 2/,
    )
    const port = /"metricsPort":(\d+)/.exec(lines.join(''))?.[1]
    const figures = await fetchMetrics(`http://127.0.0.1:${port}`)
    expect(sumMetrics(figures, 'berth_outbox_moved_timestamp_seconds')).to.be.greaterThan(1_700_000_000)
  }

  it('sends all missed changes to webhooks if it was restored from a dump, with lower transaction ids', async () => {
    await useUpTransactionIds(original.url, 20_000)
    await expectMoved(moveByDump)
  })

  it('sends all changes to webhooks if transaction ids are higher, and readers of the feed start anew', async () => {
    await useUpTransactionIds(another.url, 20_000)
    await expectMoved(moveByDump)
  })

  it('sends all missed changes to webhooks after logical replication', async () => {
    await useUpTransactionIds(original.url, 20_000)
    await expectMoved(moveByReplication)
  })
})
