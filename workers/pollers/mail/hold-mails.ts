// Mails about offers of the waitlist: one for each offer, while it is open.
import type { Knex } from 'knex'
import { timestampText } from '../../../shared/schemas/json.ts'
import { joinPlaces, PLACED } from './booking-mails.ts'

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
export type Offer = { name: string; place: string; zone: string; from: string; to: string; until: string }

const FIND_OFFER = `
  SELECT ${PLACED}, ${timestampText('lower(during)')} AS "from", ${timestampText('upper(during)')} AS "to",
    ${timestampText('expires_at')} AS until
  FROM holds ${joinPlaces('holds.bookable_id')}
  WHERE holds.id = :id AND holds.user_id = :user AND holds.kind = 'offer' AND ${IS_OPEN}`

/** Undefined if it was answered, or has lapsed. */
export async function findOffer(
  trx: Knex.Transaction,
  about: { id: number; user: number },
): Promise<Offer | undefined> {
  const { rows } = await trx.raw<{ rows: Offer[] }>(FIND_OFFER, about)
  return rows[0]
}
