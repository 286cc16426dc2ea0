// Handles requests for meetings: stores the people that a request invites, and creates the event when an approver
// approves the request. The same checks apply as for any new event.
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { requestedAttendees } from '../../../shared/booking-requests/booking-requests-shape.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalidFields } from '../../../shared/messages/refusal.ts'
import { parseJsonText } from '../../../shared/utilities/json-text.ts'
import { performSingleWrite, type Write } from '../../runtime/write.ts'
import type { TimeRange } from '../claims/conflicts.ts'
import { freeHold, type Hold } from '../claims/holds.ts'
import { findAttendees } from '../events/attendees.ts'
import { eventCreations } from '../events/events.ts'
import type { Attendee } from '../events/match-attendees.ts'
import { toColumnArrays } from '../rows/rows.ts'

type Input = InputOf<'booking-requests.create'>

/**
 * Returns the attendees of the requested meeting without its organizer, who is the requester. Refuses fields that a
 * meeting cannot have.
 */
export async function findRequestedAttendees(
  write: Write,
  { title, attendees = [], user_id, ...input }: Input,
  bookable: { name: string; type: number },
): Promise<Attendee[]> {
  if (!title) return []
  const errors: FieldErrors = {}
  if (bookable.type !== BOOKABLE_TYPES.meetingRoom)
    errors.title = [message`${bookable.name} is not a meeting room.`]
  for (const name of ['guest_name', 'guest_email'] as const)
    if (input[name]) errors[name] = [message`A meeting has no guest fields. Add guests to attendees.`]
  for (const [index, { type }] of (attendees ?? []).entries())
    if (type === 'bookable')
      errors[`attendees.${index}.type`] = [message`A request can only be for one room.`]
  const invitation = {
    context: write,
    organizerId: user_id,
    eventId: undefined,
    input: attendees ?? [],
    errors,
  }
  const [found] = await findAttendees(await write.connection(), [invitation])
  if (Object.keys(errors).length > 0) throw invalidFields(errors)
  return (found?.attendees ?? []).filter(({ userId }) => userId !== user_id)
}

export async function insertRequestedAttendees(
  write: Write,
  holdId: number,
  attendees: Attendee[],
): Promise<void> {
  if (attendees.length === 0) return
  await write.run(
    `INSERT INTO hold_attendees (hold_id, user_id, email, name)
     SELECT ?, user_id, email, name FROM unnest(?::bigint[], ?::text[], ?::text[]) WITH ORDINALITY
       AS asked (user_id, email, name, ordinal) ORDER BY ordinal`,
    [holdId, ...toColumnArrays(attendees, ['userId', 'email', 'name'])],
  )
}

/** A meeting in one room that an approver has approved, or that a check treats as approved. */
export type ApprovedMeeting = TimeRange & {
  title: string
  description: string | null | undefined
  zone: string
  bookable_id: number
  user_id: number
  attendees: Attendee[]
  invites: boolean
}

/** Creates the event, although its room needs approval. Returns the id of the event. */
export async function createApprovedEvent(write: Write, meeting: ApprovedMeeting): Promise<number> {
  const { title, description, from, to, zone, bookable_id, user_id, attendees, invites } = meeting
  const people = attendees.map(({ userId, email, name }) =>
    userId === null ? { type: 'visitor' as const, email, name } : { type: 'user' as const, id: userId },
  )
  // The write has no userId here, because the approver creates the event for the requester.
  const created = await performSingleWrite(
    eventCreations,
    { ...write, userId: undefined },
    {
      name: title,
      description: description ?? undefined,
      from_time: from,
      to_time: to,
      from_timezone: zone,
      to_timezone: zone,
      organizer_user_id: user_id,
      attendees: [{ type: 'bookable', id: bookable_id }, ...people],
      invite: invites,
      is_approved: true,
    },
  )
  return parseJsonText(created.text).data.id
}

/**
 * Creates the event for which a hold reserves a room. Leaves out attendees who have left the company. The caller must
 * lock the hold.
 */
export async function createEventOfHold(write: Write, hold: Hold & { title: string }): Promise<number> {
  await freeHold(write, hold)
  const attendees = await write.all<Attendee>(
    `SELECT invited.user_id AS "userId", invited.email, invited.name FROM ${requestedAttendees('?')} ORDER BY invited.id`,
    [hold.id],
  )
  return createApprovedEvent(write, { ...hold, description: hold.booking_info, attendees })
}
