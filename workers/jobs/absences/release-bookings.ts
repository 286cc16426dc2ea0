// Releases the bookings of a person on some days, for an absence or another choice of the day: deletes bookings within
// these days, and cuts these days out of longer bookings, such as permanent ones.
import { bookingsInDaysSql } from '../../../shared/absences/absences-shape.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { instantsOfDaysSql } from '../../../shared/schemas/days.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import type { Write } from '../../runtime/write.ts'
import { type AffectedClaim, CLAIMS_MAX } from '../claims/claims.ts'
import { lockClaims } from '../claims/locks.ts'
import { releaseClaims } from '../claims/releases.ts'
import { filterToTokenBuildings } from '../rows/preconditions.ts'
import { formatBookingCount } from '../rows/rows.ts'

type Days = { from: string; to: string }
type BookingInDays = Pick<AffectedClaim, 'id' | 'event_id' | 'row'> & {
  zone: string
  daysFrom: string
  daysTo: string
}

const DAYS_SQL = "daterange(CAST(:from AS date), CAST(:to AS date), '[]')"
const BOOKINGS_SQL = `${bookingsInDaysSql({ user: 'CAST(:userId AS bigint)', days: DAYS_SQL, now: ':now' })}
  AND (CAST(:types AS integer[]) IS NULL OR bookables.type = ANY(CAST(:types AS integer[])))`
const INSTANTS_SQL = instantsOfDaysSql(DAYS_SQL, 'buildings.timezone')

/**
 * Releases the person's bookings of bookables of the given types, or of all types if `types` is null. Returns the
 * number of released bookings. Takes locks in the order of docs/decisions/0005.
 */
export async function releaseBookingsInDays(
  write: Write,
  userId: number,
  days: Days,
  /** `types` are the types of bookables, by default all. `verb` says in the audit log why the bookings are released. */
  { types = null, verb }: { types?: number[] | null; verb: 'release-away' | 'release-day' },
): Promise<number> {
  const values = { userId, ...days, types, now: write.now }
  const found = await write.all<{ bookable_id: number }>(
    `SELECT bookings.bookable_id FROM ${BOOKINGS_SQL} LIMIT ${CLAIMS_MAX + 1}`,
    values,
  )
  refuseTooMany(found.length)
  const held = found.map(({ bookable_id }) => bookable_id)
  const bookableIds = await filterToTokenBuildings(write, 'bookables', held)
  await lockClaims(write, bookableIds)
  const bookings = await lockBookings(write, { ...values, bookableIds })
  for (const zone of new Set(bookings.map((each) => each.zone))) {
    const some = bookings.filter((each) => each.zone === zone)
    const times = [{ from: some[0]?.daysFrom ?? write.now, to: some[0]?.daysTo ?? null }]
    await releaseClaims(write, some, times, verb)
  }
  return bookings.length
}

/**
 * Locks the bookings and returns them. Locking needs a statement of its own: a statement that has waited for a locked
 * row still sees all other rows as they were before. A booking that has moved to another bookable meanwhile stays.
 */
async function lockBookings(write: Write, values: { bookableIds: number[]; [name: string]: unknown }) {
  const rows = `${BOOKINGS_SQL} AND bookings.bookable_id = ANY(CAST(:bookableIds AS bigint[]))`
  await write.run(
    `SELECT FROM bookings WHERE id IN (SELECT bookings.id FROM ${rows}) ORDER BY id FOR UPDATE`,
    values,
  )
  return write.all<BookingInDays>(
    `SELECT bookings.id, bookings.event_id, to_jsonb(bookings) AS row, buildings.timezone AS zone,
       ${timestampText(`lower(${INSTANTS_SQL})`)} AS "daysFrom",
       ${timestampText(`upper(${INSTANTS_SQL})`)} AS "daysTo"
     FROM ${rows} ORDER BY bookings.id`,
    values,
  )
}

function refuseTooMany(number: number): void {
  if (number <= CLAIMS_MAX) return
  throw new Refusal(
    'in_use',
    message`More than ${formatBookingCount(CLAIMS_MAX)} are on these days, which is too many to release at once. Nothing was changed.`,
  )
}
