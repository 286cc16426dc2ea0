// Stores a page of changes with its position in one transaction, so that no change is lost and none is stored twice. Works
// with sets of rows, because a page may have hundreds of entries.
import type { Knex } from 'knex'
import { isTransient } from '../../../shared/database/faults.ts'
import type { CalendarEntry, ChangePage, Period } from '../../../shared/room-calendars/providers/provider.ts'
import { type CalendarLink, type CalendarTools, LeaseLost } from '../calendar-link.ts'
import { storeChanged, storeRemoved, storeUnreadable } from './store-entries.ts'

const TRIES_MAX = 3

const IS_GONE_SQL = "coalesce(CAST(seen ->> 'isGone' AS boolean), false)"

/** The row of an entry, by the provider's id. Without a key, Berth did not write it. */
export type WrittenRow = { id: string; key: string | null }

/** Begins to read a calendar from the beginning: entries that no page names until the end are gone. */
export async function beginReading(
  { database }: CalendarTools,
  link: CalendarLink,
  period: Period,
): Promise<void> {
  const { rows } = await database.raw<{ rows: Array<{ reading: number }> }>(
    `UPDATE room_calendars SET reading = reading + 1, position = NULL, is_complete = false, read_zone = :zone,
       period = tstzrange(CAST(:from AS timestamptz), CAST(:to AS timestamptz))
     WHERE bookable_id = :bookableId AND lease = :lease AND NOT is_ending RETURNING reading`,
    { ...period, bookableId: link.bookableId, lease: link.lease, zone: link.calendar.zone },
  )
  const [row] = rows
  if (!row) throw new LeaseLost()
  const { zone: readZone } = link.calendar
  Object.assign(link, { position: null, period, reading: row.reading, isComplete: false, readZone })
}

/** Stores a page of changes. Its position is the next call's argument. */
export async function storePage(tools: CalendarTools, link: CalendarLink, page: ChangePage): Promise<void> {
  await inTransaction(tools, async (transaction) => {
    await holdLease(transaction, link, { position: page.position })
    const unreadable = new Set(page.unreadable.map(({ id }) => id))
    // An entry that can no longer be read stays as it was: it may still take its time.
    const removed = page.removed.filter((id) => !unreadable.has(id))
    await storeRemoved(transaction, link, removed, page.changed)
    await storeChanged(transaction, link, page.changed)
    await storeUnreadable(transaction, link, page.unreadable)
  })
  link.position = page.position
}

/** Stores a single entry as the provider returned it, or that it is gone. */
export async function storeEntry(
  tools: CalendarTools,
  link: CalendarLink,
  id: string,
  entry: CalendarEntry | undefined,
): Promise<void> {
  await inTransaction(tools, async (transaction) => {
    await holdLease(transaction, link)
    if (entry) await storeChanged(transaction, link, [entry])
    else await storeRemoved(transaction, link, [id], [])
  })
}

/** Stores that the provider returned an entry that cannot be read. */
export async function storeUnreadableEntry(
  tools: CalendarTools,
  link: CalendarLink,
  entry: ChangePage['unreadable'][number],
): Promise<void> {
  await inTransaction(tools, async (transaction) => {
    await holdLease(transaction, link)
    await storeUnreadable(transaction, link, [entry])
  })
}

/** Ends a reading that began at the beginning. What it did not name within its period is gone. */
export async function completeReading(tools: CalendarTools, link: CalendarLink): Promise<void> {
  await inTransaction(tools, async (transaction) => {
    await holdLease(transaction, link, { is_complete: true, is_new: false })
    const ids = await findUnnamed(transaction, link).pluck<string[]>('entry_id')
    await storeRemoved(transaction, link, ids, [])
  })
  link.isComplete = true
  link.isNew = false
}

/** Finds the unnamed entries whose removal would cancel a booking or a meeting. `isOwn` says that Berth wrote the entry. */
export const findUnnamedClaims = (
  database: Knex,
  link: CalendarLink,
): Promise<Array<WrittenRow & { isOwn: boolean }>> =>
  findUnnamed(database, link)
    .whereRaw('(key IS NOT NULL OR event_id IS NOT NULL AND upper(during) > now())')
    .select('entry_id AS id', 'key', database.raw('key IS NOT NULL AS "isOwn"'))

/** The entries of the period that the reading has not named. */
function findUnnamed(database: Knex, { bookableId, reading, period }: CalendarLink) {
  return (
    database('calendar_entries')
      .where({ bookable_id: bookableId })
      .where('reading', '<', reading)
      .whereNotNull('entry_id')
      // An entry that cannot be read has no times.
      .whereRaw(
        '(during && tstzrange(CAST(? AS timestamptz), CAST(? AS timestamptz)) OR during IS NULL AND key IS NULL)',
        [period?.from ?? null, period?.to ?? null],
      )
      .whereRaw(`NOT ${IS_GONE_SQL}`)
      .orderBy('entry_id')
  )
}

/** Whether the reading has named an entry of the period that Berth wrote. */
export async function hasNamedOwnEntry(
  database: Knex,
  { bookableId, reading }: CalendarLink,
): Promise<boolean> {
  const named = await database('calendar_entries')
    .where({ bookable_id: bookableId, reading })
    .whereNotNull('key')
    .whereRaw('upper(during) > now()')
    .whereRaw(`NOT ${IS_GONE_SQL}`)
    .first('id')
  return named !== undefined
}

/**
 * Finds those of the removed entries of a page that may still exist: entries that Berth wrote, or moved to a time after the period
 * of the position.
 */
export async function findEntriesToConfirm(
  database: Knex,
  { bookableId, period }: CalendarLink,
  ids: string[],
): Promise<WrittenRow[]> {
  if (ids.length === 0) return []
  return database('calendar_entries')
    .where({ bookable_id: bookableId })
    .whereRaw('entry_id = ANY (CAST(? AS text[]))', [ids])
    .whereRaw('(key IS NOT NULL OR lower(during) >= CAST(? AS timestamptz))', [period?.to ?? null])
    .whereRaw(`NOT ${IS_GONE_SQL}`)
    .orderBy('entry_id')
    .select<WrittenRow[]>({ id: 'entry_id' }, 'key')
}

/**
 * Looks at the entries that Berth wrote and that are not over. Returns the number of lost ones, which are those in `gone` and those
 * whose removal Berth has yet to apply, and the ids of the others.
 */
export async function findOwnEntries(
  database: Knex,
  { bookableId }: CalendarLink,
  gone: string[],
): Promise<{ lost: number; left: WrittenRow[] }> {
  const own = await database('calendar_entries')
    .where({ bookable_id: bookableId })
    .whereNotNull('key')
    .whereNotNull('entry_id')
    .whereRaw('upper(during) > now()')
    .whereRaw(`(NOT ${IS_GONE_SQL} OR pending_since IS NOT NULL)`)
    .orderBy('id')
    .select<Array<WrittenRow & { isGone: boolean }>>(
      'entry_id AS id',
      'key',
      database.raw(`${IS_GONE_SQL} AS "isGone"`),
    )
  const named = new Set(gone)
  const left = own.filter(({ id, isGone }) => !isGone && !named.has(id))
  return { lost: own.length - left.length, left }
}

// Locks the calendar before its entries, and makes sure that no other process has taken it over, and nobody has unlinked it.
async function holdLease(
  transaction: Knex.Transaction,
  { bookableId, lease }: CalendarLink,
  changes: { position?: string; is_complete?: boolean; is_new?: boolean } = {},
): Promise<void> {
  const held = await transaction('room_calendars')
    .where({ bookable_id: bookableId, lease, is_ending: false })
    .update({ ...changes, read_at: transaction.fn.now() })
  if (held === 0) throw new LeaseLost()
}

/** Repeats the transaction after a deadlock with a job that applies two of the entries. */
async function inTransaction(
  { database }: CalendarTools,
  work: (transaction: Knex.Transaction) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await database.transaction(work)
    } catch (error) {
      if (!isTransient(error) || tries >= TRIES_MAX) throw error
    }
  }
}
