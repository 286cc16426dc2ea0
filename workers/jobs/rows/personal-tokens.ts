// What the write of a personal token may concern: bookings, events and calendars of its person. Whatever belongs to
// others does not exist for it, as in its reads (gateway/reads/limits/personal-limits.ts).
import { type Message, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Write, WriteContext } from '../../runtime/write.ts'

type Limit = Pick<WriteContext, 'userId'>

export const isOfAnother = ({ userId }: Limit, ownerId: number | null) =>
  userId !== undefined && ownerId !== userId

export function refuseForOthers(limit: Limit, ownerId: number): void {
  if (!isOfAnother(limit, ownerId)) return
  const detail = message`This token belongs to a person, and writes for that person alone.`
  throw new Refusal('personal_token', detail)
}

type Event = { organizer_user_id: number; row: { attendees: Array<{ user_id: number | null }> | null } }

export const attendingUsers = ({ row: { attendees } }: Pick<Event, 'row'>): number[] =>
  (attendees ?? []).flatMap(({ user_id }) => user_id ?? [])

/** Who only attends an event sees it, but cannot change it. */
export function refuseUnlessOrganizer(limit: Limit, event: Event, missing: Message): void {
  if (!isOfAnother(limit, event.organizer_user_id)) return
  if (!attendingUsers(event).some((id) => id === limit.userId)) throw new Refusal('not_found', missing)
  const detail = message`This token belongs to a person, and only the organizer can change the meeting.`
  throw new Refusal('personal_token', detail)
}

/** Refuses things of which not all belong to the person. `owners` is SQL that selects the owner of each. */
export async function requireOwn(write: Write, owners: string, values: unknown[], missing: Message) {
  if (write.userId === undefined) return
  const rows = await write.all<{ owner: number | null }>(owners, values)
  if (rows.length === 0 || rows.some(({ owner }) => isOfAnother(write, owner)))
    throw new Refusal('not_found', missing)
}
