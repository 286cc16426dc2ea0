// Upgrades from the oldest release, on Debian's PostgreSQL with its default settings and 200,000 bookings:
// the old processes end, the migrations run, the new processes start under load, and upkeep has to compute
// years of figures. `BOOKINGS` sets the number of bookings and `SECONDS` the minimum duration.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { BOOKINGS_PATH, createBookingBody, type Office } from '../../bench/load/bookings.ts'
import { projectDirectory } from '../../local/tools/folders.ts'
import { runAgainst } from '../commands/support/run.ts'
import { build, readReleases } from '../releases/checkout.ts'
import { connectPatiently } from '../support/databases.ts'
import { type Child, startGatewayProcess, startWorkerProcess } from '../support/processes.ts'
import { provideEmptyRedis } from '../support/redis.ts'
import { eventually, measureTime, promised } from '../support/time.ts'
import { use } from '../support/use.ts'
import { startDebianPostgres } from './stage/debian-postgres.ts'

const BOOKINGS = Number(process.env.BOOKINGS ?? 200_000)
const COMPANY_SIZE = { buildings: 2, locations: 12, bookables: 3_000, users: 2_000, bookings: BOOKINGS }
const REQUESTS_PER_SECOND = 12
/** Long enough for upkeep, which runs every minute. */
const SECONDS = Number(process.env.SECONDS ?? 75)
const FIGURES_MS_MAX = 600_000
const TIMEOUT_MS = 60_000
const REFUSED_MS_MAX = 2_000

type Write = { sentMs: number; tookMs: number; status: number; text: string }

/** Makes several bookings per second without waiting for earlier responses. */
class Bookers {
  readonly writes: Write[] = []
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #running: Promise<void>
  #isOver = false

  constructor(url: string, token: string, office: Office, firstSlot = 0) {
    this.#running = this.#run(url, token, office, firstSlot)
  }

  async stop() {
    this.#isOver = true
    await this.#running
    await Promise.all(this.#underWay)
  }

  async #run(url: string, token: string, office: Office, firstSlot: number) {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    for (let slot = firstSlot; !this.#isOver; slot++) {
      const asked = this.#book(url, headers, createBookingBody(office, slot)).finally(() =>
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

  it('causes refused writes for two seconds at most, and can be reverted', async () => {
    const [oldest] = readReleases()
    if (!oldest) throw new Error('There is no earlier release')
    const older = build(oldest)
    const environment = {
      DATABASE_URL: postgres.url,
      ...(await provideEmptyRedis()),
      RATE_LIMIT_PER_MINUTE: '1000000000',
    }
    const run = (folder: string) => runAgainst({ databaseUrl: postgres.url }, environment, folder)
    const command = async (folder: string, name: string, ...parameters: string[]) => {
      const { code, stdout, stderr } = await run(folder)(name, parameters)
      expect(code, stderr).to.equal(0)
      return stdout
    }
    const startWorker = async (folder: string) =>
      keepChild(await startWorkerProcess(environment, ['writes', 'upkeep'], folder))
    const startGateway = async (folder: string) => keepChild(await startGatewayProcess(environment, folder))

    await command(older, 'migrate')
    await command(older, 'seed', ...Object.entries(COMPANY_SIZE).map(([name, value]) => `--${name}=${value}`))
    const created = await command(older, 'token', 'create', '--name', 'load', '--abilities', 'booking-write')
    const token = /berth_\w+/.exec(created)?.[0] ?? ''
    const database = connectPatiently(postgres.url)
    await database.raw('ANALYZE')
    for (const child of await Promise.all([startWorker(older), startGateway(older)])) await stop(child)

    const migrated = await measureTime(() => command(projectDirectory, 'migrate'))
    const [gateway, worker] = await Promise.all([
      startGateway(projectDirectory),
      startWorker(projectDirectory),
    ])
    const startedMs = Date.now()
    const bookers = new Bookers(gateway.url, token, await readOffice(database))
    await wait(SECONDS * 1_000)
    await eventually(() => expectFigured(database), FIGURES_MS_MAX)
    const countedSeconds = Math.round((Date.now() - startedMs) / 1_000)
    await bookers.stop()
    const { writes } = bookers
    const failed = writes.filter(({ status }) => status !== 200)
    const figures = {
      migratedMs: Math.round(migrated.tookMs),
      countedSeconds,
      writes: writes.length,
      refused: failed.length,
      longestRefusalMs: longestRefusalMs(writes),
      slowestMs: Math.max(...writes.map(({ tookMs }) => tookMs)),
    }
    console.log(JSON.stringify(figures), failed[0]?.text ?? '')
    expect(figures.longestRefusalMs).to.be.below(REFUSED_MS_MAX)
    expect(figures.slowestMs).to.be.below(promised(REFUSED_MS_MAX))

    // Reverts the upgrade: the old `release` command refuses and changes nothing, and the old processes work without
    // it.
    for (const child of [gateway, worker]) await stop(child)
    const applied = () => database('migrations').pluck('name')
    const before = await applied()
    const refused = await run(older)('migrate', [])
    expect(refused.code).to.equal(1)
    expect(refused.stderr).to.include('The migration directory is corrupt')
    expect(await applied()).to.deep.equal(before)
    const [old] = await Promise.all([startGateway(older), startWorker(older)])
    const again = new Bookers(old.url, token, await readOffice(database), writes.length)
    await eventually(() => expect(again.writes.map(({ status }) => status)).to.include(200))
    await again.stop()
    await database.destroy()
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

/** Expects complete figures of all floors until yesterday, including changed past days. */
async function expectFigured(database: Knex) {
  const { rows } = await database.raw(
    `SELECT count(*)::int AS due FROM locations JOIN buildings ON buildings.id = building_id
     LEFT JOIN figured_locations ON location_id = locations.id
     WHERE last_day IS NULL OR last_day < ((now() - interval '1 hour') AT TIME ZONE buildings.timezone)::date - 1`,
  )
  expect(rows[0].due).to.equal(0)
}

/** Measures from the first refused write to the next successful one. */
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
