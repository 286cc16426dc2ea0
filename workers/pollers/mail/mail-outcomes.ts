// The outcomes of mails, as metrics count them.

/**
 * `unanswered`: the server took the last line and did not answer. `postponed`: tried again later. `dropped`: not sent, because
 * what it says is settled or out of date.
 */
export const MAIL_OUTCOMES = ['sent', 'unanswered', 'postponed', 'given-up', 'dropped'] as const
export type CountMails = (outcome: (typeof MAIL_OUTCOMES)[number], number: number) => void

export type MailObserver = {
  count: CountMails
  showServer(isUp: () => boolean): void
}
