// Whom an event invites after a change of its attendees: a whole list, or who is added and removed.
import { ATTENDEES_MAX, ROOMS_MAX } from '../../../shared/events/event-jobs.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import type { FieldErrors } from '../../../shared/messages/refusal.ts'
import type { Attending, Invitation } from './match-attendees.ts'
import type { Present } from './present-events.ts'

type Changes = InputOf<'events.update'>['attendees']
type AddedAndRemoved = Exclude<NonNullable<Changes>, unknown[]>

/** `isAdding`: to those that the event has. */
export type Invited = Omit<Invitation, 'context' | 'organizerId' | 'eventId'> & { isAdding?: boolean }

/** `id` is the one that answers show. */
type Person = Attending['attendees'][number] & { id: number }

export function invitedAfter(changes: Changes, present: Present, organizerId: number): Invited {
  const { rooms: bookableIds, hidden } = present
  if (Array.isArray(changes)) {
    const kept = changes.some(({ type }) => type === 'bookable') ? undefined : { attendees: [], bookableIds }
    return { input: changes, ...(kept && { kept }), errors: {} }
  }
  const people = (present.row.attendees ?? []).map(
    ({ id, user_id, visitor_id, email }): Person => ({
      id: (user_id !== null && hidden?.has(user_id) ? null : user_id) ?? visitor_id ?? id,
      userId: user_id,
      email,
    }),
  )
  if (changes !== undefined) return addedAndRemoved(changes, people, present, organizerId)
  const isAttending = people.some(({ userId }) => userId === organizerId)
  const organizer = { userId: organizerId, email: null }
  const attendees = isAttending ? people : [...people, organizer]
  return { input: [], unchanged: { attendees, bookableIds }, errors: {} }
}

function addedAndRemoved(
  { add = [], remove = [] }: AddedAndRemoved,
  people: Person[],
  { rooms }: Present,
  organizerId: number,
): Invited {
  const errors: FieldErrors = {}
  const removed = remove.map((each) => (typeof each === 'number' ? { type: 'user', id: each } : each))
  for (const [index, { type, id }] of removed.entries()) {
    const person = people.find((each) => each.id === id)
    const isKnown = type === 'bookable' ? rooms.includes(id) : person !== undefined
    if (!isKnown) errors[`attendees.remove.${index}`] = [message`The meeting has no such attendee.`]
    else if (type !== 'bookable' && person?.userId === organizerId)
      errors[`attendees.remove.${index}`] = [message`The organizer always attends.`]
  }
  const isRemoved = (id: number, isBookable: boolean) =>
    removed.some((each) => each.id === id && (each.type === 'bookable') === isBookable)
  const kept = {
    attendees: people.filter(({ id }) => !isRemoved(id, false)),
    bookableIds: rooms.filter((id) => !isRemoved(id, true)),
  }
  return { input: add, kept, field: 'attendees.add', errors, isAdding: add.length > 0 }
}

export function refuseTooMany({ attendees, bookableIds }: Attending, errors: FieldErrors): void {
  // The organizer attends besides.
  if (attendees.length - 1 + bookableIds.length > ATTENDEES_MAX)
    errors['attendees'] = [message`The meeting would have more than ${ATTENDEES_MAX} people.`]
  else if (bookableIds.length > ROOMS_MAX)
    errors['attendees'] = [message`The meeting would have more than ${ROOMS_MAX} rooms.`]
}
