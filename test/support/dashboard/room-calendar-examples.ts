// Examples of calendars of rooms, for tests that visit all pages and for screenshots.
import type { Knex } from 'knex'
import { normalizeCalendar } from '../../../shared/room-calendars/calendar-spellings.ts'
import type { CalendarProviderName } from '../../../shared/room-calendars/room-calendars.ts'
import { createBookable, createCalendarProvider, createRoomCalendar } from '../factories.ts'

let counter = 0

/** Lists a room of a provider. */
export async function createProviderRoom(
  database: Knex,
  room: {
    provider?: CalendarProviderName
    calendar: string
    name: string
    address?: string
    capacity?: number
  },
): Promise<void> {
  const { provider = 'microsoft' } = room
  const calendar = normalizeCalendar(provider, room.calendar) ?? room.calendar
  const row = { address: room.calendar, ...room, provider, calendar }
  await createCalendarProvider(database, row.provider)
  await database('calendar_providers')
    .where({ provider: row.provider })
    .update({ rooms_listed_at: new Date() })
  await database('provider_rooms').insert(row).onConflict(['provider', 'calendar']).ignore()
}

type EntryOptions = { title?: string; who?: string; isPrivate?: boolean } & Record<string, unknown>

/** Creates an entry of a room's calendar whose time Berth does not hold. */
export async function createConflict(
  database: Knex,
  bookableId: number,
  { title = 'Budget', who = 'Ada Lovelace', isPrivate = false, ...row }: EntryOptions = {},
): Promise<void> {
  const seen = { title, isPrivate, organizer: { address: 'ada@example.com', name: who }, attendees: [] }
  await database('calendar_entries').insert({
    bookable_id: bookableId,
    entry_id: `entry-${++counter}`,
    during: '[2031-03-04T10:00Z,2031-03-04T11:00Z)',
    seen: JSON.stringify(seen),
    conflict: JSON.stringify({ message: { text: 'The room is not free.' }, free_rooms: [] }),
    conflict_since: new Date(),
    ...row,
  })
}

async function createLinkedRoom(database: Knex): Promise<number> {
  const room = await createBookable(database, { name: 'Room Elbe', type: 2, capacity: 8 })
  const calendar = `elbe-${room}@rooms.example.com`
  await createProviderRoom(database, { calendar, name: 'Elbe', capacity: 8 })
  await createRoomCalendar(database, { bookable_id: room, calendar, provider: 'microsoft' })
  return room
}

export const ROOM_CALENDAR_EXAMPLES = {
  '/settings/calendars': async (database: Knex) => {
    const faulty = await createLinkedRoom(database)
    const fault = { text: '{0} does not find this: {1}', values: ['Microsoft 365', 'ErrorItemNotFound'] }
    await database('room_calendars')
      .where({ bookable_id: faulty })
      .update({ fault_kind: 'not_found', fault: JSON.stringify(fault), fault_since: new Date() })
    await createLinkedRoom(database)
    await createBookable(database, { name: 'Room Alster', type: 2 })
    await createProviderRoom(database, { calendar: 'alster@rooms.example.com', name: 'Room Alster' })
    await createProviderRoom(database, {
      calendar: 'weser@rooms.example.com',
      name: 'Room Weser',
      capacity: 12,
    })
    return '/settings/calendars'
  },
  '/settings/calendars/conflicts': async (database: Knex) => {
    const room = await createLinkedRoom(database)
    const free = { id: await createBookable(database, { name: 'Room Alster', type: 2 }), name: 'Room Alster' }
    const refused = { message: { text: 'The room is not free.' }, free_rooms: [free] }
    await createConflict(database, room, { decline: 'declined', conflict: JSON.stringify(refused) })
    await createConflict(database, room, { isPrivate: true, decline: 'impossible' })
    await createConflict(database, room, {
      seen: null,
      conflict: null,
      fault: JSON.stringify({ text: 'The room is not free.' }),
      key: `key-${room}`,
      event_id: 1,
    })
    return '/settings/calendars/conflicts'
  },
  '/settings/calendars/link': async (database: Knex) => {
    await createProviderRoom(database, { calendar: 'link@rooms.example.com', name: 'Room Leine' })
    await createBookable(database, { name: 'Room Leine', type: 2 })
    return '/settings/calendars/link?provider=microsoft&calendar=link%40rooms.example.com'
  },
  '/settings/calendars/create': async (database: Knex) => {
    await createProviderRoom(database, { calendar: 'new@rooms.example.com', name: 'Room Ems', capacity: 4 })
    return '/settings/calendars/create?provider=microsoft'
  },
  '/settings/calendars/{id}/unlink': async (database: Knex) =>
    `/settings/calendars/${await createLinkedRoom(database)}/unlink`,
}
