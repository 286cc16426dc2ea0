// A room with a calendar in the database, and the entries of its calendar, for tests of writing.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import type { Message } from '../../../../shared/messages/message.ts'
import type { SeenEntry, WrittenEntry } from '../../../../shared/room-calendars/room-calendars.ts'
import type { CalendarLink } from '../../../../workers/calendars/calendar-link.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
} from '../../../support/factories.ts'
import { ZONE } from '../provider-worlds.ts'

/** The current time in these tests. */
export const NOW_MS = Date.parse('2030-11-20T08:00:00Z')
export const at = (time: string) => `2030-11-${time}:00.000000Z`
/** The times of an entry, such as `20T09:00 20T10:00`. */
const toSpan = (times: string) => times.split(' ').map(at) as [string, string]

export type TestRoom = { bookableId: number; locationId: number; link: CalendarLink }
type RoomOptions = {
  provider?: CalendarLink['provider']
  calendarId?: string
  names?: CalendarLink['names']
  zone?: string
  name?: string
}

export async function createRoom(
  database: Knex,
  {
    provider = 'google',
    calendarId = randomUUID(),
    names = 'full',
    zone = ZONE,
    name = 'Aquarium',
  }: RoomOptions = {},
): Promise<TestRoom> {
  const building_id = await createBuilding(database, { timezone: zone })
  const location_id = await createLocation(database, { building_id })
  const bookableId = await createBookable(database, { location_id, type: 2, name })
  const lease = randomUUID()
  await database('room_calendars').insert({
    bookable_id: bookableId,
    provider,
    calendar: calendarId,
    names,
    is_complete: true,
    lease,
    leased_until: '2100-01-01T00:00:00Z',
  })
  const link: CalendarLink = {
    bookableId,
    provider,
    calendar: { id: calendarId, zone },
    names,
    position: null,
    period: null,
    reading: 0,
    isComplete: true,
    isNew: false,
    isReadDue: false,
    isWriteDue: true,
    isWatchDue: true,
    isEnding: false,
    isClearing: false,
    readZone: zone,
    watch: null,
    watchSecret: null,
    watchEndsAt: null,
    formerWatches: [],
    lease,
    mustEnd: () => false,
  }
  return { bookableId, locationId: location_id, link }
}

type Row = Record<string, unknown>

export function addBooking(database: Knex, { bookableId }: TestRoom, times: string, row: Row = {}) {
  const [from, to = null] = times.endsWith(' ') ? [at(times.trim()), null] : toSpan(times)
  return createBooking(database, { bookable_id: bookableId, from, to, ...row })
}

/** Creates an event that holds the room. Returns its id. */
export async function addEvent(database: Knex, room: TestRoom, times: string, row: Row = {}) {
  const [from, to] = toSpan(times)
  const id = await createEvent(database, { name: 'Planning', from, to, ...row })
  await addBooking(database, room, times, { event_id: id })
  return id
}

/** Gives an event and its room other times. */
export async function moveEvent(database: Knex, eventId: number, times: string) {
  const during = database.raw('tstzrange(?, ?)', toSpan(times))
  await database('events').where({ id: eventId }).update({ during, updated_at: database.fn.now() })
  await database('bookings').where({ event_id: eventId }).update({ during, updated_at: database.fn.now() })
}

export const createSeen = (times: string, changes: Partial<SeenEntry> = {}): SeenEntry => {
  const [from, to] = toSpan(times)
  return {
    from,
    to,
    isFree: false,
    isCancelled: false,
    isDeclined: false,
    isPrivate: false,
    isGone: false,
    title: '',
    organizer: null,
    attendees: [],
    isOwn: false,
    digest: 'digest',
    ...changes,
  }
}

type EntryOptions = Omit<Row, 'seen' | 'base' | 'conflict'> & {
  times?: string
  seen?: Partial<SeenEntry>
  base?: Partial<WrittenEntry> | null
  conflict?: { message: Message; free_rooms: Array<{ id: number; name: string }> }
}

/** Creates the row of an entry. Without a key, the entry comes from outside. Returns the id of the row. */
export async function addEntry(
  database: Knex,
  { bookableId }: TestRoom,
  { times = '20T09:00 20T10:00', seen, base, conflict, ...row }: EntryOptions,
): Promise<number> {
  const json = (value: unknown) => (value ? JSON.stringify(value) : null)
  const [{ id } = { id: 0 }] = await database('calendar_entries')
    .insert({
      bookable_id: bookableId,
      entry_id: randomUUID(),
      version: '"1"',
      during: database.raw('tstzrange(?, ?)', toSpan(times)),
      seen: json(createSeen(times, seen)),
      base: json(base),
      conflict: json(conflict),
      ...row,
    })
    .returning<Array<{ id: number }>>('id')
  return id
}
