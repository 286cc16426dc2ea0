// Creates and deletes series of repeated bookings, and changes several bookings of a series in one write. All bookings
// of a series begin at the same local time of the building.

import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import { findOccurrences } from '../../../shared/series/occurrences.ts'
import { computeEtag } from '../../../shared/utilities/etags.ts'
import { tryOut } from '../../runtime/try-out.ts'
import {
  type Handlers,
  performSingleWrite,
  ReplyWithETag,
  type SqlValues,
  type Write,
} from '../../runtime/write.ts'
import { zoneSql } from '../claims/locks.ts'
import { refuseUnlessOwner, requireOwnResources } from '../rows/personal-tokens.ts'
import { requireInTokenBuildings } from '../rows/preconditions.ts'
import {
  addDateToRefusal,
  checkOnDate,
  createShift,
  describeCheckedSeries,
  describeCreatedSeries,
  findSeriesOf,
  insertSeries,
  isAffectedSql,
  lockSeries,
  SERIES_NOT_FOUND,
} from '../series/series.ts'
import { bookingDeletions } from './bookings.ts'
import { bookingUpdates, checkUpdate, isOver, spanAfter } from './changes.ts'
import { createManyBookings } from './creations.ts'
import { BOOKING_NOT_FOUND, lockBookings } from './present-bookings.ts'
import { cancelBookings, type HeldBooking } from './releases.ts'
import { saveBookingsTogether } from './save-bookings.ts'

export const seriesHandlers: Handlers<`series.${string}`> = {
  async 'series.create'(write, input) {
    const { id, spans, decisions } = await createSeries(write, input)
    return describeCreatedSeries(id, input, spans, decisions)
  },

  'series.check': (write, input) =>
    tryOut(write, async (trial) => {
      const { spans, decisions } = await createSeries(trial, input)
      return describeCheckedSeries(spans, decisions)
    }),

  /**
   * Deletes the bookings of a series that begin at `from` or later. Ends a running booking now, unless `from` is later.
   */
  async 'series.delete'(write, { id, from }) {
    const { now } = write
    const { before } = await lockSeries(write, 'bookings', id)
    await requireSeriesInTokenBuildings(write, id)
    await requireOwnResources(
      write,
      'SELECT user_id AS owner FROM bookings WHERE series_id = ?',
      [id],
      SERIES_NOT_FOUND,
    )
    const held = await lockHeld(
      write,
      `series_id = :id AND during && tstzrange(:now, NULL)
         AND (lower(during) >= :from OR lower(during) < :now AND :from <= CAST(:now AS timestamptz))`,
      { id, from: from ?? now, now },
    )
    await cancelBookings(write, held)
    await write.audit({ action: 'series.delete', id, before })
    return null
  },

  async 'series.update-bookings'(write, { scope, ...change }) {
    const series = await findSeriesOf(write, 'bookings', change.id)
    if (series === null) return performSingleWrite(bookingUpdates, write, change)
    const { zone } = await lockSeries(write, 'bookings', series)
    const ids = await findAffectedIds(write, { ...change, scope })
    await requireInTokenBuildings(write, 'bookings', ids, BOOKING_NOT_FOUND)
    return updateBookings(write, change, ids, zone)
  },

  async 'series.delete-bookings'(write, { scope, id, if_match }) {
    const series = await findSeriesOf(write, 'bookings', id)
    if (series === null) return performSingleWrite(bookingDeletions, write, { id, if_match })
    await lockSeries(write, 'bookings', series)
    const held = await lockHeld(write, isAffectedSql('bookings'), { id, scope, now: write.now })
    const [named] = await lockBookings(await write.connection(), [
      { input: { id, if_match }, context: write },
    ])
    if (named instanceof Refusal) throw named
    const ids = [id, ...held.map((each) => each.id)]
    await requireInTokenBuildings(write, 'bookings', [...new Set(ids)], BOOKING_NOT_FOUND)
    await cancelBookings(write, held)
    return null
  },
}

/** Creates a series, with a booking for each date that is not refused. Returns a booking or a refusal for each date. */
async function createSeries(write: Write, { repeat, on_conflict: _, ...booking }: InputOf<'series.create'>) {
  refuseUnlessOwner(write, booking.user_id)
  const found = await write.first<{ zone: string | null }>(`SELECT ${zoneSql('?')} AS zone`, [
    booking.bookable_id,
  ])
  const zone = found?.zone
  if (!zone) throw invalidFields({ bookable_id: [message`There is no desk or room with this id.`] })
  const first = { from: booking.from_time ?? write.now, to: booking.to_time }
  const spans = findOccurrences(first, zone, repeat)
  const id = await insertSeries(write, repeat, zone)
  const wanted = spans.map(({ from, to }) => ({ ...booking, from_time: from, to_time: to, series_id: id }))
  return { id, spans, decisions: await createManyBookings(write, wanted) }
}

const lockHeld = (write: Write, condition: string, values: SqlValues) =>
  write.all<HeldBooking>(
    `SELECT id, to_jsonb(bookings) AS row, lower(during) < :now AS runs
     FROM bookings WHERE ${condition} AND released_at IS NULL ORDER BY id FOR UPDATE`,
    values,
  )

type Concerned = Pick<InputOf<'series.update-bookings'>, 'id' | 'scope'>

/**
 * Returns the ids of the bookings that a change of the booking `id` affects, in order of time. Always includes `id`, so
 * that the write is refused if another write has just deleted that booking.
 */
async function findAffectedIds(write: Write, { id, scope }: Concerned): Promise<number[]> {
  const ids = await write.ids(
    `SELECT id FROM bookings WHERE id = :id OR (${isAffectedSql('bookings')} AND released_at IS NULL)
     ORDER BY lower(during), id`,
    { id, scope, now: write.now },
  )
  return ids.includes(id) ? ids : [id, ...ids]
}

/** Changes all of these bookings, or none. If the booking `change.id` moves, all others move by the same time. */
async function updateBookings(write: Write, change: InputOf<'bookings.update'>, ids: number[], zone: string) {
  const { if_match, ...others } = change
  const inputs = ids.map((id) => (id === change.id ? change : { ...others, id }))
  const connection = await write.connection()
  const locked = await bookingUpdates.lockFacts(
    connection,
    inputs.map((input) => ({ input, context: write })),
  )
  // Leaves out bookings that another write has deleted while this one waited for their locks.
  const present = await write.ids('SELECT id FROM bookings WHERE id = ANY(CAST(:ids AS bigint[]))', { ids })
  const kept = new Set([change.id, ...present])
  const facts = locked
    .filter((_each, index) => kept.has(ids[index] ?? 0))
    .map((each) => {
      if (each instanceof Refusal) throw each
      return each
    })
    // Leaves out bookings that have ended since they were found, and those to which nobody checked in by the deadline.
    .filter((each) => each.before.id === change.id || !isOver(each, write.now))
  const position = facts.findIndex(({ before }) => before.id === change.id)
  const named = facts[position]?.before
  if (!named) throw new Error('The booking that a change names was not locked')
  const shift = createShift(named, spanAfter(change, named, write.now), zone)
  const changes = facts.map((fact, index) => {
    const { from, to } = shift(fact.before)
    const times = {
      ...(change.from_time !== undefined && { from_time: from }),
      ...(change.to_time !== undefined && to !== null && { to_time: to }),
    }
    const input = { ...change, ...(index !== position && { ...times, id: fact.before.id }) }
    return checkOnDate({ from }, zone, () => checkUpdate({ input, context: write }, fact))
  })
  const saved = await saveBookingsTogether(connection, changes, (refusal, { span }) =>
    addDateToRefusal(refusal, span, zone),
  )
  const reply = saved[position]
  if (!reply) throw new Error('A changed booking has no reply')
  return new ReplyWithETag(reply.text, computeEtag(reply.body))
}

// Refuses a series outside the token's buildings. A series belongs to the buildings of its bookings.
async function requireSeriesInTokenBuildings(write: Write, id: number): Promise<void> {
  if (write.buildingIds === undefined) return
  const ids = await write.ids('SELECT id FROM bookings WHERE series_id = ?', [id])
  await requireInTokenBuildings(write, 'bookings', ids, SERIES_NOT_FOUND)
}
