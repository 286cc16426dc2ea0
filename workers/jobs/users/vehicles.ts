// The vehicles of a user, one by one. In the audit log and the change feed they belong to the user. A booking keeps its
// plate when its vehicle changes or is deleted.
import { refuseDuringImport } from '../../../shared/imports/import-lock.ts'
import { message } from '../../../shared/messages/message.ts'
import { dataText } from '../../../shared/schemas/json.ts'
import { vehicleJson } from '../../../shared/users/users.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { refuseForOthers } from '../kit/personal-tokens.ts'
import { lockActiveUser, lockUser } from './lock-users.ts'

const ONE_VEHICLE = 'vehicles WHERE vehicles.id = ?'
const NO_VEHICLE = message`This user has no vehicle with this id.`

export const vehicleHandlers: Handlers<`users.${'add' | 'change' | 'delete'}-vehicle`> = {
  async 'users.add-vehicle'(write, { user_id, license_plate }) {
    const { id } = await editVehicles(write, user_id, () =>
      write.only<{ id: number }>('INSERT INTO vehicles (user_id, license_plate) VALUES (?, ?) RETURNING id', [
        user_id,
        license_plate,
      ]),
    )
    return write.reply(dataText(vehicleJson), ONE_VEHICLE, [id])
  },

  async 'users.change-vehicle'(write, { user_id, id, license_plate = null }) {
    const sql =
      'UPDATE vehicles SET license_plate = coalesce(?, license_plate) WHERE id = ? AND user_id = ? RETURNING id'
    await editVehicles(write, user_id, () => write.requireRow(sql, [license_plate, id, user_id], NO_VEHICLE))
    return write.reply(dataText(vehicleJson), ONE_VEHICLE, [id])
  },

  async 'users.delete-vehicle'(write, { user_id, id }) {
    const sql = 'DELETE FROM vehicles WHERE id = ? AND user_id = ? RETURNING id'
    await editVehicles(write, user_id, () => write.requireRow(sql, [id, user_id], NO_VEHICLE))
    return null
  },
}

async function editVehicles<Result>(
  write: Write,
  userId: number,
  change: () => Promise<Result>,
): Promise<Result> {
  refuseForOthers(write, userId)
  await refuseDuringImport(write.trx)
  const before = await lockActiveUser(write, userId)
  const former = await write.readFormer('users', [userId])
  const result = await change()
  const after = await lockUser(write, userId)
  await write.audit({ action: 'users.edit', id: userId, former, before: before.row, after: after.row })
  return result
}
