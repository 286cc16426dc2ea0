// What viewers of a map cost: CPU of the gateway and of its Postgres, with and without changes meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { cpuUsOf, parentOf } from '../../bench/stage/process-table.ts'
import { type Browser, createSignedIn } from '../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  hoursFromNow,
} from '../support/factories.ts'
import { type Child, startGatewayProcess } from '../support/processes.ts'
import { useWorld } from '../support/world.ts'

const BOOKABLES = 1_000
const BOOKED = 300
const EVERY_MS = 2_000
const ROUNDS = 8
// One look of one viewer at this map took 121 ms of CPU before maps were shared.
const BEFORE_MS = 121

describe('a hundred viewers of a map of 1,000 bookables', function () {
  this.timeout(300_000)
  const world = useWorld({ workers: [] })
  let gateway: Child & { url: string }
  let browser: Browser
  let location_id: number
  let bookable_id: number

  before(async () => {
    const { databaseUrl, redisUrl, database } = world
    location_id = await createLocation(database, { building_id: await createBuilding(database) })
    const ids: number[] = []
    for (let number = 0; number < BOOKABLES; number++) {
      ids.push(await createBookable(database, { location_id, name: `Desk ${number}` }))
    }
    bookable_id = ids.pop() ?? 0
    const times = { from: hoursFromNow(-1), to: hoursFromNow(8) }
    for (const id of ids.slice(0, BOOKED)) await createBooking(database, { bookable_id: id, ...times })
    gateway = await startGatewayProcess({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl })
    browser = await createSignedIn({ url: gateway.url, database })
    await browser.open(`/dashboard/map?location=${location_id}`)
  })
  after(() => gateway.kill('SIGTERM'))

  /** CPU of every two seconds, while so many look as the page's script does. */
  async function cpuMsOf(viewers: number, { changes }: { changes: boolean }): Promise<number> {
    const etags: string[] = []
    const look = async (viewer: number) => {
      const headers = { 'If-None-Match': etags[viewer] ?? '"none"' }
      const visit = await browser.open(`/dashboard/map?location=${location_id}&_part=map`, { headers })
      expect(visit.status).to.be.oneOf([200, 304])
      etags[viewer] = visit.headers.get('ETag') ?? ''
    }
    const lookAll = async () => {
      const endMs = Date.now() + EVERY_MS
      if (changes) await book()
      for (let viewer = 0; viewer < viewers; viewer++) {
        await Promise.all([look(viewer), sleep(EVERY_MS / viewers / 2)])
      }
      await sleep(endMs - Date.now())
    }
    await lookAll()
    const processes = [gateway.pid, await postgresPid()]
    const before = cpuUsOf(processes)
    for (let round = 0; round < ROUNDS; round++) await lookAll()
    return (cpuUsOf(processes) - before) / ROUNDS / 1_000
  }

  // Each earlier than the one before: it is what comes next.
  let nextHour = 20
  async function book() {
    const from = hoursFromNow(nextHour--)
    const to = new Date(Date.parse(from) + 60_000).toISOString()
    await createBooking(world.database, { bookable_id, from, to })
  }

  async function postgresPid(): Promise<number> {
    const { rows } = await world.database.raw('SELECT pg_backend_pid() AS pid')
    return parentOf(rows[0].pid)
  }

  it('cost no more than five viewers did before', async () => {
    const figures = {
      'five, nothing changes': await cpuMsOf(5, { changes: false }),
      'a hundred, nothing changes': await cpuMsOf(100, { changes: false }),
      'five, it changes': await cpuMsOf(5, { changes: true }),
      'a hundred, it changes': await cpuMsOf(100, { changes: true }),
    }
    for (const [who, ms] of Object.entries(figures))
      console.log(`      ${who}: ${ms.toFixed(0)} ms of CPU in two seconds`)
    expect(figures['a hundred, it changes']).to.be.lessThan(5 * BEFORE_MS)
  })
})
