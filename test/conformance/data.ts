// The data on the server that the checks need: a user and bookables. Checks use only existing data, and delete what
// they create.
import { building, taggedBookable, user } from './resources.ts'
import type { Session } from './session.ts'
import { at, data, items, type Json, listOf } from './shapes.ts'

export type Bookable = {
  id: number
  name: string
  type: number
  status: number
  tags: string[]
  location_id: number
}
export type TestData = {
  user: { id: number; email: string; name: string }
  building_id: number
  location_id: number
  /** A flexible desk for the bookings of the checks. */
  desk: Bookable
  room: Bookable | undefined
  /** Several rooms of the building, because one of them may be in use now. */
  rooms: Bookable[]
  parkingSpot: Bookable | undefined
}

/** A check. `rule` names the part of the interface and quotes its sentence. */
export type Check = { name: string; rule: string; run(session: Session, found: TestData): Promise<void> }

const [FLEXIBLE, DESK, PARKING, ROOM] = [0, 0, 1, 2]

export async function findData(session: Session): Promise<TestData> {
  const buildings = items(await session.read('buildings', data(listOf(building))))
  for (const each of buildings) {
    const locations = at(each, 'locations')
    const bookables: Bookable[] = []
    for (const location of Array.isArray(locations) ? locations : []) {
      const location_id = toNumber(at(location, 'id'))
      const listed = await session.read(`locations/${location_id}/bookables`, data(listOf(taggedBookable)))
      bookables.push(...items(listed).map((bookable) => toBookable(bookable, location_id)))
    }
    const flexible = (type: number) => bookables.filter((one) => one.type === type && one.status === FLEXIBLE)
    const [desk] = flexible(DESK)
    if (!desk) continue
    const rooms = flexible(ROOM)
    return {
      user: await findUser(session),
      building_id: toNumber(at(each, 'id')),
      location_id: desk.location_id,
      desk,
      room: rooms[0],
      rooms,
      parkingSpot: flexible(PARKING)[0],
    }
  }
  throw new Error('The server has no flexible desk: there is nothing to check bookings with.')
}

/** Returns the first user in the user export. */
async function findUser(session: Session): Promise<TestData['user']> {
  const { text } = await session.ask('GET users/export?format=csv')
  const email = /[^\s,;"']+@[^\s,;"']+/.exec(text)?.[0]
  if (!email) throw new Error('The server’s export has no user.')
  const found = await session.read(`users/by-email/${encodeURIComponent(email)}`, data(user))
  const textAt = (name: string) => String(at(found, 'data', name))
  return { id: toNumber(at(found, 'data', 'id')), email: textAt('email'), name: textAt('name') }
}

function toBookable(json: Json, location_id: number): Bookable {
  const tags = at(json, 'tags')
  return {
    id: toNumber(at(json, 'id')),
    name: String(at(json, 'name')),
    type: toNumber(at(json, 'type')),
    status: toNumber(at(json, 'status')),
    tags: Array.isArray(tags) ? tags.map(String) : [],
    location_id,
  }
}

export const toNumber = (value: Json | undefined) => Number(value)

const HOUR_MS = 3_600_000

const minute = () => Math.floor(Date.now() / 60_000) * 60_000

/** Returns the time the given number of hours from now, in whole minutes. */
export const hours = (number: number, now = minute()) => new Date(now + number * HOUR_MS).toISOString()

/** Returns a function like `hours` that always counts from the same minute, because a new minute could begin
 * between two calls. / */
export const createFixedClock = () => {
  const now = minute()
  return (number: number) => hours(number, now)
}

/**
 * About half a year ahead, when bookings are rare. Differs in each run, because an interrupted run may have left
 * bookings.
 */
export const DISTANT_SLOT_HOURS = 24 * (150 + Math.floor(Math.random() * 60))

/** Counts both times from the same minute; otherwise the range could become a minute longer. */
export const range = (from: number, to: number) => {
  const now = minute()
  return new URLSearchParams({ from: hours(from, now), to: hours(to, now) }).toString()
}
