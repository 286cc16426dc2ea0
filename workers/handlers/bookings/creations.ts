// New bookings: as many as come together, in one statement each for what the checks ask about, for the claims, and for what
// is said of those that were refused. The exclusion constraint alone decides whether there is room.
import type { InputOf, ReplyOf } from '../../../shared/jobs.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { writtenBookingJson, writtenBookingRows } from '../../../shared/shapes/bookings.ts'
import { dataText, onlyItemJson, selectedText } from '../../../shared/shapes/json.ts'
import type { JsonText } from '../../../shared/shapes/json-text.ts'
import { atOnce, type Connection } from '../../connection.ts'
import type { BatchHandler, Write } from '../../context.ts'
import { lockClaimsOfSeveral } from '../bookables/locks.ts'
import { refuseInvalid, refuseUnbookable } from './checks.ts'
import { findConflict, type OpenSpan } from './conflicts.ts'
import { type BookingFacts, lockBookingFacts } from './facts.ts'

type Input = InputOf<'bookings.create'> | InputOf<'bookings.create-open'>
type Reply = ReplyOf<'bookings.create'>
type NewBooking = { write: Write<Input>; fact: BookingFacts }
type Decision = JsonText<Reply> | Refusal | undefined

const REPLY = dataText<Reply['data']>(onlyItemJson(writtenBookingJson('wanted.base_url')))

// A claim in the way may be gone again before it can be named; then there is room after all.
const INSERT_TRIES = 5

export const createBookings: BatchHandler<Input, BookingFacts, Reply> = {
  async lockFacts(connection, writes) {
    const subjects = writes.map(({ input }) => input)
    const bookableIds = subjects.map(({ bookable_id }) => bookable_id)
    const [, facts] = await atOnce(
      connection,
      () => lockClaimsOfSeveral(connection, bookableIds),
      () => lockBookingFacts(connection, subjects),
    )
    return facts
  },

  async perform(connection, bookings) {
    const decisions: Decision[] = bookings.map(refusalByChecks)
    for (let tries = 0; tries < INSERT_TRIES && decisions.includes(undefined); tries++) {
      await decideOpen(decisions, bookings, (open) => insertBookings(connection, open))
      await decideOpen(decisions, bookings, (open) =>
        Promise.all(open.map((booking) => findConflict(connection, subjectOf(booking), spanOf(booking)))),
      )
    }
    return decisions.map((decision) => decision ?? beingTaken())
  },
}

const beingTaken = () =>
  new Refusal('booking_conflict', 'Others are booking and cancelling this time right now. Try again.')

async function decideOpen(
  decisions: Decision[],
  bookings: NewBooking[],
  decide: (open: NewBooking[]) => Promise<Decision[]>,
): Promise<void> {
  const open = bookings.flatMap((booking, index) => (decisions[index] ? [] : [{ booking, index }]))
  if (open.length === 0) return
  const decided = await decide(open.map(({ booking }) => booking))
  open.forEach(({ index }, position) => {
    decisions[index] = decided[position]
  })
}

function refusalByChecks(booking: NewBooking): Refusal | undefined {
  const { write, fact } = booking
  try {
    refuseInvalid(write.input, spanOf(booking), fact, write.context.now)
    if (fact.bookable) refuseUnbookable(fact.bookable)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function spanOf({ write: { input, context } }: NewBooking): OpenSpan {
  return { from: input.from_time ?? context.now, to: 'to_time' in input ? input.to_time : null }
}

function subjectOf({ write: { input }, fact }: NewBooking) {
  return { ...input, hasVehicle: fact.vehicle !== undefined }
}

// Never a plain INSERT: inserters that wait on each other for the exclusion constraint deadlock, those that may do nothing
// do not, as long as all insert in the same order. What is not in the answer had no room.
const INSERT = `
  WITH wanted AS MATERIALIZED (
    SELECT nextval(pg_get_serial_sequence('bookings', 'id')) AS id, asked.*
    FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::boolean[], $6::text[], $7::text[],
      $8::text[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::text[], $15::text[])
      WITH ORDINALITY AS asked (bookable_id, user_id, from_time, to_time, exclusive, guest_name, guest_email, booking_info,
        vehicle_id, license_plate, base_url, actor_type, actor_id, actor_name, request_id, ordinal)
  ), bookings AS (
    INSERT INTO bookings (id, bookable_id, user_id, during, exclusive, guest_name, guest_email, booking_info, vehicle_id,
      license_plate)
    OVERRIDING SYSTEM VALUE
    SELECT id, bookable_id, user_id, tstzrange(from_time, to_time), exclusive, guest_name, guest_email, booking_info,
      vehicle_id, license_plate
    FROM wanted
    ORDER BY bookable_id, from_time, ordinal
    ON CONFLICT ON CONSTRAINT bookings__no_overlap DO NOTHING
    RETURNING *
  ), audited AS (
    INSERT INTO audit_log (actor_type, actor_id, actor_name, action, resource, resource_id, after, request_id)
    SELECT actor_type, actor_id, actor_name, 'bookings.create', 'bookings', bookings.id, to_jsonb(bookings), request_id
    FROM wanted JOIN bookings ON bookings.id = wanted.id
    ORDER BY ordinal
  )
  SELECT wanted.ordinal, ${REPLY} AS text
  FROM wanted JOIN (${writtenBookingRows}) ON bookings.id = wanted.id`

async function insertBookings(connection: Connection, bookings: NewBooking[]): Promise<Decision[]> {
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
  ]
}
