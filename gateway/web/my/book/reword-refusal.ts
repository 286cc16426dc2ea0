// Rewords a refusal for the person who books, because the messages of workers address programs and administrators, and
// may contain ids.
import type pg from 'pg'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal, type RefusalCode } from '../../../../shared/messages/refusal.ts'
import { isBookingRule, type RuleRefusal } from '../../../../shared/messages/refusal-kinds.ts'
import { getMessageValue, REFUSAL_WORDS, type RefusalForPerson } from '../../pages/bookings/rule-words.ts'

const REFUSAL_REWORDINGS: Partial<Record<Exclude<RefusalCode, RuleRefusal>, RefusalForPerson>> = {
  too_many_open_requests: (detail) =>
    message`You can have at most ${getMessageValue(detail, 0)} requests waiting for a decision.`,
  bookable_blocked: (detail) => message`${getMessageValue(detail, 0)} cannot be booked at the moment.`,
  event_cancelled: () => message`The meeting is cancelled.`,
  event_ended: () => message`The meeting is over.`,
  too_large: () => message`This form is too long.`,
  personal_token: () => message`You are not allowed to change this.`,
}

/** Refusals because of other bookings that the booking's person has. */
const BECAUSE_OF_OTHER_BOOKINGS: RefusalCode[] = [
  'already_booked',
  'already_booked_that_day',
  'too_many_bookings',
]

/**
 * Returns whether a write was refused because of other bookings of the booking's person. The usual texts for these
 * refusals address the reader, so they are wrong if the reader books or decides for somebody else.
 */
export const isBecauseOfOtherBookings = (error: unknown): error is Refusal =>
  error instanceof Refusal && BECAUSE_OF_OTHER_BOOKINGS.includes(error.code)

/** Keeps the message of a refusal because of another person's bookings: pages would reword it as if they were the reader's. */
export async function keepMessageAboutOtherPerson<Reply>(written: Promise<Reply>): Promise<Reply> {
  try {
    return await written
  } catch (error) {
    throw isBecauseOfOtherBookings(error) ? new Refusal('in_use', error.detail) : error
  }
}

export async function rewordRefusalForPerson(refusal: Refusal, reads: pg.Pool): Promise<Refusal> {
  const { code, detail, errors, members } = refusal
  const words = isBookingRule(code) ? REFUSAL_WORDS[code].own : REFUSAL_REWORDINGS[code]
  return words ? new Refusal(code, await words(detail, reads), { errors, members }) : refusal
}
