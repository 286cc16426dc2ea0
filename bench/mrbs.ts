// Bookings of Berth beside those of MRBS, the peer that most people run: sixteen clients, alternating, on one Postgres;
// then races of all of them for one slot. Not a part of npm run bench, because it needs PHP and a checkout of MRBS:
//   apt-get install php-cli php-pgsql php-intl php-mbstring
//   npm run build && MRBS_DIR=… npx tsx bench/mrbs.ts
import { connectDatabase } from '../shared/database.ts'
import { BOOKINGS_PATH, bookingBody } from './load/bookings.ts'
import { startLoader } from './load/load.ts'
import { ms, printTable, quantile } from './measure.ts'
import { measure, type Runner } from './measure-load.ts'
import type { Scenario } from './parts/scenarios.ts'
import { type Mrbs, type MrbsClient, startMrbs } from './rivals/mrbs.ts'
import { createCompany } from './stage/company.ts'
import { cpuUsOf } from './stage/process-table.ts'
import { createDatabase, redisUrlOf, type Servers, startServers } from './stage/servers.ts'
import { startBerth, type Target } from './stage/targets.ts'

const CLIENTS = 16
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = 5
const RACES = 20

const SCENARIO: Scenario = {
  name: `POST bookings, ${CLIENTS} at a time`,
  connections: CLIENTS,
  rivals: [],
  goals: {},
  paths: () => [BOOKINGS_PATH],
  books: true,
}

// Of MRBS; each room has its own.
let nextSlot = 0

type Figures = { perSecond: number[]; p50Ms: number[]; cpuMs: number[] }

const { MRBS_DIR } = process.env
if (!MRBS_DIR) throw new Error('Set MRBS_DIR to a checkout of MRBS')
const servers = await startServers()
try {
  await compare(servers, MRBS_DIR)
} finally {
  await servers.stop()
}

async function compare(on: Servers, source: string): Promise<void> {
  const databaseUrl = await createDatabase(on, 'berth_bench')
  const database = connectDatabase(databaseUrl)
  const company = await createCompany(database, 50_000)
  await database.destroy()
  const redisUrl = redisUrlOf(on, 0)
  const berth = await startBerth({ servers: on, company, databaseUrl, redisUrl, name: 'Berth' })
  const mrbs = await startMrbs(on, source, CLIENTS)
  const loader = await startLoader()
  const runner: Runner = { loader, usesWrk: false, failures: new Map() }
  try {
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => mrbs.signIn()))
    const own: Figures = { perSecond: [], p50Ms: [], cpuMs: [] }
    const theirs: Figures = { perSecond: [], p50Ms: [], cpuMs: [] }
    for (let round = -1; round < ROUNDS; round++) {
      const measured = await measure(runner, berth, SCENARIO, { seconds: SECONDS })
      const peer = await bookMrbs(on, mrbs, clients)
      if (round < 0) continue
      note(own, measured.perSecond, measured.p50Ms, measured.totalCpuUs / 1000)
      note(theirs, peer.perSecond, peer.p50Ms, peer.cpuMs)
    }
    const doubled = { own: await raceBerth(berth), theirs: await raceMrbs(mrbs, clients) }
    print(own, theirs, doubled)
    for (const [what, number] of runner.failures) console.log(`FAILED ${number} times: ${what}`)
  } finally {
    await loader.stop()
    await mrbs.stop()
    await berth.stop()
  }
}

/** Each client has a room of its own. */
async function bookMrbs({ postgresPid }: Servers, mrbs: Mrbs, clients: MrbsClient[]) {
  const cpu = () => cpuUsOf([mrbs.pid, postgresPid])
  const [cpuBefore, startedMs] = [cpu(), performance.now()]
  const times: number[] = []
  let slotsUsed = 0
  await Promise.all(
    clients.map(async (client, index) => {
      for (let slot = nextSlot; performance.now() < startedMs + SECONDS * 1000; slot++) {
        const askedMs = performance.now()
        if (!(await mrbs.book(client, index + 1, slot))) throw new Error('MRBS did not book')
        times.push(performance.now() - askedMs)
        slotsUsed = Math.max(slotsUsed, slot + 1 - nextSlot)
      }
    }),
  )
  nextSlot += slotsUsed
  return {
    perSecond: times.length / ((performance.now() - startedMs) / 1000),
    p50Ms: quantile(times, 0.5),
    cpuMs: (cpu() - cpuBefore) / times.length / 1000,
  }
}

/** All of them want the same: how often more than one got it. */
async function raceMrbs(mrbs: Mrbs, clients: MrbsClient[]): Promise<number> {
  let doubled = 0
  for (let race = 0; race < RACES; race++) {
    const slot = nextSlot++
    await Promise.all(clients.map((client) => mrbs.book(client, 1, slot)))
    if ((await mrbs.countAt(1, slot)) > 1) doubled++
  }
  return doubled
}

async function raceBerth({ url, company }: Target): Promise<number> {
  let doubled = 0
  for (let race = 0; race < RACES; race++) {
    const body = bookingBody(company.office, company.nextSlot++)
    const headers = { Authorization: `Bearer ${company.token}`, 'Content-Type': 'application/json' }
    const ask = () => fetch(url + BOOKINGS_PATH, { method: 'POST', headers, body })
    const answers = await Promise.all(Array.from({ length: CLIENTS }, ask))
    if (answers.filter(({ status }) => status === 200).length !== 1) doubled++
  }
  return doubled
}

function note({ perSecond, p50Ms, cpuMs }: Figures, rate: number, p50: number, cpu: number): void {
  perSecond.push(rate)
  p50Ms.push(p50)
  cpuMs.push(cpu)
}

function print(own: Figures, theirs: Figures, doubled: { own: number; theirs: number }): void {
  const median = (values: number[]) => quantile(values, 0.5)
  const row = (name: string, { perSecond, p50Ms, cpuMs }: Figures, races: number) => [
    name,
    ms(median(perSecond)),
    ms(median(p50Ms)),
    ms(median(cpuMs)),
    `${races} of ${RACES}`,
  ]
  printTable(
    [`${CLIENTS} clients`, 'bookings a second', 'p50 ms', 'CPU ms a booking', 'races not won by one'],
    [row('Berth', own, doubled.own), row('MRBS', theirs, doubled.theirs)],
  )
  console.log(`\nBerth makes ${(median(own.perSecond) / median(theirs.perSecond)).toFixed(1)} times as many.`)
}
