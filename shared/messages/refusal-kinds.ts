// Every code that a refusal may have: its status, its title, and its explanation at /api/docs/errors.
export type RefusalKind = {
  status: number
  title: string
  /** For readers of /api/docs/errors. */
  explanation: string
  retryAfterSeconds?: number
}

export const REFUSALS = {
  unauthenticated: {
    status: 401,
    title: 'Authentication required',
    explanation: 'The Authorization header is missing, or is not of the form “Bearer <API_TOKEN>”.',
  },
  invalid_token: {
    status: 401,
    title: 'Invalid token',
    explanation: 'The token is unknown, malformed, revoked or expired. Ask an administrator for a new one.',
  },
  missing_ability: {
    status: 403,
    title: 'Missing ability',
    explanation: 'The token is valid but lacks the ability that this endpoint requires.',
  },
  address_not_allowed: {
    status: 403,
    title: 'Address not allowed',
    explanation: 'The token works from some networks only, and the request came from another one.',
  },
  outside_buildings: {
    status: 403,
    title: 'Outside the token’s buildings',
    explanation:
      'The token is limited to buildings, and part of this event or series lies in others. A token without this limit can change it.',
  },
  invalid_signature: {
    status: 403,
    title: 'Invalid signature',
    explanation:
      'The signed address has expired, was changed, or belongs to a token that no longer works. Ask for a new one.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    explanation: 'The path does not exist, or nothing has this id. Deactivated users are not found either.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    explanation: 'The path does not support this method. The Allow header lists those that it does support.',
  },
  malformed_body: {
    status: 400,
    title: 'Malformed body',
    explanation: 'The body is not valid JSON, UTF-8 or form data, or the request itself is not valid HTTP.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    explanation: 'The Content-Type of the body is missing, or the endpoint does not accept it.',
  },
  too_large: {
    status: 413,
    title: 'Too large',
    explanation: 'The body or file is over the limit that the message names. Send less at a time.',
  },
  url_too_long: { status: 414, title: 'URL too long', explanation: 'Send less in the query.' },
  headers_too_large: { status: 431, title: 'Headers too large', explanation: 'Send fewer or shorter ones.' },
  validation_failed: {
    status: 422,
    title: 'Validation failed',
    explanation:
      'At least one field is invalid. “errors” maps each of these fields to messages that say why.',
  },
  cursor_expired: {
    status: 410,
    title: 'Cursor expired',
    explanation:
      'The change feed no longer has what came after this cursor. Read the listings again, and start the feed anew.',
  },
  booking_conflict: {
    status: 409,
    title: 'Booking conflict',
    explanation:
      'The bookable is taken at that time. “conflict” says from when to when; “alternatives” lists free bookables of the same type in the same location.',
  },
  bookable_blocked: {
    status: 409,
    title: 'Bookable blocked',
    explanation: 'The bookable is blocked and cannot be booked at the moment.',
  },
  bookable_assigned: {
    status: 409,
    title: 'Bookable assigned',
    explanation:
      'The bookable is assigned: others cannot book it, and its status cannot be changed through the API.',
  },
  closed: {
    status: 409,
    title: 'Closed',
    explanation:
      'The building or location is closed at that time; the message says from when to when, and why.',
  },
  outside_opening_hours: {
    status: 409,
    title: 'Outside opening hours',
    explanation: 'A rule of the place: all of a booking lies in its opening hours, in the building’s time.',
  },
  too_far_ahead: {
    status: 409,
    title: 'Too far ahead',
    explanation: 'A rule of the place: a booking ends at most so many days ahead.',
  },
  too_short: {
    status: 409,
    title: 'Too short',
    explanation: 'A rule of the place: a booking lasts at least so long.',
  },
  too_long: {
    status: 409,
    title: 'Too long',
    explanation: 'A rule of the place: a booking lasts at most so long.',
  },
  too_many_bookings: {
    status: 409,
    title: 'Too many bookings',
    explanation: 'A rule of the place: a user has at most so many current and upcoming bookings.',
  },
  too_many_webhooks: {
    status: 409,
    title: 'Too many webhooks',
    explanation: 'A token has 20 webhooks at most, and all of them together 200.',
  },
  already_booked: {
    status: 409,
    title: 'Already booked',
    explanation: 'A rule of the place: a user has one bookable of this type at a time.',
  },
  not_for_this_user: {
    status: 409,
    title: 'Not for this user',
    explanation: 'A rule of the place: only members of certain groups may book.',
  },
  check_in_too_early: {
    status: 409,
    title: 'Too early to check in',
    explanation: 'Check-in has not opened yet; the message says when it does.',
  },
  booking_ended: {
    status: 409,
    title: 'Booking ended',
    explanation: 'The booking has ended and can no longer be changed. It can still be deleted.',
  },
  webhook_disabled: {
    status: 409,
    title: 'Webhook disabled',
    explanation: 'Nothing is sent while the webhook is switched off. Switch it on first.',
  },
  event_cancelled: { status: 409, title: 'Event cancelled', explanation: 'The dashboard may reinstate it.' },
  event_ended: {
    status: 409,
    title: 'Event ended',
    explanation:
      'The event has ended and cannot be cancelled any more. In the dashboard it cannot be changed either.',
  },
  precondition_failed: {
    status: 412,
    title: 'Precondition failed',
    explanation:
      'The resource has none of the ETags in If-Match any more: it was changed since. Nothing was done. Read it again.',
  },
  changed_meanwhile: {
    status: 409,
    title: 'Changed meanwhile',
    explanation:
      'It was changed after the form was opened, so nothing was saved. Only dashboard forms get this error.',
  },
  import_running: {
    status: 409,
    title: 'Import running',
    explanation: 'Users cannot be changed while an import is running. Only the dashboard is refused so.',
  },
  in_use: {
    status: 409,
    title: 'In use',
    explanation:
      'Something stands in the way, such as future bookings; the message says what. Only the dashboard gets this code.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    explanation: 'The request limit for this minute is used up. Retry-After says how many seconds to wait.',
    retryAfterSeconds: 60,
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    explanation: 'This Idempotency-Key was used for a different request. Use a new key for each new request.',
  },
  idempotency_key_in_use: {
    status: 409,
    title: 'Idempotency key in use',
    explanation: 'The first request with this Idempotency-Key is still in progress. Try again shortly.',
    retryAfterSeconds: 1,
  },
  not_executed: {
    status: 503,
    title: 'Not executed',
    explanation: 'There was no result in time, so the write was called off: nothing was or will be changed.',
    retryAfterSeconds: 2,
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    explanation: 'Part of the service is down, or too busy to respond in time. The request was not started.',
    retryAfterSeconds: 2,
  },
  outcome_unknown: {
    status: 504,
    title: 'Outcome unknown',
    explanation:
      'The write was started, but its outcome could not be determined. ' +
      'Repeat it with the same Idempotency-Key: it happens at most once, and you get its answer.',
    retryAfterSeconds: 5,
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    explanation: 'An unexpected error occurred. The log has the details under the request_id of the answer.',
  },
} as const satisfies Record<string, RefusalKind>

/** The rules of a place that also apply to rooms of events, in the order in which they are checked. */
export const ROOM_RULE_REFUSALS = [
  'closed',
  'not_for_this_user',
  'outside_opening_hours',
  'too_far_ahead',
  'too_short',
  'too_long',
] as const satisfies Array<keyof typeof REFUSALS>

/** The rules of a place that apply to bookings. */
export const RULE_REFUSALS = [
  ...ROOM_RULE_REFUSALS,
  'too_many_bookings',
  'already_booked',
] as const satisfies Array<keyof typeof REFUSALS>
