// Measures the engine of room calendars as an operator runs it: how long it takes to link many rooms whose calendars have a year
// of meetings, and what it costs while nothing happens. ROOMS, ENTRIES and REST_SECONDS set the size.
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { GraphServer } from '../support/calendars/graph-server.ts'
import { startFaultProxy } from '../support/calendars/http.ts'
import { createBookable, createLocation, createUser } from '../support/factories.ts'
import { startLine, startWorkerProcess } from '../support/processes.ts'
import { eventually } from '../support/time.ts'
import { useWorld } from '../support/world.ts'

const [ROOMS, ENTRIES, REST_SECONDS] = (
  [
    ['ROOMS', 500],
    ['ENTRIES', 200],
    ['REST_SECONDS', 330],
  ] as const
).map(([name, usual]) => Number(process.env[name] ?? usual)) as [number, number, number]
const USERS = 50
const DAY_MS = 24 * 3_600_000
const LINK_MS_MAX = 3 * 3_600_000
/** The goal of issue 42 for 500 rooms. */
const REQUESTS_PER_SECOND_MAX = 2
const HOOKS_MIB_MAX = 200

const toGraphTime = (ms: number) => ({
  dateTime: `${new Date(ms).toISOString().slice(0, 19)}.0000000`,
  timeZone: 'UTC',
})

/** The memory of a process now and at most, in MiB. */
function readMemory(pid: number) {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1]) / 1_024)
  return { now: read('VmRSS'), peak: read('VmHWM') }
}

describe(`${ROOMS} rooms with calendars`, function suite() {
  this.timeout(2 * LINK_MS_MAX)
  const world = useWorld({ workers: [] })

  it('are linked, and then cost at most two requests a second', async () => {
    const server = await new GraphServer().start()
    server.entriesPerPage = 50
    server.roomsPerPage = 100
    const proxy = await startFaultProxy(server.url)
    const emails = Array.from({ length: USERS }, (_each, index) => `person${index}@corp.test`)
    for (const email of emails) await createUser(world.database, { email })
    await addRooms(server, emails)
    const environment = {
      DATABASE_URL: world.databaseUrl,
      REDIS_URL: world.redisUrl,
      CALENDARS_MICROSOFT_TENANT: 'tenant',
      CALENDARS_MICROSOFT_CLIENT_ID: 'client',
      CALENDARS_MICROSOFT_CLIENT_SECRET: server.secret,
      CALENDARS_MICROSOFT_GRAPH_URL: proxy.url,
      CALENDARS_MICROSOFT_LOGIN_URL: proxy.url,
      CALENDARS_ALLOW_PRIVATE: '127.0.0.1',
    }
    await startWorkerProcess(environment)
    const hooks = startLine('exec node dist/workers/hooks/main.js', environment, process.cwd())
    const startedMs = performance.now()
    const [readMs, linkedMs] = await Promise.all([
      waitUntilNone('NOT is_complete'),
      waitUntilNone('in_step_at IS NULL'),
    ])
    const seconds = (ms: number) => Math.round((ms - startedMs) / 1_000)
    const linking = {
      read: `${seconds(readMs)} s`,
      inStep: `${seconds(linkedMs)} s`,
      requests: proxy.requests.length,
      hooksMiB: readMemory(hooks.pid),
    }
    const conflicts = await count('calendar_entries', 'conflict IS NOT NULL')
    const events = await count('events', 'true')
    proxy.requests.length = 0
    await wait(REST_SECONDS * 1_000)
    const atRest = {
      requestsPerSecond: proxy.requests.length / REST_SECONDS,
      hooksMiB: readMemory(hooks.pid),
      outOfStep: await count('room_calendars', "in_step_at < now() - interval '10 minutes'"),
    }
    console.log(JSON.stringify({ linking, events, conflicts, atRest }, null, 2))
    expect({ events, conflicts }).to.deep.equal({ events: ROOMS * ENTRIES, conflicts: 0 })
    expect(atRest.outOfStep).to.equal(0)
    expect(atRest.requestsPerSecond).to.be.at.most(REQUESTS_PER_SECOND_MAX)
    expect(linking.hooksMiB.peak).to.be.at.most(HOOKS_MIB_MAX)
    hooks.kill('SIGTERM')
    await hooks.ended
    await proxy.close()
    await server.close()
  })

  async function addRooms(server: GraphServer, emails: string[]) {
    const location_id = await createLocation(world.database)
    const midday = Math.floor(Date.now() / DAY_MS + 1) * DAY_MS + 12 * 3_600_000
    for (let room = 0; room < ROOMS; room++) {
      const calendar = `room${room}@rooms.test`
      server.addRoom(calendar, `Room ${room}`, 8)
      for (let entry = 0; entry < ENTRIES; entry++) {
        const start = midday + Math.floor((entry * 360 * 24) / ENTRIES) * 3_600_000
        const organizer = emails[(room + entry) % emails.length] ?? ''
        server.addEvent(calendar, {
          subject: `Meeting ${entry}`,
          start: toGraphTime(start),
          end: toGraphTime(start + 3_600_000),
          organizer: { emailAddress: { address: organizer, name: organizer } },
          attendees: ['ada', 'bob'].map((name) => ({
            emailAddress: { address: `${name}@partner.test`, name },
            type: 'required',
            status: { response: 'accepted' },
          })),
        })
      }
      const bookable_id = await createBookable(world.database, { location_id, type: 1 })
      await world.database('room_calendars').insert({ bookable_id, provider: 'microsoft', calendar })
    }
  }

  /** Waits until the condition holds for no calendar, and returns when that was. */
  async function waitUntilNone(condition: string): Promise<number> {
    await eventually(async () => expect(await count('room_calendars', condition)).to.equal(0), LINK_MS_MAX)
    return performance.now()
  }

  const count = async (table: string, condition: string): Promise<number> =>
    (await world.database.raw(`SELECT count(*)::int AS number FROM ${table} WHERE ${condition}`)).rows[0]
      .number
})
