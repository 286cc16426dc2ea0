// Copies a location: its floor plan and its bookables with their positions, as if they were added by hand.
// Nothing that belongs to people is copied: bookings, assignments, rules, or a room's own mailbox.
import { audit } from '../../../shared/audit/audit.ts'
import type { BookableFields } from '../../../shared/bookables/bookable-columns.ts'
import { BOOKABLE_STATUSES, MANY_MAX } from '../../../shared/bookables/bookables.ts'
import { CREATED } from '../../../shared/changes/former.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Handler, Transaction, WorkContext } from '../../runtime/context.ts'
import { FIELDS, insertBookables } from '../bookables/creations.ts'
import { type AuditedRow, auditedRow, idReply, lockRow } from '../kit/rows.ts'

const FLOOR_PLAN = `floor_plan, floor_plan_type, floor_plan_width, floor_plan_height, floor_plan_orientation,
  floor_plan_sha256`

const { blocked, flexible } = BOOKABLE_STATUSES

export const copyLocation: Handler<'locations.copy'> = async (
  trx,
  { id, building_id, name, code = '' },
  context,
) => {
  await lockRow(trx, 'locations', id)
  await refuseLarge(trx, id)
  const { rows } = await trx.raw(
    `INSERT INTO locations (building_id, name, code, ${FLOOR_PLAN})
     SELECT :building_id, :name, :code, ${FLOOR_PLAN} FROM locations WHERE id = :id
     RETURNING ${auditedRow('locations')}`,
    { id, building_id, name, code },
  )
  const copy = onlyRow<AuditedRow>(rows)
  const change = {
    action: 'locations.create',
    id: copy.id,
    former: CREATED,
    after: copy.row,
  } as const
  await audit(trx, context, change)
  await copyBookables(trx, { from: id, to: copy.id }, context)
  return idReply(copy.id)
}

async function refuseLarge(trx: Transaction, id: number): Promise<void> {
  const { rows } = await trx.raw(
    'SELECT count(*)::int AS number FROM bookables WHERE location_id = ? AND deleted_at IS NULL',
    [id],
  )
  if (onlyRow<{ number: number }>(rows).number <= MANY_MAX) return
  throw new Refusal(
    'in_use',
    message`It has more than ${MANY_MAX} bookables, which is too many to copy at once.`,
  )
}

// Assigned bookables are free in the copy; blocked ones stay blocked.
async function copyBookables(
  trx: Transaction,
  { from, to }: { from: number; to: number },
  context: WorkContext,
): Promise<void> {
  const { rows } = await trx.raw(
    `SELECT ${FIELDS} FROM bookables WHERE location_id = ? AND deleted_at IS NULL ORDER BY id`,
    [from],
  )
  const copies = rows.map((row: BookableFields) => ({
    ...row,
    status: row.status === blocked ? blocked : flexible,
  }))
  await insertBookables(trx, to, copies, context)
}
