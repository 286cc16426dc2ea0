// Models loans: an owner lends an assigned bookable for some days, and takes it back unless somebody else has it.
import type { TimedRequest } from './model.ts'
import { type ExpectedAnswer, refuse } from './refusals.ts'
import { findBookable, type State } from './state.ts'

type LoanBody = { from: string; to: string; user_id: number }

export function createLoan(
  state: State,
  bookableId: number,
  { body, now }: TimedRequest<LoanBody>,
  id: number,
): ExpectedAnswer {
  const bookable = findBookable(state, bookableId)
  const { from, to, user_id } = body
  if (!bookable.assignees.includes(user_id))
    return refuse('validation_failed', {
      errors: { user_id: ['The bookable is not assigned to this user.'] },
    })
  if (to < now.slice(0, 10)) return refuse('validation_failed', { errors: { to: ['This day is over.'] } })
  if (bookable.loans.some((loan) => loan.from <= to && from <= loan.to)) return refuse('in_use')
  bookable.loans.push({ id, owner: user_id, from, to })
  return { status: 200, body: { data: { id, bookable_id: bookableId, user_id, from, to } } }
}

export function deleteLoan(state: State, bookableId: number, id: number, now: string): ExpectedAnswer {
  const bookable = findBookable(state, bookableId)
  const loan = bookable.loans.find((each) => each.id === id)
  if (!loan) return refuse('not_found')
  const end = new Date(Date.parse(loan.to) + 24 * 3_600_000).toISOString()
  const claims = [
    ...state.bookings.map((each) => ({ ...each, rooms: [each.bookable] })),
    ...state.events.map((each) => ({ ...each, user: each.organizer })),
  ]
  const isTaken = claims.some(
    ({ rooms, user, from, to }) =>
      rooms.includes(bookableId) &&
      !bookable.assignees.includes(user) &&
      Date.parse(from) < Date.parse(end) &&
      to > now &&
      to.slice(0, 10) >= loan.from &&
      Date.parse(to) > Date.parse(loan.from),
  )
  if (isTaken) return refuse('in_use')
  bookable.loans = bookable.loans.filter((each) => each !== loan)
  return { status: 204, body: null }
}
