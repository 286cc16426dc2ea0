// Bookings before a write: locked, as many as come together, and refused if the caller cannot see them or expects
// another state of them.
import { selectBooking } from '../../../shared/bookings/bookings-shape.ts'
import type { ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import type { Connection } from '../../runtime/connection.ts'
import { type BatchedWrite, refusalBy, type WriteContext } from '../../runtime/write.ts'
import { isOfAnother } from '../rows/personal-tokens.ts'
import {
  findOutsideTokenBuildings,
  findVersions,
  refuseOtherETag,
  refuseOtherVersion,
} from '../rows/preconditions.ts'
import { CHECK_IN_COLUMNS, type CheckIn } from '../rules/check-in-windows.ts'

export type BookingDetails = {
  guest_name: string | null
  guest_email: string | null
  booking_info: string | null
}

export type Present = CheckIn &
  BookingDetails & {
    id: number
    bookable_id: number
    type: number
    location_id: number
    building_id: number
    user_id: number
    vehicle_id: number | null
    /** False for a home office. */
    exclusive: boolean
  }

export const isForGuest = ({ guest_name, guest_email }: BookingDetails) =>
  guest_name !== null || guest_email !== null

type Input = { id: number; if_match?: string[] | undefined; version?: string | undefined }

const NO_BOOKING = message`There is no booking with this id.`

/**
 * In the order of the writes: the booking, or why the write is refused. The rooms of events and holds are claims too, but not
 * bookings in this part of the API.
 */
export async function lockBookings(
  connection: Connection,
  writes: Array<BatchedWrite<Input>>,
): Promise<Array<Present | Refusal>> {
  const { rows } = await connection.query<Present>({
    name: 'lock-bookings',
    text: `SELECT id, bookable_id, user_id, vehicle_id, guest_name, guest_email, booking_info, exclusive, ${CHECK_IN_COLUMNS},
             (SELECT type FROM bookables WHERE bookables.id = bookable_id),
             (SELECT location_id FROM bookables WHERE bookables.id = bookable_id),
             (SELECT building_id FROM bookables JOIN locations ON locations.id = location_id WHERE bookables.id = bookable_id)
           FROM bookings WHERE id = ANY($1::bigint[]) AND user_id IS NOT NULL ORDER BY id FOR UPDATE`,
    values: [writes.map(({ input }) => input.id)],
  })
  const found = new Map(rows.map((row) => [row.id, row]))
  const asked = writes.map(({ input, context }) => ({ id: input.id, context }))
  const outside = await findOutsideTokenBuildings(connection, 'bookings', asked)
  const bodies = await findBodies(
    connection,
    asked.filter((_each, index) => writes[index]?.input.if_match),
  )
  const versions = await findVersions(connection, 'bookings', writes)
  return writes.map(({ input, context }, index) => {
    const { id, if_match, version } = input
    const booking = found.get(id)
    if (!booking || outside.has(index) || isOfAnother(context, booking.user_id))
      return new Refusal('not_found', NO_BOOKING)
    return refusalBy(() => {
      if (if_match) refuseOtherETag(if_match, etagOf(bodies.get(id) ?? ''))
      const present = versions.get(id)
      if (version !== undefined && present) refuseOtherVersion(version, present)
      return booking
    })
  })
}

type Body = { id: number; body: JsonText<ReplyOf<'bookings.check-in'>> }

/** By id: the body of the booking's GET. */
export async function findBodies(
  connection: Connection,
  asked: Array<{ id: number; context: WriteContext }>,
) {
  if (asked.length === 0) return new Map<number, Body['body']>()
  const { rows } = await connection.query<Body>({
    name: 'find-booking-bodies',
    text: `SELECT asked.id, body FROM unnest($1::bigint[], $2::text[]) AS asked (id, base_url),
             LATERAL (${selectBooking('asked.id', 'asked.base_url')}) AS shown`,
    values: [asked.map(({ id }) => id), asked.map(({ context }) => context.baseUrl)],
  })
  return new Map(rows.map(({ id, body }) => [id, body]))
}
