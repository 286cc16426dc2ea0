// The outcomes of attempts to send a notification, which the metrics count.

/** `unanswered` means that the push service may have received the notification, so Berth does not send it again. */
export const PUSH_OUTCOMES = ['delivered', 'gone', 'postponed', 'refused', 'unanswered', 'expired'] as const
export type PushOutcome = (typeof PUSH_OUTCOMES)[number]
