// Refuses bookings for a person who is away. People can book for themselves while they are away, and a caller can
// override the absence.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { getLocalDay } from '../../../shared/rules/opening-hours.ts'
import { formatInstant } from '../../../shared/utilities/date-times.ts'
import type { WriteContext } from '../../runtime/write.ts'
import type { OpenTimeRange } from '../claims/conflicts.ts'
import type { AbsenceFacts } from '../claims/facts.ts'
import { belongsToAnotherUser } from '../rows/personal-tokens.ts'

type BookingForUser = {
  context: Pick<WriteContext, 'userId' | 'now'>
  userId: number
  span: OpenTimeRange
  away: AbsenceFacts | undefined
  isForGuest: boolean
}

const DAY_MS = 24 * 3_600_000
const toDate = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** Returns a list with a refusal if the person is away on a day of the booking. Otherwise, returns an empty list. */
export function findAbsenceRefusals(
  { context, userId, span, away, isForGuest }: BookingForUser,
  /** `is_approved` is true when an approver decides about a request of the person. */
  { is_approved = false }: { is_approved?: boolean } = {},
): Refusal[] {
  const isOwn = context.userId !== undefined && !belongsToAnotherUser(context, userId)
  if (!away || isOwn || isForGuest || is_approved) return []
  const { name, zone } = away
  const today = toDate(getLocalDay(context.now, zone))
  const first = toDate(getLocalDay(span.from > context.now ? span.from : context.now, zone))
  const last = span.to && toDate(getLocalDay(formatInstant(Date.parse(span.to) - 1), zone))
  const found = away.days.find(({ from, to }) => to >= first && (last === null || from <= last))
  if (!found) return []
  const [from, to] = [{ date: found.from }, { date: found.to }]
  const detail =
    found.from <= today
      ? message`${name} is away until ${to}.`
      : message`${name} is away from ${from} to ${to}.`
  return [new Refusal('user_away', detail)]
}
