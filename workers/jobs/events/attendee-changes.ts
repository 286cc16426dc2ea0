// Determines whom an event invites after a write that replaces its attendee list, or adds and removes attendees.
import { ATTENDEES_MAX, ROOMS_MAX } from '../../../shared/events/event-jobs.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import type { FieldErrors } from '../../../shared/messages/refusal.ts'
import type { FoundAttendees, Invitation } from './match-attendees.ts'
import { getShownId, type PresentEvent } from './present-events.ts'

type AttendeeChanges = InputOf<'events.update'>['attendees']
type AddedAndRemoved = Exclude<NonNullable<AttendeeChanges>, unknown[]>

/** The attendees that a write requests. If `isAdding` is set, the attendees in the input are added to those
 * that the event already has. */
export type InvitedAttendees = Omit<Invitation, 'context' | 'organizerId' | 'eventId'> & {
  isAdding?: boolean
}

/** `id` is the attendee's id as the API shows it. */
type AttendingPerson = FoundAttendees['attendees'][number] & { id: number }

export function determineAttendees(
  changes: AttendeeChanges,
  present: PresentEvent,
  organizerId: number,
): InvitedAttendees {
  const { rooms: bookableIds } = present
  if (Array.isArray(changes)) {
    const kept = changes.some(({ type }) => type === 'bookable') ? undefined : { attendees: [], bookableIds }
    return { input: changes, ...(kept && { kept }), errors: {} }
  }
  const people = (present.row.attendees ?? []).map((each): AttendingPerson => {
    const { user_id: userId, email, name } = each
    return { id: getShownId(present, each), userId, email, name }
  })
  if (changes !== undefined) return applyAddedAndRemoved(changes, people, present, organizerId)
  const isAttending = people.some(({ userId }) => userId === organizerId)
  const organizer = { userId: organizerId, email: null, name: null }
  const attendees = isAttending ? people : [...people, organizer]
  return { input: [], unchanged: { attendees, bookableIds }, errors: {} }
}

function applyAddedAndRemoved(
  { add = [], remove = [] }: AddedAndRemoved,
  people: AttendingPerson[],
  { rooms }: PresentEvent,
  organizerId: number,
): InvitedAttendees {
  const errors: FieldErrors = {}
  const removed = remove.map((each) => (typeof each === 'number' ? { type: 'user', id: each } : each))
  for (const [index, { type, id }] of removed.entries()) {
    const person = people.find((each) => each.id === id)
    const isKnown = type === 'bookable' ? rooms.includes(id) : person !== undefined
    if (!isKnown) errors[`attendees.remove.${index}`] = [message`The meeting does not have this attendee.`]
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

/**
 * Converts the attendee changes of one event of a series for another event of the series. Visitors have a different id
 * in each event, so their ids are replaced. Leaves out people and rooms that the other event does not have.
 */
export function convertAttendeeChanges(
  changes: AttendeeChanges,
  named: PresentEvent,
  other: PresentEvent,
): AttendeeChanges {
  if (changes === undefined || Array.isArray(changes) || !changes.remove) return changes
  const remove = changes.remove.flatMap((each) => {
    if (typeof each !== 'number' && each.type === 'bookable') return other.rooms.includes(each.id) ? each : []
    const id = typeof each === 'number' ? each : each.id
    const person = named.row.attendees?.find((attendee) => getShownId(named, attendee) === id)
    const same = other.row.attendees?.find(
      ({ user_id, email }) =>
        user_id === person?.user_id && email?.toLowerCase() === person?.email?.toLowerCase(),
    )
    return same ? getShownId(other, same) : []
  })
  return { ...changes, remove }
}

export function refuseTooManyAttendees(
  { attendees, bookableIds }: FoundAttendees,
  errors: FieldErrors,
): void {
  // The organizer does not count towards the limit on attendees.
  if (attendees.length - 1 + bookableIds.length > ATTENDEES_MAX)
    errors['attendees'] = [message`The meeting would have more than ${ATTENDEES_MAX} people.`]
  else if (bookableIds.length > ROOMS_MAX)
    errors['attendees'] = [message`The meeting would have more than ${ROOMS_MAX} rooms.`]
}
