// The bookables that the clients of a run compete for, and their owners at the start.
import type { Knex } from 'knex'
import { ABILITIES, createToken } from '../../../shared/tokens/token-store.ts'
import { createCheapAdmin } from '../../support/dashboard/administrators.ts'
import { PASSWORD } from '../../support/dashboard/dashboard.ts'
import { createBookable, createLocation, createUser, hoursFromNow } from '../../support/factories.ts'
import { createScreen } from '../../support/screens/screens.ts'
import type { Write } from '../history.ts'

export type Office = {
  location_id: number
  user_id: number
  /** A desk for each client, which nobody else books. */
  desks: number[]
  /** Rooms of which each slot is wanted by several, and given up by nobody. */
  rooms: number[]
  /** Rooms of events that are held by several, moved, and moved back. */
  halls: number[]
  /** A desk on which all clients move their bookings about. */
  shifting: number
  /** Desks that all clients block and free. */
  states: number[]
  tokens: string[]
  /** A home office: anybody may have it beside others, and loses it soon who does not check in. */
  home: number
  /** A desk where bookings need approval. */
  guarded: number
  /** A floor with too few desks for those who wait there. */
  floor: number
  scarce: number[]
  waiting: number[]
  /** Requests that clients have sent; several may decide the same one. */
  requests: number[]
  /** A counter for each clerk, with desks that nobody else books. */
  counters: Counter[]
  /** Rooms with a screen at the door, where all clerks press. */
  doors: Array<{ room: number; path: string }>
  hostEmail: string
  /** What clerks have done to their bookings. */
  ledger: Step[]
  /** Some time from now, on the hour. */
  startMs: number
}

export type Counter = { email: string; desks: number[] }
/** `desk` is the first desk of the booking; the bookings of a group have the same time. */
export type Booked = { id: number; desk: number; group: string }
/** Undoing a swap swaps the desks again. */
export type Step = { kind: 'book' | 'remove' | 'swap'; write: Write; bookings: Booked[] }

export const SHARED_EMAIL = 'shared@chaos.example'
const HOST_EMAIL = 'host@office.example'
const HOUR_MS = 3_600_000
const SCARCE = 3
const DOORS = 2
// The number of desks that a clerk books at once.
const COUNTER_DESKS = 6
// No API sets a rule of so little time; a late write is later than it.
const CHECK_IN = { opens_minutes_before: 5, release_minutes_after: 0.02 }

export async function createOffice(
  database: Knex,
  { clients, waiters, clerks = 0 }: { clients: number; waiters: number; clerks?: number },
): Promise<Office> {
  const location_id = await createLocation(database)
  const floor = await createLocation(database)
  const several = (count: number, row: object) =>
    createSeveral(count, () => createBookable(database, { location_id, ...row }))
  const tokens: string[] = []
  for (const name of ['one', 'two']) {
    const { token } = await createToken(database, { name, abilities: ABILITIES, createdBy: 'chaos' })
    tokens.push(token)
  }
  await createUser(database, { name: 'Shared', email: SHARED_EMAIL })
  const [shifting = 0] = await several(1, { type: 0 })
  const [home = 0] = await several(1, { type: 3, rules: JSON.stringify({ check_in: CHECK_IN }) })
  const approvers = { user_ids: [await createUser(database)] }
  const [guarded = 0] = await several(1, { type: 0, rules: JSON.stringify({ approvers }) })
  const host = await createUser(database, { name: 'Hanna Host', email: HOST_EMAIL })
  return {
    counters: await createCounters(database, clerks, () => several(COUNTER_DESKS, { type: 0 })),
    doors: await createDoors(database, location_id, host),
    hostEmail: HOST_EMAIL,
    ledger: [],
    location_id,
    guarded,
    requests: [],
    floor,
    scarce: await several(SCARCE, { type: 0, location_id: floor }),
    waiting: await createSeveral(waiters, () => createUser(database)),
    user_id: await createUser(database),
    desks: await several(clients, { type: 0 }),
    rooms: await several(3, { type: 2 }),
    halls: await several(3, { type: 2 }),
    shifting,
    states: await several(4, { type: 0 }),
    tokens,
    home,
    startMs: Date.parse(hoursFromNow(48)),
  }
}

async function createCounters(database: Knex, count: number, createDesks: () => Promise<number[]>) {
  const counters: Counter[] = []
  for (let index = 0; index < count; index++) {
    const email = `clerk-${index}@office.example`
    await createCheapAdmin(database, { email, password: PASSWORD })
    counters.push({ email, desks: await createDesks() })
  }
  return counters
}

async function createDoors(database: Knex, location_id: number, booking_user_id: number) {
  const doors: Office['doors'] = []
  for (let index = 0; index < DOORS; index++) {
    const room = await createBookable(database, { location_id, type: 2 })
    const { path } = await createScreen(database, { bookable_id: room, booking_user_id })
    doors.push({ room, path })
  }
  return doors
}

async function createSeveral(count: number, create: () => Promise<number>): Promise<number[]> {
  const ids: number[] = []
  while (ids.length < count) ids.push(await create())
  return ids
}

/** The hour of this number. */
export function slotOf({ startMs }: Office, number: number, hours = 1) {
  const at = (hour: number) => new Date(startMs + hour * HOUR_MS).toISOString()
  return { from_time: at(number), to_time: at(number + hours) }
}
