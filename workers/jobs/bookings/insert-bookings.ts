// Inserts new bookings with their audit log and outbox entries, and builds their replies: one statement.

import { writtenBookingJson } from '../../../shared/bookings/bookings-shape.ts'
import { inBuilding } from '../../../shared/changes/buildings.ts'
import { CHANGED_SHAPES } from '../../../shared/changes/changes-shape.ts'
import { insertChanges } from '../../../shared/changes/record.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import type { RefusalCode } from '../../../shared/messages/refusal.ts'
import { dataText, onlyItemJson, selectedText } from '../../../shared/schemas/json.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { Write } from '../../runtime/context.ts'
import type { OpenTimeRange } from '../claims/conflicts.ts'
import type { BookingFacts } from '../claims/facts.ts'
import { checkInWindow } from '../rules/check-in-windows.ts'

export type NewBookingInput = (InputOf<'bookings.create'> | InputOf<'bookings.create-open'>) & {
  series_id?: number
}
export type NewBookingReply = ReplyOf<'bookings.create'>
export type NewBooking = { write: Write<NewBookingInput>; fact: BookingFacts; overridden: RefusalCode[] }

const CHANGED = CHANGED_SHAPES.bookings
const REPLY = dataText<NewBookingReply['data']>(onlyItemJson(writtenBookingJson('wanted.base_url')))

// Never a plain INSERT: inserts that wait for each other on the exclusion constraint deadlock. With DO
// NOTHING they do not, if all insert in the same order. Rows missing from the result had no room. The data
// for the reply, the audit log and the outbox is read once, because each mention of a table costs.
const INSERT = `
  WITH wanted AS MATERIALIZED (
    SELECT nextval((SELECT pg_get_serial_sequence('bookings', 'id'))) AS id, asked.*
    FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::boolean[], $6::text[], $7::text[],
      $8::text[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::text[], $15::text[], $16::text[],
      $17::timestamptz[], $18::timestamptz[], $19::bigint[])
      WITH ORDINALITY AS asked (bookable_id, user_id, from_time, to_time, exclusive, guest_name, guest_email, booking_info,
        vehicle_id, license_plate, base_url, actor_type, actor_id, actor_name, request_id, overridden, check_in_from,
        check_in_until, series_id, ordinal)
  ), bookings AS (
    INSERT INTO bookings (id, bookable_id, user_id, during, exclusive, guest_name, guest_email, booking_info, vehicle_id,
      license_plate, check_in_from, check_in_until, series_id)
    OVERRIDING SYSTEM VALUE
    SELECT id, bookable_id, user_id, tstzrange(from_time, to_time), exclusive, guest_name, guest_email, booking_info,
      vehicle_id, license_plate, check_in_from, check_in_until, wanted.series_id
    FROM wanted
    ORDER BY bookable_id, ordinal
    ON CONFLICT ON CONSTRAINT bookings__no_overlap DO NOTHING
    RETURNING *
  ), written AS MATERIALIZED (
    SELECT ordinal, bookings.id, actor_type, actor_id, actor_name, request_id, locations.building_id,
      CASE WHEN overridden IS NULL THEN to_jsonb(bookings)
      ELSE to_jsonb(bookings) || jsonb_build_object('overridden_rules', string_to_array(overridden, ',')) END AS row,
      ${CHANGED.json} AS data, ${REPLY} AS text
    FROM wanted JOIN (${CHANGED.rows}) ON bookings.id = wanted.id
  ), audited AS (
    INSERT INTO audit_log (actor_type, actor_id, actor_name, action, resource, resource_id, after, request_id)
    SELECT actor_type, actor_id, actor_name, 'bookings.create', 'bookings', id, row, request_id FROM written ORDER BY ordinal
  ), changed AS (
    ${insertChanges(
      {
        type: "'booking'",
        action: "'created'",
        id: 'id',
        data: 'data',
        previous: 'NULL',
        place: inBuilding('building_id'),
      },
      'actor_type, actor_id, actor_name, request_id',
    )} FROM written ORDER BY ordinal
  )
  SELECT ordinal, text FROM written`

/** Returns the replies in the order of the bookings; undefined for a booking that had no room. */
export async function insertBookings(
  connection: Connection,
  bookings: NewBooking[],
): Promise<Array<JsonText<NewBookingReply> | undefined>> {
  const rows = bookings.map(valuesOf)
  const columns = rows[0]?.map((_value, column) => rows.map((row) => row[column])) ?? []
  const inserted = await connection.query<{ ordinal: number; text: string }>({
    name: 'insert-bookings',
    text: INSERT,
    values: columns,
  })
  const replies = new Map(inserted.rows.map(({ ordinal, text }) => [ordinal - 1, selectedText(REPLY, text)]))
  return bookings.map((_booking, index) => replies.get(index))
}

function valuesOf(booking: NewBooking) {
  const { input, context } = booking.write
  const { bookable, vehicle } = booking.fact
  const { from, to } = spanOf(booking)
  const checkIn = checkInWindow(booking.fact.rules, { from, to }, context.now)
  const parked = bookable?.isParkingSpot ? vehicle : undefined
  return [
    input.bookable_id,
    input.user_id,
    from,
    to,
    !bookable?.isHomeOffice,
    input.guest_name || null,
    input.guest_email ?? null,
    input.booking_info || null,
    parked?.id ?? null,
    parked?.licensePlate ?? null,
    context.baseUrl,
    context.actor.type,
    context.actor.id,
    context.actor.name,
    context.requestId,
    booking.overridden.join(',') || null,
    checkIn.from,
    checkIn.until,
    input.series_id ?? null,
  ]
}

export function spanOf({ write: { input, context } }: NewBooking): OpenTimeRange {
  return { from: input.from_time ?? context.now, to: 'to_time' in input ? input.to_time : null }
}
