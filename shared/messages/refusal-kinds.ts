// Every code that a refusal may have: its status, its title, and its explanation at /api/docs/errors.
export type RefusalKind = {
  status: number
  title: string
  explanation: string
  retryAfterSeconds?: number | undefined
}

const EXPLANATIONS = {
  400: {
    malformed_body:
      'The body is not valid JSON, UTF-8 or form data, or the request itself is not valid HTTP.',
  },
  401: {
    unauthenticated: 'The Authorization header is missing, or is not of the form “Bearer <API_TOKEN>”.',
    invalid_token: 'The token is unknown, malformed, revoked or expired. Ask an administrator for a new one.',
  },
  403: {
    missing_ability: 'The token is valid but lacks the ability that this endpoint requires.',
    address_not_allowed: 'The token works from some networks only, and the request came from another one.',
    origin_not_allowed:
      'A page in a browser sent the request, from an origin that CORS_ORIGINS does not list. Only /mcp checks this.',
    outside_buildings:
      'The token is limited to buildings, and part of this event or series lies in others. A token without this limit can change it.',
    personal_token:
      'The token belongs to a person: it sees and changes what is that person’s own, and nothing else. Ask an administrator for a token that belongs to nobody.',
    invalid_signature:
      'The signed address has expired, was changed, or belongs to a token that no longer works. Ask for a new one.',
  },
  404: {
    not_found: 'The path does not exist, or nothing has this id. Deactivated users are not found either.',
  },
  405: {
    method_not_allowed:
      'The path does not support this method. The Allow header lists those that it does support.',
  },
  409: {
    booking_conflict:
      'The bookable is taken at that time. “conflict” says from when to when; “alternatives” lists free bookables of the same type in the same location.',
    bookable_blocked: 'The bookable is blocked and cannot be booked at the moment.',
    bookable_assigned:
      'The bookable is assigned: others cannot book it, and its status cannot be changed through the API.',
    closed: 'The building or location is closed at that time; the message says from when to when, and why.',
    outside_opening_hours:
      'A rule of the place: the whole booking must be within its opening hours, in the building’s time.',
    too_far_ahead: 'A rule of the place: the booking ends further ahead than the place allows.',
    too_short: 'A rule of the place: the booking is shorter than the place allows.',
    too_long: 'A rule of the place: the booking is longer than the place allows.',
    too_many_bookings:
      'A rule of the place: the user has as many current and upcoming bookings as the place allows.',
    too_many_webhooks: 'A token has 20 webhooks at most, and all of them together 200.',
    already_booked: 'A rule of the place: a user has one bookable of this type at a time.',
    already_booked_that_day: 'A rule of the place: a user has one bookable of this type a day.',
    needs_approval:
      'A rule of the place: an approver has to agree first. POST booking-requests asks for it, and holds the time meanwhile.',
    request_decided:
      'The booking request has been decided, withdrawn or has lapsed; the message says which, and by whom.',
    too_many_open_requests: 'A person has ten booking requests at most that wait for a decision.',
    not_for_this_user: 'A rule of the place: only members of certain groups may book.',
    check_in_too_early: 'Check-in has not opened yet; the message says when it does.',
    booking_ended: 'The booking has ended and can no longer be changed. It can still be deleted.',
    webhook_disabled: 'Nothing is sent while the webhook is switched off. Switch it on first.',
    event_cancelled: 'The dashboard may reinstate it.',
    event_ended:
      'The event has ended and cannot be cancelled any more. In the dashboard it cannot be changed either.',
    changed_meanwhile:
      'It was changed after the form was opened, so nothing was saved. Only dashboard forms get this error.',
    import_running:
      'Users and groups cannot be changed while an import is running. Try again when it has finished.',
    in_use:
      'Something stands in the way, such as future bookings, or rules that name the group; the message says what.',
    idempotency_key_in_use:
      'The first request with this Idempotency-Key is still in progress. Try again shortly.',
  },
  410: {
    cursor_expired:
      'The change feed no longer has what came after this cursor. Read the listings again, and start the feed anew.',
  },
  412: {
    precondition_failed:
      'The resource has none of the ETags in If-Match any more: it was changed since. Nothing was done. Read it again.',
  },
  413: {
    too_large: 'The body or file is over the limit that the message names. Send less at a time.',
  },
  414: {
    url_too_long: 'Send less in the query.',
  },
  415: {
    unsupported_media_type: 'The Content-Type of the body is missing, or the endpoint does not accept it.',
  },
  422: {
    validation_failed:
      'At least one field is invalid. “errors” maps each of these fields to messages that say why.',
    idempotency_key_reused:
      'This Idempotency-Key was used for a different request. Use a new key for each new request.',
  },
  429: {
    rate_limited: 'The request limit for this minute is used up. Retry-After says how many seconds to wait.',
  },
  431: {
    headers_too_large: 'Send fewer or shorter ones.',
  },
  500: {
    internal_error:
      'An unexpected error occurred. The log has the details under the request_id of the answer.',
  },
  503: {
    not_executed: 'There was no result in time, so the write was called off: nothing was or will be changed.',
    unavailable: 'Part of the service is down, or too busy to respond in time. The request was not started.',
  },
  504: {
    outcome_unknown:
      'The write was started, but its outcome could not be determined. Repeat it with the same Idempotency-Key: it happens at most once, and you get its answer.',
  },
} as const

/** Where the title is not the code in words. */
const TITLES: Record<string, string> = {
  unauthenticated: 'Authentication required',
  outside_buildings: 'Outside the token’s buildings',
  url_too_long: 'URL too long',
  not_for_this_user: 'Not for this person',
  check_in_too_early: 'Too early to check in',
  event_cancelled: 'Meeting cancelled',
  event_ended: 'Meeting ended',
  rate_limited: 'Too many requests',
}

const RETRY_AFTER_SECONDS: Record<string, number> = {
  rate_limited: 60,
  idempotency_key_in_use: 1,
  import_running: 5,
  not_executed: 2,
  unavailable: 2,
  outcome_unknown: 5,
}

type Explained = typeof EXPLANATIONS
export type RefusalCode = { [Status in keyof Explained]: keyof Explained[Status] }[keyof Explained]

const kindOf = (code: string, explanation: string, status: string): [string, RefusalKind] => {
  const words = code.replaceAll('_', ' ')
  const title = TITLES[code] ?? words.charAt(0).toUpperCase() + words.slice(1)
  return [code, { status: Number(status), title, explanation, retryAfterSeconds: RETRY_AFTER_SECONDS[code] }]
}

export const REFUSALS = Object.fromEntries(
  Object.entries(EXPLANATIONS).flatMap(([status, codes]) =>
    Object.entries(codes).map(([code, explanation]) => kindOf(code, explanation, status)),
  ),
) as Record<RefusalCode, RefusalKind>

/** Undefined for a code of a newer release, with which its workers may refuse during an upgrade. */
export const findRefusalKind = (code: string): RefusalKind | undefined =>
  Object.hasOwn(REFUSALS, code) ? REFUSALS[code as RefusalCode] : undefined

/** What helps after a refusal by a rule of a place. */
export type Remedy =
  | 'another_time'
  | 'another_place'
  | 'approval'
  | 'fewer_bookings'
  | 'moving_the_other_booking'

/** The rules of a place that also apply to rooms of events, in the order in which they are checked. */
const ROOM_RULES = {
  closed: 'another_time',
  not_for_this_user: 'another_place',
  outside_opening_hours: 'another_time',
  too_far_ahead: 'another_time',
  too_short: 'another_time',
  too_long: 'another_time',
  needs_approval: 'approval',
} as const satisfies Partial<Record<RefusalCode, Remedy>>

/** The rules that count a user's bookings. They do not apply to rooms of events. */
const COUNTED_RULES = {
  too_many_bookings: 'fewer_bookings',
  already_booked: 'moving_the_other_booking',
  already_booked_that_day: 'moving_the_other_booking',
} as const satisfies Partial<Record<RefusalCode, Remedy>>

export type RoomRuleRefusal = keyof typeof ROOM_RULES
export type CountedRuleRefusal = keyof typeof COUNTED_RULES
export type RuleRefusal = RoomRuleRefusal | CountedRuleRefusal

/** The rules of a place that apply to bookings, in the order in which they are checked. */
export const REMEDIES: typeof ROOM_RULES & typeof COUNTED_RULES = { ...ROOM_RULES, ...COUNTED_RULES }
export const ROOM_RULE_REFUSALS = Object.keys(ROOM_RULES) as RoomRuleRefusal[]
export const RULE_REFUSALS = Object.keys(REMEDIES) as RuleRefusal[]

export const isRule = (code: string): code is RuleRefusal => Object.hasOwn(REMEDIES, code)
