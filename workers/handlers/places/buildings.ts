// Buildings: made, changed and deleted by administrators.

import { audit } from '../../../shared/audit.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs.ts'
import { invalid, Refusal } from '../../../shared/refusal.ts'
import type { Transaction, WorkContext } from '../../context.ts'
import { changeRow, countOf, deleteRow, findRow, findRowToDelete, idReply, insertRow } from '../rows.ts'
import { requireVersion } from '../versions.ts'

const NO_BUILDING = 'There is no building with this id.'
const UNKNOWN_TIMEZONE = '22023'

export async function createBuilding(
  trx: Transaction,
  input: InputOf<'buildings.create'>,
  context: WorkContext,
): Promise<ReplyOf<'buildings.create'>> {
  await refuseUnknownTimezone(trx, input.timezone)
  const { name, address = '', timezone = 'UTC' } = input
  const { id, row } = await insertRow(trx, 'buildings', { name, address, timezone })
  const change = { action: 'buildings.create', resource: 'buildings', resourceId: id }
  await audit(trx, context, { ...change, after: row })
  return idReply(id)
}

export async function updateBuilding(
  trx: Transaction,
  { id, version, ...fields }: InputOf<'buildings.update'>,
  context: WorkContext,
): Promise<ReplyOf<'buildings.update'>> {
  await refuseUnknownTimezone(trx, fields.timezone)
  const before = await findRow(trx, 'buildings', id)
  if (!before) throw new Refusal('not_found', NO_BUILDING)
  await requireVersion(trx, 'buildings', id, version)
  const after = await changeRow(trx, 'buildings', before, fields)
  const change = { action: 'buildings.update', resource: 'buildings', resourceId: id }
  await audit(trx, context, { ...change, before: before.row, after: after.row })
  return idReply(id)
}

export async function deleteBuilding(
  trx: Transaction,
  { id }: InputOf<'buildings.delete'>,
  context: WorkContext,
): Promise<ReplyOf<'buildings.delete'>> {
  const before = await findRowToDelete(trx, 'buildings', id)
  if (!before) throw new Refusal('not_found', NO_BUILDING)
  const { rows } = await trx.raw('SELECT count(*)::int AS number FROM locations WHERE building_id = ?', [id])
  const { number } = rows[0]
  if (number > 0) {
    throw new Refusal(
      'in_use',
      `${before.row.name} has ${countOf(number, 'location')}: delete or move them first.`,
    )
  }
  await deleteRow(trx, 'buildings', id)
  const change = { action: 'buildings.delete', resource: 'buildings', resourceId: id }
  await audit(trx, context, { ...change, before: before.row })
  return idReply(id)
}

// Postgres works out what “today” is in a building, and need not know every name that Node does.
async function refuseUnknownTimezone(trx: Transaction, timezone: string | undefined): Promise<void> {
  if (timezone === undefined) return
  try {
    await trx.transaction((savepoint) => savepoint.raw('SELECT now() AT TIME ZONE ?', [timezone]))
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNKNOWN_TIMEZONE) throw error
    throw invalid({ timezone: ['timezone must be an IANA time zone name such as Europe/Berlin.'] })
  }
}
