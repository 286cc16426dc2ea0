// Locations: made, changed and deleted by administrators, and given a floor plan.

import { audit } from '../../../shared/audit.ts'
import { onlyRow } from '../../../shared/database.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs.ts'
import { Refusal } from '../../../shared/refusal.ts'
import type { Transaction, WorkContext } from '../../context.ts'
import { forgetFile } from '../../files.ts'
import { changeRow, countOf, deleteRow, findRow, findRowToDelete, idReply, insertRow } from '../rows.ts'
import { requireVersion } from '../versions.ts'
import { NO_FLOOR_PLAN, readFloorPlan } from './floor-plans.ts'

const NO_LOCATION = 'There is no location with this id.'

export async function createLocation(
  trx: Transaction,
  { building_id, name, code = '' }: InputOf<'locations.create'>,
  context: WorkContext,
): Promise<ReplyOf<'locations.create'>> {
  const { id, row } = await insertRow(trx, 'locations', { building_id, name, code })
  const change = { action: 'locations.create', resource: 'locations', resourceId: id }
  await audit(trx, context, { ...change, after: row })
  return idReply(id)
}

export async function updateLocation(
  trx: Transaction,
  { id, version, ...fields }: InputOf<'locations.update'>,
  context: WorkContext,
): Promise<ReplyOf<'locations.update'>> {
  const before = await findRow(trx, 'locations', id)
  if (!before) throw new Refusal('not_found', NO_LOCATION)
  await requireVersion(trx, 'locations', id, version)
  const after = await changeRow(trx, 'locations', before, fields)
  const change = { action: 'locations.update', resource: 'locations', resourceId: id }
  await audit(trx, context, { ...change, before: before.row, after: after.row })
  return idReply(id)
}

export async function deleteLocation(
  trx: Transaction,
  { id }: InputOf<'locations.delete'>,
  context: WorkContext,
): Promise<ReplyOf<'locations.delete'>> {
  const before = await findRowToDelete(trx, 'locations', id)
  if (!before) throw new Refusal('not_found', NO_LOCATION)
  await refuseInhabited(trx, id, String(before.row.name))
  await deleteRow(trx, 'locations', id)
  const change = { action: 'locations.delete', resource: 'locations', resourceId: id }
  await audit(trx, context, { ...change, before: before.row })
  return idReply(id)
}

async function refuseInhabited(trx: Transaction, id: number, name: string): Promise<void> {
  const { rows } = await trx.raw(
    `SELECT count(*) FILTER (WHERE deleted_at IS NULL)::int AS present, count(*)::int AS all
     FROM bookables WHERE location_id = ?`,
    [id],
  )
  const { present, all } = onlyRow<{ present: number; all: number }>(rows)
  if (present > 0) {
    throw new Refusal('in_use', `${name} has ${countOf(present, 'bookable')}: delete or move them first.`)
  }
  if (all > 0) {
    const kept = `the past bookings of ${countOf(all, 'deleted bookable')} are kept with it`
    throw new Refusal('in_use', `${name} cannot be deleted: ${kept}.`)
  }
}

/** The positions of bookables are shares of the picture's size, and stay. */
export async function setFloorPlan(
  trx: Transaction,
  { id, file_id }: InputOf<'locations.set-floor-plan'>,
  context: WorkContext,
): Promise<ReplyOf<'locations.set-floor-plan'>> {
  const before = await findRow(trx, 'locations', id)
  if (!before) throw new Refusal('not_found', NO_LOCATION)
  const floorPlan = file_id === null ? NO_FLOOR_PLAN : await readFloorPlan(trx, file_id)
  const after = await changeRow(trx, 'locations', before, floorPlan)
  if (file_id !== null) await forgetFile(trx, file_id)
  const change = { action: 'locations.set-floor-plan', resource: 'locations', resourceId: id }
  await audit(trx, context, { ...change, before: before.row, after: after.row })
  return idReply(id)
}
