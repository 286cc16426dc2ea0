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

/** Refusals that are about the other bookings of the person who gets the booking. */
const OF_THE_PERSON: RefusalCode[] = ['already_booked', 'already_booked_that_day', 'too_many_bookings']

/** Returns whether the refusal is about another person, if the write is. The usual texts address the reader. */
export const isAboutThePerson = (error: unknown): error is Refusal =>
  error instanceof Refusal && OF_THE_PERSON.includes(error.code)

/** Keeps the message of a refusal that is about another person's bookings, because the reader does not have them. */
export async function keepWordsAboutOther<Reply>(written: Promise<Reply>): Promise<Reply> {
  try {
    return await written
  } catch (error) {
    throw isAboutThePerson(error) ? new Refusal('in_use', error.detail) : error
  }
}

export async function rewordRefusalForPerson(refusal: Refusal, reads: pg.Pool): Promise<Refusal> {
  const { code, detail, errors, members } = refusal
  const words = isBookingRule(code) ? REFUSAL_WORDS[code].own : REFUSAL_REWORDINGS[code]
  return words ? new Refusal(code, await words(detail, reads), { errors, members }) : refusal
}
