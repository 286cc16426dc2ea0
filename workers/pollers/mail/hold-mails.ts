// Mails about holds: one for each offer of the waitlist while it is open; one to each approver while a request waits, with a
// link that decides it; and the answer to the person who asked.
import { createHash, randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { mayDecide } from '../../../shared/booking-requests/booking-requests-shape.ts'
import { isHiddenFrom } from '../../../shared/people/visibility.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { joinPlaces, PLACED } from './booking-mails.ts'
import type { Placed } from './words.ts'

const IS_OPEN = `holds.state = 'pending' AND holds.expires_at > now()`

const QUEUE_OFFERS = `
  INSERT INTO mails (kind, user_id, hold_id)
  SELECT 'offer', holds.user_id, holds.id
  FROM holds JOIN users ON users.id = holds.user_id AND users.deactivated_at IS NULL
  LEFT JOIN person_settings ON person_settings.user_id = holds.user_id
  WHERE holds.kind = 'offer' AND ${IS_OPEN} AND NOT 'offer' = ANY (coalesce(muted_mails, '{}'))
    AND NOT EXISTS (SELECT FROM mails AS sent WHERE sent.hold_id = holds.id)
  ON CONFLICT DO NOTHING`

export async function queueOffers(database: Knex): Promise<void> {
  await database.raw(QUEUE_OFFERS)
}

/** `until`: when it lapses. */
export type Offer = Placed & { from: string; to: string; until: string }

const HELD = `${PLACED}, ${timestampText('lower(during)')} AS "from", ${timestampText('upper(during)')} AS "to",
    ${timestampText('expires_at')} AS until`

const FIND_OFFER = `
  SELECT ${HELD} FROM holds ${joinPlaces('holds.bookable_id')}
  WHERE holds.id = :id AND holds.user_id = :user AND holds.kind = 'offer' AND ${IS_OPEN}`

type AboutHold = { id: number; user: number }

/** Undefined if it was answered, or has lapsed. */
export async function findOffer(database: Knex, about: AboutHold): Promise<Offer | undefined> {
  const { rows } = await database.raw<{ rows: Offer[] }>(FIND_OFFER, about)
  return rows[0]
}

/** How a request ends that is no booking. The person who withdraws one knows it. */
export const ANSWERS = ['declined', 'lapsed', 'released'] as const

export type AskedRequest = Offer & {
  /** An answer to the person who asked; else an approver is asked. */
  state: (typeof ANSWERS)[number] | 'pending'
  asker: string
  guest: string | null
  info: string | null
  reason: string | null
  /** Null for an administrator, for a program, and for a person who hides from the one who asked. */
  decider: string | null
  isByPerson: boolean
}

const FIND_REQUEST = `
  SELECT ${HELD}, holds.state, askers.name AS asker, coalesce(guest_name, guest_email) AS guest, booking_info AS info,
    reason, CASE WHEN NOT ${isHiddenFrom('deciders.id', 'holds.user_id')} THEN deciders.name END AS decider,
    deciders.id IS NOT NULL AS "isByPerson"
  FROM holds ${joinPlaces('holds.bookable_id')}
  JOIN users AS askers ON askers.id = holds.user_id
  LEFT JOIN users AS deciders ON deciders.id = holds.decided_by_user_id
  WHERE holds.id = :id AND holds.kind = 'request' AND upper(during) > now() AND CASE WHEN holds.user_id = :user THEN holds.state = ANY (:answers)
    ELSE ${IS_OPEN} AND ${mayDecide('holds.bookable_id', 'CAST(:user AS bigint)')} END`

/** Undefined if the request was decided or withdrawn before the mail left, if the approver may no longer decide it, or if it is over. */
export async function findAskedRequest(database: Knex, about: AboutHold): Promise<AskedRequest | undefined> {
  const { rows } = await database.raw<{ rows: AskedRequest[] }>(FIND_REQUEST, {
    ...about,
    answers: [...ANSWERS],
  })
  return rows[0]
}

/** Returns the secret, which lets this person decide this request until it lapses. Only its hash is stored. */
export async function createDecisionLink(database: Knex, { id, user }: AboutHold): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  await database.raw(
    `INSERT INTO decision_links (hash, hold_id, user_id, expires_at)
     SELECT ?, id, ?, expires_at FROM holds WHERE id = ?`,
    [createHash('sha256').update(secret).digest(), user, id],
  )
  return secret
}
