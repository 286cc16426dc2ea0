// Starts real PostgreSQL and Redis once for the whole run, in a folder of their own, and takes them away again.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nock from 'nock'
import { startPostgres } from '../../local/postgres/postgres.ts'
import { startRedis } from '../../local/redis/redis.ts'
import { connectDatabase } from '../../shared/database.ts'
import { migrateUp } from '../../shared/migrations.ts'
import { closeBrowser } from './dashboard/browser.ts'
import { TEMPLATE, withDatabaseName } from './databases.ts'
import { closeProxies } from './faults/proxy.ts'
import { killChildren } from './processes.ts'
import { closeWorlds, REDIS_DATABASES } from './world.ts'

type Server = Awaited<ReturnType<typeof startPostgres>>

const OPEN_MS_MAX = 20_000

let directory: string
let postgres: Server | undefined
let redis: Server | undefined

export async function mochaGlobalSetup() {
  // Berth talks to nobody but its own Postgres and Redis; whatever tries to leave this machine fails the test.
  nock.disableNetConnect()
  nock.enableNetConnect(/^(127\.0\.0\.1|localhost)/)
  directory = await mkdtemp(join(tmpdir(), 'berth-test-'))
  // What is tested is not how the disk keeps its promises: without fsync the suite takes half the time.
  const settings = { max_connections: '400', fsync: 'off', full_page_writes: 'off' }
  ;[postgres, redis] = await Promise.all([
    startPostgres({ directory: join(directory, 'postgres'), settings }),
    startRedis({ directory: join(directory, 'redis'), databases: REDIS_DATABASES }),
  ])
  process.env.TEST_DATABASE_URL = postgres.url
  process.env.TEST_REDIS_URL = redis.url
  await createTemplate(postgres.url)
}

export async function mochaGlobalTeardown() {
  await closeBrowser()
  await killChildren()
  await closeWorlds()
  await closeProxies()
  await Promise.all([postgres?.stop(), redis?.stop()])
  await rm(directory, { recursive: true, force: true })
  nock.enableNetConnect()
  tellWhatStaysOpen()
}

// What a test leaves open would keep this process alive for good. It is told; more than a timer is a failure.
function tellWhatStaysOpen() {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo()
    console.error('Still open after the tests:', open.join(', '))
    process.exit(open.every((each) => each === 'Timeout') ? process.exitCode : 1)
  }, OPEN_MS_MAX).unref()
}

// Migrated once; each world is a copy, which costs some 50 ms instead of all migrations.
async function createTemplate(url: string) {
  const server = connectDatabase(url)
  await server.raw(`CREATE DATABASE ${TEMPLATE}`)
  await server.destroy()
  const template = connectDatabase(withDatabaseName(url, TEMPLATE))
  await migrateUp(template)
  await template.destroy()
}
