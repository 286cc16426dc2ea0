// Lists existing ids and names, and examples of valid requests. Generated requests use them, so that many requests
// succeed.
import type { Knex } from 'knex'
import { ABILITIES, createToken } from '../../../shared/tokens/token-store.ts'
import {
  type Campus,
  createCampus,
  REQUESTS_IN_BUILDINGS,
  REQUESTS_OUTSIDE_BUILDINGS,
} from '../../support/campus.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
  createVehicle,
} from '../../support/factories.ts'
import { Client } from '../../support/http/http.ts'
import { eventually } from '../../support/time.ts'

export type Bookable = { id: number; location_id: number; type: number }

export type Dictionary = {
  nowMs: number
  token: string
  readToken: string
  buildings: number[]
  locations: number[]
  bookables: Bookable[]
  users: number[]
  emails: string[]
  roomEmails: string[]
  vehicles: Array<{ id: number; user_id: number }>
  groups: number[]
  /** For each operation, such as `GET /users/{id}`, valid requests. */
  examples: Record<string, ExampleRequest[]>
}

/** The path contains the query. */
export type ExampleRequest = { path: string; body?: unknown }

const USER_COUNT = 40
const DESK_COUNT = 20
const CAMPUS_COUNT = 100
const SECRET_COUNT = 20
const HOUR_MS = 3_600_000

export async function createDictionary(database: Knex, url: string): Promise<Dictionary> {
  const { token } = await createToken(database, {
    name: 'fuzz',
    abilities: ABILITIES,
    createdBy: 'fuzz',
  })
  const { token: readToken } = await createToken(database, {
    name: 'fuzz reader',
    abilities: ['read'],
    createdBy: 'fuzz',
  })
  const places = await createPlaces(database)
  const people = await createPeople(database)
  const nowMs = Date.now()
  await createBookings(database, { nowMs, ...places, ...people })
  const campuses: Campus[] = []
  for (let number = 0; number < CAMPUS_COUNT; number++)
    campuses.push(await createCampus(database, `Campus${number}`))
  const examples = await createExamples(database, new Client(url, token), campuses)
  const groups = campuses.map(({ group }) => group)
  return { nowMs, token, readToken, ...places, ...people, groups, examples }
}

async function createPlaces(database: Knex) {
  const buildings = [
    await createBuilding(database, { timezone: 'Europe/Berlin' }),
    await createBuilding(database, { name: 'Ünïcode 😀 & <b>' }),
  ]
  const locations: number[] = []
  for (const building_id of [...buildings, ...buildings])
    locations.push(await createLocation(database, { building_id }))
  const bookables: Bookable[] = []
  const roomEmails: string[] = []
  const add = async (type: number, row: Record<string, unknown> = {}) => {
    const location_id = locations[bookables.length % locations.length] ?? 0
    bookables.push({ id: await createBookable(database, { location_id, type, ...row }), location_id, type })
  }
  for (let desk = 0; desk < DESK_COUNT; desk++) await add(0, { tags: ['window'] })
  for (const requires_vehicle of [true, true, false]) await add(1, { requires_vehicle })
  for (let room = 0; room < 5; room++) {
    roomEmails.push(`room${room}@rooms.example.com`)
    await add(2, { capacity: 8, integration_email: roomEmails[room] })
  }
  for (let home = 0; home < 3; home++) await add(3)
  await add(0, { status: 1 })
  await add(0, { status: 2 })
  return { buildings, locations, bookables, roomEmails }
}

async function createPeople(database: Knex) {
  const users: number[] = []
  const emails: string[] = []
  const vehicles: Dictionary['vehicles'] = []
  for (let number = 0; number < USER_COUNT; number++) {
    const email = `Person+${number}@Example.com`
    const deactivated_at = number % 10 === 9 ? new Date() : null
    const extension_attributes = JSON.stringify({ extensionAttribute1: 'Sales' })
    users.push(await createUser(database, { email, deactivated_at, extension_attributes }))
    emails.push(email)
  }
  for (const user_id of users.slice(0, 10))
    vehicles.push({ id: await createVehicle(database, { user_id }), user_id })
  return { users, emails, vehicles }
}

async function createBookings(
  database: Knex,
  { nowMs, bookables, users }: Pick<Dictionary, 'nowMs' | 'bookables' | 'users'>,
): Promise<void> {
  const startMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS
  const instantAt = (hour: number) => new Date(startMs + hour * HOUR_MS).toISOString()
  for (const [number, { id: bookable_id, type }] of bookables.entries()) {
    const user_id = users[number % USER_COUNT]
    for (const hour of [-50, -1, 2, 100]) {
      const between = { from: instantAt(hour), to: instantAt(hour + 1) }
      await createBooking(database, { ...between, bookable_id, user_id, exclusive: type !== 3 })
    }
  }
}

type CreateExample = (campus: Campus, client: Client) => ExampleRequest | Promise<ExampleRequest>

async function createExamples(
  database: Knex,
  client: Client,
  campuses: Campus[],
): Promise<Dictionary['examples']> {
  const jobs = await createJobs(client)
  const createEach = async (create: CreateExample, from = campuses) => {
    const requests: ExampleRequest[] = []
    for (const campus of from) requests.push(await create(campus, client))
    return requests
  }
  // Sends few requests itself, because a planted fault may concern every few hundredth request.
  const some = campuses.slice(0, SECRET_COUNT)
  const examples: Dictionary['examples'] = {
    'GET /jobs/{id}': jobs.map((id) => ({ path: `jobs/${id}` })),
    'GET /jobs/{id}/file': jobs.map((id) => ({ path: `jobs/${id}/file` })),
    'DELETE /buildings/{id}': await createEach(async () => ({
      path: `buildings/${await createBuilding(database)}`,
    })),
    'GET /bookings/{id}/livemap.svg': await createEach(getSignedLivemap, some),
    'GET /calendars/{secret}.ics': await createEach(createSecretCalendar, some),
  }
  const requests = Object.entries<CreateExample>({ ...REQUESTS_OUTSIDE_BUILDINGS, ...REQUESTS_IN_BUILDINGS })
  for (const [operation, create] of requests) examples[operation] ??= await createEach(create)
  return examples
}

const getSignedLivemap: CreateExample = async ({ booking }, client) => {
  const { json } = await client.get(`bookings/${booking}`)
  return { path: stripBase(json.data.livemap_url, client) }
}

const createSecretCalendar: CreateExample = async ({ desk }, client) => {
  const { json } = await client.post('calendars', { bookable_id: desk })
  return { path: stripBase(json.data.url, client) }
}

const stripBase = (address: string, { url }: Client) => address.slice(`${url}/api/v1/`.length)

/** Creates finished exports with a file. */
async function createJobs(client: Client): Promise<string[]> {
  const jobs: string[] = []
  for (const format of ['csv', 'xlsx']) {
    const { status, headers } = await client.get(`users/export?format=${format}`, { Prefer: 'respond-async' })
    const { pathname } = new URL(headers.get('Location') ?? '', client.url)
    if (status !== 202) throw new Error(`The export was answered with ${status}`)
    await eventually(async () => {
      const { json } = await client.get(pathname)
      if (json.data.state !== 'done') throw new Error(`Still ${json.data.state}`)
    })
    jobs.push(pathname.split('/').at(-1) ?? '')
  }
  return jobs
}
