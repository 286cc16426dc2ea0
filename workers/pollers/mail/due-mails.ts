// Takes the most urgent mail that is due, with all that it says as that is now.
import { createHash, randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { MAIL_IS_DUE, MAIL_TURN } from '../../../shared/mail/mail-figures.ts'
import { SIGN_IN_LINK_MINUTES } from '../../../shared/people/people.ts'
import { readSaidBookings } from './booking-mails.ts'
import { createDecisionLink, findAskedRequest, findOffer } from './hold-mails.ts'
import { isLate } from './late-mails.ts'
import { readLostRooms } from './lost-rooms.ts'
import type { DueMail } from './messages.ts'
import { readMonthlyReport } from './monthly-report.ts'
import { findReminder } from './reminders.ts'

// Longer than an attempt may take: after that its process is dead, and another one may try.
const LEASE = "interval '2 minutes'"

// Later it tells the host nothing new.
const ARRIVAL_KEPT = "interval '2 hours'"

const ARRIVALS = `
  SELECT hosts.email, json_build_object('visitor', coalesce(visitor_name, event_attendees.email, guest_name, guest_email),
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
  WHERE arrivals.id = taken.arrival_id AND hosts.deactivated_at IS NULL AND arrived_at > now() - ${ARRIVAL_KEPT}`

const IS_OWN = `taken.actor_type = 'user' AND taken.actor_id = taken.user_id OR taken.actor_type = 'token'
  AND EXISTS (SELECT FROM tokens WHERE tokens.id = taken.actor_id AND tokens.user_id = taken.user_id)`

const TAKE = `
  WITH due AS (
    SELECT id FROM mails WHERE ${MAIL_IS_DUE} ORDER BY ${MAIL_TURN}, next_at LIMIT 1 FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE mails SET attempts = attempts + 1, taken_attempts = attempts + 1, next_at = now() + ${LEASE}
    FROM due WHERE mails.id = due.id RETURNING mails.*
  )
  SELECT taken.id, taken.kind, taken.message, taken.attempts, taken.tries, ${isLate('taken')} AS "isLate", admins.id AS "adminId", admins.role,
    coalesce(admins.email, told.email, people.email) AS email, told.arrival, taken.user_id AS "userId",
    coalesce(person_settings.language, person_languages.language, taken.language, 'en') AS "personLanguage",
    taken.booking_ids AS "bookingIds", taken.lost_rooms AS "lostRooms", taken.change_attempt AS attempt,
    taken.hold_id AS "holdId", taken.deadline,
    CASE WHEN ${IS_OWN} THEN 'self' ELSE taken.actor_type END AS actor,
    (SELECT id FROM identity) AS database,
    to_char(taken.month, 'YYYY-MM-DD') AS month, monthly_report_mails.language,
    taken.link_hash AS "linkHash", admin_links.expires_at AS "linkUntil",
    CASE WHEN webhooks.id IS NOT NULL THEN json_build_object('id', webhooks.id, 'url', webhooks.url,
      'description', webhooks.description, 'reason', webhooks.disabled_reason) END AS webhook,
    CASE WHEN taken.arrival_id IS NOT NULL THEN told.email IS NOT NULL
      WHEN num_nonnulls(taken.booking_ids, taken.hold_id) > 0
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
  LEFT JOIN LATERAL (${ARRIVALS}) AS told ON true
  LEFT JOIN admin_links ON admin_links.hash = taken.link_hash
  LEFT JOIN webhooks ON webhooks.id = taken.webhook_id
  LEFT JOIN monthly_report_mails ON monthly_report_mails.admin_id = admins.id`

type TakenRow = Omit<DueMail, 'secret' | 'report' | 'about'> & {
  bookingIds: number[] | null
  lostRooms: unknown[] | null
  attempt: string | null
  holdId: number | null
  /** Set only on reminders. */
  deadline: string | null
  linkHash: Buffer | null
  wanted: boolean
  isLate: boolean
  /** Set only on monthly reports. */
  month: string | null
  language: string
}

/** Undefined if no mail is due. Also deletes and counts the mails before it that are settled or out of date. */
export async function takeDueMail(
  database: Knex,
  countDropped: (number: number) => void = () => undefined,
): Promise<DueMail | undefined> {
  for (;;) {
    const { rows } = await database.raw<{ rows: TakenRow[] }>(TAKE).options({ name: 'take-due-mail' })
    const [row] = rows
    if (!row) return undefined
    // A process that dies in between leaves the mail to another one.
    const about = row.wanted ? await findAbout(database, row) : undefined
    const isPersonal = row.bookingIds !== null || row.holdId !== null
    if (row.wanted && (about || !isPersonal)) {
      const report =
        row.month === null ? undefined : await readMonthlyReport(database, row.month, row.language)
      return { ...row, secret: await createSecret(database, row), report, about }
    }
    await database('mails').where({ id: row.id, attempts: row.attempts }).delete()
    countDropped(1)
  }
}

/** What a mail tells a person, as that is now; undefined if there is nothing left to tell. */
async function findAbout(
  database: Knex,
  { kind, userId: user, bookingIds, lostRooms: rooms, attempt, holdId, deadline, isLate }: TakenRow,
): Promise<DueMail['about']> {
  if (user === null) return undefined
  if (holdId !== null) return findAboutHold(database, kind, { id: holdId, user })
  if (bookingIds === null) return undefined
  if (kind === 'reminder' && deadline !== null) {
    const reminder = await findReminder(database, { ids: bookingIds, user, deadline })
    return reminder && { reminder }
  }
  const isOwn = kind !== 'changed'
  const said = await readSaidBookings(database, { isOwn, userId: user, bookingIds, attempt })
  const bookings = isLate ? said.filter(({ state }) => state !== 'new') : said
  const lostRooms = await readLostRooms(database, { userId: user, attempt, rooms })
  return bookings.length + lostRooms.length > 0 ? { bookings, lostRooms } : undefined
}

async function findAboutHold(
  database: Knex,
  kind: DueMail['kind'],
  hold: { id: number; user: number },
): Promise<DueMail['about']> {
  if (kind === 'offer') {
    const offer = await findOffer(database, hold)
    return offer && { offer }
  }
  const request = await findAskedRequest(database, hold)
  if (request?.state !== 'pending') return request && { request }
  return { request, secret: await createDecisionLink(database, hold) }
}

async function createSecret(
  database: Knex,
  { kind, userId, adminId, linkHash }: TakenRow,
): Promise<string | undefined> {
  if (kind === 'sign-in' && userId !== null) return createSignInLink(database, userId)
  return linkHash && adminId !== null ? createLink(database, adminId, linkHash) : undefined
}

// Creates another link in addition to the one on the page, with the same expiry; using one ends both. Links
// of earlier attempts stay valid, because one of those mails may have arrived after all.
async function createLink(database: Knex, adminId: number, shown: Buffer): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  await database.raw(
    `INSERT INTO admin_links (hash, admin_id, expires_at)
     SELECT ?, ?, expires_at FROM admin_links WHERE hash = ?`,
    [createHash('sha256').update(secret).digest(), adminId, shown],
  )
  return secret
}

async function createSignInLink(database: Knex, userId: number): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  await database.raw(
    `INSERT INTO sign_in_links (hash, user_id, expires_at)
     VALUES (?, ?, now() + interval '${SIGN_IN_LINK_MINUTES} minutes')`,
    [createHash('sha256').update(secret).digest(), userId],
  )
  return secret
}
