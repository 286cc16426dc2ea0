// A database that moves to another cluster of Postgres, with other transaction ids: webhooks continue after the last
// change that they got, a reader of the feed is told to begin again, and the log, a metric and the doctor say so.
import { rmSync } from 'node:fs'
import { expect } from 'chai'
import type { Knex } from 'knex'
import pg from 'pg'
import { checkWebhooks } from '../../commands/doctor/webhooks.ts'
import { MOVED } from '../../shared/changes/cluster.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { migrateUp } from '../../shared/database/migrations.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { startHooks } from '../../workers/hooks/hooks.ts'
import { withDatabaseName } from '../support/databases.ts'
import { createSlot } from '../support/faults/pipeline.ts'
import { fetchFigures, sumOf } from '../support/figures.ts'
import { Client } from '../support/http/http.ts'
import { eventually } from '../support/time.ts'
import { use } from '../support/use.ts'
import { createWorld, type World } from '../support/world.ts'
import { startReceiver } from '../workers/hooks/receiver.ts'
import { type DebianPostgres, findPostgresFolder, startDebianPostgres } from './stage/debian-postgres.ts'
import { runProgram } from './stage/programs.ts'

const VERSION = 15
const SETTINGS = { fsync: 'off', wal_level: 'logical', max_connections: '200', jit: 'off' }
const ENVIRONMENT = { RATE_LIMIT_PER_MINUTE: '1000000', WEBHOOK_ALLOW_PRIVATE: '127.0.0.1' }
const NAME = 'berth'

type Move = (from: string, server: DebianPostgres) => Promise<string>

async function onDatabase<T>(url: string, work: (database: Knex) => PromiseLike<T>): Promise<T> {
  const database = connectDatabase(url)
  try {
    return await work(database)
  } finally {
    await database.destroy()
  }
}

const burnIds = (url: string, number: number) =>
  onDatabase(url, (database) =>
    database.raw(`DO $$ BEGIN
      FOR each IN 1..${number} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP;
    END $$`),
  )

async function createOn(server: DebianPostgres): Promise<string> {
  await onDatabase(server.url, async (database) => {
    // It owns its database and nothing else, as a role of managed Postgres.
    await database.raw("CREATE ROLE ordinary LOGIN PASSWORD 'berth'")
    await database.raw(`CREATE DATABASE ${NAME} OWNER ordinary`)
  })
  const url = new URL(withDatabaseName(server.url, NAME))
  url.username = 'ordinary'
  return url.href
}

function copy(from: string, to: string, ...options: string[]) {
  const run = (program: string, ...parameters: string[]) =>
    runProgram(`${findPostgresFolder(VERSION)}/${program}`, parameters, undefined)
  const file = `/tmp/berth-${process.pid}-${Date.now()}.dump`
  run('pg_dump', '--format=custom', '--no-owner', '--no-acl', ...options, `--file=${file}`, from)
  run('pg_restore', '--no-owner', '--no-comments', '--single-transaction', `--dbname=${to}`, file)
  rmSync(file)
}

const byDump: Move = async (from, server) => {
  const to = await createOn(server)
  copy(from, to)
  return to
}

// As docs/backups.md says.
const byReplication: Move = async (from, server) => {
  const to = await createOn(server)
  copy(from, to, '--schema-only')
  const asOwner = new URL(to)
  asOwner.username = NAME
  const source = new URL(from)
  await onDatabase(from, (database) => database.raw('CREATE PUBLICATION moving FOR ALL TABLES'))
  const { port, username, password } = source
  const connection = `host=127.0.0.1 port=${port} user=${username} password=${password} dbname=${NAME}`
  await onDatabase(asOwner.href, async (database) => {
    await database.raw(`CREATE SUBSCRIPTION moving CONNECTION '${connection}' PUBLICATION moving`)
    await eventually(async () => {
      const { rows } = await database.raw("SELECT FROM pg_subscription_rel WHERE srsubstate <> 'r'")
      expect(rows).to.have.length(0)
    })
    await database.raw('DROP SUBSCRIPTION moving')
    const { rows } = await onDatabase(from, (original) =>
      original.raw(
        "SELECT format('SELECT setval(%L, %s)', sequencename, last_value) AS sql FROM pg_sequences WHERE last_value IS NOT NULL",
      ),
    )
    for (const { sql } of rows) await database.raw(sql)
  })
  return to
}

describe('a database in another cluster of Postgres', function () {
  this.timeout(300_000)
  // Before the servers stop.
  const open: Array<() => Promise<unknown>> = []
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close()
  })
  const start = async () => {
    const server = await startDebianPostgres(VERSION, SETTINGS)
    await eventually(() => onDatabase(server.url, (database) => database.raw('SELECT 1')))
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

  /** A Berth whose webhook was told of one booking, and not of the next. */
  async function createOriginal() {
    const url = withDatabaseName(original.url, NAME)
    await onDatabase(original.url, (database) => database.raw(`CREATE DATABASE ${NAME}`))
    await onDatabase(url, migrateUp)
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
    // It is written before anybody has noticed.
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

    expect(lines.filter((line) => line.includes(MOVED))).to.have.length(1)
    expect((await findingsOf(world))[0]).to.match(
      /^ok: webhooks and the feed have gone on in this one since 2/,
    )
    const port = /"metricsPort":(\d+)/.exec(lines.join(''))?.[1]
    const figures = await fetchFigures(`http://127.0.0.1:${port}`)
    expect(sumOf(figures, 'berth_outbox_moved_timestamp_seconds')).to.be.greaterThan(1_700_000_000)
  }

  it('with lower transaction ids, after a dump, sends webhooks all changes that they did not get yet', async () => {
    await burnIds(original.url, 20_000)
    await expectMoved(byDump)
  })

  it('with higher transaction ids does so too, and makes readers of the feed begin again', async () => {
    await burnIds(another.url, 20_000)
    await expectMoved(byDump)
  })

  it('sends them after logical replication too', async () => {
    await burnIds(original.url, 20_000)
    await expectMoved(byReplication)
  })
})
