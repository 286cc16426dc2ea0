// What the rules of a booking ask about: the bookable, the user and the vehicle, in one statement.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/contracts/bookables.ts'
import type { Transaction } from '../../context.ts'

export type BookableFacts = {
  name: string
  locationId: number
  isBlocked: boolean
  isAssigned: boolean
  isAssignedToUser: boolean
  isParkingSpot: boolean
  isHomeOffice: boolean
  requiresVehicle: boolean
}
export type Vehicle = { id: number; licensePlate: string }
export type BookingFacts = { bookable?: BookableFacts; user?: { id: number }; vehicle?: Vehicle }

type Subject = { bookable_id: number; user_id: number; user_vehicle_id?: number | null | undefined }

// The bookable is locked against changes of its status until the booking is in, and only then it is looked at whose it
// is: a statement that has waited for the lock sees the bookable as it is now, but all else as it was before. The user is
// only looked at: a lock would wait behind an import.
export async function lockBookingFacts(trx: Transaction, subject: Subject): Promise<BookingFacts> {
  const { rows } = await trx.raw(
    `SELECT name, location_id, type, status, requires_vehicle
     FROM bookables
     WHERE id = :bookable_id AND deleted_at IS NULL
     FOR SHARE`,
    { bookable_id: subject.bookable_id },
  )
  const users = await trx.raw(
    `SELECT users.id, vehicles.id AS vehicle_id, vehicles.license_plate, EXISTS (
       SELECT FROM bookable_assignees WHERE bookable_id = :bookable_id AND user_id = users.id
     ) AS has_bookable
     FROM users
     LEFT JOIN vehicles ON vehicles.user_id = users.id AND vehicles.id = :vehicle_id
     WHERE users.id = :user_id AND users.deactivated_at IS NULL`,
    {
      user_id: subject.user_id,
      vehicle_id: subject.user_vehicle_id ?? null,
      bookable_id: subject.bookable_id,
    },
  )
  const [user] = users.rows
  return { ...bookableFacts(rows[0], user?.has_bookable === true), ...userFacts(user) }
}

type BookableRow = {
  name: string
  location_id: number
  type: number
  status: number
  requires_vehicle: boolean
}

function bookableFacts(
  row: BookableRow | undefined,
  isAssignedToUser: boolean,
): Pick<BookingFacts, 'bookable'> {
  if (!row) return {}
  return {
    bookable: {
      name: row.name,
      locationId: row.location_id,
      isBlocked: row.status === BOOKABLE_STATUSES.blocked,
      isAssigned: row.status === BOOKABLE_STATUSES.assigned,
      isAssignedToUser,
      isParkingSpot: row.type === BOOKABLE_TYPES.parkingSpot,
      isHomeOffice: row.type === BOOKABLE_TYPES.homeOffice,
      requiresVehicle: row.requires_vehicle,
    },
  }
}

type UserRow = { id: number; vehicle_id: number | null; license_plate: string; has_bookable: boolean }

function userFacts(row: UserRow | undefined): Pick<BookingFacts, 'user' | 'vehicle'> {
  if (!row) return {}
  if (row.vehicle_id === null) return { user: { id: row.id } }
  return { user: { id: row.id }, vehicle: { id: row.vehicle_id, licensePlate: row.license_plate } }
}
