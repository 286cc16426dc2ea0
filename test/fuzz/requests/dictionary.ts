// Lists existing ids and names. Generated requests use them, so that some requests succeed.
import type { Knex } from 'knex'
import { ABILITIES, createToken } from '../../../shared/tokens/token-store.ts'
import { createDelivery, createWebhook } from '../../support/dashboard/webhook-examples.ts'
import {
  createAbsence,
  createBookable,
  createBooking,
  createBuilding,
  createGroup,
  createLoan,
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
  absences: Array<{ id: number; user_id: number }>
  loans: Array<{ id: number; bookable_id: number }>
  teamDays: Array<{ id: number; group_id: number }>
  /** The bookings that existed at the beginning; later ones have the next ids. */
  bookings: number[]
  events: number[]
  jobs: string[]
  webhooks: Array<{ id: number; delivery_id: number }>
}

const USER_COUNT = 40
const DESK_COUNT = 20
const EVENT_COUNT = 10
const WEBHOOK_COUNT = 20
// Of each kind: absences, loans and team days.
const PLAN_COUNT = 10
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
  const client = new Client(url, token)
  const company = { nowMs: Date.now(), ...places, ...people }
  const times = await createTimes(database, client, company)
  const webhooks = await createWebhooks(database)
  const plans = await createPlans(database, company)
  return { token, readToken, ...company, ...times, ...plans, jobs: await createJobs(client), webhooks }
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
  const groups: number[] = []
  for (let number = 0; number < 5; number++) groups.push(await createGroup(database))
  return { users, emails, vehicles, groups }
}

/** Creates absences, loans and team days, all in the year after next. */
async function createPlans(
  database: Knex,
  { users, groups, nowMs }: Pick<Dictionary, 'users' | 'groups' | 'nowMs'>,
) {
  const year = new Date(nowMs).getUTCFullYear() + 2
  const days = `[${year}-01-01,${year}-01-03)`
  const plans: Pick<Dictionary, 'absences' | 'loans' | 'teamDays'> = { absences: [], loans: [], teamDays: [] }
  for (let number = 0; number < PLAN_COUNT; number++) {
    const user_id = users[number] ?? 0
    plans.absences.push({ id: await createAbsence(database, { user_id, days }), user_id })
    const bookable_id = await createBookable(database)
    plans.loans.push({ id: await createLoan(database, { bookable_id, user_id, days }), bookable_id })
    // Everybody owns the desk, so that everybody can lend it.
    const assignees = users.map((each) => ({ bookable_id, user_id: each }))
    await database('bookable_assignees').insert(assignees).onConflict().ignore()
    const group_id = groups[number % groups.length] ?? 0
    const date = `${year}-01-${10 + number}`
    const [{ id }] = await database('team_days').insert({ group_id, date }).returning('id')
    plans.teamDays.push({ id: Number(id), group_id })
  }
  return plans
}

type Company = Pick<Dictionary, 'nowMs' | 'bookables' | 'users'>

async function createTimes(database: Knex, client: Client, { nowMs, bookables, users }: Company) {
  const bookings: number[] = []
  const events: number[] = []
  const startMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS
  const instantAt = (hour: number) => new Date(startMs + hour * HOUR_MS).toISOString()
  for (const [number, { id: bookable_id, type }] of bookables.entries()) {
    const user_id = users[number % USER_COUNT]
    for (const hour of [-50, -1, 2, 100]) {
      const between = { from: instantAt(hour), to: instantAt(hour + 1) }
      bookings.push(
        await createBooking(database, { ...between, bookable_id, user_id, exclusive: type !== 3 }),
      )
    }
  }
  for (let number = 0; number < EVENT_COUNT; number++) {
    const between = { from_time: instantAt(number * 5 - 10), to_time: instantAt(number * 5 - 9) }
    const body = { name: `Event ${number}`, organizer_user_id: users[number % 5], ...between }
    const { status, json, text } = await client.post('events', body)
    if (status !== 200) throw new Error(`The event was answered with ${status}: ${text}`)
    events.push(json.data.id)
  }
  return { bookings, events }
}

async function createWebhooks(database: Knex) {
  const webhooks: Dictionary['webhooks'] = []
  for (let number = 0; number < WEBHOOK_COUNT; number++) {
    const id = await createWebhook(database)
    webhooks.push({ id, delivery_id: await createDelivery(database, id) })
  }
  return webhooks
}

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
