// Sets up, changes and switches off screens, and renews their URLs. The audit log never contains hashes of the secrets
// in these URLs.
import { LOCKS, waitForLockSql } from '../../../shared/database/locks.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { MISSING_PLACE_MESSAGES, message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import { SCREENS_MAX } from '../../../shared/screens/screens.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { createIdReply } from '../rows/rows.ts'

type ScreenRow = { id: number; row: unknown }

const SCREEN_COLUMNS = "screens.id, to_jsonb(screens) - 'hash' - 'last_seen_at' AS row"
const SCREEN_NOT_FOUND = message`This screen does not exist, or has been switched off.`

export const screenHandlers: Handlers<`screens.${string}`> = {
  async 'screens.create'(write, { bookable_id = null, building_id = null, ...input }) {
    await requirePlace(write, { ...input, bookable_id, building_id })
    await requireBookingPerson(write, input.booking_user_id)
    await refuseTooManyScreens(write)
    const { id, row } = await write.only<ScreenRow>(
      `INSERT INTO screens (kind, bookable_id, building_id, name, booking_user_id, names, appearance, language, hash)
       VALUES (:kind, :bookable_id, :building_id, :name, :booking_user_id, :names, :appearance, :language,
         decode(:hash, 'hex')) RETURNING ${SCREEN_COLUMNS}`,
      { ...input, bookable_id, building_id, booking_user_id: input.booking_user_id ?? null },
    )
    await write.audit({ action: 'screens.create', id, after: row })
    return createIdReply(id)
  },

  async 'screens.update'(write, { id, booking_user_id = null, ...input }) {
    const before = await lockScreen(write, id)
    await requireBookingPerson(write, booking_user_id)
    const { row: after } = await write.only<ScreenRow>(
      `UPDATE screens SET name = :name, booking_user_id = :booking_user_id, names = :names, appearance = :appearance,
         language = :language, updated_at = now() WHERE id = :id RETURNING ${SCREEN_COLUMNS}`,
      { ...input, id, booking_user_id },
    )
    await write.audit({ action: 'screens.update', id, before, after })
    return null
  },

  /** Replaces the URL of a screen. The previous URL stops working. */
  async 'screens.renew-address'(write, { id, hash }) {
    await lockScreen(write, id)
    await write.run("UPDATE screens SET hash = decode(?, 'hex'), updated_at = now() WHERE id = ?", [hash, id])
    await write.audit({ action: 'screens.renew-address', id })
    return null
  },

  async 'screens.revoke'(write, { id }) {
    const before = await lockScreen(write, id)
    await write.run('UPDATE screens SET revoked_at = now(), updated_at = now() WHERE id = ?', [id])
    await write.audit({ action: 'screens.revoke', id, before })
    return null
  },
}

async function lockScreen(write: Write, id: number): Promise<unknown> {
  const lock = `SELECT ${SCREEN_COLUMNS} FROM screens WHERE id = ? AND revoked_at IS NULL FOR NO KEY UPDATE`
  return (await write.requireRow<ScreenRow>(lock, [id], SCREEN_NOT_FOUND)).row
}

type ScreenPlace = Pick<InputOf<'screens.create'>, 'kind' | 'bookable_id' | 'building_id'>

async function requirePlace(write: Write, { kind, bookable_id, building_id }: ScreenPlace): Promise<void> {
  const [field, present, id] =
    kind === 'door'
      ? (['bookable_id', 'bookables WHERE id = ? AND deleted_at IS NULL', bookable_id] as const)
      : (['building_id', 'buildings WHERE id = ?', building_id] as const)
  const missing = MISSING_PLACE_MESSAGES[kind === 'door' ? 'bookables' : 'buildings']
  if (!(await write.first(`SELECT FROM ${present} FOR KEY SHARE`, [id ?? null])))
    throw invalidFields({ [field]: [missing] })
}

async function requireBookingPerson(write: Write, id: number | null | undefined): Promise<void> {
  const active =
    'SELECT FROM users WHERE id = ? AND deactivated_at IS NULL AND NOT is_anonymous FOR KEY SHARE'
  if (id != null && !(await write.first(active, [id])))
    throw invalidFields({ booking_user_id: [message`There is no active person with this id.`] })
}

async function refuseTooManyScreens(write: Write): Promise<void> {
  // This lock ensures that screens that are set up at the same time do not exceed the limit.
  await write.run(`SELECT ${waitForLockSql(LOCKS.screens)}`)
  const count = 'SELECT count(*)::int AS number FROM screens WHERE revoked_at IS NULL'
  const { number } = await write.only<{ number: number }>(count)
  if (number >= SCREENS_MAX)
    throw new Refusal(
      'validation_failed',
      message`There are ${SCREENS_MAX} screens already, the maximum allowed. Switch off one that is no longer needed.`,
    )
}
