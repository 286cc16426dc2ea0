// Implements the device flow: stores whether somebody approved a program, and issues its token once.
import { message } from '../../../shared/messages/message.ts'
import { invalidFields } from '../../../shared/messages/refusal.ts'
import { PERSONAL_DAYS_DEFAULT } from '../../../shared/tokens/token-store.ts'
import type { Handlers } from '../../runtime/write.ts'
import { createIdReply } from '../rows/rows.ts'
import { TOKEN_COLUMNS, type TokenRow } from './tokens.ts'

const CODE_NOT_FOUND = message`This code is unknown, has expired, or has already been used.`

export const deviceHandlers: Handlers<`devices.${string}`> = {
  async 'devices.decide'(write, { user_code_hash, user_id }) {
    const active = 'SELECT FROM users WHERE id = ? AND deactivated_at IS NULL FOR KEY SHARE'
    if (user_id !== null && !(await write.first(active, [user_id])))
      throw invalidFields({ user_id: [message`There is no active person with this id.`] })
    await write.requireRow(
      `UPDATE device_authorizations SET decided_at = now(), admin_id = ?, user_id = ?
       WHERE user_code_hash = decode(?, 'hex') AND decided_at IS NULL AND expires_at > now() RETURNING client_id`,
      [write.actor.id, user_id, user_code_hash],
      CODE_NOT_FOUND,
    )
    return null
  },

  /**
   * The author of the token is the administrator who approved the program, because the token is what they agreed to.
   */
  async 'devices.redeem'(write, { device_code_hash, hash }) {
    const { id, row } = await write.requireRow<TokenRow>(
      `WITH approved AS (
         DELETE FROM device_authorizations USING users
         WHERE device_code_hash = decode(:code, 'hex') AND expires_at > now()
           AND users.id = device_authorizations.user_id AND users.deactivated_at IS NULL
         RETURNING client_id, device_name, abilities, user_id
       )
       INSERT INTO tokens (name, abilities, hash, expires_at, created_by, user_id)
       SELECT concat_ws(', ', client_id, device_name), abilities, decode(:hash, 'hex'),
         now() + make_interval(days => :days), :author, user_id
       FROM approved RETURNING ${TOKEN_COLUMNS}`,
      { code: device_code_hash, hash, days: PERSONAL_DAYS_DEFAULT, author: write.actor.name },
      CODE_NOT_FOUND,
    )
    await write.audit({ action: 'tokens.create', id, after: row })
    return createIdReply(id)
  },
}
