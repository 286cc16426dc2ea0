// Rolls out releases under load: gateways behind nginx, workers and a migration are replaced one after the other, and
// no request fails. `ROUNDS` sets the number of rollouts; with `LAME_DUCK_MS=0` this test fails.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { findFreePort } from '../../local/tools/ports.ts'
import { BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import { runAgainst } from '../commands/support/run.ts'
import { type Nginx, startNginx } from '../deploy/nginx.ts'
import { createLaterRelease, type NewMigration } from '../harness/built-copy.ts'
import { createDesk } from '../support/factories.ts'
import { type Child, startGatewayProcess, startWorkerProcess } from '../support/processes.ts'
import { eventually } from '../support/time.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'
import type { LoadInstructions, RecordedRequest } from './rolling-restart/record.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 3)
const CLIENT_COUNT = 8
const SETTLED_MS = 1_000
const READY_MS_MAX = 120_000
// A generous limit. A round takes half a minute on a machine without other load.
const ROUND_MS_MAX = 600_000
// Longer than a migration waits for a table, so that the migration has to retry.
const TABLE_HELD_MS = 2_500

describe('a rolling restart behind nginx', () => {
  const folder = use(async () => ({ path: await mkdtemp(join(tmpdir(), 'berth-rolling-')) }), {
    close: ({ path }) => rm(path, { recursive: true }),
  })
  const world = useWorld({ workers: [] })
  let environment: Record<string, string>
  let nginx: Nginx | undefined
  let load: ChildProcess | undefined

  afterEach(async () => {
    load?.kill()
    await nginx?.stop()
  })

  before(() => {
    environment = {
      DATABASE_URL: world.databaseUrl,
      REDIS_URL: world.redisUrl,
      RATE_LIMIT_PER_MINUTE: '1000000000',
      TRUST_PROXY: 'true',
      // The default of a gateway; startGatewayProcess would otherwise set 0.
      LAME_DUCK_MS: process.env.LAME_DUCK_MS ?? '5000',
    }
  })

  it('makes no request fail, and executes every write once', async function () {
    this.timeout((ROUNDS + 1) * ROUND_MS_MAX)
    const ports: [number, number] = [await findFreePort(), await findFreePort()]
    const startGateway = async (release: string, port: number) => {
      const gateway = await startGatewayProcess({ ...environment, PORT: String(port) }, release)
      const askReady = async () => expect((await fetch(`${gateway.url}/readyz`)).status).to.equal(200)
      await eventually(askReady, READY_MS_MAX)
      return gateway
    }
    const startWorker = (release: string) => startWorkerProcess(environment, ['writes', 'upkeep'], release)
    const first = createRelease(0)
    const workers = [await startWorker(first), await startWorker(first)]
    const gateways = await Promise.all(ports.map((port) => startGateway(first, port)))
    nginx = await startNginx(folder.path, ports)

    const recorded = await startLoad(nginx)
    for (let round = 1; round <= ROUNDS; round++) {
      const release = createRelease(round)
      await migrateWhileInUse(release)
      for (const [index, worker] of workers.entries()) {
        await stop(worker)
        workers[index] = await startWorker(release)
      }
      for (const [index, port] of ports.entries()) {
        await stop(gateways[index])
        gateways[index] = await startGateway(release, port)
      }
    }
    await wait(SETTLED_MS)
    const requests = await recorded()
    for (const child of [...gateways, ...workers]) await stop(child)

    const failed = requests.filter(({ status }) => status !== 200)
    printSummary({ requests, failed, restarts: ROUNDS * ports.length })
    if (failed.length > 0) console.log(countReasons(readFileSync(join(folder.path, 'error.log'), 'utf8')))
    expect(countFailures(failed)).to.deep.equal({})
    const answered = requests
      .filter(({ method }) => method === 'POST')
      .map(({ text }) => parseBookingId(text))
    const stored = await world.database('bookings').pluck('id')
    expect(answered.length).to.be.above(100)
    expect(new Set(stored)).to.deep.equal(new Set(answered))
    expect(stored, 'bookings in the database').to.have.length(answered.length)
  })

  /**
   * Creates a release with a given number. Release 0 is the current release, and each later release has one more
   * migration.
   */
  function createRelease(number: number): string {
    const migrations: Record<string, NewMigration> = {}
    for (let each = 1; each <= number; each++)
      migrations[`${9000 + each}-later`] = { up: `ALTER TABLE bookings ADD COLUMN later_${each} text` }
    return createLaterRelease(join(folder.path, `release-${number}`), { migrations })
  }

  /** Migrates while a reader holds the table for longer than the migration waits. */
  async function migrateWhileInUse(release: string): Promise<void> {
    const reader = await world.database.transaction()
    await reader.raw('LOCK TABLE bookings IN ACCESS SHARE MODE')
    const run = runAgainst(world, environment, release)
    const migrate = async () => {
      const { code, stdout, stderr } = await run('migrate', [])
      expect(code, stderr).to.equal(0)
      return stdout
    }
    // Like deployment platforms, retries when Postgres does not answer in time.
    const migrated = eventually(migrate, READY_MS_MAX)
    await wait(TABLE_HELD_MS)
    await reader.rollback()
    expect(await migrated).to.match(/^Applied 90\d\d-later\.\n$/)
  }

  async function stop(child: Child | undefined): Promise<void> {
    child?.kill('SIGTERM')
    expect(await child?.ended).to.equal(0)
  }

  /** Returns a function that ends the load and returns its requests. */
  async function startLoad({ url, authority }: Nginx): Promise<() => Promise<RecordedRequest[]>> {
    const clients: LoadInstructions['clients'] = []
    // Uses home offices, which may be booked twice at a time and so reveal a write that ran twice.
    for (let number = 0; number < CLIENT_COUNT; number++)
      clients.push(
        await createDesk(world.database, {
          type: number % 2 ? BOOKABLE_TYPES.desk : BOOKABLE_TYPES.homeOffice,
        }),
      )
    const { token = '' } = await world.client('read', 'booking-write')
    const file = join(folder.path, 'requests.jsonl')
    const startMs = Math.ceil(Date.now() / 3_600_000 + 24) * 3_600_000
    const child = fork(join(import.meta.dirname, 'rolling-restart/load.ts'), {
      execArgv: ['--import', 'tsx'],
      cwd: projectDirectory,
      env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: authority },
    })
    load = child
    const ended = once(child, 'exit')
    child.send({ url, token, clients, startMs, file } satisfies LoadInstructions)
    const readRequests = (): RecordedRequest[] =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    await eventually(() => expect(readRequests().length).to.be.above(10 * CLIENT_COUNT), READY_MS_MAX)
    return async () => {
      child.send('end')
      expect(await ended).to.deep.equal([0, null])
      return readRequests()
    }
  }
})

const parseBookingId = (text: string) => (JSON.parse(text) as { data: Array<{ id: number }> }).data[0]?.id

/** Counts failures by request, answer and second. */
function countFailures(failed: RecordedRequest[]): Record<string, number> {
  return countEach(
    failed.map(({ method, sentMs, status, text }) => {
      const second = new Date(sentMs).toISOString().slice(11, 19)
      return `${second} ${method} ${status} ${/<title>(.*?)</.exec(text)?.[1] ?? text.slice(0, 150)}`
    }),
  )
}

/** Counts what nginx logs about its gateways. */
function countReasons(log: string): Record<string, number> {
  return countEach([...log.matchAll(/\*\d+ (.*? while [a-z ]+)/g)].map(([, reason = '']) => reason))
}

function countEach(texts: string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1
  return counts
}

function printSummary({
  requests,
  failed,
  ...rest
}: {
  requests: RecordedRequest[]
  failed: RecordedRequest[]
  restarts: number
}) {
  const times = requests.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)]
  const writes = requests.filter(({ method }) => method === 'POST').length
  console.log(
    JSON.stringify({
      ...rest,
      requests: requests.length,
      writes,
      failed: failed.length,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      slowestMs: times.at(-1),
    }),
  )
}
