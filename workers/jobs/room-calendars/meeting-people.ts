// Finds the organizer and the attendees of a meeting in a calendar: active users by their addresses, and visitors.
import { ATTENDEES_MAX } from '../../../shared/events/event-jobs.ts'
import type { SeenEntry, SeenPerson } from '../../../shared/room-calendars/room-calendars.ts'
import { email } from '../../../shared/schemas/fields.ts'
import { ensureUnknownOrganizer } from '../../../shared/users/unknown-organizer.ts'
import type { Write } from '../../runtime/write.ts'
import type { Attendee } from '../events/match-attendees.ts'
import type { PresentEvent } from '../events/present-events.ts'
import { listAttendingUsers } from '../rows/personal-tokens.ts'
import { cleanText } from './meeting-texts.ts'

export type MeetingPeople = { organizerId: number; attendees: Attendee[] }

type FoundAddress = { userId: number | null; isActive: boolean; isRoom: boolean }

const isValidAddress = (address: string): boolean => email().isValidSync(address)

/**
 * Rooms are no people, even if the provider does not say that an address is a room. A private meeting names nobody. `present`
 * is the event as it is now: its attendees stay, even if they have been deactivated.
 */
export async function findMeetingPeople(
  write: Write,
  { organizer, attendees, isPrivate }: SeenEntry,
  present: PresentEvent | undefined,
): Promise<MeetingPeople> {
  const named = isPrivate ? [] : [...(organizer ? [organizer] : []), ...attendees]
  const people = named.filter(({ address }) => isValidAddress(address)).slice(0, ATTENDEES_MAX)
  const found = await findAddresses(write, people)
  const attending = new Set(present ? listAttendingUsers(present) : [])
  const organizerId = await findOrganizer(write, { person: isPrivate ? null : organizer, found, present })
  const guests = people.flatMap((person): Attendee[] => {
    const { userId, isActive, isRoom } = found.get(person.address) ?? UNKNOWN
    if (isRoom || userId === organizerId) return []
    if (userId !== null && (isActive || attending.has(userId))) return [{ userId, email: null, name: null }]
    return [{ userId: null, email: person.address, name: cleanText(person.name ?? '') || null }]
  })
  // The rooms count as attendees as well.
  const room = ATTENDEES_MAX - (present?.rooms.length ?? 0) - 1
  return {
    organizerId,
    attendees: [{ userId: organizerId, email: null, name: null }, ...omitRepeated(guests).slice(0, room)],
  }
}

const UNKNOWN: FoundAddress = { userId: null, isActive: false, isRoom: false }

/** Attendees are compared in small letters, as the database compares them. */
function omitRepeated(attendees: Attendee[]): Attendee[] {
  const keys = new Map(attendees.map((each) => [each.userId ?? each.email?.toLowerCase(), each]))
  return [...keys.values()]
}

type Organizer = {
  person: SeenPerson | null
  found: Map<string, FoundAddress>
  present: PresentEvent | undefined
}

// An organizer who has left keeps the meeting, or the colleague to whom it was handed over.
async function findOrganizer(write: Write, { person, found, present }: Organizer): Promise<number> {
  const { userId, isActive } = (person && found.get(person.address)) ?? UNKNOWN
  if (userId !== null && isActive) return userId
  if (userId !== null && present) return present.organizer_user_id
  return ensureUnknownOrganizer(write.trx, write.database)
}

async function findAddresses(write: Write, people: SeenPerson[]): Promise<Map<string, FoundAddress>> {
  if (people.length === 0) return new Map()
  const rows = await write.all<FoundAddress & { address: string }>(
    `SELECT address, users.id AS "userId", coalesce(users.deactivated_at IS NULL, false) AS "isActive",
       EXISTS (SELECT FROM bookables WHERE lower(integration_email) = lower(address))
         OR EXISTS (SELECT FROM room_calendars WHERE lower(calendar) = lower(address)) AS "isRoom"
     FROM unnest(CAST(? AS text[])) AS address
     LEFT JOIN users ON lower(users.email) = lower(address) AND NOT users.is_anonymous`,
    [people.map(({ address }) => address)],
  )
  return new Map(rows.map(({ address, ...found }) => [address, found]))
}
