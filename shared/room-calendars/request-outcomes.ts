// How requests to providers of room calendars end.

/** `refused` includes what Berth expects, such as the answer that an entry is no longer there. */
export const REQUEST_OUTCOMES = ['done', 'refused', 'throttled', 'failed', 'unanswered'] as const
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number]
