// Measures the CPU of the gateway and its Postgres for viewers of a map, with and without changes.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { measureCpuUs, readParentPid } from '../../bench/stage/process-table.ts'
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

const BOOKABLE_COUNT = 1_000
const BOOKED_COUNT = 300
const POLL_INTERVAL_MS = 2_000
const ROUND_COUNT = 8
// The CPU time of one request for this map before the gateway shared maps.
const CPU_MS_BEFORE_SHARING = 121

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
    for (let number = 0; number < BOOKABLE_COUNT; number++) {
      ids.push(await createBookable(database, { location_id, name: `Desk ${number}` }))
    }
    bookable_id = ids.pop() ?? 0
    const times = { from: hoursFromNow(-1), to: hoursFromNow(8) }
    for (const id of ids.slice(0, BOOKED_COUNT)) await createBooking(database, { bookable_id: id, ...times })
    gateway = await startGatewayProcess({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl })
    browser = await createSignedIn({ url: gateway.url, database })
    await browser.open(`/dashboard/map?location=${location_id}`)
  })
  after(() => gateway.kill('SIGTERM'))

  /** The CPU time per two seconds while `viewers` poll the map as the page's script does. */
  async function cpuMsOf(viewers: number, { changes }: { changes: boolean }): Promise<number> {
    const etags: string[] = []
    const look = async (viewer: number) => {
      const headers = { 'If-None-Match': etags[viewer] ?? '"none"' }
      const visit = await browser.open(`/dashboard/map?location=${location_id}&_part=map`, { headers })
      expect(visit.status).to.be.oneOf([200, 304])
      etags[viewer] = visit.headers.get('ETag') ?? ''
    }
    const lookAll = async () => {
      const endMs = Date.now() + POLL_INTERVAL_MS
      if (changes) await book()
      for (let viewer = 0; viewer < viewers; viewer++) {
        await Promise.all([look(viewer), sleep(POLL_INTERVAL_MS / viewers / 2)])
      }
      await sleep(endMs - Date.now())
    }
    await lookAll()
    const processes = [gateway.pid, await postgresPid()]
    const before = measureCpuUs(processes)
    for (let round = 0; round < ROUND_COUNT; round++) await lookAll()
    return (measureCpuUs(processes) - before) / ROUND_COUNT / 1_000
  }

  // Each new booking is earlier than the previous one, so that it is the next to begin and changes the map.
  let nextHour = 20
  async function book() {
    const from = hoursFromNow(nextHour--)
    const to = new Date(Date.parse(from) + 60_000).toISOString()
    await createBooking(world.database, { bookable_id, from, to })
  }

  async function postgresPid(): Promise<number> {
    const { rows } = await world.database.raw('SELECT pg_backend_pid() AS pid')
    return readParentPid(rows[0].pid)
  }

  it('use no more CPU than five viewers did before the gateway shared maps', async () => {
    const figures = {
      'five viewers without changes': await cpuMsOf(5, { changes: false }),
      'a hundred viewers without changes': await cpuMsOf(100, { changes: false }),
      'five viewers with changes': await cpuMsOf(5, { changes: true }),
      'a hundred viewers with changes': await cpuMsOf(100, { changes: true }),
    }
    for (const [who, ms] of Object.entries(figures))
      console.log(`      ${who}: ${ms.toFixed(0)} ms of CPU in two seconds`)
    expect(figures['a hundred viewers with changes']).to.be.lessThan(5 * CPU_MS_BEFORE_SHARING)
  })
})
