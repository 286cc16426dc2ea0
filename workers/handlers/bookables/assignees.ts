// Whose bookables are: assigned to people, and given back to everybody.
import { audit } from '../../../shared/audit.ts'
import { BOOKABLE_STATUSES } from '../../../shared/contracts/bookables.ts'
import type { InputOf } from '../../../shared/jobs.ts'
import { invalid, Refusal } from '../../../shared/refusal.ts'
import type { Transaction, WorkContext } from '../../context.ts'
import { type AuditedRow, changeRow, countOf, idText } from '../rows.ts'
import { CLAIMS_AHEAD, holdBookable } from './claims-ahead.ts'

/** To these people and no others. What they hold stays; what others hold stands in the way. */
export async function assignBookable(
  trx: Transaction,
  { id, user_ids }: InputOf<'bookables.assign'>,
  context: WorkContext,
): Promise<string> {
  const found = await holdBookable(trx, id)
  await refuseUnknown(trx, user_ids)
  await refuseOthers(trx, found, user_ids, context)
  const before = { ...found.row, assignees: await assigneesOf(trx, id) }
  await trx.raw('DELETE FROM bookable_assignees WHERE bookable_id = ? AND user_id <> ALL(?::bigint[])', [
    id,
    user_ids,
  ])
  await trx.raw(
    `INSERT INTO bookable_assignees (bookable_id, user_id) SELECT ?, unnest(?::bigint[]) ON CONFLICT DO NOTHING`,
    [id, user_ids],
  )
  const { row } = await changeRow(trx, 'bookables', found, {
    status: BOOKABLE_STATUSES.assigned,
    updated_at: trx.fn.now(),
  })
  const after = { ...row, assignees: await assigneesOf(trx, id) }
  const change = { action: 'bookables.assign', resource: 'bookables', resourceId: id }
  await audit(trx, context, { ...change, before, after })
  return idText(id)
}

/** One that is not assigned stays as it is, blocked ones above all. */
export async function unassignBookable(
  trx: Transaction,
  { id }: InputOf<'bookables.unassign'>,
  context: WorkContext,
): Promise<string> {
  const found = await holdBookable(trx, id)
  if (found.row.status !== BOOKABLE_STATUSES.assigned) return idText(id)
  const before = { ...found.row, assignees: await assigneesOf(trx, id) }
  await trx.raw('DELETE FROM bookable_assignees WHERE bookable_id = ?', [id])
  const { row } = await changeRow(trx, 'bookables', found, {
    status: BOOKABLE_STATUSES.flexible,
    updated_at: trx.fn.now(),
  })
  const change = { action: 'bookables.unassign', resource: 'bookables', resourceId: id }
  await audit(trx, context, { ...change, before, after: { ...row, assignees: [] } })
  return idText(id)
}

async function refuseUnknown(trx: Transaction, userIds: number[]): Promise<void> {
  const { rows } = await trx.raw(
    `SELECT id FROM unnest(?::bigint[]) AS asked (id)
     WHERE id NOT IN (SELECT id FROM users WHERE id = ANY(?::bigint[]) AND deactivated_at IS NULL)
     ORDER BY id`,
    [userIds, userIds],
  )
  if (rows.length === 0) return
  throw invalid({
    user_ids: rows.map(({ id }: { id: number }) => `There is no active user with the id ${id}.`),
  })
}

// An event is its organizer's.
async function refuseOthers(
  trx: Transaction,
  { id, row }: AuditedRow,
  assignees: number[],
  { now }: WorkContext,
): Promise<void> {
  const { rows } = await trx.raw(
    `SELECT count(*)::int AS number
     FROM (${CLAIMS_AHEAD}) AS claims LEFT JOIN events ON events.id = claims.event_id
     WHERE coalesce(claims.user_id, events.organizer_user_id) <> ALL(CAST(:assignees AS bigint[]))`,
    { ids: [id], now, assignees },
  )
  const { number } = rows[0]
  if (number === 0) return
  const held = `Others hold ${countOf(number, 'booking')} of ${row.name} from now on, those of events included`
  throw new Refusal('in_use', `${held}: it cannot be assigned until these are gone.`)
}

async function assigneesOf(trx: Transaction, id: number): Promise<number[]> {
  const { rows } = await trx.raw(
    'SELECT user_id FROM bookable_assignees WHERE bookable_id = ? ORDER BY user_id',
    [id],
  )
  return rows.map(({ user_id }: { user_id: number }) => user_id)
}
