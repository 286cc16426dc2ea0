// Applies an answer from a mail with the handler of the job `events.answer`. The handler runs in this process: a queue
// would only add a delay. The receipt of the attempt ensures that a mail that is read twice is applied once.
import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { timestampText } from '../../../shared/schemas/json.ts'
import { formatCalendarInstant, formatCalendarLocalTime } from '../../../shared/tokens/calendar-timezones.ts'
import { isTimezone } from '../../../shared/utilities/texts.ts'
import { eventAnswerHandlers } from '../../jobs/events/answers.ts'
import { perform } from '../../runtime/perform.ts'
import type { AnswerOutcome } from './answer-outcomes.ts'
import type { MailAnswer } from './read-answer.ts'

/** The audit log shows this name instead of the attendee's, because a mail is weaker evidence than a session. */
const ACTOR = { type: 'system' as const, id: null, name: 'mail answer' }
const WAIT_MS = 60_000

type Invitation = {
  database: string
  event: number
  attendee: number
  now: string
  /** The SEQUENCE of the first mail that gave the same times as the last mail. */
  sequence: number
  from: string
  to: string
  /** The start of the meeting by the repetition of its series, as the last mail gave it. Null outside of series. */
  occursAt: string | null
  /** The time zone of the series. Null outside of series. */
  zone: string | null
  isOver: boolean
}

const FIND_SQL = `
  SELECT (SELECT id FROM identity) AS database, events.id AS event, coalesce(attending.user_id, attending.visitor_id, attending.id) AS attendee,
    ${timestampText('now()')} AS now, coalesce(times_sequence, sequence) AS sequence, told ->> 'from' AS "from", told ->> 'to' AS "to",
    told ->> 'occursAt' AS "occursAt", series.timezone AS zone, upper(events.during) <= now() AS "isOver"
  FROM invitations
  JOIN events ON events.id = invitations.event_id
  LEFT JOIN series ON series.id = events.series_id
  LEFT JOIN users ON users.id = invitations.user_id
  JOIN event_attendees AS attending ON attending.event_id = events.id
    AND (attending.user_id = users.id OR lower(attending.email) = lower(invitations.email))
  WHERE CASE WHEN :kind = 'series' THEN events.series_id ELSE events.id END = CAST(:id AS bigint) AND lower(coalesce(users.email, invitations.email)) = :email AND told IS NOT NULL
    AND users.deactivated_at IS NULL AND attending.user_id IS DISTINCT FROM organizer_user_id
  ORDER BY events.id`

/** Applies an answer to a meeting, to one date of a series, or to all dates of a series that are not over. */
export async function applyAnswer(
  database: Knex,
  baseUrl: string,
  answer: MailAnswer,
): Promise<AnswerOutcome> {
  const [, kind, id, origin] = /^(event|series)-(\d{1,15})@(.+)\.berth$/.exec(answer.uid) ?? []
  if (kind === undefined || (kind === 'event' && answer.recurrence)) return 'unknown'
  const found = await database.raw<{ rows: Invitation[] }>(FIND_SQL, { kind, id, email: answer.email })
  const invitations = found.rows.filter((row) => row.database === origin)
  if (invitations.length === 0) return 'unknown'
  const { recurrence } = answer
  const answered = recurrence
    ? invitations.filter((each) => matchesRecurrence(each, recurrence))
    : findUpcoming(invitations)
  const outcomes: AnswerOutcome[] = []
  for (const each of answered)
    outcomes.push(await applyToMeeting(database, baseUrl, { answer, invitation: each }))
  // If no date matches, the whole series has moved since the invitation.
  return outcomes.find((outcome) => outcome === 'applied') ?? outcomes[0] ?? 'outdated'
}

/** Returns the meetings that are not over. If all are over, returns the last one, so that the answer is refused. */
function findUpcoming(invitations: Invitation[]): Invitation[] {
  const upcoming = invitations.filter(({ isOver }) => !isOver)
  return upcoming.length > 0 ? upcoming : invitations.slice(-1)
}

/**
 * Returns whether a RECURRENCE-ID names this meeting. Answers of Outlook give the time zone another name than the
 * invitation. If the name is unknown, the local time counts as a time in the zone of the series. A day without a time
 * is enough.
 */
function matchesRecurrence(
  { occursAt, zone }: Invitation,
  { value, timezone }: NonNullable<MailAnswer['recurrence']>,
): boolean {
  if (occursAt === null || zone === null) return false
  if (value.endsWith('Z')) return formatCalendarInstant(occursAt) === value
  const named = timezone !== undefined && isTimezone(timezone) ? timezone : zone
  return formatCalendarLocalTime(occursAt, named).startsWith(value)
}

type AnswerToMeeting = { answer: MailAnswer; invitation: Invitation }

async function applyToMeeting(
  database: Knex,
  baseUrl: string,
  { answer, invitation }: AnswerToMeeting,
): Promise<AnswerOutcome> {
  const { event, attendee: attendee_id, now, sequence, from, to } = invitation
  if (answer.sequence < sequence) return 'outdated'
  const { status, answeredAt: answered_at } = answer
  const attempt = computeAttemptId(answer, event)
  const input = {
    id: event,
    attendee_id,
    status,
    answered_at,
    from_time: from,
    to_time: to,
  }
  const envelope = {
    attempt,
    database: invitation.database,
    input,
    actor: ACTOR,
    requestId: attempt,
    baseUrl,
    receivedAt: now,
    deadlineMs: Date.now() + WAIT_MS,
    replyTo: null,
    idempotency: null,
  }
  const outcome = await perform(database, envelope, eventAnswerHandlers['events.answer'])
  if (!outcome?.refused) return 'applied'
  return outcome.refused === 'changed_meanwhile' ? 'outdated' : 'refused'
}

/** Computes the id of an attempt. It is always the same for the same answer to the same meeting in the same mail. */
function computeAttemptId({ messageId, uid, email, status, answeredAt }: MailAnswer, event: number): string {
  const content = JSON.stringify([messageId, uid, email, status, answeredAt, event])
  const hash = createHash('sha256').update(content)
  return hash.digest('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}
