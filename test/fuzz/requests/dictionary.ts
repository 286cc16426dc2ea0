// The company that requests are about: its existing ids and names, so that a generated request can succeed.
import type { Knex } from 'knex'
import { ABILITIES, createToken } from '../../../shared/tokens/token-store.ts'
import { createDelivery, createWebhook } from '../../support/dashboard/webhook-examples.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createGroup,
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
  /** Those that were there at first; later ones have the next numbers. */
  bookings: number[]
  events: number[]
  jobs: string[]
  webhooks: Array<{ id: number; delivery_id: number }>
}

const USERS = 40
const DESKS = 20
const EVENTS = 10
const WEBHOOKS = 20
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
  return { token, readToken, ...company, ...times, jobs: await createJobs(client), webhooks }
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
  for (let desk = 0; desk < DESKS; desk++) await add(0, { tags: ['window'] })
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
  for (let number = 0; number < USERS; number++) {
    const email = `Person+${number}@Example.com`
    const deactivated_at = number % 10 === 9 ? new Date() : null
    const extension_attributes = JSON.stringify({ extensionAttribute1: 'Sales' })
    users.push(await createUser(database, { email, deactivated_at, extension_attributes }))
    emails.push(email)
  }
  for (const user_id of users.slice(0, 10))
    vehicles.push({ id: await createVehicle(database, { user_id }), user_id })
  for (let number = 0; number < 5; number++) await createGroup(database)
  return { users, emails, vehicles }
}

type Company = Pick<Dictionary, 'nowMs' | 'bookables' | 'users'>

async function createTimes(database: Knex, client: Client, { nowMs, bookables, users }: Company) {
  const bookings: number[] = []
  const events: number[] = []
  const startMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS
  const instantAt = (hour: number) => new Date(startMs + hour * HOUR_MS).toISOString()
  for (const [number, { id: bookable_id, type }] of bookables.entries()) {
    const user_id = users[number % USERS]
    for (const hour of [-50, -1, 2, 100]) {
      const between = { from: instantAt(hour), to: instantAt(hour + 1) }
      bookings.push(
        await createBooking(database, { ...between, bookable_id, user_id, exclusive: type !== 3 }),
      )
    }
  }
  for (let number = 0; number < EVENTS; number++) {
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
  for (let number = 0; number < WEBHOOKS; number++) {
    const id = await createWebhook(database)
    webhooks.push({ id, delivery_id: await createDelivery(database, id) })
  }
  return webhooks
}

/** Exports: done, with a file. */
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
