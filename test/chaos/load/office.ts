// The bookables for which the clients of a run compete, and their initial owners.
import type { Knex } from 'knex'
import { ABILITIES, createToken } from '../../../shared/tokens/token-store.ts'
import { createAdminWithFastHash } from '../../support/dashboard/administrators.ts'
import { PASSWORD } from '../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createGroup,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../support/factories.ts'
import { createScreen } from '../../support/screens/screens.ts'
import { determineVerdict, findDecisiveTry, type Write } from '../history.ts'

export type Office = {
  location_id: number
  user_id: number
  /** The user who attends every meeting. */
  colleague: number
  /** One desk for each client, which nobody else books. */
  desks: number[]
  /** Rooms whose slots several clients want, and whose bookings are never cancelled. */
  rooms: number[]
  /** Rooms for events. Several clients hold them, move the events away, and move them back. */
  halls: number[]
  /** A desk to which all clients move bookings, and on which they move them. */
  shifting: number
  /** Desks that all clients block and unblock. */
  states: number[]
  tokens: string[]
  /** A home office, which several people may book at a time. Bookings without a check-in end soon. */
  home: number
  /** A desk whose bookings need approval. */
  guarded: number
  /** A meeting room that needs approval. */
  guardedRoom: number
  /** A floor with too few desks for the people who wait there. */
  floor: number
  scarce: number[]
  waiting: number[]
  /** Requests that clients have sent; several may decide the same one. */
  requests: number[]
  /** For each clerk, a counter with desks that nobody else books. */
  counters: ClerkDesks[]
  /** Rooms with a screen at the door, which all clerks use. */
  doors: Array<{ room: number; path: string }>
  hostEmail: string
  /** What clerks have done to their bookings, for check/ledger.ts. */
  ledger: LedgerStep[]
  /** A floor where only people who plan their weeks book. */
  weekFloor: number
  /** For each planner, people with a desk of their own. Each is planned by one planner. */
  plans: Plan[][]
  /** The desks of all these people. */
  owned: number[]
  /** Days on which these desks were lent lately, some of them not any more. */
  lent: LentDay[]
  /** The series of planners, for check/weeks.ts. */
  series: PlannedSeries[]
  /** The start of the slots: a full hour in the future. */
  startMs: number
}

export type ClerkDesks = { email: string; desks: number[] }
/** `desk` is the first desk of the booking; the bookings of a group have the same time. */
export type LedgerBooking = { id: number; desk: number; group: string }
/** Undoing a swap exchanges the desks again. */
export type LedgerStep = { kind: 'book' | 'remove' | 'swap'; write: Write; bookings: LedgerBooking[] }

/** A person who plans weeks, with their own desk, a room for their meetings, and the group that they lead. */
export type Plan = { person: number; desk: number; hall: number; group: number }
export type LentDay = { desk: number; date: string }
export type PlannedSeries = {
  /** The write that creates the series. */
  created: Write
  rows: 'bookings' | 'events'
  /** When the bookings or events begin, in milliseconds, at first and after each change. */
  firstTimes: number[]
  steps: Array<{ write: Write; times: number[] }>
}

/** Returns the id of a series, or undefined while it is unknown whether it exists. */
export function findSeriesId({ created }: PlannedSeries): number | undefined {
  return determineVerdict(created) === 'done' ? Number(findDecisiveTry(created)?.id) : undefined
}

/** Returns when the bookings or events of a series begin after its changes. */
export const findTimes = ({ firstTimes, steps }: PlannedSeries): number[] =>
  steps.findLast(({ write }) => determineVerdict(write) === 'done')?.times ?? firstTimes

export const SHARED_EMAIL = 'shared@chaos.example'
const HOST_EMAIL = 'host@office.example'
const HOUR_MS = 3_600_000
const SCARCE_DESK_COUNT = 3
const DOOR_COUNT = 2
// A person is not planned any more after a write whose outcome is unknown.
const PEOPLE_PER_PLANNER = 12
// The number of desks that a clerk books together.
const DESKS_PER_COUNTER = 6
// The check-in time is shorter than the API allows, so that late writes miss the deadline.
const CHECK_IN_RULE = { opens_minutes_before: 5, release_minutes_after: 0.02 }

type Crowd = { clients: number; waiters: number; clerks?: number; planners?: number }

export async function createOffice(
  database: Knex,
  { clients, waiters, clerks = 0, planners = 0 }: Crowd,
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
  const [home = 0] = await several(1, { type: 3, rules: JSON.stringify({ check_in: CHECK_IN_RULE }) })
  const approvers = { user_ids: [await createUser(database)] }
  const [guarded = 0] = await several(1, { type: 0, rules: JSON.stringify({ approvers }) })
  const [guardedRoom = 0] = await several(1, { type: 2, rules: JSON.stringify({ approvers }) })
  const weekFloor = await createLocation(database)
  await createBookable(database, { location_id: weekFloor, type: 3 })
  await createSeveral(planners, () => createBookable(database, { location_id: weekFloor, type: 0 }))
  const plans = await createPlans(database, planners, weekFloor)
  const host = await createUser(database, { name: 'Hanna Host', email: HOST_EMAIL })
  return {
    counters: await createCounters(database, clerks, () => several(DESKS_PER_COUNTER, { type: 0 })),
    doors: await createDoors(database, location_id, host),
    hostEmail: HOST_EMAIL,
    ledger: [],
    weekFloor,
    plans,
    owned: plans.flat().map(({ desk }) => desk),
    lent: [],
    series: [],
    location_id,
    guarded,
    guardedRoom,
    requests: [],
    floor,
    scarce: await several(SCARCE_DESK_COUNT, { type: 0, location_id: floor }),
    waiting: await createSeveral(waiters, () => createUser(database)),
    user_id: await createUser(database),
    colleague: await createUser(database),
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
  const counters: ClerkDesks[] = []
  for (let index = 0; index < count; index++) {
    const email = `clerk-${index}@office.example`
    await createAdminWithFastHash(database, { email, password: PASSWORD })
    counters.push({ email, desks: await createDesks() })
  }
  return counters
}

async function createPlans(database: Knex, planners: number, location_id: number): Promise<Plan[][]> {
  const plans: Plan[][] = []
  for (let planner = 0; planner < planners; planner++) {
    const own: Plan[] = []
    while (own.length < PEOPLE_PER_PLANNER) {
      const person = await createUser(database)
      const desk = await createBookable(database, { location_id, type: 0, status: 2 })
      await database('bookable_assignees').insert({ bookable_id: desk, user_id: person })
      const hall = await createBookable(database, { location_id, type: 2 })
      const group = await createGroup(database)
      await database('group_members').insert({ group_id: group, user_id: person })
      own.push({ person, desk, hall, group })
    }
    plans.push(own)
  }
  return plans
}

async function createDoors(database: Knex, location_id: number, booking_user_id: number) {
  const doors: Office['doors'] = []
  for (let index = 0; index < DOOR_COUNT; index++) {
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

/** Returns the slot with the given number. */
export function getSlot({ startMs }: Office, number: number, hours = 1) {
  const at = (hour: number) => new Date(startMs + hour * HOUR_MS).toISOString()
  return { from_time: at(number), to_time: at(number + hours) }
}
