// Prepares events for saving, in batches: finds their people and rooms, locks the rooms, and refuses invalid events.
import { ATTENDEES_MAX, ROOMS_MAX } from '../../../shared/events/event-jobs.ts'
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import { type Connection, sendPipelined } from '../../runtime/connection.ts'
import type { WriteContext } from '../../runtime/write.ts'
import { ENDS_TOO_EARLY_ERRORS, isWithinTimeRange } from '../claims/checks.ts'
import type { TimeRange } from '../claims/conflicts.ts'
import { lockBookingFacts } from '../claims/facts.ts'
import { lockClaimsOnConnection } from '../claims/locks.ts'
import { listAttendingUsers, refuseUnlessOwner } from '../rows/personal-tokens.ts'
import type { InputOverridingRules } from '../rules/enforce-rules.ts'
import { type InvitedAttendees, refuseTooManyAttendees } from './attendee-changes.ts'
import { findAttendees } from './attendees.ts'
import type { FoundAttendees, Invitation } from './match-attendees.ts'
import type { PresentEvent } from './present-events.ts'
import {
  determineClaims,
  type EventRoom,
  findPresentRooms,
  type PresentRoom,
  refuseRoomsForNewOrganizer,
  refuseUnbookableRooms,
} from './rooms.ts'
import { type EventContent, reserveEventIds, type SavedMeeting } from './save-events.ts'

export type WantedMeeting = {
  context: WriteContext
  content: EventContent &
    InputOverridingRules & {
      reinstates?: boolean | undefined
      seen_rooms?: number[] | undefined
      is_approved?: boolean | undefined
    }
  /** The event before the write. Unset for a new event. */
  present?: PresentEvent
  span: TimeRange
  organizerId: number
  invited: InvitedAttendees
}

export type LockedMeeting = {
  id: number
  wanted: WantedMeeting
  isOrganizerMissing: boolean
  attending: FoundAttendees
  rooms: EventRoom[]
  presentRooms: PresentRoom[]
}

/** Locks first the claims of all rooms, and then the rooms themselves. Returns results in the order of `wanted`. */
export async function lockMeetings(
  connection: Connection,
  wanted: WantedMeeting[],
  limit = refuseTooLargeBatch,
): Promise<LockedMeeting[]> {
  limit(wanted)
  const [missing, attending] = await sendPipelined(
    connection,
    () => findMissingOrganizers(connection, wanted),
    () => findAttendees(connection, wanted.map(createInvitation)),
  )
  const asked = wanted.flatMap(({ organizerId }, place) =>
    (attending[place]?.bookableIds ?? []).map((id) => ({ place, id, organizerId })),
  )
  const present = wanted.flatMap((each) => each.present ?? [])
  await lockClaimsOnConnection(connection, [
    ...asked.map(({ id }) => id),
    ...present.flatMap(({ rooms }) => rooms),
  ])
  const subjects = asked.map(({ id, organizerId }) => ({
    bookable_id: id,
    user_id: organizerId,
    includesDeactivated: true,
  }))
  const [facts, presentRooms, ids] = await Promise.all([
    lockBookingFacts(connection, subjects),
    findPresentRooms(
      connection,
      present.map(({ id }) => id),
    ),
    reserveEventIds(connection, wanted.length - present.length),
  ])
  const rooms = asked.map((each, index) => ({ ...each, facts: facts[index] ?? {} }))
  const newIds = ids.values()
  return wanted.map((each, place) => ({
    id: each.present?.id ?? newIds.next().value ?? 0,
    wanted: each,
    isOrganizerMissing: missing.has(each),
    attending: attending[place] ?? { attendees: [], bookableIds: [] },
    rooms: rooms.filter((room) => room.place === place),
    presentRooms: presentRooms.filter(({ eventId }) => eventId === each.present?.id),
  }))
}

// Refuses batches with more rooms than the largest single event may have. Each room needs a lock, and Postgres has only
// a few thousand locks.
function refuseTooLargeBatch(wanted: WantedMeeting[]): void {
  if (wanted.length < 2) return
  const invited = wanted.flatMap(({ invited: { input }, present }) => [
    ...input.map(({ type }) => type),
    ...(present?.rooms ?? []).map(() => 'bookable'),
    ...(present?.row.attendees ?? []).map(() => 'user'),
  ])
  const rooms = invited.filter((type) => type === 'bookable').length
  if (invited.length > ATTENDEES_MAX || rooms > ROOMS_MAX)
    throw new Error('The events have too many attendees to be saved together')
}

const SERIES_ATTENDEES_MAX = 20_000

/** Refuses a series whose meetings have too many rooms or attendees for one write. */
export function refuseTooLargeSeries(wanted: WantedMeeting[]): void {
  const rooms = new Set<unknown>()
  let attendees = 0
  for (const { invited, present } of wanted) {
    const bookables = invited.input.filter(({ type }) => type === 'bookable')
    for (const { id, email } of bookables) rooms.add(id ?? email)
    for (const id of present?.rooms ?? []) rooms.add(id)
    // The organizer attends each meeting without being invited.
    const attending = Math.max(0, (present?.row.attendees?.length ?? 0) - 1)
    const { length } = invited.input
    attendees += invited.isAdding ? attending + length : Math.max(attending, length)
  }
  if (attendees <= SERIES_ATTENDEES_MAX && rooms.size <= ROOMS_MAX) return
  const most = Math.floor(SERIES_ATTENDEES_MAX / wanted.length)
  throw invalidFields({
    attendees: [message`A series of ${wanted.length} meetings can have at most ${most} attendees.`],
  })
}

const createInvitation = ({ context, organizerId, present, invited }: WantedMeeting): Invitation => ({
  ...invited,
  context,
  organizerId,
  eventId: present?.id,
  attending: present && listAttendingUsers(present),
})

async function findMissingOrganizers(
  connection: Connection,
  wanted: WantedMeeting[],
): Promise<Set<WantedMeeting>> {
  const asked = wanted.filter(({ organizerId, present }) => organizerId !== present?.organizer_user_id)
  if (asked.length === 0) return new Set()
  const { rows } = await connection.query<{ id: number }>({
    name: 'find-active-organizers',
    text: 'SELECT id FROM users WHERE id = ANY($1::bigint[]) AND deactivated_at IS NULL',
    values: [asked.map(({ organizerId }) => organizerId)],
  })
  const active = new Set(rows.map(({ id }) => id))
  return new Set(asked.filter(({ organizerId }) => !active.has(organizerId)))
}

/** Refuses an invalid event. Otherwise returns the event as it is to be saved. */
export function checkMeeting({ context }: { context: WriteContext }, locked: LockedMeeting): SavedMeeting {
  const { wanted, attending, rooms, presentRooms } = locked
  const { content, present, span, organizerId } = wanted
  const { now } = context
  refuseUnlessOwner(context, organizerId)
  if (content.seen_rooms) refuseChangedRooms(content.seen_rooms, presentRooms)
  refuseInvalidMeeting(locked)
  if (present?.status === EVENT_STATUSES.cancelled && !content.reinstates) {
    const detail = message`The meeting is cancelled. An administrator can reinstate it.`
    throw new Refusal('event_cancelled', detail)
  }
  // A room that was blocked or assigned since the last change stays, as in a booking, if the event is neither moved nor
  // extended.
  const isStaying = ({ id }: EventRoom) =>
    present !== undefined && isWithinTimeRange(span, present) && present.rooms.includes(id)
  const isOrganizerNew = organizerId !== present?.organizer_user_id
  const takenOver = isOrganizerNew ? rooms.filter(isStaying) : []
  const claimed = rooms.filter((room) => !isStaying(room))
  const meeting = { ...content, span, now }
  const overridden = [
    ...refuseRoomsForNewOrganizer(takenOver, meeting),
    ...refuseUnbookableRooms(claimed, meeting),
  ]
  return {
    id: locked.id,
    context,
    present,
    content,
    span,
    organizerId,
    overridden,
    attendees: attending.attendees,
    ...determineClaims(rooms, span, now, present && { from: present.from, rooms: presentRooms }),
  }
}

/**
 * Refuses if the event's rooms differ from the rooms on the page, so that two tabs cannot add two rooms to one meeting.
 */
function refuseChangedRooms(seen: number[], present: PresentRoom[]): void {
  const ids = present.filter(({ isReleased }) => !isReleased).map(({ bookableId }) => bookableId)
  if (ids.length === seen.length && ids.every((id) => seen.includes(id))) return
  const detail = message`The rooms of this meeting have changed meanwhile. Check them, and try again.`
  throw new Refusal('changed_meanwhile', detail)
}

function refuseInvalidMeeting({ wanted, isOrganizerMissing, attending }: LockedMeeting): void {
  const { context, invited, span } = wanted
  const errors: FieldErrors = {}
  if (span.to <= span.from) errors.to_time = ENDS_TOO_EARLY_ERRORS
  if (isOrganizerMissing) errors.organizer_user_id = [message`There is no active person with this id.`]
  Object.assign(errors, invited.errors)
  if (invited.isAdding) refuseTooManyAttendees(attending, errors)
  // Without a room, the event would not be in any building, so the limited token that created it could not see it.
  if (context.buildingIds && attending.bookableIds.length === 0)
    errors.attendees ??= [message`At least one room is required: this token is limited to buildings.`]
  if (Object.keys(errors).length > 0) throw invalidFields(errors)
}
