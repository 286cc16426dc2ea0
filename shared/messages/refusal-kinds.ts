// Every code that a refusal may have, with its status, its title and its explanation at /api/docs/errors.
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
    address_not_allowed: 'The token only works from certain networks, and the request came from another one.',
    origin_not_allowed:
      'A page in a browser sent the request, from an origin that CORS_ORIGINS does not list. Only /mcp checks this.',
    outside_buildings:
      'The token is limited to buildings, and part of this event or series lies in others. A token without this limit can change it.',
    personal_token:
      'The token belongs to a person, so it can only see and change that person’s own data. Ask an administrator for a token that belongs to nobody.',
    invalid_signature:
      'The signed URL has expired, was changed, or belongs to a token that no longer works. Request a new one.',
  },
  404: {
    not_found: 'The path does not exist, or no resource has this id. Deactivated users are not found either.',
  },
  405: {
    method_not_allowed:
      'The path does not support this method. The Allow header lists those that it does support.',
  },
  409: {
    booking_conflict:
      'The bookable is taken at that time. “conflict” contains the time of the conflict; “alternatives” lists free bookables of the same type in the same location.',
    bookable_blocked: 'The bookable is blocked and cannot be booked at the moment.',
    bookable_assigned:
      'The bookable is assigned: others cannot book it, and its status cannot be changed through the API.',
    closed: 'The building or location is closed at that time; the message says from when to when, and why.',
    outside_opening_hours:
      'A rule of the place: the whole booking must be within its opening hours, in the building’s time.',
    outside_slots:
      'A rule of the place: the booking must be exactly one of its slots or several adjoining ones, in the building’s time.',
    too_far_ahead: 'A rule of the place: the booking ends further ahead than the place allows.',
    too_short: 'A rule of the place: the booking is shorter than the place allows.',
    too_long: 'A rule of the place: the booking is longer than the place allows.',
    too_many_bookings:
      'A rule of the place: the user has as many current and upcoming bookings as the place allows.',
    too_many_webhooks: 'A token can have at most 20 webhooks, and all tokens together 200.',
    already_booked: 'A rule of the place: a user can only have one bookable of this type at a time.',
    already_away: 'The user is already away on some of these days.',
    user_away:
      'The user is away on a day of the booking; the message says until when. Send overrides_absence to book nevertheless.',
    already_booked_that_day: 'A rule of the place: a user can only have one bookable of this type per day.',
    needs_approval:
      'A rule of the place: an approver has to agree first. POST booking-requests requests approval, and holds the time until it is decided.',
    request_decided:
      'The booking request has been decided, withdrawn or has lapsed; the message says which, and by whom.',
    too_many_open_requests: 'A person can have at most ten undecided booking requests.',
    not_for_this_user: 'A rule of the place: only members of certain groups may book.',
    check_in_too_early: 'Check-in has not opened yet; the message says when it does.',
    booking_ended: 'The booking has ended and can no longer be changed. It can still be deleted.',
    webhook_disabled: 'Nothing is sent while the webhook is switched off. Switch it on first.',
    event_cancelled: 'The event is cancelled. It can be reinstated in the dashboard.',
    event_ended:
      'The event has ended and cannot be cancelled any more. In the dashboard it cannot be changed either.',
    changed_meanwhile:
      'The resource was changed after it was read, so nothing was saved: a form in the dashboard, or an answer to an event whose time has changed.',
    import_running:
      'Users and groups cannot be changed while an import is running. Try again when it has finished.',
    in_use:
      'The resource is still in use, for example by future bookings, or by rules that name the group. The message says by what.',
    idempotency_key_in_use:
      'The first request with this Idempotency-Key is still in progress. Try again shortly.',
  },
  410: {
    cursor_expired:
      'The change feed no longer has the changes after this cursor. Read the listings again, and restart the feed.',
  },
  412: {
    precondition_failed:
      'The resource has changed, so it no longer has any of the ETags in If-Match. Nothing was done. Read it again.',
  },
  413: {
    too_large: 'The body or file exceeds the limit that the message states. Send less at a time.',
  },
  414: {
    url_too_long: 'The URL is too long. Shorten the query.',
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
    headers_too_large: 'The request has too many or too long headers. Send fewer or shorter ones.',
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

/** The titles of codes for which the words of the code are not a good title. */
const SPECIAL_TITLES: Record<string, string> = {
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

type Explanations = typeof EXPLANATIONS
export type RefusalCode = { [Status in keyof Explanations]: keyof Explanations[Status] }[keyof Explanations]

const createRefusalKind = (code: string, explanation: string, status: string): [string, RefusalKind] => {
  const words = code.replaceAll('_', ' ')
  const title = SPECIAL_TITLES[code] ?? words.charAt(0).toUpperCase() + words.slice(1)
  return [code, { status: Number(status), title, explanation, retryAfterSeconds: RETRY_AFTER_SECONDS[code] }]
}

export const REFUSALS = Object.fromEntries(
  Object.entries(EXPLANATIONS).flatMap(([status, codes]) =>
    Object.entries(codes).map(([code, explanation]) => createRefusalKind(code, explanation, status)),
  ),
) as Record<RefusalCode, RefusalKind>

/**
 * Returns undefined for a code that only a newer release knows. During an upgrade, workers of the newer release may
 * already refuse with such a code.
 */
export const findRefusalKind = (code: string): RefusalKind | undefined =>
  Object.hasOwn(REFUSALS, code) ? REFUSALS[code as RefusalCode] : undefined

/** The ways in which a user can respond after a booking rule has refused their booking. */
export type RefusalRemedy =
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
  outside_slots: 'another_time',
  too_far_ahead: 'another_time',
  too_short: 'another_time',
  too_long: 'another_time',
  needs_approval: 'approval',
} as const satisfies Partial<Record<RefusalCode, RefusalRemedy>>

/** The rules that count a user's bookings. They do not apply to rooms of events. */
const COUNTED_RULES = {
  too_many_bookings: 'fewer_bookings',
  already_booked: 'moving_the_other_booking',
  already_booked_that_day: 'moving_the_other_booking',
} as const satisfies Partial<Record<RefusalCode, RefusalRemedy>>

/** Refusals that depend on the person alone, and not on rules of a place. */
const PERSON_RULES = { user_away: 'another_time' } as const satisfies Partial<
  Record<RefusalCode, RefusalRemedy>
>

export type RoomRuleRefusal = keyof typeof ROOM_RULES
export type CountedRuleRefusal = keyof typeof COUNTED_RULES
export type RuleRefusal = RoomRuleRefusal | CountedRuleRefusal | keyof typeof PERSON_RULES

/** The rules that apply to bookings, in the order in which they are checked. */
export const REMEDIES: typeof ROOM_RULES & typeof PERSON_RULES & typeof COUNTED_RULES = {
  ...ROOM_RULES,
  ...PERSON_RULES,
  ...COUNTED_RULES,
}
export const ROOM_RULE_REFUSALS = Object.keys(ROOM_RULES) as RoomRuleRefusal[]
export const RULE_REFUSALS = Object.keys(REMEDIES) as RuleRefusal[]

export const isBookingRule = (code: string): code is RuleRefusal => Object.hasOwn(REMEDIES, code)
