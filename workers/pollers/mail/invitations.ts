// Mails to the attendees and organizers of meetings with invitations: who gets a mail, and what it says. When Berth
// sends a mail, it compares the meeting with the last mail, so that no mail mentions a change that has been undone.
import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { MEETING_ZONE } from '../../../shared/events/meeting-zone.ts'
import { attendeesSeenBySql } from '../../../shared/people/visibility.ts'
import { jsonAsText, timestampText } from '../../../shared/schemas/json.ts'
import { type CalendarEntry, calendarEntryJson } from '../../../shared/tokens/calendars-shape.ts'
import { addressSql } from './queue-invitations.ts'
import { createSecret } from './secrets.ts'

/** The content of a mail about a meeting. Berth compares the next mail with it. */
export type MailedMeeting = {
  name: string
  description: string
  from: string
  to: string
  zone: string
  rooms: string[]
  place: string | null
  organizer: string
  organizerEmail: string
  /** The start of the meeting by the repetition of its series. Set only for meetings of a series. */
  occursAt?: string
}

export type MeetingPerson = {
  name: string
  email: string
  status: number
  isOrganizer: boolean
  /** Whether the mail goes to this person. */
  isReader: boolean
}

export type MeetingInMail = {
  /** The other meetings of the series that the mail describes. */
  others: MeetingInMail[]
  /**
   * The meetings of the series that the reader knows of after this mail. Empty if the meeting is not part of a series.
   */
  dates: MeetingInMail[]
  /** When to send a mail about the meetings of the series that must wait. Undefined if none must wait. */
  waitsUntil?: string | undefined
  invitationId: number
  eventId: number
  state: 'new' | 'changed' | 'cancelled'
  now: MailedMeeting
  before: MailedMeeting | null
  /** The SEQUENCE of the calendar entry, which is higher than in the last mail. */
  sequence: number
  entry: CalendarEntry
  /** Tells why the state is `cancelled`: true if the meeting is cancelled, false if the reader is no longer invited. */
  isMeetingCancelled: boolean
  organizer: MeetingPerson
  reader: MeetingPerson
  isGuest: boolean
  organizerId: number
  /** The attendees that the reader may see. A guest sees only the organizer and themselves. */
  people: MeetingPerson[]
  /** The number of all attendees, including those that the reader may not see. */
  number: number
  /** The secret in the links that answer the invitation. Undefined in mails to the organizer and in cancellations. */
  secret: string | undefined
}

const ENTRY_TEXT_SQL = jsonAsText(calendarEntryJson)
const LISTED_ATTENDEES_MAX = 100

// How long people wait for the invitation of a provider that does not answer. After that, Berth invites them.
const INVITED_WAIT_MAX_SQL = "interval '10 minutes'"

// Reads whether the entry of the meeting is in the calendar of its organizer, whose provider invites the reader.
const invitedElsewhereSql = (
  condition: string,
) => `(invitation.told IS NULL AND EXISTS (SELECT FROM organizer_entries
  WHERE event_id = events.id AND lower(coalesce(readers.email, invitation.email)) = ANY (people) AND ${condition}))`

const READ_SQL = `
  WITH invitation AS (SELECT * FROM invitations WHERE id = ANY (:ids)), entries AS (
    SELECT 'event' AS kind, events.id, (SELECT min(bookable_id) FROM bookings WHERE event_id = events.id AND released_at IS NULL) AS bookable_id,
      NULL::bigint AS user_id, NULL AS guest, during, revision, created_at, updated_at,
      status = ${EVENT_STATUSES.cancelled} OR NOT EXISTS (SELECT FROM event_attendees AS present WHERE present.event_id = events.id
        AND (present.user_id = invitation.user_id OR lower(present.email) = lower(invitation.email))) AS cancelled
    FROM events JOIN invitation ON invitation.event_id = events.id
  ), people AS (
    SELECT attending.id, attending.event_id, coalesce(users.name, attending.name, attending.email) AS name,
      coalesce(users.email, attending.email) AS email, attending.status,
      attending.user_id IS NOT DISTINCT FROM events.organizer_user_id AS "isOrganizer",
      coalesce(attending.user_id = invitation.user_id OR lower(attending.email) = lower(invitation.email), false) AS "isReader"
    FROM invitation JOIN events ON events.id = invitation.event_id
    JOIN LATERAL (${attendeesSeenBySql('invitation.user_id')}) AS attending ON attending.event_id = events.id
    LEFT JOIN users ON users.id = attending.user_id
  )
  SELECT invitation.id AS "invitationId", events.id AS "eventId", organizer_user_id AS "organizerId", invitation.told AS before, invitation.sequence AS "lastSequence", ${ENTRY_TEXT_SQL} AS entry,
    entries.cancelled AS "isGone", events.status = ${EVENT_STATUSES.cancelled} AS "isMeetingCancelled",
    invitation.user_id IS NULL AS "isGuest", coalesce(readers.name, invitation.email) AS "readerName",
    invitation.user_id IS NOT DISTINCT FROM events.organizer_user_id AS "isOrganizer",
    jsonb_build_object('name', events.name, 'description', events.description,
      'from', ${timestampText('lower(events.during)')}, 'to', ${timestampText('upper(events.during)')},
      'zone', ${MEETING_ZONE},
      'rooms', ARRAY(SELECT rooms.name FROM bookings JOIN bookables AS rooms ON rooms.id = bookings.bookable_id
        WHERE bookings.event_id = events.id AND released_at IS NULL ORDER BY rooms.id),
      'place', nullif(concat_ws(', ', locations.name, buildings.name, nullif(buildings.address, '')), ''),
      'organizer', organizers.name, 'organizerEmail', organizers.email)
      || CASE WHEN series_id IS NULL THEN '{}' ELSE jsonb_build_object('occursAt', ${timestampText('occurs_at')}) END AS now,
    (upper(events.during) > now() AND NOT ${invitedElsewhereSql('uid IS NOT NULL')})
      OR coalesce((invitation.told ->> 'to')::timestamptz > now(), false) AS "isCurrent",
    ${invitedElsewhereSql(`uid IS NULL AND asked_at > now() - ${INVITED_WAIT_MAX_SQL}`)} AS "isInvitedSoon",
    (SELECT count(*)::int FROM event_attendees WHERE event_id = events.id) AS number,
    (SELECT coalesce(json_agg(listed ORDER BY listed.id), '[]') FROM (
      SELECT id, name, email, status, "isOrganizer", "isReader" FROM people
      WHERE people.event_id = events.id AND ("isReader" OR "isOrganizer" OR (invitation.user_id IS NOT NULL
        AND (SELECT count(*) FROM people AS all_people WHERE all_people.event_id = events.id) <= ${LISTED_ATTENDEES_MAX}))
    ) AS listed) AS people
  FROM invitation JOIN entries ON entries.id = invitation.event_id JOIN events ON events.id = entries.id
  LEFT JOIN bookables ON bookables.id = entries.bookable_id
  LEFT JOIN locations ON locations.id = bookables.location_id
  LEFT JOIN buildings ON buildings.id = locations.building_id
  LEFT JOIN users ON users.id = entries.user_id
  LEFT JOIN users AS readers ON readers.id = invitation.user_id
  JOIN users AS organizers ON organizers.id = events.organizer_user_id
  ORDER BY lower(events.during), events.id`

// Finds the invitations that a mail covers: the given invitation, and the invitations of the same reader to other
// meetings of the series.
const SERIES_SQL = `
  SELECT invitations.id FROM invitations WHERE id = :id
  UNION SELECT others.id FROM invitations AS lead JOIN events ON events.id = lead.event_id
  LEFT JOIN users ON users.id = lead.user_id
  JOIN events AS also ON also.series_id = events.series_id
  JOIN invitations AS others ON others.event_id = also.id
  LEFT JOIN users AS people ON people.id = others.user_id
  WHERE lead.id = :id AND ${addressSql('others', 'people')} = ${addressSql('lead', 'users')}`

type MeetingRow = Omit<
  MeetingInMail,
  'state' | 'sequence' | 'entry' | 'organizer' | 'reader' | 'secret' | 'others' | 'dates'
> & {
  entry: string
  lastSequence: number
  isGone: boolean
  /** Whether the meeting is not over, either now or by the times in the last mail. */
  isCurrent: boolean
  /** Whether the provider of a room's calendar is about to invite the reader. */
  isInvitedSoon: boolean
  isOrganizer: boolean
  readerName: string
}

// When a meeting loses its room, the organizer may find another room. So the other attendees get a mail about the lost
// room no earlier than an hour before the meeting.
const DECIDED_BEFORE_START_MS = 3_600_000
const INVITED_WAIT_MS = 120_000

/**
 * Returns the earliest time for a mail that says that the meeting has lost its rooms. Returns undefined if the mail
 * need not wait.
 */
function findWaitUntil({ before, now, isGone, isOrganizer, isInvitedSoon }: MeetingRow): string | undefined {
  // If the organizer has no mailbox, the provider invites nobody after all.
  if (before === null && isInvitedSoon) return new Date(Date.now() + INVITED_WAIT_MS).toISOString()
  if (isGone) return undefined
  const hasLostRooms = before !== null && before.rooms.length > 0 && now.rooms.length === 0
  if (isOrganizer || !hasLostRooms || !isDeepStrictEqual(omitRooms(before), omitRooms(now))) return undefined
  const until = Date.parse(now.from) - DECIDED_BEFORE_START_MS
  return until > Date.now() ? new Date(until).toISOString() : undefined
}

const omitRooms = ({ rooms, place, zone, ...others }: MailedMeeting) => others

/**
 * Reads the content of a mail about a meeting. Returns undefined if the last mail still describes the meeting
 * correctly, and `waitUntil` if the mail must wait.
 */
export async function readMeeting(
  database: Knex,
  { id, email }: { id: number; email: string },
): Promise<MeetingInMail | { waitUntil: string } | undefined> {
  const found = await database.raw<{ rows: Array<{ id: number }> }>(SERIES_SQL, { id })
  const ids = found.rows.map((each) => each.id)
  const { rows } = await database
    .raw<{ rows: MeetingRow[] }>(READ_SQL, { ids })
    .options({ name: 'read-meeting-mail' })
  const sequence = computeSequence(rows)
  const changed = rows.flatMap((row) => {
    const state = determineState(row)
    return state ? [{ row, state, waitUntil: findWaitUntil(row) }] : []
  })
  const due = changed.filter(({ waitUntil }) => waitUntil === undefined)
  const [waitUntil] = changed.flatMap((each) => each.waitUntil ?? []).sort()
  // The mail describes the first meeting that is not cancelled, and names the others.
  const meetings = due.map(({ row, state }) => toMeeting(row, state, { email, sequence }))
  const main = meetings.find(({ state }) => state !== 'cancelled') ?? meetings[0]
  if (!main) return waitUntil === undefined ? undefined : { waitUntil }
  const dates = rows
    .filter((row) => row.now.occursAt !== undefined && isAttended(row))
    .map((row) => {
      const isWaiting = changed.some((each) => each.row === row && each.waitUntil !== undefined)
      return toMeeting(row, row.before ? 'changed' : 'new', { email, sequence, isWaiting })
    })
  const isAsked = main.state !== 'cancelled' && !main.reader.isOrganizer
  return {
    ...main,
    others: meetings.filter((each) => each !== main),
    dates,
    waitsUntil: waitUntil,
    secret: isAsked ? await createAnswerSecret(database, main.invitationId) : undefined,
  }
}

/** Returns whether the reader attends the meeting and knows of it from an earlier mail or from this one. */
const isAttended = ({ isGone, before, isCurrent }: MeetingRow): boolean =>
  !isGone && (before !== null || isCurrent)

/** Computes the SEQUENCE of the calendar entry, which is higher than in the last mail about any of its dates. */
function computeSequence(rows: MeetingRow[]): number {
  const sequences = rows.map(({ entry: text, before, lastSequence }) => {
    const entry: CalendarEntry = JSON.parse(text)
    const next = before || lastSequence > 0 ? lastSequence + 1 : 0
    return Math.max(entry.series?.sequence ?? entry.sequence, next)
  })
  return Math.max(0, ...sequences)
}

function toMeeting(
  row: MeetingRow,
  state: MeetingInMail['state'],
  { email, sequence, isWaiting = false }: { email: string; sequence: number; isWaiting?: boolean },
): MeetingInMail {
  const {
    entry: text,
    lastSequence,
    isGone,
    isCurrent,
    isInvitedSoon,
    isOrganizer,
    readerName,
    ...meeting
  } = row
  const entry: CalendarEntry = JSON.parse(text)
  const organizer = {
    name: row.now.organizer,
    email: row.now.organizerEmail,
    status: 1,
    isOrganizer: true,
    isReader: isOrganizer,
  }
  const reader = { name: readerName, email, status: 0, isOrganizer, isReader: true }
  const { rooms, place } = meeting.before ?? meeting.now
  return {
    ...meeting,
    others: [],
    dates: [],
    state,
    entry: isWaiting ? { ...entry, bookables: rooms, place } : entry,
    sequence,
    organizer: meeting.people.find((each) => each.isOrganizer) ?? organizer,
    reader: meeting.people.find((each) => each.isReader) ?? reader,
    secret: undefined,
  }
}

function determineState({ before, now, isGone, isCurrent }: MeetingRow): MeetingInMail['state'] | undefined {
  if (!isCurrent) return undefined
  if (isGone) return before ? 'cancelled' : undefined
  if (!before) return 'new'
  return isDeepStrictEqual(before, now) ? undefined : 'changed'
}

/** Creates a secret for links that answer this invitation until the meeting ends. The database stores only its hash. */
async function createAnswerSecret(database: Knex, invitationId: number): Promise<string> {
  const { secret, hash } = createSecret()
  await database.raw(
    `INSERT INTO answer_links (hash, invitation_id, expires_at)
     SELECT ?, invitations.id, upper(events.during) FROM invitations JOIN events ON events.id = event_id WHERE invitations.id = ?`,
    [hash, invitationId],
  )
  return secret
}
