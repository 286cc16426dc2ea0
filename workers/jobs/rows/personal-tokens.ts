// Limits the writes of a personal token to the bookings, events and calendars of its owner. For such a token, anything
// that belongs to other people does not exist, as in its reads (gateway/reads/limits/personal-limits.ts).
import { type Message, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Write, WriteContext } from '../../runtime/write.ts'

type OwnerLimit = Pick<WriteContext, 'userId'>

export const belongsToAnotherUser = ({ userId }: OwnerLimit, ownerId: number | null) =>
  userId !== undefined && ownerId !== userId

export function refuseUnlessOwner(limit: OwnerLimit, ownerId: number): void {
  if (!belongsToAnotherUser(limit, ownerId)) return
  const detail = message`This is a personal token. It can make changes only for its owner.`
  throw new Refusal('personal_token', detail)
}

type OrganizedEvent = {
  organizer_user_id: number
  row: { attendees: Array<{ user_id: number | null }> | null }
}

export const listAttendingUsers = ({ row: { attendees } }: Pick<OrganizedEvent, 'row'>): number[] =>
  (attendees ?? []).flatMap(({ user_id }) => user_id ?? [])

export function refuseUnlessAttending(limit: OwnerLimit, event: OrganizedEvent, missing: Message): void {
  if (!belongsToAnotherUser(limit, event.organizer_user_id)) return
  if (!listAttendingUsers(event).some((id) => id === limit.userId)) throw new Refusal('not_found', missing)
}

/**
 * Refuses unless the token's owner organizes the event. A person who only attends an event can see it but not change
 * it.
 */
export function refuseUnlessOrganizer(limit: OwnerLimit, event: OrganizedEvent, missing: Message): void {
  if (!belongsToAnotherUser(limit, event.organizer_user_id)) return
  refuseUnlessAttending(limit, event, missing)
  const detail = message`This is a personal token, and only the organizer can change the meeting.`
  throw new Refusal('personal_token', detail)
}

/**
 * Refuses unless all resources belong to the token's owner. `owners` is SQL that selects the owner of each resource.
 */
export async function requireOwnResources(write: Write, owners: string, values: unknown[], missing: Message) {
  if (write.userId === undefined) return
  const rows = await write.all<{ owner: number | null }>(owners, values)
  if (rows.length === 0 || rows.some(({ owner }) => belongsToAnotherUser(write, owner)))
    throw new Refusal('not_found', missing)
}
