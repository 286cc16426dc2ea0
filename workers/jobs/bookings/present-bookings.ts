// Locks bookings in batches before a write. Refuses a write if the caller cannot see its booking or expects another
// version of it.
import { selectBookingSql } from '../../../shared/bookings/bookings-shape.ts'
import type { ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { isHiddenFromSql } from '../../../shared/people/visibility.ts'
import { computeEtag } from '../../../shared/utilities/etags.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import type { Connection } from '../../runtime/connection.ts'
import { type BatchedWrite, catchRefusal, type WriteContext } from '../../runtime/write.ts'
import { belongsToAnotherUser } from '../rows/personal-tokens.ts'
import {
  findOutsideTokenBuildings,
  findVersions,
  refuseOtherETag,
  refuseOtherVersion,
} from '../rows/preconditions.ts'
import { CHECK_IN_COLUMNS_SQL, type CheckIn } from '../rules/check-in-windows.ts'

export type BookingDetails = {
  guest_name: string | null
  guest_email: string | null
  booking_info: string | null
}

export type CurrentBooking = CheckIn &
  BookingDetails & {
    id: number
    bookable_id: number
    type: number
    location_id: number
    building_id: number
    user_id: number
    vehicle_id: number | null
    /** False for a booking on a home office. */
    exclusive: boolean
  }

export const isForGuest = ({ guest_name, guest_email }: BookingDetails) =>
  guest_name !== null || guest_email !== null

type LockInput = { id: number; if_match?: string[] | undefined; version?: string | undefined }

export const BOOKING_NOT_FOUND = message`There is no booking with this id.`

/**
 * Returns, for each write in order, either the locked booking or why the write is refused. Rooms of events and holds
 * are also rows of this table, but not bookings in this part of the API. With `isForBookers`, a person may also write the
 * bookings that they made for somebody else.
 */
export async function lockBookings(
  connection: Connection,
  writes: Array<BatchedWrite<LockInput>>,
  { isForBookers = false } = {},
): Promise<Array<CurrentBooking | Refusal>> {
  const { rows } = await connection.query<CurrentBooking & { booker: number | null }>({
    name: 'lock-bookings',
    text: `SELECT id, bookable_id, user_id, vehicle_id, guest_name, guest_email, booking_info, exclusive, ${CHECK_IN_COLUMNS_SQL},
             CASE WHEN NOT ${isHiddenFromSql('bookings.user_id', 'bookings.booked_by_user_id')} THEN booked_by_user_id END AS booker,
             (SELECT type FROM bookables WHERE bookables.id = bookable_id),
             (SELECT location_id FROM bookables WHERE bookables.id = bookable_id),
             (SELECT building_id FROM bookables JOIN locations ON locations.id = location_id WHERE bookables.id = bookable_id)
           FROM bookings WHERE id = ANY($1::bigint[]) AND user_id IS NOT NULL ORDER BY id FOR UPDATE`,
    values: [writes.map(({ input }) => input.id)],
  })
  const found = new Map(rows.map((row) => [row.id, row]))
  const asked = writes.map(({ input, context }) => ({ id: input.id, context }))
  const outside = await findOutsideTokenBuildings(connection, 'bookings', asked)
  const bodies = await findBookingBodies(
    connection,
    asked.filter((_each, index) => writes[index]?.input.if_match),
  )
  const versions = await findVersions(connection, 'bookings', writes)
  return writes.map(({ input, context }, index) => {
    const { id, if_match, version } = input
    const booking = found.get(id)
    const mayWrite = (ownerId: number | null) => !belongsToAnotherUser(context, ownerId)
    const isAllowed = booking && (mayWrite(booking.user_id) || (isForBookers && mayWrite(booking.booker)))
    if (!isAllowed || outside.has(index)) return new Refusal('not_found', BOOKING_NOT_FOUND)
    return catchRefusal(() => {
      if (if_match) refuseOtherETag(if_match, computeEtag(bodies.get(id) ?? ''))
      const present = versions.get(id)
      if (version !== undefined && present) refuseOtherVersion(version, present)
      return booking
    })
  })
}

type BookingBody = { id: number; body: JsonText<ReplyOf<'bookings.check-in'>> }

/** Returns the body that a GET of each booking returns, by id. */
export async function findBookingBodies(
  connection: Connection,
  asked: Array<{ id: number; context: WriteContext }>,
) {
  if (asked.length === 0) return new Map<number, BookingBody['body']>()
  const { rows } = await connection.query<BookingBody>({
    name: 'find-booking-bodies',
    text: `SELECT asked.id, body FROM unnest($1::bigint[], $2::text[]) AS asked (id, base_url),
             LATERAL (${selectBookingSql('asked.id', 'asked.base_url')}) AS shown`,
    values: [asked.map(({ id }) => id), asked.map(({ context }) => context.baseUrl)],
  })
  return new Map(rows.map(({ id, body }) => [id, body]))
}
