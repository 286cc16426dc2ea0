// Codes to print for bookables. They are random, so that nobody walks through a building by counting.
import { randomBytes } from 'node:crypto'
import { MISSING_PLACE } from '../../../shared/messages/message.ts'
import { HOME_OFFICE } from '../../../shared/rules/closed.ts'
import type { Handlers } from '../../runtime/write.ts'
import { idReply } from '../rows/rows.ts'

// Without those that look alike.
const LETTERS = '23456789abcdefghjkmnpqrstuvwxyz'
const LENGTH = 9

const createCode = () => Array.from(randomBytes(LENGTH), (byte) => LETTERS[byte % LETTERS.length]).join('')

export const codeHandlers: Handlers<`bookables.${'make-codes' | 'renew-code'}`> = {
  async 'bookables.make-codes'(write, { location_id }) {
    const missing = await write.ids(
      `SELECT id FROM bookables WHERE location_id = ? AND deleted_at IS NULL AND type <> ${HOME_OFFICE}
         AND NOT EXISTS (SELECT FROM bookable_codes WHERE bookable_id = bookables.id)`,
      [location_id],
    )
    const made = await write.ids(
      `INSERT INTO bookable_codes (bookable_id, code) SELECT * FROM unnest(?::bigint[], ?::text[])
       ON CONFLICT DO NOTHING RETURNING bookable_id AS id`,
      [missing, missing.map(createCode)],
    )
    if (made.length > 0)
      await write.audit({ action: 'desk_codes.make', id: location_id, after: { location_id } })
    return { data: { made: made.length } }
  },

  async 'bookables.renew-code'(write, { id }) {
    await write.requireRow(
      `INSERT INTO bookable_codes (bookable_id, code) SELECT id, ? FROM bookables WHERE id = ? AND deleted_at IS NULL
       ON CONFLICT (bookable_id) DO UPDATE SET code = excluded.code RETURNING bookable_id`,
      [createCode(), id],
      MISSING_PLACE.bookables,
    )
    await write.audit({ action: 'desk_codes.renew', id, after: { bookable_id: id } })
    return idReply(id)
  },
}
