// Inserts new bookings. A single statement inserts the bookings with their audit log and outbox entries, and builds the
// replies.
import { writtenBookingJson } from '../../../shared/bookings/bookings-shape.ts'
import { placeInBuilding } from '../../../shared/changes/buildings.ts'
import { CHANGED_SHAPES } from '../../../shared/changes/changes-shape.ts'
import { insertChangesSql } from '../../../shared/changes/record.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import type { Refusal, RefusalCode } from '../../../shared/messages/refusal.ts'
import { dataBodyText, onlyItemJson, selectedText } from '../../../shared/schemas/json.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { BatchedWrite } from '../../runtime/write.ts'
import { findConflicts, type OpenTimeRange } from '../claims/conflicts.ts'
import type { BookingFacts } from '../claims/facts.ts'
import { belongsToAnotherUser } from '../rows/personal-tokens.ts'
import { computeCheckInWindow } from '../rules/check-in-windows.ts'

// Another write may move a bookable to another floor at any time, so the floor is checked only if a caller named it.
type WithOptionalFloor<Input> = Input extends unknown
  ? Omit<Input, 'location_id'> & { location_id?: number }
  : never
export type NewBookingInput = WithOptionalFloor<
  InputOf<'bookings.create'> | InputOf<'bookings.create-open'>
> & {
  series_id?: number
  is_approved?: boolean
  /** Set if an approver books for the requester. Messages to the approver do not name the requester's other bookings. */
  is_for_other?: boolean
}
export type NewBookingReply = ReplyOf<'bookings.create'>
/** `isForOther` is whether a person books for somebody else and may do so. */
export type NewBookingFacts = BookingFacts & { isForOther: boolean }
export type NewBooking = {
  write: BatchedWrite<NewBookingInput>
  fact: NewBookingFacts
  overridden: RefusalCode[]
  /** The conflict with another claim at the same time, if it is already known. */
  known?: Refusal | undefined
}

/** A booking that its rules allow. `changed` is the same booking, with the rules that it overrides. */
export type AllowedBooking = { booking: NewBooking; changed: NewBooking }

const BOOKING_SHAPE = CHANGED_SHAPES.bookings
const REPLY_SQL = dataBodyText<NewBookingReply['data']>(onlyItemJson(writtenBookingJson('bookings.base_url')))

// Never use a plain INSERT here: inserts that wait for each other on the exclusion constraint deadlock. With DO NOTHING
// there are no deadlocks, provided that all writes insert in the same order. A row that is missing from the result was
// not inserted, because its bookable was not free. The data for the reply, the audit log and the outbox is read once,
// because each mention of a table costs time. The inserted rows are joined with `wanted` before they are joined with any
// table: Postgres then uses a hash join, and would otherwise compare each inserted row with each wanted row. `written` is
// sorted once, because Postgres reads its rows in that order each time.
const INSERT_SQL = `
  WITH wanted AS MATERIALIZED (
    SELECT nextval('bookings_id_seq') AS id, asked.*
    FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::boolean[], $6::text[], $7::text[],
      $8::text[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::text[], $15::text[], $16::text[],
      $17::timestamptz[], $18::timestamptz[], $19::bigint[], $20::uuid[], $21::bigint[])
      WITH ORDINALITY AS asked (bookable_id, user_id, from_time, to_time, exclusive, guest_name, guest_email, booking_info,
        vehicle_id, license_plate, base_url, actor_type, actor_id, actor_name, request_id, overridden, check_in_from,
        check_in_until, series_id, attempt, booked_by_user_id, ordinal)
  ), inserted AS (
    INSERT INTO bookings (id, bookable_id, user_id, during, exclusive, guest_name, guest_email, booking_info, vehicle_id,
      license_plate, check_in_from, check_in_until, series_id, booked_by_user_id)
    OVERRIDING SYSTEM VALUE
    SELECT id, bookable_id, user_id, tstzrange(from_time, to_time), exclusive, guest_name, guest_email, booking_info,
      vehicle_id, license_plate, check_in_from, check_in_until, wanted.series_id, wanted.booked_by_user_id
    FROM wanted
    ORDER BY bookable_id, ordinal
    ON CONFLICT ON CONSTRAINT bookings__no_overlap DO NOTHING
    RETURNING *
  ), bookings AS MATERIALIZED (
    SELECT inserted.*, ordinal, base_url, actor_type, actor_id, actor_name, request_id, attempt,
      CASE WHEN overridden IS NULL THEN to_jsonb(inserted)
      ELSE to_jsonb(inserted) || jsonb_build_object('overridden_rules', string_to_array(overridden, ',')) END AS row
    FROM inserted JOIN wanted ON wanted.id = inserted.id
  ), written AS MATERIALIZED (
    SELECT ordinal, bookings.id, actor_type, actor_id, actor_name, request_id, attempt, locations.building_id, row,
      ${BOOKING_SHAPE.json} AS data, ${REPLY_SQL} AS text
    FROM ${BOOKING_SHAPE.rows}
    ORDER BY ordinal
  ), audited AS (
    INSERT INTO audit_log (actor_type, actor_id, actor_name, action, resource, resource_id, after, request_id, attempt)
    SELECT actor_type, actor_id, actor_name, 'bookings.create', 'bookings', id, row, request_id, attempt FROM written
  ), changed AS (
    ${insertChangesSql(
      {
        type: "'booking'",
        action: "'created'",
        id: 'id',
        data: 'data',
        previous: 'NULL',
        place: placeInBuilding('building_id'),
      },
      'actor_type, actor_id, actor_name, request_id, attempt',
    )} FROM written
  )
  SELECT ordinal, text FROM written`

/** Inserts bookings and returns the replies. A booking whose bookable was not free has no reply. */
export async function insertBookings(connection: Connection, kept: AllowedBooking[]) {
  const replies = new Map<NewBooking, JsonText<NewBookingReply>>()
  const [first, ...others] = kept.map(({ changed }) => getInsertValues(changed))
  if (!first) return replies
  const inserted = await connection.query<{ ordinal: number; text: string }>({
    name: 'insert-bookings',
    text: INSERT_SQL,
    values: first.map((value, column) => [value, ...others.map((row) => row[column])]),
  })
  for (const { ordinal, text } of inserted.rows) {
    const booking = kept[ordinal - 1]?.booking
    if (booking) replies.set(booking, selectedText(REPLY_SQL, text))
  }
  return replies
}

function getInsertValues(booking: NewBooking) {
  const { input, context } = booking.write
  const { bookable, vehicle } = booking.fact
  const { from, to } = getSpan(booking)
  const checkIn = computeCheckInWindow(booking.fact.rules, { from, to }, context.now)
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
    context.attempt,
    belongsToAnotherUser(context, input.user_id) ? context.userId : null,
  ]
}

export function getSpan({ write: { input, context } }: Pick<NewBooking, 'write'>): OpenTimeRange {
  return { from: input.from_time ?? context.now, to: 'to_time' in input ? input.to_time : null }
}

/** Finds the conflict of each booking with one statement. The bookings do not need to be checked first. */
export async function findBookingConflicts(
  connection: Connection,
  writes: Array<BatchedWrite<NewBookingInput>>,
): Promise<Array<Refusal | undefined>> {
  const valid = writes.filter((write) => isValidSpan(getSpan({ write })))
  const found = await findConflicts(connection, valid.map(toConflictSubject))
  const conflicts = new Map(valid.map((write, index) => [write, found[index]]))
  return writes.map((write) => conflicts.get(write))
}

function toConflictSubject(write: BatchedWrite<NewBookingInput>) {
  const { bookable_id, user_id, user_vehicle_id } = write.input
  const hasVehicle = user_vehicle_id != null
  return { bookable_id, user_id, hasVehicle, now: write.context.now, span: getSpan({ write }) }
}

const isValidSpan = ({ from, to }: OpenTimeRange) => to === null || from < to
