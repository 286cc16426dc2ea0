// Adds, changes and deletes the vehicles of a user. In the audit log and the change feed, these are changes of the
// user. A booking keeps its license plate when its vehicle changes or is deleted.
import { refuseDuringImport } from '../../../shared/imports/import-lock.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields } from '../../../shared/messages/refusal.ts'
import { dataBodyText } from '../../../shared/schemas/json.ts'
import { normalizedPlateSql, normalizePlate } from '../../../shared/users/plates.ts'
import { vehicleJson } from '../../../shared/users/users.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { refuseUnlessOwner } from '../rows/personal-tokens.ts'
import { lockActiveUser, lockUser } from './lock-users.ts'

const ONE_VEHICLE_SQL = 'vehicles WHERE vehicles.id = ?'
const VEHICLE_NOT_FOUND = message`This person has no vehicle with this id.`

export const vehicleHandlers: Handlers<`users.${'add' | 'change' | 'delete'}-vehicle`> = {
  async 'users.add-vehicle'(write, { user_id, license_plate }) {
    const plate = normalizePlate(license_plate)
    const { id } = await editVehicles(write, user_id, async () => {
      await refuseDuplicatePlate(write, { user_id, plate })
      const sql = 'INSERT INTO vehicles (user_id, license_plate) VALUES (?, ?) RETURNING id'
      return write.only<{ id: number }>(sql, [user_id, plate])
    })
    return write.reply(dataBodyText(vehicleJson), ONE_VEHICLE_SQL, [id])
  },

  async 'users.change-vehicle'(write, { user_id, id, license_plate }) {
    const plate = license_plate === undefined ? null : normalizePlate(license_plate)
    const sql =
      'UPDATE vehicles SET license_plate = coalesce(?, license_plate) WHERE id = ? AND user_id = ? RETURNING id'
    await editVehicles(write, user_id, async () => {
      if (plate !== null) await refuseDuplicatePlate(write, { user_id, plate, id })
      await write.requireRow(sql, [plate, id, user_id], VEHICLE_NOT_FOUND)
    })
    return write.reply(dataBodyText(vehicleJson), ONE_VEHICLE_SQL, [id])
  },

  async 'users.delete-vehicle'(write, { user_id, id }) {
    const sql = 'DELETE FROM vehicles WHERE id = ? AND user_id = ? RETURNING id'
    await editVehicles(write, user_id, () => write.requireRow(sql, [id, user_id], VEHICLE_NOT_FOUND))
    return null
  },
}

type PlateOfUser = { user_id: number; plate: string; id?: number }

/**
 * Refuses a second vehicle with the same license plate. An older release may have stored the plate in another form. The
 * row of the user must be locked.
 */
async function refuseDuplicatePlate(write: Write, { user_id, plate, id = 0 }: PlateOfUser): Promise<void> {
  const same = await write.ids(
    `SELECT id FROM vehicles WHERE user_id = ? AND id <> ? AND ${normalizedPlateSql('license_plate')} = ?`,
    [user_id, id, plate],
  )
  if (same.length > 0)
    throw invalidFields({ license_plate: [message`This person already has a vehicle with this plate.`] })
}

async function editVehicles<Result>(
  write: Write,
  userId: number,
  change: () => Promise<Result>,
): Promise<Result> {
  refuseUnlessOwner(write, userId)
  await refuseDuringImport(write.trx)
  const before = await lockActiveUser(write, userId)
  const former = await write.readFormer('users', [userId])
  const result = await change()
  const after = await lockUser(write, userId)
  await write.audit({ action: 'users.edit', id: userId, former, before: before.row, after: after.row })
  return result
}
