// Events as writes want them: their people and rooms are found, their rooms locked, and what is wrong with them refused.
// For as many writes as come together.
import { ATTENDEES_MAX, ROOMS_MAX } from '../../../shared/events/event-jobs.ts'
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { type Connection, pipelined } from '../../runtime/connection.ts'
import type { WriteContext } from '../../runtime/write.ts'
import { ENDS_TOO_EARLY, isWithin } from '../claims/checks.ts'
import type { TimeRange } from '../claims/conflicts.ts'
import { lockBookingFacts } from '../claims/facts.ts'
import { lockClaimsOn } from '../claims/locks.ts'
import { attendingUsers, refuseForOthers } from '../rows/personal-tokens.ts'
import type { Overridable } from '../rules/enforce-rules.ts'
import { type Invited, refuseTooMany } from './attendee-changes.ts'
import { findAttending } from './attendees.ts'
import type { Attending, Invitation } from './match-attendees.ts'
import type { Present } from './present-events.ts'
import {
  claimsAfter,
  findPresentRooms,
  type PresentRoom,
  type Room,
  refuseRoomsOfOthers,
  refuseUnbookableRooms,
} from './rooms.ts'
import { type Content, type Meeting, takeIds } from './save-events.ts'

export type Wanted = {
  context: WriteContext
  content: Content & Overridable & { reinstates?: boolean | undefined }
  /** Unset for a new event. */
  present?: Present
  span: TimeRange
  organizerId: number
  invited: Invited
}

export type LockedMeeting = {
  id: number
  wanted: Wanted
  isOrganizerMissing: boolean
  attending: Attending
  rooms: Room[]
  presentRooms: PresentRoom[]
}

/** In the order of what is wanted. Locks the claims of all their rooms, and then the rooms. */
export async function lockMeetings(connection: Connection, wanted: Wanted[]): Promise<LockedMeeting[]> {
  limitBatch(wanted)
  const [missing, attending] = await pipelined(
    connection,
    () => findMissingOrganizers(connection, wanted),
    () => findAttending(connection, wanted.map(invitationOf)),
  )
  const asked = wanted.flatMap(({ organizerId }, place) =>
    (attending[place]?.bookableIds ?? []).map((id) => ({ place, id, organizerId })),
  )
  const present = wanted.flatMap((each) => each.present ?? [])
  await lockClaimsOn(connection, [...asked.map(({ id }) => id), ...present.flatMap(({ rooms }) => rooms)])
  const subjects = asked.map(({ id, organizerId }) => ({
    bookable_id: id,
    user_id: organizerId,
    isOrganizer: true,
  }))
  const [facts, presentRooms, ids] = await Promise.all([
    lockBookingFacts(connection, subjects),
    findPresentRooms(
      connection,
      present.map(({ id }) => id),
    ),
    takeIds(connection, wanted.length - present.length),
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

// Each room is a lock, of which Postgres has some thousands: no batch is larger than the largest event may be.
function limitBatch(wanted: Wanted[]): void {
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

const invitationOf = ({ context, organizerId, present, invited }: Wanted): Invitation => ({
  ...invited,
  context,
  organizerId,
  eventId: present?.id,
  attending: present && attendingUsers(present),
})

async function findMissingOrganizers(connection: Connection, wanted: Wanted[]): Promise<Set<Wanted>> {
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

/** Refuses what cannot be, and returns the event as it is to be saved. */
export function checkMeeting({ context }: { context: WriteContext }, locked: LockedMeeting): Meeting {
  const { wanted, attending, rooms, presentRooms } = locked
  const { content, present, span, organizerId } = wanted
  const { now } = context
  refuseForOthers(context, organizerId)
  refuseInvalid(locked)
  if (present?.status === EVENT_STATUSES.cancelled && !content.reinstates) {
    const detail = message`The meeting is cancelled. An administrator can reinstate it.`
    throw new Refusal('event_cancelled', detail)
  }
  // A room that was blocked or assigned since stays as a booking would: if it is neither moved nor extended.
  const isStaying = ({ id }: Room) =>
    present !== undefined && isWithin(span, present) && present.rooms.includes(id)
  if (organizerId !== present?.organizer_user_id) refuseRoomsOfOthers(rooms.filter(isStaying))
  const claimed = rooms.filter((room) => !isStaying(room))
  const overridden = refuseUnbookableRooms(claimed, { ...content, span, now })
  return {
    id: locked.id,
    context,
    present,
    content,
    span,
    organizerId,
    overridden,
    attendees: attending.attendees,
    ...claimsAfter(rooms, span, now, present && { from: present.from, rooms: presentRooms }),
  }
}

function refuseInvalid({ wanted, isOrganizerMissing, attending }: LockedMeeting): void {
  const { context, invited, span } = wanted
  const errors: FieldErrors = {}
  if (span.to <= span.from) errors.to_time = ENDS_TOO_EARLY
  if (isOrganizerMissing) errors.organizer_user_id = [message`There is no active person with this id.`]
  Object.assign(errors, invited.errors)
  if (invited.isAdding) refuseTooMany(attending, errors)
  // Without a room, the event would lie in no building, and not exist for the token that created it.
  if (context.buildingIds && attending.bookableIds.length === 0)
    errors.attendees ??= [message`At least one room is required: this token is limited to buildings.`]
  if (Object.keys(errors).length > 0) throw invalid(errors)
}
