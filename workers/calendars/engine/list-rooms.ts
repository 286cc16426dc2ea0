// Lists the rooms of the providers once an hour, so that the dashboard can offer to link them. Also stores that a process with
// settings for these providers is running.
import type { Knex } from 'knex'
import { normalizeCalendar } from '../../../shared/room-calendars/calendar-spellings.ts'
import { describeFault, getFaultKind, getRetryMs } from '../../../shared/room-calendars/providers/faults.ts'
import type { CalendarProvider, ProviderRoom } from '../../../shared/room-calendars/providers/provider.ts'
import type { CalendarProviderName } from '../../../shared/room-calendars/room-calendars.ts'
import type { Log } from '../../../shared/utilities/log.ts'

// Another process may list the rooms after this time, if the one that began has died.
const LISTING_MINUTES_MAX = 10
const LIST_EVERY_MINUTES = 60
const RETRY_MS_MIN = 60_000
// Microsoft lists 100 rooms a page, and the test servers 2.
const PAGES_MAX = 1_000

export async function noteProviders(database: Knex, names: CalendarProviderName[]): Promise<void> {
  await database.raw(
    `INSERT INTO calendar_providers (provider) SELECT unnest(CAST(? AS text[]))
     ON CONFLICT (provider) DO UPDATE SET seen_at = now()`,
    [names],
  )
}

/** Returns the providers whose rooms are due to be listed, and reserves them so that no other process lists them. */
export async function takeDueListings(
  database: Knex,
  names: CalendarProviderName[],
): Promise<CalendarProviderName[]> {
  const { rows } = await database.raw<{ rows: Array<{ provider: CalendarProviderName }> }>(
    `UPDATE calendar_providers SET next_list_at = now() + interval '${LISTING_MINUTES_MAX} minutes'
     WHERE provider = ANY (CAST(? AS text[])) AND next_list_at <= now() RETURNING provider`,
    [names],
  )
  return rows.map(({ provider }) => provider)
}

/** Lists the rooms of a provider, and stores them or why that failed. */
export async function listRooms(database: Knex, log: Log, provider: CalendarProvider): Promise<void> {
  const { name } = provider
  try {
    await storeRooms(database, name, await fetchRooms(provider))
  } catch (error) {
    log.warn({ err: error, provider: name }, 'the rooms of a calendar provider could not be listed')
    const retryMs = Math.max(RETRY_MS_MIN, getRetryMs(error, 1))
    await database.raw(
      `UPDATE calendar_providers SET fault_kind = :kind, fault = CAST(:fault AS jsonb),
         fault_since = coalesce(fault_since, now()), next_list_at = now() + :retryMs * interval '1 millisecond'
       WHERE provider = :name`,
      {
        name,
        kind: getFaultKind(error),
        fault: JSON.stringify(describeFault(name, error)),
        retryMs,
      },
    )
  }
}

async function fetchRooms(provider: CalendarProvider): Promise<ProviderRoom[]> {
  const rooms = new Map<string, ProviderRoom>()
  let page: string | null = null
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const found = await provider.listRooms(page)
    for (const room of found.rooms) {
      const calendar = normalizeCalendar(provider.name, room.calendar)
      if (calendar !== undefined) rooms.set(calendar, { ...room, calendar })
    }
    page = found.next
    if (page === null) break
  }
  return [...rooms.values()]
}

async function storeRooms(database: Knex, name: CalendarProviderName, rooms: ProviderRoom[]): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction('provider_rooms')
      .where({ provider: name })
      // As one value, because a statement has at most 65,535.
      .whereRaw('calendar <> ALL (CAST(? AS text[]))', [rooms.map(({ calendar }) => calendar)])
      .delete()
    await transaction.raw(
      `INSERT INTO provider_rooms (provider, calendar, address, name, capacity)
       SELECT :name, calendar, address, name, capacity
       FROM jsonb_to_recordset(CAST(:rooms AS jsonb)) AS room (calendar text, address text, name text, capacity int)
       ON CONFLICT (provider, calendar) DO UPDATE
         SET address = excluded.address, name = excluded.name, capacity = excluded.capacity`,
      { name, rooms: JSON.stringify(rooms) },
    )
    await transaction.raw(
      `UPDATE calendar_providers SET rooms_listed_at = now(), next_list_at = now() + interval '${LIST_EVERY_MINUTES} minutes',
         fault_kind = NULL, fault = NULL, fault_since = NULL
       WHERE provider = ?`,
      [name],
    )
  })
}
