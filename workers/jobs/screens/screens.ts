// Screens: set up, changed, given a new address and switched off. Hashes of addresses do not reach the audit log.
import { LOCKS, waitForLock } from '../../../shared/database/locks.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { MISSING_PLACE, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { SCREENS_MAX } from '../../../shared/screens/screens.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { idReply } from '../rows/rows.ts'

type ScreenRow = { id: number; row: unknown }

const ROW = "screens.id, to_jsonb(screens) - 'hash' - 'last_seen_at' AS row"
const NO_SCREEN = message`This screen does not exist, or has been switched off.`

export const screenHandlers: Handlers<`screens.${string}`> = {
  async 'screens.create'(write, { bookable_id = null, building_id = null, ...input }) {
    await requirePlace(write, { ...input, bookable_id, building_id })
    await requireBookingPerson(write, input.booking_user_id)
    await refuseTooMany(write)
    const { id, row } = await write.only<ScreenRow>(
      `INSERT INTO screens (kind, bookable_id, building_id, name, booking_user_id, names, appearance, language, hash)
       VALUES (:kind, :bookable_id, :building_id, :name, :booking_user_id, :names, :appearance, :language,
         decode(:hash, 'hex')) RETURNING ${ROW}`,
      { ...input, bookable_id, building_id, booking_user_id: input.booking_user_id ?? null },
    )
    await write.audit({ action: 'screens.create', id, after: row })
    return idReply(id)
  },

  async 'screens.update'(write, { id, booking_user_id = null, ...input }) {
    const before = await lockScreen(write, id)
    await requireBookingPerson(write, booking_user_id)
    const { row: after } = await write.only<ScreenRow>(
      `UPDATE screens SET name = :name, booking_user_id = :booking_user_id, names = :names, appearance = :appearance,
         language = :language, updated_at = now() WHERE id = :id RETURNING ${ROW}`,
      { ...input, id, booking_user_id },
    )
    await write.audit({ action: 'screens.update', id, before, after })
    return null
  },

  /** The previous address leads nowhere from now on. */
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
  const lock = `SELECT ${ROW} FROM screens WHERE id = ? AND revoked_at IS NULL FOR NO KEY UPDATE`
  return (await write.requireRow<ScreenRow>(lock, [id], NO_SCREEN)).row
}

type Place = Pick<InputOf<'screens.create'>, 'kind' | 'bookable_id' | 'building_id'>

async function requirePlace(write: Write, { kind, bookable_id, building_id }: Place): Promise<void> {
  const [field, present, id] =
    kind === 'door'
      ? (['bookable_id', 'bookables WHERE id = ? AND deleted_at IS NULL', bookable_id] as const)
      : (['building_id', 'buildings WHERE id = ?', building_id] as const)
  const missing = MISSING_PLACE[kind === 'door' ? 'bookables' : 'buildings']
  if (!(await write.first(`SELECT FROM ${present} FOR KEY SHARE`, [id ?? null])))
    throw invalid({ [field]: [missing] })
}

async function requireBookingPerson(write: Write, id: number | null | undefined): Promise<void> {
  const active =
    'SELECT FROM users WHERE id = ? AND deactivated_at IS NULL AND NOT is_anonymous FOR KEY SHARE'
  if (id != null && !(await write.first(active, [id])))
    throw invalid({ booking_user_id: [message`There is no active person with this id.`] })
}

async function refuseTooMany(write: Write): Promise<void> {
  // So that screens that are set up at the same time count each other.
  await write.run(`SELECT ${waitForLock(LOCKS.screens)}`)
  const count = 'SELECT count(*)::int AS number FROM screens WHERE revoked_at IS NULL'
  const { number } = await write.only<{ number: number }>(count)
  if (number >= SCREENS_MAX)
    throw new Refusal(
      'validation_failed',
      message`There are ${SCREENS_MAX} screens already, which is the limit. Switch off one that is no longer needed.`,
    )
}
