// The user who organizes meetings of room calendars whose organizer Berth does not know. Nobody can sign in as this user,
// book for them or write to them: they are deactivated from the start, and no list of people has them.
import type { Knex } from 'knex'
import { getOnlyRow } from '../database/database.ts'

// No company has e-mail addresses in this domain: see RFC 2606.
const ADDRESS = 'unknown-organizer@calendar.invalid'

/** SQL condition that the row of `users` stands for a person, and not for erased or unknown people. */
export const isPersonSql = (user = 'users'): string =>
  `(NOT ${user}.is_anonymous AND NOT EXISTS (SELECT FROM unknown_organizer WHERE unknown_organizer.user_id = ${user}.id))`

/**
 * Returns the id of the unknown organizer. The first caller creates the user, outside of its transaction: otherwise callers
 * that hold other locks would wait for each other.
 */
export async function ensureUnknownOrganizer(trx: Knex.Transaction, database: Knex): Promise<number> {
  const find = () => trx.raw<{ rows: Array<{ user_id: number }> }>('SELECT user_id FROM unknown_organizer')
  const { rows } = await find()
  if (rows[0]) return rows[0].user_id
  await database.raw(
    `WITH created AS (
       INSERT INTO users (name, email, deactivated_at) VALUES ('Unknown organizer', :address, now())
       ON CONFLICT DO NOTHING RETURNING id
     )
     INSERT INTO unknown_organizer (user_id) SELECT id FROM created ON CONFLICT DO NOTHING`,
    { address: ADDRESS },
  )
  return getOnlyRow((await find()).rows).user_id
}
