// The outcomes of mails in the mailbox for answers, which the metrics count.

export const ANSWER_OUTCOMES = {
  applied: 'Berth recorded the answer, or had recorded it before.',
  'no-answer': 'The mail is not an answer to an invitation.',
  'too-large': 'The mail is larger than 1 MB.',
  unreadable: 'The mail or its calendar part is broken.',
  unverified: 'The mail server does not confirm that the sender sent the mail.',
  forged: 'The sender is not the attendee who answers.',
  unknown: 'There is no such meeting, or the sender is not invited to it.',
  outdated: 'The attendee has sent a later answer, or the meeting has moved since the invitation.',
  refused: 'The meeting is cancelled or over.',
  failed: 'Berth could not apply the answer because of a bug.',
} as const

export type AnswerOutcome = keyof typeof ANSWER_OUTCOMES
