// The attendees of an event after a change of them: a whole list, or who is added and removed.
import { ATTENDEES_MAX, ROOMS_MAX } from '../../../shared/events/event-jobs.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import type { FieldErrors } from '../../../shared/messages/refusal.ts'
import type { Write } from '../../runtime/write.ts'
import { type Attending, findAttending, type Invitation } from './attendees.ts'

type Changes = InputOf<'events.update'>['attendees']
type AddedAndRemoved = Exclude<NonNullable<Changes>, unknown[]>
/** `bookableIds` are the rooms that the event has. */
type Meeting = Invitation & { bookableIds: number[] }
/** `id` is the one that answers show. */
type Person = Attending['attendees'][number] & { id: number }

export async function findChangedAttending(
  write: Write,
  changes: Changes,
  meeting: Meeting,
  errors: FieldErrors,
): Promise<Attending> {
  const { bookableIds } = meeting
  if (Array.isArray(changes)) {
    const listed = await findAttending(write, changes, meeting, errors)
    return changes.some(({ type }) => type === 'bookable') ? listed : { ...listed, bookableIds }
  }
  const attendees = await findPeople(write, meeting)
  if (changes !== undefined) return addAndRemove(write, changes, attendees, meeting, errors)
  const isAttending = attendees.some(({ userId }) => userId === meeting.organizerId)
  const organizer = { userId: meeting.organizerId, email: null }
  return { attendees: isAttending ? attendees : [...attendees, organizer], bookableIds }
}

async function addAndRemove(
  write: Write,
  { add = [], remove = [] }: AddedAndRemoved,
  people: Person[],
  meeting: Meeting,
  errors: FieldErrors,
): Promise<Attending> {
  const removed = remove.map((each) => (typeof each === 'number' ? { type: 'user', id: each } : each))
  for (const [index, { type, id }] of removed.entries()) {
    const person = people.find((each) => each.id === id)
    const isKnown = type === 'bookable' ? meeting.bookableIds.includes(id) : person !== undefined
    if (!isKnown) errors[`attendees.remove.${index}`] = [message`The event has no such attendee.`]
    else if (type !== 'bookable' && person?.userId === meeting.organizerId)
      errors[`attendees.remove.${index}`] = [message`The organizer always attends.`]
  }
  const isRemoved = (id: number, isBookable: boolean) =>
    removed.some((each) => each.id === id && (each.type === 'bookable') === isBookable)
  const kept = {
    attendees: people.filter(({ id }) => !isRemoved(id, false)),
    bookableIds: meeting.bookableIds.filter((id) => !isRemoved(id, true)),
  }
  const attending = await findAttending(write, add, { ...meeting, kept, field: 'attendees.add' }, errors)
  if (add.length > 0) refuseTooMany(attending, errors)
  return attending
}

function refuseTooMany({ attendees, bookableIds }: Attending, errors: FieldErrors): void {
  // The organizer attends besides.
  if (attendees.length - 1 + bookableIds.length > ATTENDEES_MAX)
    errors['attendees'] = [message`The event would have more than ${ATTENDEES_MAX} attendees.`]
  else if (bookableIds.length > ROOMS_MAX)
    errors['attendees'] = [message`The event would have more than ${ROOMS_MAX} bookables.`]
}

const findPeople = (write: Write, { eventId }: Meeting): Promise<Person[]> =>
  write.all(
    `SELECT coalesce(user_id, visitor_id, id) AS id, user_id AS "userId", email
     FROM event_attendees WHERE event_id = ? ORDER BY event_attendees.id`,
    [eventId],
  )
