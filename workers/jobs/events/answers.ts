// Records answers to invitations, in batches. An answer changes only the attendee, so the SEQUENCE of the event's
// calendar entries stays the same.
import { ATTENDEE_STATUSES, EVENT_STATUSES } from '../../../shared/events/events.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import type { Connection } from '../../runtime/connection.ts'
import {
  type BatchHandler,
  type Handlers,
  performSingleWrite,
  performUnrefusedWrites,
  type WriteContext,
} from '../../runtime/write.ts'
import { belongsToAnotherUser, refuseUnlessAttending } from '../rows/personal-tokens.ts'
import { toColumnArrays } from '../rows/rows.ts'
import { type AttendeeRow, getShownId, lockEvents, type PresentEvent } from './present-events.ts'
import { recordEvents } from './record-events.ts'

type AnswerInput = InputOf<'events.answer'>
/** `attendee` is undefined for the organizer, who always attends. */
type RecordedAnswer = {
  context: WriteContext
  event: PresentEvent
  attendee: AttendeeRow | undefined
  status: AnswerInput['status']
  answeredAt: string
}

const ATTENDEE_NOT_FOUND = message`The meeting does not have this attendee.`

export const eventAnswers: BatchHandler<AnswerInput, PresentEvent | Refusal, ReplyOf<'events.answer'>> = {
  idOf: ({ id }) => id,
  lockFacts: (connection, writes) => lockEvents(connection, writes, refuseUnlessAttending),
  perform: (connection, writes) =>
    performUnrefusedWrites(
      writes,
      ({ input, context }, event: PresentEvent) => checkAnswer(context, event, input),
      (answers) => saveAnswers(connection, answers),
    ),
}

function checkAnswer(context: WriteContext, event: PresentEvent, input: AnswerInput): RecordedAnswer {
  const { attendee_id, status } = input
  const { to, zone, organizer_user_id } = event
  if (belongsToAnotherUser(context, attendee_id))
    throw new Refusal(
      'personal_token',
      message`This is a personal token, and it can answer only for its owner.`,
    )
  const isOrganizer = attendee_id === organizer_user_id
  const { userId } = context
  // Finds the person by user id: the shown id of an attendee without a user can be the id of another user.
  const attendee = event.row.attendees?.find((each) =>
    userId === undefined ? getShownId(event, each) === attendee_id : each.user_id === userId,
  )
  if (!attendee && !isOrganizer) throw new Refusal('not_found', ATTENDEE_NOT_FOUND)
  if (event.status === EVENT_STATUSES.cancelled)
    throw new Refusal('event_cancelled', message`The meeting is cancelled.`)
  if (to <= context.now) throw new Refusal('event_ended', message`The meeting ended at ${{ at: to, zone }}.`)
  refuseOtherTime(event, input)
  if (isOrganizer && status !== ATTENDEE_STATUSES.accepted)
    throw invalidFields({ status: [message`The organizer always attends.`] })
  refuseOutdated(attendee, input)
  // The clock of the calendar program that sent the answer may be ahead.
  const answeredAt = getEarlier(input.answered_at ?? context.now, context.now)
  return { context, event, attendee: isOrganizer ? undefined : attendee, status, answeredAt }
}

const getEarlier = (first: string, second: string) =>
  Date.parse(first) < Date.parse(second) ? first : second

/** Refuses an answer if the attendee has already sent a later one. */
function refuseOutdated(attendee: AttendeeRow | undefined, { answered_at }: AnswerInput): void {
  const last = attendee?.answered_at
  if (answered_at != null && last != null && Date.parse(answered_at) <= Date.parse(last))
    throw new Refusal('changed_meanwhile', message`A later answer to this invitation already exists.`)
}

/** Refuses an answer to a time that the meeting no longer has. */
function refuseOtherTime(
  { from, to, zone }: PresentEvent,
  { from_time = from, to_time = to }: AnswerInput,
): void {
  if (from_time === from && to_time === to) return
  const detail = message`The time of this meeting has changed: it is now ${{ from, to, zone }}. Answer again for this time.`
  throw new Refusal('changed_meanwhile', detail)
}

async function saveAnswers(
  connection: Connection,
  answers: RecordedAnswer[],
): Promise<Array<ReplyOf<'events.answer'>>> {
  const given = answers.flatMap(({ attendee, ...answer }) => (attendee ? [{ ...answer, attendee }] : []))
  // Saves the time of a repeated answer too, so that an older answer that arrives later is outdated.
  const rows = given.map(({ attendee: { id }, status, answeredAt }) => ({
    id,
    status,
    answered_at: answeredAt,
  }))
  if (rows.length > 0)
    await connection.query({
      name: 'answer-invitations',
      text: `UPDATE event_attendees SET status = asked.status, answered_at = asked.answered_at
             FROM unnest($1::bigint[], $2::smallint[], $3::timestamptz[]) AS asked (id, status, answered_at)
             WHERE event_attendees.id = asked.id`,
      values: toColumnArrays(rows, ['id', 'status', 'answered_at']),
    })
  const changed = given.filter(({ attendee, status }) => attendee.status !== status)
  await recordEvents(
    connection,
    'events.answer',
    changed.map(({ event, context, attendee, status, answeredAt }) => ({
      id: event.id,
      context,
      former: event,
      before: { attendees: [attendee] },
      after: { attendees: [{ ...attendee, status, answered_at: answeredAt }] },
    })),
  )
  return answers.map(({ event: { id }, status }) => ({ data: { id, status } }))
}

export const eventAnswerHandlers: Handlers<'events.answer'> = {
  'events.answer': (write, input) => performSingleWrite(eventAnswers, write, input),
}
