// Locations: created, changed and deleted by administrators, and given a floor plan.
import { readFormer } from '../../../shared/changes/former.ts'
import { recordChanges } from '../../../shared/changes/record.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import { counted } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Handler, Transaction } from '../../runtime/context.ts'
import { forgetFile } from '../../runtime/files.ts'
import { changeRow, deleteRow, idReply, insertRow, lockRow, lockRowToDelete, updateRow } from '../kit/rows.ts'
import { NO_FLOOR_PLAN, readFloorPlan } from './floor-plans.ts'

export const createLocation: Handler<'locations.create'> = async (
  trx,
  { building_id, name, code = '' },
  context,
) => {
  return insertRow(trx, context, 'locations', { building_id, name, code })
}

export const updateLocation: Handler<'locations.update'> = async (
  trx,
  { id, version, ...fields },
  context,
) => {
  const moving = fields.building_id === undefined ? [] : await lockBookablesIn(trx, id)
  const { row } = await lockRow(trx, 'locations', id)
  const isMoved = fields.building_id !== undefined && fields.building_id !== row.building_id
  const former = await readFormer(trx, 'bookables', isMoved ? moving : [])
  const reply = await changeRow(trx, context, 'locations', id, { fields, version })
  // The bookables' building has changed, and limited tokens may have lost or gained them. Their bookings lie
  // wherever they do, so they have no changes of their own.
  await recordChanges(trx, context, { resource: 'bookables', action: 'updated' }, former)
  return reply
}

// Locks the bookables, so that no other write reports one with its former building after this one. Bookables
// are locked before their location, as when a location is closed.
async function lockBookablesIn(trx: Transaction, id: number): Promise<number[]> {
  const { rows } = await trx.raw(
    'SELECT id FROM bookables WHERE location_id = ? AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE',
    [id],
  )
  return rows.map((bookable: { id: number }) => bookable.id)
}

export const deleteLocation: Handler<'locations.delete'> = async (trx, { id }, context) => {
  const location = await lockRowToDelete(trx, 'locations', id)
  await refuseInhabited(trx, id, String(location.row.name))
  return deleteRow(trx, context, 'locations', location)
}

async function refuseInhabited(trx: Transaction, id: number, name: string): Promise<void> {
  const { rows } = await trx.raw(
    `SELECT count(*) FILTER (WHERE deleted_at IS NULL)::int AS present, count(*)::int AS all
     FROM bookables WHERE location_id = ?`,
    [id],
  )
  const { present, all } = onlyRow<{ present: number; all: number }>(rows)
  if (present > 0) {
    const detail = counted(
      present,
      '{0} still has # bookable. Delete or move it first.',
      '{0} still has # bookables. Delete or move them first.',
      name,
    )
    throw new Refusal('in_use', detail)
  }
  if (all > 0) {
    const detail = counted(
      all,
      '{0} cannot be deleted because it is needed for the past bookings of # deleted bookable.',
      '{0} cannot be deleted because it is needed for the past bookings of # deleted bookables.',
      name,
    )
    throw new Refusal('in_use', detail)
  }
}

/** The positions of bookables stay: they are shares of the picture's size. */
export const setFloorPlan: Handler<'locations.set-floor-plan'> = async (trx, { id, file_id }, context) => {
  const location = await lockRow(trx, 'locations', id)
  const fields = file_id === null ? NO_FLOOR_PLAN : await readFloorPlan(trx, file_id)
  await updateRow(trx, context, location, { table: 'locations', action: 'locations.set-floor-plan', fields })
  if (file_id !== null) await forgetFile(trx, file_id)
  return idReply(id)
}
