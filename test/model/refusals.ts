// How the model refuses: the code, and what programs read beside it.
import {
  type Bookable,
  bookableOf,
  type Claim,
  exclusiveClaims,
  overlap,
  type Span,
  type State,
} from './state.ts'

export type Expected = { status: number; body: unknown }

const STATUSES = {
  not_found: 404,
  validation_failed: 422,
  booking_conflict: 409,
  bookable_blocked: 409,
  bookable_assigned: 409,
  booking_ended: 409,
  check_in_too_early: 409,
  not_for_this_user: 409,
  closed: 409,
  outside_opening_hours: 409,
  too_far_ahead: 409,
  too_short: 409,
  too_long: 409,
  too_many_bookings: 409,
  already_booked: 409,
}

export function refuse(code: keyof typeof STATUSES, members: object = {}): Expected {
  return { status: STATUSES[code], body: { code, ...members } }
}

export function unbookable({ status, assignees }: Bookable, user: number): Expected | undefined {
  if (status === 1) return refuse('bookable_blocked')
  if (status === 2 && !assignees.includes(user)) return refuse('bookable_assigned')
  return undefined
}

export type Wanted = {
  bookables: number[]
  span: Span
  user: number
  hasVehicle: boolean
  /** Whose claims are not in the way: those of the booking that is moved, of the event that is replaced. */
  booking?: number
  event?: number
}

export function expectConflict(state: State, wanted: Wanted): Expected | undefined {
  const others = exclusiveClaims(state).filter(
    (claim) => !isOwn(claim, wanted) && overlap(claim, wanted.span),
  )
  const [first] = others
    .filter(({ bookable }) => wanted.bookables.includes(bookable))
    .sort((a, b) => (a.from === b.from ? a.bookable - b.bookable : a.from < b.from ? -1 : 1))
  if (!first) return undefined
  const { bookable, from, to } = first
  const taken = new Set([...others.map((claim) => claim.bookable), ...wanted.bookables])
  return refuse('booking_conflict', {
    conflict: { bookable_id: bookable, from, to },
    alternatives: alternativesTo(state, bookable, wanted, taken),
  })
}

function isOwn(claim: Claim, { booking, event }: Wanted): boolean {
  return (
    (booking !== undefined && claim.booking === booking) || (event !== undefined && claim.event === event)
  )
}

function alternativesTo(state: State, id: number, { user, hasVehicle }: Wanted, taken: Set<number>) {
  const { type } = bookableOf(state, id)
  return state.bookables
    .filter((other) => other.type === type && !taken.has(other.id) && !unbookable(other, user))
    .filter(({ requiresVehicle }) => hasVehicle || !requiresVehicle)
    .sort((a, b) => Math.abs(a.id - id) - Math.abs(b.id - id) || a.id - b.id)
    .slice(0, 3)
    .map(({ id: other, name }) => ({ id: other, name }))
}
