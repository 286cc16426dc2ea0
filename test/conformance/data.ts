// What the checks need of the server: somebody who books, and things to book. Only what is there is used; what a check
// creates it takes away.
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
export type Found = {
  user: { id: number; email: string; name: string }
  building_id: number
  location_id: number
  /** Flexible. */
  desk: Bookable
  room: Bookable | undefined
  /** All of them in the building: one may be taken now. */
  rooms: Bookable[]
  parkingSpot: Bookable | undefined
}

/** `rule`: the part of the interface, and its sentence. */
export type Check = { name: string; rule: string; run(session: Session, found: Found): Promise<void> }

const [FLEXIBLE, DESK, PARKING, ROOM] = [0, 0, 1, 2]

export async function findData(session: Session): Promise<Found> {
  const buildings = items(await session.read('buildings', data(listOf(building))))
  for (const each of buildings) {
    const locations = at(each, 'locations')
    const bookables: Bookable[] = []
    for (const location of Array.isArray(locations) ? locations : []) {
      const location_id = numberOf(at(location, 'id'))
      const listed = await session.read(`locations/${location_id}/bookables`, data(listOf(taggedBookable)))
      bookables.push(...items(listed).map((bookable) => toBookable(bookable, location_id)))
    }
    const flexible = (type: number) => bookables.filter((one) => one.type === type && one.status === FLEXIBLE)
    const [desk] = flexible(DESK)
    if (!desk) continue
    const rooms = flexible(ROOM)
    return {
      user: await findUser(session),
      building_id: numberOf(at(each, 'id')),
      location_id: desk.location_id,
      desk,
      room: rooms[0],
      rooms,
      parkingSpot: flexible(PARKING)[0],
    }
  }
  throw new Error('The server has no flexible desk: there is nothing to check bookings with.')
}

/** The first of the export. */
async function findUser(session: Session): Promise<Found['user']> {
  const { text } = await session.ask('GET users/export?format=csv')
  const email = /[^\s,;"']+@[^\s,;"']+/.exec(text)?.[0]
  if (!email) throw new Error('The server’s export has no user.')
  const found = await session.read(`users/by-email/${encodeURIComponent(email)}`, data(user))
  const textAt = (name: string) => String(at(found, 'data', name))
  return { id: numberOf(at(found, 'data', 'id')), email: textAt('email'), name: textAt('name') }
}

function toBookable(json: Json, location_id: number): Bookable {
  const tags = at(json, 'tags')
  return {
    id: numberOf(at(json, 'id')),
    name: String(at(json, 'name')),
    type: numberOf(at(json, 'type')),
    status: numberOf(at(json, 'status')),
    tags: Array.isArray(tags) ? tags.map(String) : [],
    location_id,
  }
}

export const numberOf = (value: Json | undefined) => Number(value)

const HOUR_MS = 3_600_000

const minute = () => Math.floor(Date.now() / 60_000) * 60_000

/** So many hours from now: whole minutes, far from what people book. */
export const hours = (number: number, now = minute()) => new Date(now + number * HOUR_MS).toISOString()

/** Such hours, all from the same minute: a minute that begins between two of them would part them. */
export const stoppedClock = () => {
  const now = minute()
  return (number: number) => hours(number, now)
}

/** Half a year ahead, in each run at another time: one that was interrupted may have left something. */
export const FAR_HOURS = 24 * (150 + Math.floor(Math.random() * 60))

/** A minute that begins meanwhile would make it longer. */
export const range = (from: number, to: number) => {
  const now = minute()
  return new URLSearchParams({ from: hours(from, now), to: hours(to, now) }).toString()
}
