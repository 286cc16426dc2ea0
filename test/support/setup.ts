// Starts real PostgreSQL and Redis once for the whole run, in a folder of their own, and takes them away again. With
// `--parallel` the global parts run in mocha's first process, everything else in those that run the tests.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Context } from 'mocha'
import nock from 'nock'
import { startPostgres } from '../../local/postgres/postgres.ts'
import { findRedisProgram } from '../../local/redis/program.ts'
import { startRedis } from '../../local/redis/redis.ts'
import { connectDatabase } from '../../shared/database.ts'
import { migrateUp } from '../../shared/migrations.ts'
import { closeBrowser } from './dashboard/browser.ts'
import { IDENTITY, serverUrls, TEMPLATE, withDatabaseName } from './databases.ts'
import { holdHour, releaseHour } from './factories.ts'
import { closeProxies } from './faults/proxy.ts'
import { killChildren } from './processes.ts'
import { REDIS_DATABASES } from './redis.ts'
import { testSeed } from './seed.ts'
import { eventually } from './time.ts'
import { closeWorlds } from './world.ts'

// A report of tests that run in several processes has no causes.
fc.configureGlobal({ includeErrorInReport: true, seed: testSeed })

type Server = Awaited<ReturnType<typeof startPostgres>>

// At least as many as processes that run tests: BullMQ sees the workers of every database of a server.
const REDIS_SERVERS = 4
const OPEN_MS_MAX = 20_000

// What is tested is not how the disk keeps its promises. A world's database is a copy of files, of which nothing has
// to be logged; and statistics are made where a test wants them.
const POSTGRES_SETTINGS = {
  max_connections: '400',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
  io_method: 'sync',
  // Without statistics every statement looks dear, and compiling it takes longer than it does.
  jit: 'off',
}

let directory: string
const servers: Server[] = []

// Berth talks to nobody but its own Postgres and Redis; whatever tries to leave this machine fails the test.
nock.disableNetConnect()
nock.enableNetConnect(/^(127\.\d+\.\d+\.\d+|localhost)/)

export async function mochaGlobalSetup() {
  directory = await mkdtemp(join(tmpdir(), 'berth-test-'))
  await Promise.all([openPostgres(), openRedis()])
  await createTemplate()
}

export async function mochaGlobalTeardown() {
  await Promise.all(servers.map((server) => server.stop()))
  await rm(directory, { recursive: true, force: true })
  nock.enableNetConnect()
}

// Those that an operator set up are given by their addresses: see test/scale.
async function openPostgres() {
  if (process.env.TEST_DATABASE_URL) return
  const postgres = await startPostgres({
    directory: join(directory, 'postgres'),
    settings: POSTGRES_SETTINGS,
  })
  servers.push(postgres)
  process.env.TEST_DATABASE_URL = postgres.url
}

async function openRedis() {
  if (process.env.TEST_REDIS_URLS) return
  // Where it has to be fetched, that is done once.
  await findRedisProgram()
  const redis = await Promise.all(
    Array.from({ length: REDIS_SERVERS }, (_, number) =>
      startRedis({ directory: join(directory, `redis-${number}`), databases: REDIS_DATABASES }),
    ),
  )
  servers.push(...redis)
  process.env.TEST_REDIS_URLS = redis.map(({ url }) => url).join(',')
}

let openBefore: string[] = []
const unhandled = new Set<unknown>()

// It fails the file in which it happens. Without this it would end the process between two files, and mocha would wait
// for it for ever.
process.on('unhandledRejection', (reason) => {
  console.error('Nobody handles', reason)
  unhandled.add(reason)
})

// Around each file where files run in parallel, around all of them otherwise.
export const mochaHooks = {
  beforeAll() {
    unhandled.clear()
    openBefore = listOpen()
  },
  beforeEach: holdHour,
  afterEach: releaseHour,
  async afterAll(this: Context) {
    this.timeout(2 * OPEN_MS_MAX)
    await closeBrowser()
    await killChildren()
    await closeWorlds()
    await closeProxies()
    const file = this.test?.parent?.suites[0]?.file
    await eventually(expectNothingOpen, OPEN_MS_MAX).catch(({ message }: Error) =>
      console.error(file, message),
    )
    expect([...unhandled], 'rejections that nobody handles').to.deep.equal([])
  },
}

// What a test leaves open would keep a process alive for good. It is told and fails nothing: on a busy machine a
// connection may close later than one can wait.
function expectNothingOpen() {
  const open = listOpen()
  for (const each of openBefore) if (open.includes(each)) open.splice(open.indexOf(each), 1)
  if (open.length > 0) throw new Error(`Still open after the tests: ${open.join(', ')}`)
}

const listOpen = () => process.getActiveResourcesInfo().filter((each) => each !== 'Timeout')

// Migrated once; each world is a copy, which costs a few dozen ms instead of all migrations.
async function createTemplate() {
  const { ownerUrl } = serverUrls()
  const server = connectDatabase(ownerUrl)
  await server.raw(`DROP DATABASE IF EXISTS ${TEMPLATE}`)
  await server.raw(`CREATE DATABASE ${TEMPLATE} TEMPLATE template0`)
  await server.destroy()
  const template = connectDatabase(withDatabaseName(ownerUrl, TEMPLATE))
  await migrateUp(template)
  await template('identity').update({ id: IDENTITY })
  await template.destroy()
}
