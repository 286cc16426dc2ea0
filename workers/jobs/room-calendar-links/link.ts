// Links rooms to their calendars at other providers, one or many, and unlinks them. The engine in the process `hooks` then
// reads and writes these calendars.
import { NEW_BOOKABLE_DEFAULTS } from '../../../shared/bookables/bookable-columns.ts'
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { LOCKS, waitForLockSql } from '../../../shared/database/locks.ts'
import { fieldName, listNames, type Message, message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import type { ShownNames } from '../../../shared/people/shown-names.ts'
import { normalizeCalendar } from '../../../shared/room-calendars/calendar-spellings.ts'
import { type CalendarProviderName, PROVIDER_LABELS } from '../../../shared/room-calendars/room-calendars.ts'
import {
  IS_PROVIDER_SET_SQL,
  ROOM_CALENDAR_COLUMNS,
  ROOM_CALENDAR_ROWS_SQL,
  type RoomCalendarRow,
  showRoomCalendar,
} from '../../../shared/room-calendars/room-calendars-shape.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { lockLocation, refuseTakenNames } from '../bookables/creations.ts'
import { endRoomCalendars } from '../room-calendars/end-calendars.ts'
import { filterToTokenBuildings } from '../rows/preconditions.ts'
import { insertRow, lockRow } from '../rows/rows.ts'

const NO_CALENDAR = message`This room has no calendar.`
const NAMES_SHOWN_MAX = 3

type Link = { bookable_id: number; provider: CalendarProviderName; calendar: string; names?: ShownNames }

type LinkJobs = 'link' | 'link-many' | 'create-rooms' | 'unlink' | 'list-rooms'

export const roomCalendarLinkHandlers: Handlers<`room-calendars.${LinkJobs}`> = {
  async 'room-calendars.link'(write, { bookable_id, provider, calendar, names, is_unlinked }) {
    const room = { bookable_id, calendar: requireCalendar(provider, calendar) }
    await lockLinks(write, provider, [room])
    const link = { ...room, provider, ...(names && { names }) }
    await linkRoom(write, link, { mustBeUnlinked: is_unlinked ?? false })
    const row = await write.only<RoomCalendarRow>(
      `SELECT ${ROOM_CALENDAR_COLUMNS} FROM ${ROOM_CALENDAR_ROWS_SQL} WHERE room_calendars.bookable_id = ?`,
      [bookable_id],
    )
    return { data: showRoomCalendar(row) }
  },

  async 'room-calendars.link-many'(write, { provider, names, links: given }) {
    const links = given.map(({ bookable_id, calendar }) => ({
      bookable_id,
      calendar: requireCalendar(provider, calendar),
    }))
    await lockLinks(write, provider, links)
    // All writes lock bookables in the order of their ids.
    for (const link of links.toSorted((a, b) => a.bookable_id - b.bookable_id))
      await linkRoom(write, { ...link, provider, ...(names && { names }) }, { mustBeUnlinked: true })
    return { data: { linked: links.length } }
  },

  async 'room-calendars.create-rooms'(write, { provider, location_id, names, calendars: given }) {
    const calendars = [...new Set(given.map((calendar) => requireCalendar(provider, calendar)))]
    await lockLinks(
      write,
      provider,
      calendars.map((calendar) => ({ calendar })),
    )
    const rooms = await requireProviderRooms(write, provider, calendars, 'calendars')
    await lockLocation(write, location_id)
    await refuseTakenNames(
      write,
      location_id,
      rooms.map(({ name }) => name),
      'calendars',
    )
    await refuseTakenAddresses(write, rooms)
    const fields = { ...NEW_BOOKABLE_DEFAULTS, type: BOOKABLE_TYPES.meetingRoom }
    for (const { name, capacity, address, calendar } of rooms) {
      const row = { ...fields, location_id, name, capacity, integration_email: address }
      const { data } = await insertRow(write, 'bookables', row)
      const link = { bookable_id: data.id, provider, calendar, ...(names && { names }) }
      await linkRoom(write, link, { mustBeUnlinked: true })
    }
    return { data: { linked: rooms.length } }
  },

  async 'room-calendars.unlink'(write, { bookable_id }) {
    const before = await findLink(write, bookable_id)
    const { former } = await lockRow(write, 'bookables', bookable_id)
    if (!before) throw new Refusal('not_found', NO_CALENDAR)
    await endRoomCalendars(write, [bookable_id])
    await write.audit({ action: 'bookables.unlink-calendar', id: bookable_id, former, before })
    return null
  },

  async 'room-calendars.list-rooms'(write) {
    await write.run('UPDATE calendar_providers SET next_list_at = now()')
    return null
  },
}

/** A link as the audit log stores it. */
type AuditedLink = { provider: string; calendar: string; names: ShownNames }

const findLink = (write: Write, bookableId: number) =>
  write.first<AuditedLink>(
    'SELECT provider, calendar, names FROM room_calendars WHERE bookable_id = ? AND NOT is_ending FOR UPDATE',
    [bookableId],
  )

/** `mustBeUnlinked` refuses a room that somebody else has linked to another calendar meanwhile. */
async function linkRoom(
  write: Write,
  link: Link,
  { mustBeUnlinked }: { mustBeUnlinked: boolean },
): Promise<void> {
  const { bookable_id, provider, calendar } = link
  const { row, former } = await lockRow(write, 'bookables', bookable_id)
  if (row['type'] === BOOKABLE_TYPES.homeOffice)
    throw invalidFields({ bookable_id: [message`A home office has no calendar.`] })
  await refuseTakenCalendar(write, link)
  const before = await findLink(write, bookable_id)
  const names = link.names ?? before?.names ?? 'full'
  const after: AuditedLink = { provider, calendar, names }
  const isSame = before?.provider === provider && before.calendar === calendar
  if (isSame && before.names === names) return
  if (before && !isSame && mustBeUnlinked)
    throw new Refusal(
      'in_use',
      message`${String(row['name'])} already has the calendar ${before.calendar}. Unlink it first.`,
    )
  // The entries name people in another way now, so all of them are compared.
  if (isSame)
    await write.run('UPDATE room_calendars SET names = ?, next_write_at = now() WHERE bookable_id = ?', [
      names,
      bookable_id,
    ])
  else {
    await requireProviderRooms(write, provider, [calendar], 'calendar')
    await insertLink(write, { bookable_id, provider, calendar, names })
  }
  const action = 'bookables.link-calendar'
  await write.audit({ action, id: bookable_id, former, ...(before && { before }), after })
}

// The values of a link whose calendar was not read yet. The engine deletes the entries of the former link, because there may be
// thousands.
const NEW_LINK_SQL = `names = excluded.names, linked_at = now(), is_ending = false, is_clearing = true, position = NULL,
  period = NULL, read_zone = NULL, reading = 0, is_complete = false, is_new = true, read_at = NULL, next_read_at = now(), next_write_at = now(),
  in_step_at = NULL, failures = 0, fault_kind = NULL, fault = NULL, fault_since = NULL, next_watch_at = now(),
  next_apply_at = NULL, retry_at = NULL, lease = NULL, leased_until = now()`

const WATCH_COLUMNS = ['watch', 'watch_secret', 'watch_ends_at', 'former_watches']

/**
 * Creates a new link, in place of the former link of the room. A watch of the same calendar continues, also if the link of
 * another room to this calendar is still ending. The provider ends any other watch after some days; until then its notices are
 * ignored.
 */
async function insertLink(write: Write, link: Link & { names: ShownNames }): Promise<void> {
  const watch = await write.first<Record<string, unknown>>(
    `SELECT ${WATCH_COLUMNS.join(', ')} FROM room_calendars WHERE provider = :provider AND calendar = :calendar`,
    link,
  )
  // Renames the calendar of the link that is ending, because only one row may have this calendar, and its notices must lead to one
  // room only.
  await write.run(
    `UPDATE room_calendars SET calendar = left(bookable_id || ' ' || calendar, 1000), watch = NULL, former_watches = '[]'
     WHERE provider = :provider AND calendar = :calendar AND bookable_id <> :bookable_id AND is_ending`,
    link,
  )
  const { former_watches = [], ...current } = watch ?? {}
  await write.run(
    `INSERT INTO room_calendars (bookable_id, provider, calendar, names, ${WATCH_COLUMNS.join(', ')})
     VALUES (:bookable_id, :provider, :calendar, :names, :watch, :watch_secret, :watch_ends_at, :former_watches)
     ON CONFLICT (bookable_id) DO UPDATE SET provider = excluded.provider, calendar = excluded.calendar,
       ${WATCH_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}, ${NEW_LINK_SQL}`,
    {
      watch: null,
      watch_secret: null,
      watch_ends_at: null,
      ...link,
      ...current,
      former_watches: JSON.stringify(former_watches),
    },
  )
}

function requireCalendar(provider: CalendarProviderName, given: string): string {
  const calendar = normalizeCalendar(provider, given)
  if (calendar !== undefined) return calendar
  const calendarName = fieldName('calendar')
  throw invalidFields({
    calendar: [
      provider === 'caldav'
        ? message`${calendarName} must be a path on the CalDAV server, such as /dav/calendars/room/.`
        : message`${calendarName} must be the e-mail address of the room’s mailbox.`,
    ],
  })
}

/**
 * Begins every write that links: they run one after the other, so that no two link the same calendar. Then locks the
 * calendars concerned, because they come before the bookables (docs/decisions/0005).
 */
async function lockLinks(
  write: Write,
  provider: CalendarProviderName,
  links: Array<{ bookable_id?: number; calendar: string }>,
): Promise<void> {
  await write.run(`SELECT ${waitForLockSql(LOCKS.roomCalendars)}`)
  await requireProvider(write, provider)
  await write.run(
    `SELECT FROM room_calendars WHERE bookable_id = ANY(?::bigint[]) OR (provider = ? AND calendar = ANY(?::text[]))
     ORDER BY bookable_id FOR UPDATE`,
    [links.flatMap(({ bookable_id }) => bookable_id ?? []), provider, links.map(({ calendar }) => calendar)],
  )
}

async function requireProvider(write: Write, provider: CalendarProviderName): Promise<void> {
  const isSet = `SELECT FROM calendar_providers WHERE provider = ? AND ${IS_PROVIDER_SET_SQL}`
  if (await write.first(isSet, [provider])) return
  const label = PROVIDER_LABELS[provider]
  throw invalidFields({
    provider: [
      message`No running process has settings for ${label}: docs/calendars.md says how to set it up.`,
    ],
  })
}

/** Refuses a calendar that another room has. Names the room, unless the token may not see it. */
async function refuseTakenCalendar(write: Write, { bookable_id, provider, calendar }: Link): Promise<void> {
  const other = await write.first<{ id: number; name: string }>(
    `SELECT bookables.id, bookables.name FROM room_calendars JOIN bookables ON bookables.id = room_calendars.bookable_id
     WHERE provider = ? AND calendar = ? AND bookable_id <> ? AND NOT is_ending`,
    [provider, calendar, bookable_id],
  )
  if (!other) return
  const [isSeen] = await filterToTokenBuildings(write, 'bookables', [other.id])
  throw new Refusal(
    'in_use',
    isSeen === undefined
      ? message`The calendar ${calendar} is linked to another room.`
      : message`The calendar ${calendar} is linked to ${other.name}. Unlink it there first.`,
  )
}

type ProviderRoomRow = { calendar: string; address: string | null; name: string; capacity: number | null }

// The account of a provider may reach mailboxes of people as well, so only calendars that the provider lists as rooms are linked.
async function requireProviderRooms(
  write: Write,
  provider: CalendarProviderName,
  calendars: string[],
  field: 'calendar' | 'calendars',
): Promise<ProviderRoomRow[]> {
  const rooms = await write.all<ProviderRoomRow>(
    `SELECT calendar, nullif(lower(address), '') AS address, left(name, 255) AS name, greatest(capacity, 0) AS capacity
     FROM provider_rooms WHERE provider = ? AND calendar = ANY(?::text[]) ORDER BY name, calendar`,
    [provider, calendars],
  )
  const unknown = calendars.filter((calendar) => !rooms.some((room) => room.calendar === calendar))
  if (unknown.length === 0) return rooms
  const label = PROVIDER_LABELS[provider]
  const hasListed = 'SELECT FROM calendar_providers WHERE provider = ? AND rooms_listed_at IS NOT NULL'
  throw invalidFields({
    [field]: [
      (await write.first(hasListed, [provider]))
        ? message`${label} lists no room ${listNames(unknown, NAMES_SHOWN_MAX)}. If the room is new, first press “List the rooms again” in Settings → Calendars.`
        : message`${label} has not listed its rooms yet, so Berth does not know which calendars are rooms. Settings → Calendars says why.`,
    ],
  })
}

async function refuseTakenAddresses(write: Write, rooms: ProviderRoomRow[]): Promise<void> {
  const addresses = rooms.flatMap(({ address }) => address ?? [])
  const taken = await write.all<{ name: string; address: string }>(
    `SELECT name, integration_email AS address FROM bookables
     WHERE lower(integration_email) = ANY(?::text[]) AND deleted_at IS NULL ORDER BY id`,
    [addresses],
  )
  if (taken.length === 0) return
  const sentences = taken.map(
    ({ name, address }): Message => message`${name} has the address ${address}. Link that room instead.`,
  )
  throw invalidFields({ calendars: sentences })
}
