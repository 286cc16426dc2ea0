// Conflicts in the model: the conflicting claim, and free alternatives.
import { type Expected, refuse, unbookable } from './refusals.ts'
import { brokenByRoom } from './rules.ts'
import { bookableOf, type Claim, exclusiveClaims, overlap, type Span, type State } from './state.ts'

export type Wanted = {
  bookables: number[]
  span: Span
  user: number
  now: string
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

// Those that break a rule are none, but for the rules that count a user's bookings.
function alternativesTo(state: State, id: number, wanted: Wanted, taken: Set<number>) {
  const { user, hasVehicle } = wanted
  const { type } = bookableOf(state, id)
  return state.bookables
    .filter((other) => other.type === type && !taken.has(other.id) && !unbookable(other, user))
    .filter(({ requiresVehicle }) => hasVehicle || !requiresVehicle)
    .filter((other) => !brokenByRoom(state, other, wanted))
    .sort((a, b) => Math.abs(a.id - id) - Math.abs(b.id - id) || a.id - b.id)
    .slice(0, 3)
    .map(({ id: other, name }) => ({ id: other, name }))
}
