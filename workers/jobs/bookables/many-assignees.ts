// Assigns many bookables to one user, and unassigns many: all of them or none.
import { auditEach } from '../../../shared/audit/audit.ts'
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { readFormer } from '../../../shared/changes/former.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { counted } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { clearTheWay } from '../affected-bookings/clear.ts'
import { lockBookables } from '../claims/future-claims.ts'
import { lockClaims } from '../claims/locks.ts'
import { type AuditedRow, auditedRow } from '../kit/rows.ts'
import { refuseClaimedByOthers, requireActiveUser } from './assignees.ts'
import { findBookables, listRows, refuseOthers } from './many.ts'

/** Bookables that are already theirs stay as they are. */
export async function assignMany(
  trx: Transaction,
  input: InputOf<'bookables.assign-many'>,
  context: WorkContext,
): Promise<ReplyOf<'bookables.assign-many'>> {
  const { user_id } = input
  const ids = [...new Set(input.ids)]
  const before = await listUnassigned(trx, await findBookables(trx, ids), user_id)
  const taken = before.map(({ id }) => id)
  const search = { ids: taken, times: [{ from: context.now, to: null }], keptUsers: [user_id] }
  const { isCleared } = await clearTheWay(trx, search, input, context)
  await lockClaims(trx, taken)
  const found = await lockBookables(trx, ids)
  await requireActiveUser(trx, user_id)
  const changing = await listUnassigned(trx, found, user_id)
  refuseOthers(changing, taken)
  if (isCleared) await refuseClaimedByOthers(trx, changing, [user_id], context)
  await trx.raw(
    'INSERT INTO bookable_assignees (bookable_id, user_id) SELECT id, CAST(? AS bigint) FROM unnest(?::bigint[]) AS id',
    [user_id, changing.map(({ id }) => id)],
  )
  const assignees = new Map(changing.map(({ id }) => [id, [user_id]]))
  return save(trx, changing, { action: 'bookables.assign', present: new Map(), assignees }, context)
}

/**
 * Returns the bookables that are not theirs yet. Sharing a bookable is only offered on that bookable's page.
 */
async function listUnassigned(trx: Transaction, found: AuditedRow[], userId: number): Promise<AuditedRow[]> {
  const present = await listAssigneesOf(
    trx,
    found.map(({ id }) => id),
  )
  const unassigned = found.filter(({ id }) => !present.get(id)?.includes(userId))
  const taken = unassigned.filter(({ id }) => present.has(id))
  if (taken.length === 0) return unassigned
  const detail = counted(
    taken.length,
    '{0} is assigned to somebody else. End the assignment first, or leave them out. Nothing was changed.',
    '{0} are assigned to somebody else. End the assignment first, or leave them out. Nothing was changed.',
    listRows(taken),
  )
  throw new Refusal('bookable_assigned', detail)
}

/** A bookable that is not assigned stays as it is, notably a blocked one. */
export async function unassignMany(
  trx: Transaction,
  input: InputOf<'bookables.unassign-many'>,
  context: WorkContext,
): Promise<ReplyOf<'bookables.unassign-many'>> {
  const ids = [...new Set(input.ids)]
  await lockClaims(trx, ids)
  const found = await lockBookables(trx, ids)
  const present = await listAssigneesOf(trx, ids)
  const changing = found.filter(({ row }) => row.status === BOOKABLE_STATUSES.assigned)
  await trx.raw('DELETE FROM bookable_assignees WHERE bookable_id = ANY(?::bigint[])', [
    changing.map(({ id }) => id),
  ])
  return save(trx, changing, { action: 'bookables.unassign-all', present, assignees: new Map() }, context)
}

type Assignees = Map<number, number[]>

async function listAssigneesOf(trx: Transaction, ids: number[]): Promise<Assignees> {
  const { rows } = await trx.raw(
    `SELECT bookable_id AS id, array_agg(user_id ORDER BY user_id) AS users FROM bookable_assignees
     WHERE bookable_id = ANY(?::bigint[]) GROUP BY bookable_id`,
    [ids],
  )
  return new Map(rows.map(({ id, users }: { id: number; users: number[] }) => [id, users.map(Number)]))
}

type Assignment = {
  action: 'bookables.assign' | 'bookables.unassign-all'
  present: Assignees
  assignees: Assignees
}

/** The status follows from the assignees. */
async function save(
  trx: Transaction,
  changing: AuditedRow[],
  { action, present, assignees }: Assignment,
  context: WorkContext,
): Promise<ReplyOf<'bookables.assign-many'>> {
  const { assigned, flexible } = BOOKABLE_STATUSES
  const ids = changing.map(({ id }) => id)
  const former = await readFormer(trx, 'bookables', ids)
  const { rows } = await trx.raw(
    `UPDATE bookables SET status = ?, updated_at = now() WHERE id = ANY(?::bigint[])
     RETURNING ${auditedRow('bookables')}`,
    [action === 'bookables.assign' ? assigned : flexible, ids],
  )
  const after = new Map<number, AuditedRow['row']>(rows.map(({ id, row }: AuditedRow) => [id, row]))
  const changes = changing.map(({ id, row }) => ({
    id,
    before: { ...row, assignees: present.get(id) ?? [] },
    after: { ...after.get(id), assignees: assignees.get(id) ?? [] },
  }))
  await auditEach(trx, context, { action, resource: 'bookables' }, former, changes)
  return { data: { changed: changing.length } }
}
