// The series of recurring meetings in room calendars. Their occurrences arrive one by one.
import type { Write } from '../../runtime/write.ts'
import { insertSeries } from '../series/series.ts'
import { getSeriesKey, type LockedEntry } from './entry-rows.ts'

/**
 * Returns the id of the series that an entry belongs to, or undefined for a single meeting. Creates the series for its first
 * occurrence. The caller holds the lock of the meeting.
 */
export async function ensureCalendarSeries(
  write: Write,
  { uid, seriesId, zone }: LockedEntry,
): Promise<number | undefined> {
  if (uid === null || seriesId === null) return undefined
  const key = getSeriesKey(uid)
  const found = await write.first<{ id: number }>(
    'SELECT series_id AS id FROM calendar_series WHERE uid = ?',
    [key],
  )
  if (found) return found.id
  // No provider says in this form how a meeting repeats. Its events have no place in the repetition either (`occurs_at`), so
  // that calendar files and pages show each of them with its own times.
  const id = await insertSeries(write, { every: 'week' }, zone)
  await write.run('INSERT INTO calendar_series (uid, series_id) VALUES (?, ?)', [key, id])
  return id
}
