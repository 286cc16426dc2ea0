// Words a refusal for the person who books. The messages of workers address programs and administrators, and may name ids.
import type pg from 'pg'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal, type RefusalCode } from '../../../../shared/messages/refusal.ts'
import { isRule, type RuleRefusal } from '../../../../shared/messages/refusal-kinds.ts'
import { type OwnWords, REFUSAL_WORDS, valueIn } from '../../pages/bookings/rule-words.ts'

const WORDS: Partial<Record<Exclude<RefusalCode, RuleRefusal>, OwnWords>> = {
  too_many_open_requests: (detail) =>
    message`You can have at most ${valueIn(detail, 0)} requests that wait for a decision.`,
  bookable_blocked: (detail) => message`${valueIn(detail, 0)} cannot be booked at the moment.`,
  event_cancelled: () => message`The meeting is cancelled.`,
  event_ended: () => message`The meeting is over.`,
  too_large: () => message`This form is too long.`,
  personal_token: () => message`Only the person who booked can change it.`,
}

export async function inOwnWords(refusal: Refusal, reads: pg.Pool): Promise<Refusal> {
  const { code, detail, errors, members } = refusal
  const words = isRule(code) ? REFUSAL_WORDS[code].own : WORDS[code]
  return words ? new Refusal(code, await words(detail, reads), { errors, members }) : refusal
}
