// Entries in the calendars of organizers: the SQL that says which events have one and whom it invites, and what Berth stores of
// them (`organizer_entries`). All rooms of an event share one entry.
import type { Knex } from 'knex'
import { EVENT_CLASSIFICATIONS, EVENT_STATUSES } from '../../shared/events/events.ts'
import { message } from '../../shared/messages/message.ts'
import { isPersonShownSql } from '../../shared/people/shown-names.ts'
import type { Answer, CalendarEntry } from '../../shared/room-calendars/providers/provider.ts'
import {
  CALENDAR_DAYS_AHEAD,
  type InvitedPerson,
  type WrittenEntry,
} from '../../shared/room-calendars/room-calendars.ts'
import { type CalendarLink, IS_LEASED_SQL } from './calendar-link.ts'

const { private: isPrivate, confidential } = EVENT_CLASSIFICATIONS

/**
 * SQL for the organizer whose calendar gets the entry of an event, or null if the entry is in the calendar of the room: the titles
 * of private meetings and hidden people are not for everybody, and each date of a series would be an invitation of its own.
 */
export const ORGANIZER_SQL = `CASE WHEN CAST(:names AS text) = 'full' AND events.series_id IS NULL AND ${isPersonShownSql('organizers')}
    AND NOT coalesce(events.classification IN (${isPrivate}, ${confidential}), false) AND NOT EXISTS (
      SELECT FROM organizer_entries AS missing WHERE missing.event_id = events.id AND missing.provider = :provider
        AND missing.mailbox = lower(organizers.email) AND missing.is_missing)
  THEN jsonb_build_object('id', organizers.id, 'address', lower(organizers.email)) END`

/**
 * SQL for the rooms and people that such an entry invites. Leaves out rooms whose calendars hide titles, and people to whom Berth has
 * sent an invitation. Such people stay if the entry already has them, because the provider would otherwise mail them a cancellation.
 */
export const INVITED_SQL = `(
  SELECT coalesce(jsonb_agg(jsonb_build_object('address', address, 'name', name, 'room', room) ORDER BY room, address), '[]')::text FROM (
    SELECT lower(room_calendars.calendar) AS address, rooms.name, rooms.id AS room
    FROM bookings AS held JOIN room_calendars ON room_calendars.bookable_id = held.bookable_id AND NOT room_calendars.is_ending
      AND room_calendars.provider = :provider AND room_calendars.names = 'full'
    JOIN bookables AS rooms ON rooms.id = held.bookable_id
    WHERE held.event_id = events.id AND held.released_at IS NULL
    UNION ALL
    SELECT lower(coalesce(people.email, attending.email)), min(coalesce(people.name, attending.name)), NULL
    FROM event_attendees AS attending LEFT JOIN users AS people ON people.id = attending.user_id
    WHERE attending.event_id = events.id AND events.invites
      AND lower(coalesce(people.email, attending.email)) <> lower(organizers.email)
      AND (people.id IS NULL OR ${isPersonShownSql('people')})
      AND (NOT EXISTS (SELECT FROM invitations WHERE invitations.event_id = events.id AND told IS NOT NULL
          AND (invitations.user_id = attending.user_id OR lower(invitations.email) = lower(attending.email)))
        OR EXISTS (SELECT FROM organizer_entries AS present WHERE present.event_id = events.id AND present.provider = :provider
          AND present.mailbox = lower(organizers.email) AND uid IS NOT NULL
          AND lower(coalesce(people.email, attending.email)) = ANY (present.people)))
    GROUP BY 1
  ) AS invited)`

export const listInvited = ({ invited }: WrittenEntry): InvitedPerson[] =>
  invited ? JSON.parse(invited) : []

type NewEntry = { key: string; eventId: number; provider: string; content: WrittenEntry }

const listPeople = (content: WrittenEntry): string[] => [
  content.organizer?.address ?? '',
  ...listInvited(content)
    .filter(({ room }) => room === null)
    .map(({ address }) => address),
]

// After this time, a withdrawal and all calls to the entry that began before it have ended.
const WITHDRAWAL_SQL = "interval '1 minute'"

/**
 * Stores before a call whom the provider is about to invite, so that Berth neither mails them nor takes a copy for another meeting.
 * Returns the addresses of the people that Berth has invited so far. Omits rooms, because each room removes itself from the entry.
 */
export async function noteInvited(
  database: Knex,
  { key, eventId, provider, content }: NewEntry,
): Promise<string[]> {
  const { rows } = await database.raw<{ rows: Array<{ addresses: string[] }> }>(
    `INSERT INTO organizer_entries AS known (key, event_id, provider, mailbox, rooms, people, ends_at)
     VALUES (:key, :eventId, :provider, :mailbox, CAST(:rooms AS bigint[]), CAST(:people AS text[]), CAST(:to AS timestamptz))
     ON CONFLICT (key) DO UPDATE SET mailbox = excluded.mailbox, is_missing = known.is_missing AND known.mailbox = excluded.mailbox,
       uid = CASE WHEN known.mailbox = excluded.mailbox THEN known.uid END, people = ARRAY(SELECT DISTINCT unnest(known.people || excluded.people)),
       withdrawn_at = CASE WHEN known.mailbox = excluded.mailbox AND known.withdrawn_at > now() - ${WITHDRAWAL_SQL} THEN known.withdrawn_at END,
       rooms = ARRAY(SELECT DISTINCT unnest(known.rooms || excluded.rooms)), ends_at = greatest(known.ends_at, excluded.ends_at)
     RETURNING people AS addresses`,
    {
      key,
      eventId,
      provider,
      mailbox: content.organizer?.address ?? '',
      rooms: listInvited(content).flatMap(({ room }) => room ?? []),
      people: listPeople(content),
      to: content.to,
    },
  )
  return rows[0]?.addresses ?? []
}

/** Stores after a call whom the provider invites by now. `others` are people whom the entry has but its content does not. */
export async function noteWritten(
  database: Knex,
  { key, uid, content, others }: { key: string; uid: string; content: WrittenEntry; others: string[] },
): Promise<void> {
  await database('organizer_entries')
    .where({ key, withdrawn_at: null })
    .update({ uid, people: [...new Set([...listPeople(content), ...others])] })
}

/** Stores the UID by which the copies of an entry are recognized. */
export async function noteUid(database: Knex, key: string, uid: string): Promise<void> {
  await database('organizer_entries').where({ key }).update({ uid })
}

// The time that Berth waits for further changes before it sends a mail about a change.
const MAIL_DELAY_SQL = "interval '15 seconds'"

/**
 * Queues Berth's own invitations for people whom the provider no longer invites. Berth dropped their mails while the provider invited
 * them. When a mail is due, Berth drops it again if it has nothing to say.
 */
async function queueOwnInvitations(database: Knex, key: string): Promise<void> {
  await database.raw(
    `INSERT INTO mails (kind, invitation_id, next_at)
     SELECT 'meeting', invitations.id, now() + ${MAIL_DELAY_SQL}
     FROM organizer_entries JOIN events ON events.id = organizer_entries.event_id
     JOIN invitations ON invitations.event_id = events.id
     WHERE key = :key AND told IS NULL AND events.invites AND events.status = ${EVENT_STATUSES.confirmed}
     ORDER BY invitations.id
     ON CONFLICT (invitation_id) WHERE kind = 'meeting' AND attempts = 0 DO NOTHING`,
    { key },
  )
}

/**
 * Stores that a provider has refused to add people to an entry, so that Berth invites them. `entry` is what the calendar still has.
 */
export async function noteUninvited(
  database: Knex,
  { key, content, entry }: { key: string; content: WrittenEntry; entry: CalendarEntry },
): Promise<void> {
  const present = new Set(entry.attendees.map(({ address }) => address.toLowerCase()))
  const [, ...people] = listPeople(content)
  const refused = people.filter((address) => !present.has(address))
  if (refused.length === 0) return
  await database.raw(
    `UPDATE organizer_entries SET people = ARRAY(SELECT unnest(people) EXCEPT SELECT unnest(CAST(:refused AS text[]))) WHERE key = :key`,
    { key, refused },
  )
  await queueOwnInvitations(database, key)
}

/** Stores that the organizer has no mailbox at the provider. Returns false if the mailbox already has the entry. */
export async function noteMissing(database: Knex, key: string): Promise<boolean> {
  const noted = await database('organizer_entries')
    .where({ key, uid: null })
    .update({ is_missing: true, people: [] })
  return noted > 0
}

/** Stores that a provider has refused to create the entry of a room's row, and so invites nobody. */
export async function noteRefusal(database: Knex, rowId: number): Promise<void> {
  await database.raw(
    `UPDATE organizer_entries SET people = '{}' WHERE uid IS NULL
       AND key = (SELECT calendar_entries.key FROM calendar_entries WHERE id = ?)`,
    [rowId],
  )
}

/**
 * Stores that Berth removes an entry, and that its copies in the calendars of rooms no longer count. Otherwise the removal of a copy
 * would cancel the meeting.
 */
export async function noteWithdrawal(database: Knex, key: string): Promise<void> {
  // Two statements, because an erasure locks the rows of the two tables in the opposite order. If a room stores an answer meanwhile, it
  // either sees the withdrawal, or the second statement clears what it stored.
  await database('organizer_entries').where({ key }).update({ people: [], withdrawn_at: database.fn.now() })
  await database.raw(
    `UPDATE calendar_entries SET base = NULL WHERE id = ANY (ARRAY(
       SELECT id FROM calendar_entries
       WHERE key = :key AND bookable_id = ANY (ARRAY(SELECT unnest(rooms) FROM organizer_entries WHERE key = :key))
       ORDER BY id FOR UPDATE))`,
    { key },
  )
  await queueOwnInvitations(database, key)
}

/** SQL condition: Berth is removing the entry of a row in calendar_entries, or has removed it. */
export const IS_WITHDRAWN_SQL = `EXISTS (SELECT FROM organizer_entries
  WHERE organizer_entries.key = calendar_entries.key AND withdrawn_at IS NOT NULL)`

/** What a room has answered to an invitation. Undefined if it is not invited. */
export const findAnswer = ({ attendees }: CalendarEntry, room: string): Answer | undefined =>
  attendees.find(({ address }) => address.toLowerCase() === room.toLowerCase())?.answer

type Leased = Pick<CalendarLink, 'bookableId' | 'lease'>

/**
 * Stores that the mailbox of a room has declined a meeting. Removes `invited` from the stored content, so that it differs from what Berth
 * says, and the writer checks the entry.
 */
export async function noteDecline(database: Knex, { bookableId, lease }: Leased, key: string): Promise<void> {
  await database.raw(
    `WITH due AS (
       UPDATE room_calendars SET next_write_at = now() WHERE bookable_id = :bookableId AND lease = CAST(:lease AS uuid)
         AND EXISTS (SELECT FROM calendar_entries WHERE bookable_id = :bookableId AND key = :key AND base -> 'invited' IS NOT NULL)
       RETURNING bookable_id)
     UPDATE calendar_entries SET base = base - 'invited' FROM due
     WHERE calendar_entries.bookable_id = due.bookable_id AND key = :key`,
    { bookableId, lease, key },
  )
}

const DECLINED = message`The mailbox of the room has declined this meeting. The booking stays in Berth. Berth writes the meeting again once the booking changes.`
// Only people can end a fault with a reason, so the calendar still counts as in step.
const DECLINED_FAULT = { ...DECLINED, reason: 'declined' }
// The mailbox may accept later. Berth only reads the entry again, because a change would send mail.
const LOOK_AGAIN_HOURS = 1

/** Stores on the row of an entry that the room has declined it. This stays until the booking changes or the room accepts. */
export async function storeDeclinedRoom(
  database: Knex,
  { bookableId, lease }: Leased,
  { id, now }: { id: number; now: number },
): Promise<void> {
  await database.raw(
    `UPDATE calendar_entries SET fault = CAST(:fault AS jsonb), failures = 0, restores_since = now(),
       next_write_at = CAST(:now AS timestamptz) + interval '${LOOK_AGAIN_HOURS} hours'
     WHERE bookable_id = :bookableId AND id = :id AND pending_since IS NULL AND ${IS_LEASED_SQL}`,
    { bookableId, lease, id, now: new Date(now), fault: JSON.stringify(DECLINED_FAULT) },
  )
}

const OTHER_ROOMS_SQL = `
  SELECT EXISTS (SELECT FROM calendar_entries WHERE key = :key AND calendar_entries.bookable_id = bookings.bookable_id) AS "hasJoined"
  FROM bookings JOIN events ON events.id = bookings.event_id JOIN users AS organizers ON organizers.id = events.organizer_user_id
  JOIN room_calendars ON room_calendars.bookable_id = bookings.bookable_id AND room_calendars.provider = :provider
    AND room_calendars.names = 'full' AND NOT is_ending
  WHERE CAST(:mailboxes AS boolean)
    AND bookings.during && tstzrange(CAST(:now AS timestamptz), CAST(:now AS timestamptz) + interval '${CALENDAR_DAYS_AHEAD} days')
    AND bookings.event_id = :eventId AND events.status = ${EVENT_STATUSES.confirmed} AND bookings.released_at IS NULL
    AND bookings.bookable_id <> :bookableId AND ${ORGANIZER_SQL} = jsonb_build_object('id', CAST(:ownerId AS bigint), 'address', CAST(:mailbox AS text))
  UNION ALL SELECT true FROM organizer_entries WHERE key = :key AND NOT CAST(:bookableId AS bigint) = ANY (rooms)`

/**
 * Finds out whether the entry of a meeting stays when this room leaves it. `joined`: other rooms are in the entry, or this room never
 * was. `awaited`: other rooms of the meeting have yet to join the entry, and may lose the meeting before they do.
 */
export async function findOtherRooms(
  database: Knex,
  room: {
    key: string
    eventId: number
    bookableId: number
    provider: string
    ownerId: number
    mailbox: string
    /** Whether meetings are in the calendars of organizers. Otherwise each room has an entry of its own. */
    mailboxes: boolean
    now: Date
  },
): Promise<'none' | 'joined' | 'awaited'> {
  const { rows } = await database.raw<{ rows: Array<{ hasJoined: boolean }> }>(OTHER_ROOMS_SQL, {
    ...room,
    names: 'full',
  })
  if (rows.length === 0) return 'none'
  return rows.some(({ hasJoined }) => hasJoined) ? 'joined' : 'awaited'
}
