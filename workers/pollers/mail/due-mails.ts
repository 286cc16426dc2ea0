// Finds the most urgent due mail and leases it. Returns the mail with its current content.
import type { Knex } from 'knex'
import { IS_MAIL_DUE_SQL, MAIL_TURN_SQL } from '../../../shared/mail/mail-figures.ts'
import { SIGN_IN_LINK_MINUTES } from '../../../shared/people/people.ts'
import { readAnswers } from './answer-mails.ts'
import { readBookingsInMail } from './booking-mails.ts'
import { createDecisionLink, findOffer, findRequestInMail } from './hold-mails.ts'
import { readMeeting } from './invitations.ts'
import { isLate } from './late-mails.ts'
import { readLostRooms } from './lost-rooms.ts'
import type { DueMail } from './messages.ts'
import { readMonthlyReport } from './monthly-report.ts'
import { findReminder } from './reminders.ts'
import { createSecret } from './secrets.ts'

// How long a process may hold a mail. A lease lasts longer than an attempt, so once it expires, the process must be
// dead, and another process may try.
const LEASE_DURATION = "interval '2 minutes'"

// How long a mail about an arrival may wait. Afterwards, it would tell the host nothing new.
const ARRIVAL_MAIL_KEPT_FOR = "interval '2 hours'"

const ARRIVALS_SQL = `
  SELECT hosts.email, json_build_object('visitor', coalesce(visitor_name, event_attendees.name, event_attendees.email, guest_name, guest_email),
    'event', events.name, 'at', to_char(arrived_at AT TIME ZONE buildings.timezone, 'HH24:MI'),
    'building', buildings.name) AS arrival
  FROM arrivals
  LEFT JOIN event_attendees ON event_attendees.id = attendee_id
  LEFT JOIN events ON events.id = event_attendees.event_id
  LEFT JOIN bookings
    ON bookings.id = coalesce(booking_id, (SELECT min(id) FROM bookings AS rooms WHERE rooms.event_id = events.id))
  LEFT JOIN bookables ON bookables.id = bookings.bookable_id
  LEFT JOIN locations ON locations.id = bookables.location_id
  LEFT JOIN buildings ON buildings.id = coalesce(arrivals.building_id, locations.building_id)
  JOIN users AS hosts ON hosts.id = coalesce(host_id, organizer_user_id, bookings.user_id)
  WHERE arrivals.id = taken.arrival_id AND hosts.deactivated_at IS NULL AND arrived_at > now() - ${ARRIVAL_MAIL_KEPT_FOR}`

// Reads the address and the language of an invited person. A guest gets the mail in the language of the organizer.
// Somebody invited as a guest can be a colleague who hides from the organizer. Such a colleague gets the mail in their
// own language, or no mail if they have turned such mails off.
const INVITATION_SQL = `
  SELECT coalesce(guests.email, users.email) AS email,
    coalesce(settings.language, person_languages.language) AS language
  FROM invitations AS guests
  LEFT JOIN users ON users.id = coalesce(guests.user_id, (SELECT id FROM users WHERE lower(users.email) = lower(guests.email)))
  JOIN events ON events.id = guests.event_id
  LEFT JOIN person_settings AS settings ON settings.user_id = coalesce(users.id, organizer_user_id)
  LEFT JOIN person_languages ON person_languages.user_id = coalesce(users.id, organizer_user_id)
  WHERE guests.id = taken.invitation_id AND (users.id IS NULL OR users.deactivated_at IS NULL AND NOT users.is_anonymous
    AND NOT 'meeting' = ANY (coalesce(settings.muted_mails, '{}')))`

const IS_OWN_CHANGE_SQL = `taken.actor_type = 'user' AND taken.actor_id = taken.user_id OR taken.actor_type = 'token'
  AND EXISTS (SELECT FROM tokens WHERE tokens.id = taken.actor_id AND tokens.user_id = taken.user_id)`

const TAKE_SQL = `
  WITH due AS (
    SELECT id FROM mails WHERE ${IS_MAIL_DUE_SQL} ORDER BY ${MAIL_TURN_SQL}, next_at LIMIT 1 FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE mails SET attempts = attempts + 1, taken_attempts = attempts + 1, next_at = now() + ${LEASE_DURATION}
    FROM due WHERE mails.id = due.id RETURNING mails.*
  )
  SELECT taken.id, taken.kind, taken.message, taken.attempts, taken.tries, ${isLate('taken')} AS "isLate", admins.id AS "adminId", admins.role,
    coalesce(admins.email, told.email, people.email, invitation.email) AS email, told.arrival, taken.user_id AS "userId",
    coalesce(person_settings.language, person_languages.language, taken.language, invitation.language, 'en') AS "personLanguage",
    taken.booking_ids AS "bookingIds", taken.lost_rooms AS "lostRooms", taken.change_attempt AS attempt,
    taken.hold_id AS "holdId", taken.deadline, taken.invitation_id AS "invitationId", taken.event_id AS "eventId",
    CASE WHEN ${IS_OWN_CHANGE_SQL} THEN 'self' ELSE taken.actor_type END AS actor,
    (SELECT id FROM identity) AS database,
    to_char(taken.month, 'YYYY-MM-DD') AS month, monthly_report_mails.language,
    taken.link_hash AS "linkHash", admin_links.expires_at AS "linkUntil",
    CASE WHEN webhooks.id IS NOT NULL THEN json_build_object('id', webhooks.id, 'url', webhooks.url,
      'description', webhooks.description, 'reason', webhooks.disabled_reason) END AS webhook,
    CASE WHEN taken.arrival_id IS NOT NULL THEN told.email IS NOT NULL
      WHEN taken.invitation_id IS NOT NULL THEN invitation.email IS NOT NULL
      WHEN num_nonnulls(taken.booking_ids, taken.hold_id, taken.event_id) > 0
        THEN people.deactivated_at IS NULL AND NOT taken.kind = ANY (coalesce(person_settings.muted_mails, '{}'))
      WHEN taken.user_id IS NOT NULL THEN people.deactivated_at IS NULL
        AND taken.created_at > now() - interval '${SIGN_IN_LINK_MINUTES} minutes'
      ELSE admins.disabled_at IS NULL AND coalesce(admin_links.expires_at > now(), true)
        AND NOT coalesce(webhooks.enabled, false)
        AND (taken.month IS NULL OR monthly_report_mails.language IS NOT NULL AND admins.role <> 'reader') END AS wanted
  FROM taken LEFT JOIN admins ON admins.id = taken.admin_id
  LEFT JOIN users AS people ON people.id = taken.user_id
  LEFT JOIN person_settings ON person_settings.user_id = taken.user_id
  LEFT JOIN person_languages ON person_languages.user_id = taken.user_id
  LEFT JOIN LATERAL (${ARRIVALS_SQL}) AS told ON true
  LEFT JOIN LATERAL (${INVITATION_SQL}) AS invitation ON true
  LEFT JOIN admin_links ON admin_links.hash = taken.link_hash
  LEFT JOIN webhooks ON webhooks.id = taken.webhook_id
  LEFT JOIN monthly_report_mails ON monthly_report_mails.admin_id = admins.id`

type TakenRow = Omit<DueMail, 'secret' | 'report' | 'about'> & {
  bookingIds: number[] | null
  lostRooms: unknown[] | null
  attempt: string | null
  holdId: number | null
  /** Set only on mails about answers. */
  eventId: number | null
  /** The check-in deadline. Set only on reminders. */
  deadline: string | null
  linkHash: Buffer | null
  wanted: boolean
  isLate: boolean
  /** The month of the report. Set only on monthly reports. */
  month: string | null
  language: string
}

/**
 * Leases the most urgent due mail. Returns undefined if no mail is due. Also deletes and counts due mails that have
 * nothing left to say.
 */
export async function takeDueMail(
  database: Knex,
  countDropped: (number: number) => void = () => undefined,
): Promise<DueMail | undefined> {
  for (;;) {
    const { rows } = await database.raw<{ rows: TakenRow[] }>(TAKE_SQL).options({ name: 'take-due-mail' })
    const [row] = rows
    if (!row) return undefined
    // The mail is leased by now. If the process dies here, another one takes the mail.
    const about = row.wanted ? await findMailContent(database, row) : waitForReader(row)
    if (about && 'waitUntil' in about) {
      if (!(await postponeMail(database, row, about.waitUntil))) countDropped(1)
      continue
    }
    const isPersonal = [row.bookingIds, row.holdId, row.invitationId, row.eventId].some(
      (each) => each !== null,
    )
    if (row.wanted && (about || !isPersonal)) {
      const report =
        row.month === null ? undefined : await readMonthlyReport(database, row.month, row.language)
      return { ...row, secret: await createLinkSecret(database, row), report, about }
    }
    await database('mails').where({ id: row.id, attempts: row.attempts }).delete()
    countDropped(1)
  }
}

/**
 * Postpones a mail about a meeting. Replaces its row, so that the next change of the meeting can make it due earlier.
 * Deletes the mail if the meeting is over by then, or if another mail about the invitation is waiting. Returns whether
 * the mail is postponed.
 */
async function postponeMail(database: Knex, { id, attempts }: TakenRow, until: string): Promise<boolean> {
  const { rowCount } = await database.raw(POSTPONE_SQL, { id, attempts, until })
  return rowCount > 0
}

// How long a mail about a meeting waits if its reader gets no such mails at the moment, because the reader is
// deactivated or has turned such mails off. When they get mails again, their calendar is up to date after this time at
// the latest.
const READER_WAIT_MS = 86_400_000

const waitForReader = ({ invitationId }: TakenRow): { waitUntil: string } | undefined =>
  invitationId === null ? undefined : { waitUntil: new Date(Date.now() + READER_WAIT_MS).toISOString() }

const POSTPONE_SQL = `
  WITH postponed AS (
    DELETE FROM mails WHERE id = :id AND attempts = :attempts RETURNING *
  )
  INSERT INTO mails (kind, invitation_id, lost_rooms, change_attempt, actor_type, actor_id, created_at, next_at)
  SELECT kind, invitation_id, lost_rooms, change_attempt, actor_type, actor_id, postponed.created_at,
    greatest(CAST(:until AS timestamptz), now() + interval '5 seconds')
  FROM postponed JOIN invitations ON invitations.id = invitation_id JOIN events ON events.id = invitations.event_id
  WHERE EXISTS (SELECT FROM events AS also WHERE (also.id = events.id OR also.series_id = events.series_id)
    AND upper(also.during) > CAST(:until AS timestamptz))
  ON CONFLICT (invitation_id) WHERE kind = 'meeting' AND attempts = 0 DO NOTHING`

/** Reads the current content of a mail to a person. Returns undefined if there is nothing left to tell. */
async function findMailContent(
  database: Knex,
  {
    kind,
    email,
    userId: user,
    bookingIds,
    lostRooms: rooms,
    attempt,
    holdId,
    invitationId,
    eventId,
    deadline,
    isLate,
  }: TakenRow,
): Promise<DueMail['about'] | { waitUntil: string }> {
  if (invitationId !== null) {
    const meeting = await readMeeting(database, { id: invitationId, email })
    if (!meeting || 'waitUntil' in meeting) return meeting
    return {
      meeting,
      lostRooms: await readLostRooms(database, { userId: meeting.organizerId, attempt, rooms }),
    }
  }
  if (user === null) return undefined
  if (holdId !== null) return findHoldContent(database, kind, { id: holdId, user })
  if (eventId !== null) {
    const answers = await readAnswers(database, { event: eventId, user })
    return answers && { answers }
  }
  if (bookingIds === null) return undefined
  if (kind === 'reminder' && deadline !== null) {
    const reminder = await findReminder(database, { ids: bookingIds, user, deadline })
    return reminder && { reminder }
  }
  const isOwn = kind !== 'changed'
  const said = await readBookingsInMail(database, { isOwn, userId: user, bookingIds, attempt })
  const bookings = isLate ? said.filter(({ state }) => state !== 'new') : said
  const lostRooms = await readLostRooms(database, { userId: user, attempt, rooms })
  return bookings.length + lostRooms.length > 0 ? { bookings, lostRooms } : undefined
}

async function findHoldContent(
  database: Knex,
  kind: DueMail['kind'],
  hold: { id: number; user: number },
): Promise<DueMail['about']> {
  if (kind === 'offer') {
    const offer = await findOffer(database, hold)
    return offer && { offer }
  }
  const request = await findRequestInMail(database, hold)
  if (request?.state !== 'pending') return request && { request }
  return { request, secret: await createDecisionLink(database, hold) }
}

async function createLinkSecret(
  database: Knex,
  { kind, userId, adminId, linkHash }: TakenRow,
): Promise<string | undefined> {
  if (kind === 'sign-in' && userId !== null) return createSignInLink(database, userId)
  return linkHash && adminId !== null ? createPasswordLink(database, adminId, linkHash) : undefined
}

// Creates a second link in addition to the one on the page, with the same expiry. Once one of the two is
// used, both stop working. Links of earlier attempts stay valid, because one of those mails may have arrived
// after all.
async function createPasswordLink(database: Knex, adminId: number, shown: Buffer): Promise<string> {
  const { secret, hash } = createSecret()
  await database.raw(
    `INSERT INTO admin_links (hash, admin_id, expires_at)
     SELECT ?, ?, expires_at FROM admin_links WHERE hash = ?`,
    [hash, adminId, shown],
  )
  return secret
}

async function createSignInLink(database: Knex, userId: number): Promise<string> {
  const { secret, hash } = createSecret()
  await database.raw(
    `INSERT INTO sign_in_links (hash, user_id, expires_at)
     VALUES (?, ?, now() + interval '${SIGN_IN_LINK_MINUTES} minutes')`,
    [hash, userId],
  )
  return secret
}
