// Models conflicts: the conflicting claim, and free alternatives.
import { type ExpectedAnswer, findRefusalByStatus, refuse } from './refusals.ts'
import { findRefusalByRoomRules } from './rules.ts'
import {
  type Claim,
  findBookable,
  listExclusiveClaims,
  type Span,
  type State,
  spansOverlap,
} from './state.ts'

export type WantedClaim = {
  bookables: number[]
  span: Span
  user: number
  now: string
  hasVehicle: boolean
  /** The booking or event whose own claims do not conflict, because it is moved or replaced. */
  booking?: number
  event?: number
  /** Other bookings that do not conflict, because the same write moves them later. */
  ignored?: Set<number>
}

export function expectConflict(state: State, wanted: WantedClaim): ExpectedAnswer | undefined {
  const others = listExclusiveClaims(state).filter(
    (claim) =>
      !isOwn(claim, wanted) && !wanted.ignored?.has(claim.booking ?? -1) && spansOverlap(claim, wanted.span),
  )
  const [first] = others
    .filter(({ bookable }) => wanted.bookables.includes(bookable))
    .sort((a, b) => (a.from === b.from ? a.bookable - b.bookable : a.from < b.from ? -1 : 1))
  if (!first) return undefined
  const { bookable, from, to } = first
  const taken = new Set([...others.map((claim) => claim.bookable), ...wanted.bookables])
  return refuse('booking_conflict', {
    conflict: { bookable_id: bookable, from, to },
    alternatives: findAlternatives(state, bookable, wanted, taken),
  })
}

function isOwn(claim: Claim, { booking, event }: WantedClaim): boolean {
  return (
    (booking !== undefined && claim.booking === booking) || (event !== undefined && claim.event === event)
  )
}

// Excludes places whose rules forbid the booking, except for rules that count a user's bookings.
function findAlternatives(state: State, id: number, wanted: WantedClaim, taken: Set<number>) {
  const { user, hasVehicle, span } = wanted
  const { type } = findBookable(state, id)
  return state.bookables
    .filter((other) => other.type === type && !taken.has(other.id))
    .filter((other) => !findRefusalByStatus(other, user, span))
    .filter(({ requiresVehicle }) => hasVehicle || !requiresVehicle)
    .filter((other) => !findRefusalByRoomRules(state, other, wanted))
    .sort((a, b) => Math.abs(a.id - id) - Math.abs(b.id - id) || a.id - b.id)
    .slice(0, 3)
    .map(({ id: other, name }) => ({ id: other, name }))
}
