// Bookings: the rules and writes, with the rows at hand.
import { onlyRow } from '../../shared/database.ts'
import { describeInstant } from '../../shared/date-times.ts'
import type { InputOf } from '../../shared/jobs.ts'
import { type FieldErrors, invalid, Refusal } from '../../shared/refusal.ts'
import { writtenBookingJson, writtenBookingRows } from '../../shared/shapes/bookings.ts'
import { dataText, timestampJson } from '../../shared/shapes/json.ts'
import { audit } from '../audit.ts'
import { constraintRefusal } from '../constraints.ts'
import type { Transaction, WorkContext } from '../context.ts'
import { type BookingFacts, findBookingFacts } from './booking-facts.ts'
import { conflictOf } from './conflicts.ts'
import { lockBookables } from './locks.ts'

type NewBooking = InputOf<'bookings.create'>
type BookingChanges = InputOf<'bookings.update'>
type Span = { from: string; to: string }

/** A booking as it was: whose, where and when, and its row for the audit log. */
type Present = { bookable_id: number; user_id: number; from: string; to: string | null; row: unknown }

const NO_BOOKING = 'There is no booking with this id.'
const NO_VEHICLE = 'This is none of the user’s vehicles.'

// A claim in the way may be gone again before it can be named; then there is room after all.
const INSERT_TRIES = 5

export async function createBooking(
  trx: Transaction,
  input: NewBooking,
  context: WorkContext,
): Promise<string> {
  const span = { from: input.from_time ?? context.now, to: input.to_time }
  const facts = await findBookingFacts(trx, input)
  refuseInvalid(input, span, facts, context)
  refuseUnbookable(facts)
  const id = await claim(trx, input, span, facts)
  const after = await bookingRow(trx, id)
  await audit(trx, context, { action: 'bookings.create', resource: 'bookings', resourceId: id, after })
  return bookingText(trx, id, context, 'list')
}

/** PUT and PATCH. Who moves a booking holds its bookable's lock, so that two who swap times wait for each other. */
export async function updateBooking(
  trx: Transaction,
  input: BookingChanges,
  context: WorkContext,
): Promise<string> {
  await lockBookablesOf(trx, input.id)
  const before = await findBooking(trx, input.id)
  if (!before) throw new Refusal('not_found', NO_BOOKING)
  const subject = { ...before, user_vehicle_id: input.user_vehicle_id }
  const facts = await findBookingFacts(trx, subject)
  const from = input.from_time === undefined ? before.from : (input.from_time ?? context.now)
  const span = { from, to: input.to_time }
  refuseInvalidChange(input, span, facts)
  if (before.to !== null && before.to <= context.now) {
    throw new Refusal(
      'booking_ended',
      `The booking ended at ${describeInstant(before.to)} and cannot be changed.`,
    )
  }
  if (!isWithin(span, before)) refuseUnbookable(facts)
  await moveBooking(trx, input, span, facts, before)
  const after = await bookingRow(trx, input.id)
  const change = { action: 'bookings.update', resource: 'bookings', resourceId: input.id }
  await audit(trx, context, { ...change, before: before.row, after })
  return bookingText(trx, input.id, context, 'one')
}

export async function deleteBooking(
  trx: Transaction,
  { id }: InputOf<'bookings.delete'>,
  context: WorkContext,
): Promise<null> {
  // The rooms of events are claims too, but not bookings of this part of the API.
  const { rows } = await trx.raw(
    'DELETE FROM bookings WHERE id = ? AND event_id IS NULL RETURNING to_jsonb(bookings) AS before',
    [id],
  )
  if (rows.length === 0) throw new Refusal('not_found', NO_BOOKING)
  const { before } = onlyRow<{ before: unknown }>(rows)
  await audit(trx, context, { action: 'bookings.delete', resource: 'bookings', resourceId: id, before })
  return null
}

function refuseInvalid(input: NewBooking, { from, to }: Span, facts: BookingFacts, { now }: WorkContext) {
  const { bookable, user, vehicle } = facts
  const errors: FieldErrors = {}
  if (to <= from) errors.to_time = ['to_time must be after from_time.']
  else if (to <= now) errors.to_time = ['to_time must be in the future.']
  if (!bookable) errors.bookable_id = ['There is no bookable with this id.']
  else if (bookable.locationId !== input.location_id) {
    errors.location_id = [`${bookable.name} is not in this location.`]
  }
  if (!user) errors.user_id = ['There is no active user with this id.']
  if (input.user_vehicle_id != null && !vehicle) {
    errors.user_vehicle_id = [NO_VEHICLE]
  } else if (bookable?.requiresVehicle && !vehicle) {
    errors.user_vehicle_id = [`user_vehicle_id is required: ${bookable.name} is booked with a vehicle only.`]
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

function refuseUnbookable({ bookable }: BookingFacts) {
  if (bookable?.isBlocked) throw new Refusal('bookable_blocked', `${bookable.name} is blocked.`)
  if (bookable?.isAssigned && !bookable.isAssignedToUser) {
    throw new Refusal('bookable_assigned', `${bookable.name} is assigned to somebody else.`)
  }
}

function refuseInvalidChange(input: BookingChanges, { from, to }: Span, { bookable, vehicle }: BookingFacts) {
  const errors: FieldErrors = {}
  if (to <= from) errors.to_time = ['to_time must be after from_time.']
  if (input.user_vehicle_id != null && !vehicle) errors.user_vehicle_id = [NO_VEHICLE]
  if (input.user_vehicle_id === null && bookable?.requiresVehicle) {
    errors.user_vehicle_id = [`user_vehicle_id is required: ${bookable.name} is booked with a vehicle only.`]
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

function isWithin(span: Span, present: Present): boolean {
  return span.from >= present.from && (present.to === null || span.to <= present.to)
}

// In a savepoint: a broken constraint would otherwise end the transaction before it can be said what is in the way.
async function moveBooking(
  trx: Transaction,
  input: BookingChanges,
  span: Span,
  { bookable, vehicle }: BookingFacts,
  present: Present,
) {
  const keepsVehicle = bookable?.isParkingSpot ? vehicle : undefined
  const vehicleChange =
    input.user_vehicle_id === undefined ? '' : ', vehicle_id = :vehicle, license_plate = :plate'
  try {
    await trx.transaction((savepoint) =>
      savepoint.raw(
        `UPDATE bookings SET during = tstzrange(:from, :to), updated_at = now() ${vehicleChange} WHERE id = :id`,
        {
          ...span,
          id: input.id,
          vehicle: keepsVehicle?.id ?? null,
          plate: keepsVehicle?.licensePlate ?? null,
        },
      ),
    )
  } catch (error) {
    if (!constraintRefusal(error)) throw error
    throw (await conflictOf(trx, { ...present, id: input.id }, span)) ?? constraintRefusal(error)
  }
}

async function findBooking(trx: Transaction, id: number): Promise<Present | undefined> {
  const { rows } = await trx.raw(
    `SELECT bookable_id, user_id, ${timestampJson('lower(during)')} AS "from", ${timestampJson('upper(during)')} AS "to",
       to_jsonb(bookings) AS row
     FROM bookings WHERE id = ? AND event_id IS NULL FOR UPDATE`,
    [id],
  )
  return rows[0]
}

async function lockBookablesOf(trx: Transaction, bookingId: number) {
  const { rows } = await trx.raw('SELECT bookable_id FROM bookings WHERE id = ? AND event_id IS NULL', [
    bookingId,
  ])
  await lockBookables(
    trx,
    rows.map((row: { bookable_id: number }) => row.bookable_id),
  )
}

async function claim(trx: Transaction, input: NewBooking, span: Span, facts: BookingFacts): Promise<number> {
  for (let tries = 0; tries < INSERT_TRIES; tries++) {
    const id = await insertBooking(trx, input, span, facts)
    if (id !== undefined) return id
    const conflict = await conflictOf(trx, input, span)
    if (conflict) throw conflict
  }
  throw new Refusal('booking_conflict', 'The time is being taken and freed by others at this moment.')
}

// Never a plain INSERT: inserters that wait on each other for the exclusion constraint deadlock, those that may do
// nothing do not.
async function insertBooking(
  trx: Transaction,
  input: NewBooking,
  { from, to }: Span,
  { bookable, vehicle }: BookingFacts,
): Promise<number | undefined> {
  const keepsVehicle = bookable?.isParkingSpot ? vehicle : undefined
  const { rows } = await trx.raw(
    `INSERT INTO bookings
       (bookable_id, user_id, during, exclusive, guest_name, guest_email, booking_info, vehicle_id, license_plate)
     VALUES (?, ?, tstzrange(?, ?), ?, ?, ?, ?, ?, ?)
     ON CONFLICT ON CONSTRAINT bookings__no_overlap DO NOTHING
     RETURNING id`,
    [
      input.bookable_id,
      input.user_id,
      from,
      to,
      !bookable?.isHomeOffice,
      input.guest_name || null,
      input.guest_email ?? null,
      input.booking_info || null,
      keepsVehicle?.id ?? null,
      keepsVehicle?.licensePlate ?? null,
    ],
  )
  return rows[0]?.id
}

async function bookingText(
  trx: Transaction,
  id: number,
  { baseUrl }: WorkContext,
  form: 'one' | 'list',
): Promise<string> {
  const booking = writtenBookingJson('?')
  const { rows } = await trx.raw(
    `SELECT ${dataText(form === 'list' ? `json_build_array(${booking})` : booking)} AS body
     FROM ${writtenBookingRows} WHERE bookings.id = ?`,
    [baseUrl, id],
  )
  return onlyRow<{ body: string }>(rows).body
}

async function bookingRow(trx: Transaction, id: number): Promise<unknown> {
  const { rows } = await trx.raw('SELECT to_jsonb(bookings) AS row FROM bookings WHERE id = ?', [id])
  return onlyRow<{ row: unknown }>(rows).row
}
