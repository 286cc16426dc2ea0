// The outcomes of attempts to send a mail, which the metrics count.
import type { AnswerOutcome } from '../answers/answer-outcomes.ts'

/**
 * `unanswered` means that the mail server got the last line and did not respond, `postponed` that Berth tries the mail
 * again later, and `dropped` that Berth does not send the mail, because its content is settled or out of date.
 */
export const MAIL_OUTCOMES = ['sent', 'unanswered', 'postponed', 'given-up', 'dropped'] as const
export type CountMails = (outcome: (typeof MAIL_OUTCOMES)[number], number: number) => void

export type MailObserver = {
  count: CountMails
  countAnswer(outcome: AnswerOutcome): void
  /** Shows whether the mailbox for answers could be read. */
  showMailbox(isUp: () => boolean): void
  showServer(isUp: () => boolean): void
}
