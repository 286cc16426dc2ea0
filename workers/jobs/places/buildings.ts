// Buildings: created, changed and deleted by administrators.
import { counted, field, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import type { Handler, Transaction } from '../../runtime/context.ts'
import { changeRow, deleteRow, insertRow, lockRowToDelete } from '../kit/rows.ts'

const UNKNOWN_TIMEZONE = '22023'

export const createBuilding: Handler<'buildings.create'> = async (
  trx,
  { name, address = '', timezone = 'UTC' },
  context,
) => {
  await refuseUnknownTimezone(trx, timezone)
  await refuseTakenName(trx, name)
  return insertRow(trx, context, 'buildings', { name, address, timezone })
}

export const updateBuilding: Handler<'buildings.update'> = async (
  trx,
  { id, version, ...fields },
  context,
) => {
  await refuseUnknownTimezone(trx, fields.timezone)
  await refuseTakenName(trx, fields.name, id)
  return changeRow(trx, context, 'buildings', id, { fields, version })
}

export const deleteBuilding: Handler<'buildings.delete'> = async (trx, { id }, context) => {
  const building = await lockRowToDelete(trx, 'buildings', id)
  const { rows } = await trx.raw('SELECT count(*)::int AS number FROM locations WHERE building_id = ?', [id])
  const { number } = rows[0]
  if (number > 0) {
    const detail = counted(
      number,
      '{0} still has # location. Delete or move it first.',
      '{0} still has # locations. Delete or move them first.',
      String(building.row.name),
    )
    throw new Refusal('in_use', detail)
  }
  return deleteRow(trx, context, 'buildings', building)
}

// Ignores case, which nobody hears. Buildings that already share a name may keep it.
async function refuseTakenName(trx: Transaction, name: string | undefined, id?: number): Promise<void> {
  if (name === undefined) return
  await trx.raw("SELECT pg_advisory_xact_lock(hashtextextended('names of buildings', 2))")
  const { rows } = await trx.raw(
    `SELECT FROM buildings WHERE lower(name) = lower(:name) AND NOT EXISTS (
       SELECT FROM buildings WHERE id = :id AND lower(name) = lower(:name)
     ) LIMIT 1`,
    { name, id: id ?? null },
  )
  if (rows.length > 0) throw invalid({ name: [message`There is another building with this name.`] })
}

// Postgres computes “today” in a building, and may not know every time zone name that Node knows.
async function refuseUnknownTimezone(trx: Transaction, timezone: string | undefined): Promise<void> {
  if (timezone === undefined) return
  try {
    await trx.transaction((savepoint) => savepoint.raw('SELECT now() AT TIME ZONE ?', [timezone]))
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNKNOWN_TIMEZONE) throw error
    throw invalid({
      timezone: [message`${field('timezone')} must be an IANA time zone name such as Europe/Berlin.`],
    })
  }
}
