// Creates the codes that are printed for bookables. Codes are random, so that nobody can guess the codes of a building
// by counting.
import { randomBytes } from 'node:crypto'
import { MISSING_PLACE_MESSAGES } from '../../../shared/messages/message.ts'
import { HOME_OFFICE_TYPE } from '../../../shared/rules/closed-times.ts'
import type { Handlers } from '../../runtime/write.ts'
import { createIdReply } from '../rows/rows.ts'

// The characters in codes. Excludes letters and digits that look alike.
const CODE_CHARACTERS = '23456789abcdefghjkmnpqrstuvwxyz'
const CODE_LENGTH = 9

const createCode = () =>
  Array.from(randomBytes(CODE_LENGTH), (byte) => CODE_CHARACTERS[byte % CODE_CHARACTERS.length]).join('')

export const codeHandlers: Handlers<`bookables.${'make-codes' | 'renew-code'}`> = {
  async 'bookables.make-codes'(write, { location_id }) {
    const missing = await write.ids(
      `SELECT id FROM bookables WHERE location_id = ? AND deleted_at IS NULL AND type <> ${HOME_OFFICE_TYPE}
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
      MISSING_PLACE_MESSAGES.bookables,
    )
    await write.audit({ action: 'desk_codes.renew', id, after: { bookable_id: id } })
    return createIdReply(id)
  },
}
