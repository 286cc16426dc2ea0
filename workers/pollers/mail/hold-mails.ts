// Queues and reads mails about holds: one to the person for each open offer of the waitlist; one to each approver while
// a request is pending, with a link that decides the request; and one with the decision to the person who made the
// request.
import type { Knex } from 'knex'
import {
  mayDecideSql,
  requestedAttendees,
  requestedAttendeesSeenBy,
} from '../../../shared/booking-requests/booking-requests-shape.ts'
import { isHiddenFromSql } from '../../../shared/people/visibility.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { joinPlacesSql, PLACE_SQL } from './booking-mails.ts'
import { type Channel, MAIL_CHANNEL } from './channels.ts'
import { createSecret } from './secrets.ts'
import type { BookedPlace } from './words.ts'

const IS_OPEN_SQL = `holds.state = 'pending' AND holds.expires_at > now()`

const queueOffersSql = ({ queue, refusedKindsSql }: Channel) => `
  INSERT INTO ${queue} (kind, user_id, hold_id)
  SELECT 'offer', holds.user_id, holds.id
  FROM holds JOIN users ON users.id = holds.user_id AND users.deactivated_at IS NULL
  LEFT JOIN person_settings ON person_settings.user_id = holds.user_id
  WHERE holds.kind = 'offer' AND ${IS_OPEN_SQL} AND NOT 'offer' = ANY (${refusedKindsSql})
    AND NOT EXISTS (SELECT FROM ${queue} AS sent WHERE sent.hold_id = holds.id)
  ON CONFLICT DO NOTHING`

export async function queueOffers(database: Knex, channel: Channel = MAIL_CHANNEL): Promise<void> {
  await database.raw(queueOffersSql(channel))
}

/** An offer in a mail. `until` is the time when the offer lapses. */
export type Offer = BookedPlace & { from: string; to: string; until: string }

const HELD_COLUMNS = `${PLACE_SQL}, ${timestampText('lower(during)')} AS "from", ${timestampText('upper(during)')} AS "to",
    ${timestampText('expires_at')} AS until`

const FIND_OFFER_SQL = `
  SELECT ${HELD_COLUMNS} FROM holds ${joinPlacesSql('holds.bookable_id')}
  WHERE holds.id = :id AND holds.user_id = :user AND holds.kind = 'offer' AND ${IS_OPEN_SQL}`

type HoldAndUser = { id: number; user: number }

/** Reads an offer for its mail. Returns undefined if the person has answered the offer or it has lapsed. */
export async function findOffer(database: Knex, about: HoldAndUser): Promise<Offer | undefined> {
  const { rows } = await database.raw<{ rows: Offer[] }>(FIND_OFFER_SQL, about)
  return rows[0]
}

/** The ways in which a request ends without a booking. A person who withdraws a request needs no mail about it. */
const REQUEST_OUTCOMES = ['declined', 'lapsed', 'released'] as const

/**
 * SQL condition that the requester gets a mail about the outcome of the request. Approved bookings and meetings with
 * invitations have mails of their own.
 */
export const HAS_OUTCOME_MAIL = `(holds.state = ANY ('{${REQUEST_OUTCOMES.join(',')}}')
  OR (holds.state = 'approved' AND holds.event_id IS NOT NULL AND NOT holds.invites))`

export type RequestInMail = Offer & {
  /**
   * With an outcome, the mail goes to the person who made the request. With `pending`, the mail goes to an approver.
   */
  state: (typeof REQUEST_OUTCOMES)[number] | 'approved' | 'pending'
  /** The title of a requested meeting. Null if the request is for a booking. */
  title: string | null
  /** The names of the attendees that the reader may see, at most LISTED_MAX. */
  people: string[]
  eventId: number | null
  asker: string
  guest: string | null
  info: string | null
  reason: string | null
  /**
   * The name of the person who decided the request. Null if an administrator or a program decided, or if the person is
   * hidden from the requester.
   */
  decider: string | null
  isByPerson: boolean
}

const LISTED_MAX = 50

const FIND_REQUEST_SQL = `
  SELECT ${HELD_COLUMNS}, holds.state, holds.title, holds.event_id AS "eventId", ARRAY(
      SELECT coalesce(invitees.name, invited.name, invited.email)
      FROM ${requestedAttendees('holds.id', `(${requestedAttendeesSeenBy('CAST(:user AS bigint)')})`)}
      ORDER BY invited.id LIMIT ${LISTED_MAX}) AS people, askers.name AS asker, coalesce(guest_name, guest_email) AS guest, booking_info AS info,
    reason, CASE WHEN NOT ${isHiddenFromSql('deciders.id', 'holds.user_id')} THEN deciders.name END AS decider,
    deciders.id IS NOT NULL AS "isByPerson"
  FROM holds ${joinPlacesSql('holds.bookable_id')}
  JOIN users AS askers ON askers.id = holds.user_id
  LEFT JOIN users AS deciders ON deciders.id = holds.decided_by_user_id
  WHERE holds.id = :id AND holds.kind = 'request' AND upper(during) > now() AND CASE WHEN holds.user_id = :user THEN ${HAS_OUTCOME_MAIL}
    ELSE ${IS_OPEN_SQL} AND ${mayDecideSql('holds.bookable_id', 'CAST(:user AS bigint)')} END`

/** Reads a request for its mail. Returns undefined if the request was decided or withdrawn before the mail
 * was sent, if the approver may no longer decide the request, or if the requested time is over. */
export async function findRequestInMail(
  database: Knex,
  about: HoldAndUser,
): Promise<RequestInMail | undefined> {
  const { rows } = await database.raw<{ rows: RequestInMail[] }>(FIND_REQUEST_SQL, about)
  return rows[0]
}

/**
 * Creates a link with which this person can decide this request until it lapses. Returns the secret of the link. Only
 * the hash of the secret is stored.
 */
export async function createDecisionLink(database: Knex, { id, user }: HoldAndUser): Promise<string> {
  const { secret, hash } = createSecret()
  await database.raw(
    `INSERT INTO decision_links (hash, hold_id, user_id, expires_at)
     SELECT ?, id, ?, expires_at FROM holds WHERE id = ?`,
    [hash, user, id],
  )
  return secret
}
