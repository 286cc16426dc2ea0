// Models refusals: their code, and the fields that programs read.
import { REFUSALS, type RefusalCode } from '../../shared/messages/refusal-kinds.ts'
import type { Bookable, Span } from './state.ts'

export type ExpectedAnswer = { status: number; body: unknown }

export function refuse(code: RefusalCode, members: object = {}): ExpectedAnswer {
  return { status: REFUSALS[code].status, body: { code, ...members } }
}

export function findRefusalByStatus(
  bookable: Bookable,
  user: number,
  span: Span,
): ExpectedAnswer | undefined {
  const { status, assignees } = bookable
  if (status === 1) return refuse('bookable_blocked')
  if (status === 2 && !assignees.includes(user) && !isLent(bookable, span)) return refuse('bookable_assigned')
  return undefined
}

/** Returns whether the bookable is lent on each day that the time touches, in UTC. */
export function isLent({ loans }: Bookable, { from, to }: Span): boolean {
  const last = new Date(Date.parse(to) - 1).toISOString().slice(0, 10)
  for (let ms = Date.parse(from.slice(0, 10)); ; ms += 24 * 3_600_000) {
    const date = new Date(ms).toISOString().slice(0, 10)
    if (date > last) return true
    if (!loans.some((loan) => loan.from <= date && date <= loan.to)) return false
  }
}
