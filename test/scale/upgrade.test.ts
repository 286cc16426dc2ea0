// An upgrade from the oldest release under load, on the PostgreSQL that Debian packages, with 200,000 bookings: migrations,
// new workers, a new gateway, and the upkeep of the first minutes. `BOOKINGS` and `SECONDS` say how much and how long.
import { execFile } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { BOOKINGS_PATH, bookingBody, type Office } from '../../bench/load/bookings.ts'
import { projectDirectory } from '../../local/folders.ts'
import { build, readReleases } from '../releases/checkout.ts'
import { connectPatiently } from '../support/databases.ts'
import { type Child, startGatewayProcess, startWorkerProcess } from '../support/processes.ts'
import { emptyRedis } from '../support/redis.ts'
import { eventually, promised } from '../support/time.ts'
import { use } from '../support/use.ts'
import { startDebianPostgres } from './stage/debian-postgres.ts'

const BOOKINGS = Number(process.env.BOOKINGS ?? 200_000)
const COMPANY = { buildings: 2, locations: 12, bookables: 3_000, users: 2_000, bookings: BOOKINGS }
const REQUESTS_PER_SECOND = 12
/** Upkeep comes every minute. */
const SECONDS = Number(process.env.SECONDS ?? 90)
const FIGURES_MS_MAX = 600_000
const TIMEOUT_MS = 60_000
const REFUSED_MS_MAX = 2_000

type Write = { sentMs: number; tookMs: number; status: number; text: string }

/** Books so many times a second without waiting for the answers before. */
class Bookers {
  readonly writes: Write[] = []
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #running: Promise<void>
  #isOver = false

  constructor(urlOf: () => string, token: string, office: Office) {
    this.#running = this.#run(urlOf, token, office)
  }

  async stop() {
    this.#isOver = true
    await this.#running
    await Promise.all(this.#underWay)
  }

  async #run(urlOf: () => string, token: string, office: Office) {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    for (let slot = 0; !this.#isOver; slot++) {
      const asked = this.#book(urlOf(), headers, bookingBody(office, slot)).finally(() =>
        this.#underWay.delete(asked),
      )
      this.#underWay.add(asked)
      await wait(1_000 / REQUESTS_PER_SECOND)
    }
  }

  async #book(url: string, headers: Record<string, string>, body: string) {
    const sentMs = Date.now()
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const { status, text } = await fetch(url + BOOKINGS_PATH, { method: 'POST', headers, body, signal }).then(
      async (answer) => ({ status: answer.status, text: await answer.text() }),
      (error: Error) => ({ status: 0, text: `${error.message}: ${error.cause}` }),
    )
    this.writes.push({ sentMs, tookMs: Date.now() - sentMs, status, text: status === 200 ? '' : text })
  }
}

describe('an upgrade under load', function suite() {
  this.timeout(3_600_000)
  const postgres = use(() => startDebianPostgres(15, { max_connections: '200' }), {
    close: (made) => made.stop(),
  })
  const children: Child[] = []
  after(() => Promise.all(children.map(stop)))

  it('refuses no write for longer than two seconds', async () => {
    const [oldest] = readReleases()
    if (!oldest) throw new Error('There is no earlier release')
    const older = build(oldest)
    const environment = {
      DATABASE_URL: postgres.url,
      ...(await emptyRedis()),
      RATE_LIMIT_PER_MINUTE: '1000000000',
    }
    const command = async (folder: string, name: string, ...parameters: string[]) => {
      const options = { cwd: folder, env: { PATH: process.env.PATH, ...environment } }
      const { stdout } = await promisify(execFile)(process.execPath, [`dist/commands/${name}.js`, ...parameters], options)
      return stdout
    }
    const startWorker = async (folder: string) => keepChild(await startWorkerProcess(environment, ['writes', 'upkeep'], folder))
    const startGateway = async (folder: string) => keepChild(await startGatewayProcess(environment, folder))

    await command(older, 'migrate')
    await command(older, 'seed', ...Object.entries(COMPANY).map(([name, value]) => `--${name}=${value}`))
    const created = await command(older, 'token', 'create', '--name', 'load', '--abilities', 'booking-write')
    const token = /berth_\w+/.exec(created)?.[0] ?? ''
    const database = connectPatiently(postgres.url)
    await database.raw('ANALYZE')
    let [worker, gateway] = [await startWorker(older), await startGateway(older)]
    const bookers = new Bookers(() => gateway.url, token, await readOffice(database))
    await wait(5_000)

    const phases: Record<string, number> = { before: Date.now() }
    await command(projectDirectory, 'migrate')
    phases['migrated'] = Date.now()
    const [oldWorker, oldGateway] = [worker, gateway]
    worker = await startWorker(projectDirectory)
    await stop(oldWorker)
    gateway = await startGateway(projectDirectory)
    phases['started'] = Date.now()
    await wait(TIMEOUT_MS / 60)
    await stop(oldGateway)
    await wait(SECONDS * 1_000)
    await eventually(() => expectFigured(database), FIGURES_MS_MAX)
    phases['figured'] = Date.now()
    await bookers.stop()
    const days = await database('location_figures').count()
    await database.destroy()
    const { writes } = bookers
    console.log(JSON.stringify({ phases: secondsOf(phases), days, ...describeWrites(writes, phases) }, null, 2))
    expect(longestRefusalMs(writes)).to.be.below(REFUSED_MS_MAX)
    expect(Math.max(...writes.map(({ tookMs }) => tookMs))).to.be.below(promised(REFUSED_MS_MAX))
  })

  function keepChild<C extends Child>(child: C): C {
    children.push(child)
    return child
  }
})

async function stop(child: Child) {
  child.kill('SIGTERM')
  await child.ended
}

async function readOffice(database: Knex): Promise<Office> {
  const bookables: Array<{ id: number; location_id: number }> = await database('bookables')
    .select('id', 'location_id')
    .where({ status: 0, requires_vehicle: false, deleted_at: null, type: 0 })
    .orderBy('id')
  const users: number[] = await database('users').whereNull('deactivated_at').orderBy('id').pluck('id')
  return { bookables: bookables.map(({ id, location_id }) => [id, location_id]), users }
}

/** Of all floors, until yesterday, and of the past that was changed. */
async function expectFigured(database: Knex) {
  const { rows } = await database.raw(
    `SELECT count(*)::int AS due FROM locations JOIN buildings ON buildings.id = building_id
     LEFT JOIN figured_locations ON location_id = locations.id
     WHERE last_day IS NULL OR last_day < ((now() - interval '1 hour') AT TIME ZONE buildings.timezone)::date - 1`,
  )
  expect(rows[0].due).to.equal(0)
}

/** From the first write that was refused until one was done again. */
function longestRefusalMs(writes: Write[]): number {
  let longest = 0
  let refusedMs: number | undefined
  for (const { sentMs, tookMs, status } of [...writes].sort((a, b) => a.sentMs - b.sentMs)) {
    if (status !== 200) refusedMs ??= sentMs
    else refusedMs = undefined
    if (refusedMs !== undefined) longest = Math.max(longest, sentMs + tookMs - refusedMs)
  }
  return longest
}

function describeWrites(writes: Write[], phases: Record<string, number>) {
  const failed = writes.filter(({ status }) => status !== 200)
  const slowest = Math.max(...writes.map(({ tookMs }) => tookMs))
  const since = (from: number) => {
    const own = writes.filter(({ sentMs }) => sentMs >= from)
    return {
      writes: own.length,
      refused: own.filter(({ status }) => status !== 200).length,
      longestRefusalMs: longestRefusalMs(own),
      slowestMs: Math.max(...own.map(({ tookMs }) => tookMs)),
    }
  }
  return {
    slowest,
    all: since(0),
    afterStart: since(phases['started'] ?? 0),
    failed: failed.slice(0, 5),
  }
}

function secondsOf(phases: Record<string, number>): Record<string, number> {
  const first = Math.min(...Object.values(phases))
  return Object.fromEntries(Object.entries(phases).map(([name, ms]) => [name, (ms - first) / 1_000]))
}
