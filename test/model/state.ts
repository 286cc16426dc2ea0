// The state of the model: the places, people and claims of a sequence of writes.
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
  loans: Loan[]
  rules: Rules
  calendar: LinkedCalendar | null
}
/** `names` says how entries that Berth writes name people. */
export type LinkedCalendar = { calendar: string; names: string }
/** The days on which an owner lends a bookable. Both dates are included. */
export type Loan = { id: number; owner: number; from: string; to: string }
/** The days on which a user is away. Both dates are included. */
export type Absence = { id: number; user: number; from: string; to: string }
export type TeamDay = {
  id: number
  date: string | null
  weekday: number | null
  location: number | null
  note: string | null
}
/** Who names the team days of the group. */
export type Leads = { users: number[]; anybody: boolean }
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
  /** The series of the booking, if any. */
  series: number | null
  bookable: number
  user: number
  guest: string | null
  vehicle: number | null
  plate: string | null
  isCheckedIn: boolean
  /** When check-in opens; undefined if it is not required. */
  opens: string | null
}
export type Person = { id: number; user: number | null; email: string | null; role: number; status: number }
export type Event = Span & {
  id: number
  /** The series of the event, if any. */
  series: number | null
  isCancelled: boolean
  name: string
  description: string
  classification: number
  organizer: number
  people: Person[]
  rooms: number[]
  /** Whether the attendees get mails about the event. */
  invites: boolean
}

export type State = {
  baseUrl: string
  location: { id: number; name: string; code: string }
  /** The rules of the location. */
  rules: Rules
  /** The only group, which has one member. */
  group: number
  member: number | undefined
  bookables: Bookable[]
  users: User[]
  bookings: Booking[]
  events: Event[]
  absences: Absence[]
  teamDays: TeamDay[]
  leads: Leads
  /** The calendars that the provider lists. */
  calendars: string[]
  /** The ids of series of bookings, and of series of events. */
  series: number[]
  eventSeries: number[]
}

const HOME_OFFICE_TYPE = 3

export const findBookable = (state: State, id: number) =>
  state.bookables.find((each) => each.id === id) as Bookable
export const findUser = (state: State, id: number) => state.users.find((each) => each.id === id) as User

export type Claim = Span & { bookable: number; booking?: number; event?: number }

/** Returns the claims that exclude others. */
export function listExclusiveClaims(state: State): Claim[] {
  const claims: Claim[] = [
    ...state.bookings.map(({ id, bookable, from, to }) => ({ booking: id, bookable, from, to })),
    ...state.events.flatMap(({ id, rooms, from, to }) =>
      rooms.map((bookable) => ({ event: id, bookable, from, to })),
    ),
  ]
  return claims.filter(({ bookable }) => findBookable(state, bookable).type !== HOME_OFFICE_TYPE)
}

export const spansOverlap = (a: Span, b: Span) => a.from < b.to && b.from < a.to

/** Returns the state in the format that is compared with the database. */
export function picture({ bookables, bookings, events, absences, teamDays, leads }: State) {
  const byId = (a: { id: number }, b: { id: number }) => a.id - b.id
  return {
    bookables: bookables.map(({ id, name, description, status, tags, loans, calendar }) => ({
      id,
      name,
      description,
      status,
      tags,
      loans: [...loans].sort(byId),
      calendar,
    })),
    bookings: [...bookings].sort(byId),
    events: [...events].sort(byId),
    absences: [...absences].sort(byId),
    teamDays: [...teamDays].sort(byId),
    leads,
  }
}
