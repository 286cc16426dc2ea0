// The device flow: what an administrator has decided about a program, and the token that it gets for that, once.
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { PERSONAL_DAYS } from '../../../shared/tokens/token-store.ts'
import type { Handlers } from '../../runtime/write.ts'
import { idReply } from '../rows/rows.ts'
import { TOKEN_ROW, type TokenRow } from './tokens.ts'

const NO_CODE = message`This code is unknown, has expired, or was used already.`

export const deviceHandlers: Handlers<`devices.${string}`> = {
  async 'devices.decide'(write, { user_code_hash, user_id }) {
    const active = 'SELECT FROM users WHERE id = ? AND deactivated_at IS NULL FOR KEY SHARE'
    if (user_id !== null && !(await write.first(active, [user_id])))
      throw invalid({ user_id: [message`There is no active person with this id.`] })
    await write.requireRow(
      `UPDATE device_authorizations SET decided_at = now(), admin_id = ?, user_id = ?
       WHERE user_code_hash = decode(?, 'hex') AND decided_at IS NULL AND expires_at > now() RETURNING client_id`,
      [write.actor.id, user_id, user_code_hash],
      NO_CODE,
    )
    return null
  },

  /** The administrator who approved is the author: the token is what they have agreed to. */
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
       FROM approved RETURNING ${TOKEN_ROW}`,
      { code: device_code_hash, hash, days: PERSONAL_DAYS, author: write.actor.name },
      NO_CODE,
    )
    await write.audit({ action: 'tokens.create', id, after: row })
    return idReply(id)
  },
}
