// Functions that writes of booking series and of event series share: they insert and lock the row of a series, build
// replies, shift times, and name the date in refusals.
import { joinMessages, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { formatLocalDate, fromWallClock, toWallClock } from '../../../shared/schemas/wall-clock.ts'
import type { NewSeries, Repetition } from '../../../shared/series/repetition.ts'
import { formatInstant } from '../../../shared/utilities/date-times.ts'
import { toRefusal } from '../../runtime/refusals.ts'
import type { Write } from '../../runtime/write.ts'
import type { OpenTimeRange, TimeRange } from '../claims/conflicts.ts'

export const SERIES_NOT_FOUND = message`There is no series with this id.`

export async function insertSeries(write: Write, repeat: Repetition, zone: string): Promise<number> {
  const { every, interval = 1, on = null, until = null, count = null } = repeat
  const { id, row } = await write.only<{ id: number; row: unknown }>(
    'INSERT INTO series (repeat, timezone) VALUES (?, ?) RETURNING id, to_jsonb(series) AS row',
    [JSON.stringify({ every, interval, on, until, count }), zone],
  )
  await write.audit({ action: 'series.create', id, after: row })
  return id
}

type Table = 'bookings' | 'events'

/**
 * Locks a series, so that writes about several of its bookings or events wait for each other. Writes that insert a
 * booking of the series do not wait for this lock: they hold the locks of claims, which the caller takes next.
 */
export function lockSeries(write: Write, of: Table, id: number): Promise<{ before: unknown; zone: string }> {
  const hasEvents = 'EXISTS (SELECT FROM events WHERE series_id = series.id)'
  return write.requireRow(
    `SELECT to_jsonb(series) AS before, timezone AS zone FROM series
     WHERE id = ? AND ${of === 'events' ? hasEvents : `NOT ${hasEvents}`} FOR NO KEY UPDATE`,
    [id],
    SERIES_NOT_FOUND,
  )
}

/**
 * Returns the reply to a write that creates a series. If a date is refused, throws the first refusal, with the index of
 * its date, unless the request skips conflicts and at least one date is free.
 */
export function describeCreatedSeries<Created>(
  id: number,
  { on_conflict }: NewSeries,
  spans: TimeRange[],
  decisions: Array<Created | Refusal>,
) {
  const refused = decisions.filter((decision) => decision instanceof Refusal)
  const isSkipping = on_conflict === 'skip' && refused.length < decisions.length
  if (!isSkipping) return { data: { id, created: throwFirstRefusal(decisions), skipped: [] } }
  const skipped = listSkipped(spans, decisions)
  const created = decisions.flatMap((decision) => (decision instanceof Refusal ? [] : [decision]))
  return { data: { id, created, skipped } }
}

/** Returns the reply to a write that only checks a series. */
export function describeCheckedSeries(spans: TimeRange[], decisions: unknown[]) {
  const skipped = listSkipped(spans, decisions)
  return { data: { free: decisions.length - skipped.length, skipped } }
}

function listSkipped(spans: TimeRange[], decisions: unknown[]) {
  const refused = decisions.filter((decision) => decision instanceof Refusal)
  // A field that is invalid for one date makes the whole series invalid.
  const unusable = refused.find(({ code }) => code === 'validation_failed')
  if (unusable) throw unusable
  return spans.flatMap((span, index) => {
    const decision = decisions[index]
    return decision instanceof Refusal ? [{ ...span, code: decision.code, detail: decision.message }] : []
  })
}

/** Throws the first refusal, with its index. If there is none, returns the decisions. */
export function throwFirstRefusal<Decided>(decisions: Array<Decided | Refusal>): Decided[] {
  return decisions.map((decision, index) => {
    if (!(decision instanceof Refusal)) return decision
    const { code, detail, errors, members } = decision
    throw new Refusal(code, detail, { errors, members: { ...members, index } })
  })
}

/**
 * Returns a function that moves any time span by the difference between `before` and `after`, in local time: by the
 * same number of days and hours, even across clock changes. If a clock change would put the end of a span before its
 * start, the span keeps its length.
 */
export function createShift(before: OpenTimeRange, after: OpenTimeRange, zone: string) {
  const wallOf = (time: string, from: string, to: string) =>
    toWallClock(time, zone) + toWallClock(to, zone) - toWallClock(from, zone)
  const shifted = (time: string, from: string, to: string) =>
    toWallClock(to, zone) === toWallClock(from, zone) ? time : fromWallClock(wallOf(time, from, to), zone)
  return <To extends string | null>(span: { from: string; to: To }) => {
    const from = shifted(span.from, before.from, after.from)
    if (!span.to || !before.to || !after.to) return { from, to: span.to }
    const to = shifted(span.to, before.to, after.to)
    const lengthMs = wallOf(span.to, before.to, after.to) - wallOf(span.from, before.from, after.from)
    const isTurnedAround = to <= from && lengthMs > 0
    return { from, to: (isTurnedAround ? formatInstant(Date.parse(from) + lengthMs) : to) as To }
  }
}

/**
 * Returns a refusal whose message begins with the date that does not fit. Refusals of invalid fields stay as they are,
 * because the fields are invalid on every date.
 */
export function addDateToRefusal(refusal: Refusal, { from }: { from: string }, zone: string): Refusal {
  const { code, detail, errors, members } = refusal
  if (code === 'validation_failed') return refusal
  const date = message`This is not possible on ${{ date: formatLocalDate(from, zone) }}.`
  return new Refusal(code, joinMessages([date, detail]), { errors, members })
}

/** Runs the check of one date. If the check refuses, throws a refusal that names the date. */
export function checkOnDate<Result>(span: { from: string }, zone: string, check: () => Result): Result {
  try {
    return check()
  } catch (error) {
    const refusal = toRefusal(error)
    throw refusal ? addDateToRefusal(refusal, span, zone) : error
  }
}

/** Returns the series id of a booking or an event, or null if it is not part of a series. */
export async function findSeriesOf(write: Write, table: Table, id: number): Promise<number | null> {
  const text = `SELECT series_id AS series FROM ${table} WHERE id = ?`
  const found = await write.first<{ series: number | null }>(text, [id])
  return found?.series ?? null
}

/**
 * SQL condition for the rows of a table that a write about the row `:id` affects, given its `:scope`. Rows that ended
 * before `:now` are not affected.
 */
export const isAffectedSql = (table: Table) => `
  ${table}.during && tstzrange(:now, NULL) AND EXISTS (
    SELECT FROM ${table} AS named WHERE named.id = :id AND named.series_id = ${table}.series_id
      AND (CAST(:scope AS text) = 'all' OR lower(named.during) <= lower(${table}.during)))`
