// Mails that report answers to invitations to the organizer of a meeting. When Berth sends a mail, it compares the
// current answers with the answers in earlier mails, so that the mail does not mention an answer that has been
// withdrawn.
import type { Knex } from 'knex'
import { ATTENDEE_STATUSES, EVENT_STATUSES } from '../../../shared/events/events.ts'
import { MEETING_ZONE } from '../../../shared/events/meeting-zone.ts'
import { attendeesSeenBySql } from '../../../shared/people/visibility.ts'
import { timestampText } from '../../../shared/schemas/json.ts'

/**
 * SQL for WITH that queues a mail for each meeting with answers in `page`. If a mail is already waiting, it covers the
 * new answers too.
 */
export const queueAnswerMailsSql = (settlesAfter: string) => `
  answer_mails AS (
    INSERT INTO mails (kind, user_id, event_id, next_at)
    SELECT 'answer', organizers.id, answered.id, now() + ${settlesAfter}
    FROM (SELECT DISTINCT resource_id AS id FROM page WHERE type = 'event' AND action = 'answered') AS answered
    JOIN events ON events.id = answered.id AND events.invites AND upper(events.during) > now()
    JOIN users AS organizers ON organizers.id = events.organizer_user_id
    LEFT JOIN person_settings ON person_settings.user_id = organizers.id
    WHERE organizers.deactivated_at IS NULL AND NOT organizers.is_anonymous
      AND NOT 'answer' = ANY (coalesce(muted_mails, '{}'))
    ORDER BY answered.id
    ON CONFLICT (user_id, event_id) WHERE kind = 'answer' AND attempts = 0 DO NOTHING
  )`

export type NewAnswer = {
  invitationId: number
  /** The name that the organizer may see. A person who hides from the organizer appears like a guest. */
  name: string
  status: number
}

export type AnswersInMail = {
  eventId: number
  event: string
  from: string
  to: string
  zone: string
  /** The answers that no earlier mail mentioned. There is at least one. */
  answers: NewAnswer[]
  /** The number of attendees with each answer, without the organizer. */
  accepted: number
  tentative: number
  declined: number
  waiting: number
}

const countSql = (status: number) => `(count(*) FILTER (WHERE status = ${status}))::int`

const READ_SQL = `
  WITH attending AS (
    SELECT people.id, people.user_id, people.status, people.answered_at,
      coalesce(users.name, seen.name, seen.email) AS name, invitations.id AS invitation_id, invitations.told_answer
    FROM event_attendees AS people
    JOIN events ON events.id = people.event_id AND people.user_id IS DISTINCT FROM events.organizer_user_id
    JOIN (${attendeesSeenBySql('CAST(:user AS bigint)')} WHERE attending.event_id = :event) AS seen ON seen.id = people.id
    LEFT JOIN users ON users.id = seen.user_id
    LEFT JOIN invitations ON invitations.event_id = people.event_id
      AND (invitations.user_id = people.user_id OR lower(invitations.email) = lower(people.email))
    WHERE people.event_id = :event
  )
  SELECT events.id AS "eventId", events.name AS event, ${timestampText('lower(events.during)')} AS "from",
    ${timestampText('upper(events.during)')} AS "to",
    ${MEETING_ZONE} AS zone,
    (SELECT coalesce(json_agg(json_build_object('invitationId', invitation_id, 'name', name, 'status', status)
        ORDER BY answered_at, id), '[]')
      FROM attending WHERE status NOT IN (told_answer, ${ATTENDEE_STATUSES.noAnswer})) AS answers,
    counted.*
  FROM events, (
    SELECT ${countSql(ATTENDEE_STATUSES.accepted)} AS accepted, ${countSql(ATTENDEE_STATUSES.tentative)} AS tentative,
      ${countSql(ATTENDEE_STATUSES.declined)} AS declined, ${countSql(ATTENDEE_STATUSES.noAnswer)} AS waiting FROM attending
  ) AS counted
  WHERE events.id = :event AND organizer_user_id = :user AND events.status = ${EVENT_STATUSES.confirmed}
    AND upper(events.during) > now()`

/**
 * Reads the answers for a mail. Returns undefined if earlier mails mentioned every answer, or if the meeting is over,
 * is cancelled, or has another organizer.
 */
export async function readAnswers(
  database: Knex,
  about: { event: number; user: number },
): Promise<AnswersInMail | undefined> {
  const { rows } = await database
    .raw<{ rows: AnswersInMail[] }>(READ_SQL, about)
    .options({ name: 'read-answer-mail' })
  const [row] = rows
  return row && row.answers.length > 0 ? row : undefined
}

// Locks the invitations, because a write that asks attendees to answer again changes these rows too.
const LOCK_SQL =
  'SELECT id, told_answer AS answer FROM invitations WHERE id = ANY (:ids) ORDER BY id FOR UPDATE'

// Records the answers. Leaves out attendees who have been removed, or asked to answer again, since Berth wrote the
// mail.
const RECORD_SQL = `
  UPDATE invitations SET told_answer = told.answer
  FROM unnest(CAST(:ids AS bigint[]), CAST(:answers AS smallint[])) AS told (id, answer)
  WHERE invitations.id = told.id AND EXISTS (
    SELECT FROM event_attendees AS attending WHERE attending.event_id = invitations.event_id
      AND (attending.user_id = invitations.user_id OR lower(attending.email) = lower(invitations.email))
      AND attending.status <> ${ATTENDEE_STATUSES.noAnswer})`

/**
 * Records the answers that the mail mentions, in the transaction that records the mail as sent. Returns a function that
 * restores the former record.
 */
export async function recordMailedAnswers(
  trx: Knex.Transaction,
  { answers }: AnswersInMail,
): Promise<(trx: Knex.Transaction) => Promise<void>> {
  const former = await recordAnswers(
    trx,
    answers.map(({ invitationId, status }) => ({ id: invitationId, answer: status })),
  )
  return async (later) => {
    await recordAnswers(later, former)
  }
}

type MailedAnswer = { id: number; answer: number }

/** Records the answers that mails have mentioned to the organizer. Returns the former record. */
async function recordAnswers(trx: Knex.Transaction, mailed: MailedAnswer[]): Promise<MailedAnswer[]> {
  const ids = mailed.map(({ id }) => id)
  const { rows } = await trx.raw<{ rows: MailedAnswer[] }>(LOCK_SQL, { ids })
  await trx.raw(RECORD_SQL, { ids, answers: mailed.map(({ answer }) => answer) })
  return rows
}
