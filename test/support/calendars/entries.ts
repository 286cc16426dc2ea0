// Stores entries of room calendars as the engine does when it has read them, and has workers apply them.
import { createHash, randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import type { SeenEntry, SeenPerson } from '../../../shared/room-calendars/room-calendars.ts'
import { formatInstant } from '../../../shared/utilities/date-times.ts'
import type { Admin } from '../dashboard/admin.ts'
import { createBookable, createLocation } from '../factories.ts'
import { eventually } from '../time.ts'
import type { World } from '../world.ts'

type EntryFields = Partial<Omit<SeenEntry, 'digest'>> & { from: string; to: string }
type EntryIds = {
  entryId?: string
  uid?: string
  seriesId?: string
  key?: string
  eventId?: number
  bookingId?: number
}

/** Returns an entry as the engine stores it. */
export function createSeenEntry(fields: EntryFields): SeenEntry {
  const seen = {
    isFree: false,
    isCancelled: false,
    isDeclined: false,
    isPrivate: false,
    isGone: false,
    title: 'Harbour plans',
    organizer: null,
    attendees: [],
    isOwn: false,
    ...fields,
  }
  const shown = seen.isPrivate ? { ...seen, title: '', organizer: null, attendees: [] } : seen
  return { ...shown, digest: createHash('sha256').update(JSON.stringify(shown)).digest('base64url') }
}

export const person = (address: string, name: string | null = null): SeenPerson => ({ address, name })

/** Creates a meeting room with a linked calendar. */
export async function createLinkedRoom(database: Knex, row: Record<string, unknown> = {}): Promise<number> {
  const location_id = row['location_id'] ?? (await createLocation(database))
  const id = await createBookable(database, { type: 2, ...row, location_id })
  await database('room_calendars').insert({
    bookable_id: id,
    provider: 'microsoft',
    calendar: `room-${id}@rooms.example`,
    next_write_at: null,
  })
  return id
}

/** A row of `calendar_entries`. */
// biome-ignore lint/suspicious/noExplicitAny: tests read columns of JSON of every shape
export type EntryRow = { id: number; [column: string]: any }

export const readEntry = async (database: Knex, id: number): Promise<EntryRow> => {
  const row = await database<EntryRow>('calendar_entries').where({ id }).first()
  if (!row) throw new Error('There is no such entry')
  return row
}

/** Stores a new entry that is to be applied. Returns the id of its row. */
export async function insertEntry(
  database: Knex,
  bookableId: number,
  fields: EntryFields,
  { entryId = randomUUID(), uid, seriesId, key, eventId, bookingId }: EntryIds = {},
): Promise<number> {
  const [row] = await database('calendar_entries')
    .insert({
      bookable_id: bookableId,
      entry_id: entryId,
      uid: uid ?? entryId,
      series: seriesId,
      key,
      event_id: eventId,
      booking_id: bookingId,
      during: database.raw('tstzrange(?, ?)', [fields.from, fields.to]),
      seen: createSeenEntry(fields),
      revision: 1,
      pending_since: new Date(),
    })
    .returning<Array<{ id: number }>>('id')
  if (!row) throw new Error('No entry was inserted')
  return row.id
}

/** Stores that the calendar says something else by now. */
export async function changeEntry(database: Knex, id: number, fields: EntryFields): Promise<void> {
  await database('calendar_entries')
    .where({ id })
    .update({
      seen: createSeenEntry(fields),
      during: database.raw('tstzrange(?, ?)', [fields.from, fields.to]),
      revision: database.raw('revision + 1'),
      pending_since: new Date(),
    })
}

export const CALENDAR_ACTOR = { type: 'system', id: null, name: 'calendar' } as const

type ApplyOptions = { appliesRules?: boolean; revision?: number; now?: string }

/** Has a worker apply an entry, as the engine does. Returns the row afterwards. */
export async function applyEntry(
  world: World,
  admin: Admin,
  id: number,
  { appliesRules = false, revision, now = formatInstant(Date.now()) }: ApplyOptions = {},
): Promise<EntryRow> {
  const row = await readEntry(world.database, id)
  const input = { entry_id: id, revision: revision ?? row['revision'], applies_rules: appliesRules }
  // A busy machine may refuse writes for a moment. The engine queues such an entry again, too.
  const answer = await eventually(async () => {
    const tried = await admin.ask('room-calendars.apply', input, { actor: CALENDAR_ACTOR, receivedAt: now })
    if (tried.status === 503) throw new Error('Writes are refused')
    return tried
  })
  if (answer.status !== 204) throw new Error(`The entry was not applied: ${JSON.stringify(answer)}`)
  return readEntry(world.database, id)
}
