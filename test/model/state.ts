// The state of the model: the places and people of one sequence of writes, and everything that takes a place.
import type { Rules } from '../../shared/rules/rules.ts'

export type Bookable = {
  id: number
  name: string
  description: string | null
  type: number
  status: number
  tags: string[]
  requiresVehicle: boolean
  assignees: number[]
  rules: Rules
}
export type User = {
  id: number
  name: string
  email: string
  isActive: boolean
  vehicle: number
  plate: string
}
export type Span = { from: string; to: string }
export type Booking = Span & {
  id: number
  /** Of those that were made together. */
  series: number | null
  bookable: number
  user: number
  guest: string | null
  vehicle: number | null
  plate: string | null
  isCheckedIn: boolean
  /** When check-in opens; undefined where nobody asks for it. */
  opens: string | null
}
export type Person = { id: number; user: number | null; email: string | null; role: number; status: number }
export type Event = Span & {
  id: number
  name: string
  description: string
  classification: number
  organizer: number
  people: Person[]
  rooms: number[]
}

export type State = {
  baseUrl: string
  location: { id: number; name: string; code: string }
  /** Those of the location. */
  rules: Rules
  /** There is one group, and one who is in it. */
  group: number
  member: number | undefined
  bookables: Bookable[]
  users: User[]
  bookings: Booking[]
  events: Event[]
  series: number[]
}

const HOME_OFFICE = 3

export const bookableOf = (state: State, id: number) =>
  state.bookables.find((each) => each.id === id) as Bookable
export const userOf = (state: State, id: number) => state.users.find((each) => each.id === id) as User

export type Claim = Span & { bookable: number; booking?: number; event?: number }

/** Everything that holds a place for itself alone. */
export function exclusiveClaims(state: State): Claim[] {
  const claims: Claim[] = [
    ...state.bookings.map(({ id, bookable, from, to }) => ({ booking: id, bookable, from, to })),
    ...state.events.flatMap(({ id, rooms, from, to }) =>
      rooms.map((bookable) => ({ event: id, bookable, from, to })),
    ),
  ]
  return claims.filter(({ bookable }) => bookableOf(state, bookable).type !== HOME_OFFICE)
}

export const overlap = (a: Span, b: Span) => a.from < b.to && b.from < a.to

/** How the state is compared with the database. */
export function picture({ bookables, bookings, events }: State) {
  const byId = (a: { id: number }, b: { id: number }) => a.id - b.id
  return {
    bookables: bookables.map(({ id, name, description, status, tags }) => ({
      id,
      name,
      description,
      status,
      tags,
    })),
    bookings: [...bookings].sort(byId),
    events: [...events].sort(byId),
  }
}
