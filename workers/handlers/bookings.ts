// Bookings: the rules and writes, with the rows at hand.
import { onlyRow } from '../../shared/database.ts'
import type { InputOf } from '../../shared/jobs.ts'
import { type FieldErrors, invalid, Refusal } from '../../shared/refusal.ts'
import { writtenBookingJson, writtenBookingRows } from '../../shared/shapes/bookings.ts'
import { dataText } from '../../shared/shapes/json.ts'
import { audit } from '../audit.ts'
import type { Transaction, WorkContext } from '../context.ts'
import { type BookingFacts, findBookingFacts } from './booking-facts.ts'
import { conflictOf } from './conflicts.ts'

type NewBooking = InputOf<'bookings.create'>
type Span = { from: string; to: string }

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
  return bookingText(trx, id, context)
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
  if (rows.length === 0) throw new Refusal('not_found', 'There is no booking with this id.')
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
    errors.user_vehicle_id = ['This is none of the user’s vehicles.']
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

async function bookingText(trx: Transaction, id: number, { baseUrl }: WorkContext): Promise<string> {
  const { rows } = await trx.raw(
    `SELECT ${dataText(`json_build_array(${writtenBookingJson('?')})`)} AS body
     FROM ${writtenBookingRows} WHERE bookings.id = ?`,
    [baseUrl, id],
  )
  return onlyRow<{ body: string }>(rows).body
}

async function bookingRow(trx: Transaction, id: number): Promise<unknown> {
  const { rows } = await trx.raw('SELECT to_jsonb(bookings) AS row FROM bookings WHERE id = ?', [id])
  return onlyRow<{ row: unknown }>(rows).row
}
