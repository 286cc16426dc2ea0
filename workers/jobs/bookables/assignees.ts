// The assignees of a bookable. Users are added and removed one at a time, under the bookable's lock, so that
// two administrators cannot undo each other's change.
import { audit } from '../../../shared/audit/audit.ts'
import type { AuditAction } from '../../../shared/audit/audit-actions.ts'
import { ASSIGNEES_MAX, BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { clearTheWay } from '../affected-bookings/clear.ts'
import { FUTURE_CLAIMS, lockBookable } from '../claims/future-claims.ts'
import { type AuditedRow, auditedRow, type LockedRow } from '../kit/rows.ts'
import { countUpcoming } from '../kit/texts.ts'

/** Keeps the bookings of the assignees; bookings of other users are in the way. */
export async function assignBookable(
  trx: Transaction,
  { id, user_id, ...conflictInput }: InputOf<'bookables.assign'>,
  context: WorkContext,
): Promise<ReplyOf<'bookables.assign'>> {
  const exemptUserIds = [...(await listAssignees(trx, id)), user_id]
  const search = { ids: [id], times: [{ from: context.now, to: null }], keptUsers: exemptUserIds }
  const { isCleared } = await clearTheWay(trx, search, conflictInput, context)
  const bookable = await lockBookable(trx, id)
  await requireActiveUser(trx, user_id)
  const present = await listAssignees(trx, id)
  if (present.includes(user_id)) return assigneesReply(id, present)
  if (present.length >= ASSIGNEES_MAX) {
    throw invalid({ user_id: [message`It can be assigned to at most ${ASSIGNEES_MAX} people.`] })
  }
  const assignees = [...present, user_id].sort((a, b) => a - b)
  if (isCleared) await refuseClaimedByOthers(trx, [bookable], assignees, context)
  await trx.raw('INSERT INTO bookable_assignees (bookable_id, user_id) VALUES (?, ?)', [id, user_id])
  return saveAssignees(trx, bookable, { action: 'bookables.assign', present, assignees }, context)
}

/** Does nothing if the bookable is not assigned to the user. */
export async function unassignBookable(
  trx: Transaction,
  { id, user_id }: InputOf<'bookables.unassign'>,
  context: WorkContext,
): Promise<ReplyOf<'bookables.unassign'>> {
  const bookable = await lockBookable(trx, id)
  const present = await listAssignees(trx, id)
  if (!present.includes(user_id)) return assigneesReply(id, present)
  await trx.raw('DELETE FROM bookable_assignees WHERE bookable_id = ? AND user_id = ?', [id, user_id])
  const assignees = present.filter((each) => each !== user_id)
  return saveAssignees(trx, bookable, { action: 'bookables.unassign', present, assignees }, context)
}

/** A bookable that is not assigned stays as it is, notably a blocked one. */
export async function unassignEverybody(
  trx: Transaction,
  { id }: InputOf<'bookables.unassign-all'>,
  context: WorkContext,
): Promise<ReplyOf<'bookables.unassign-all'>> {
  const bookable = await lockBookable(trx, id)
  if (bookable.row.status !== BOOKABLE_STATUSES.assigned) return assigneesReply(id, [])
  const present = await listAssignees(trx, id)
  await trx.raw('DELETE FROM bookable_assignees WHERE bookable_id = ?', [id])
  return saveAssignees(trx, bookable, { action: 'bookables.unassign-all', present, assignees: [] }, context)
}

type Assignment = { action: AuditAction; present: number[]; assignees: number[] }

/** The status follows from the assignees. */
async function saveAssignees(
  trx: Transaction,
  bookable: LockedRow,
  { action, present, assignees }: Assignment,
  context: WorkContext,
): Promise<ReplyOf<'bookables.assign'>> {
  const { assigned, flexible } = BOOKABLE_STATUSES
  const status = assignees.length > 0 ? assigned : flexible
  const { rows } = await trx.raw(
    `UPDATE bookables SET status = ?, updated_at = now() WHERE id = ? RETURNING ${auditedRow('bookables')}`,
    [status, bookable.id],
  )
  const { id, row } = onlyRow<AuditedRow>(rows)
  await audit(trx, context, {
    action,
    resource: 'bookables',
    resourceId: id,
    former: bookable.former,
    before: { ...bookable.row, assignees: present },
    after: { ...row, assignees },
  })
  return assigneesReply(id, assignees)
}

export async function requireActiveUser(trx: Transaction, id: number): Promise<void> {
  const { rows } = await trx.raw('SELECT FROM users WHERE id = ? AND deactivated_at IS NULL', [id])
  if (rows.length === 0) throw invalid({ user_id: [message`There is no active user with this id.`] })
}

/** An event belongs to its organizer. */
export async function refuseClaimedByOthers(
  trx: Transaction,
  bookables: AuditedRow[],
  assignees: number[],
  { now }: WorkContext,
): Promise<void> {
  const { rows } = await trx.raw(
    `SELECT count(*)::int AS number, min(claims.bookable_id) AS id
     FROM (${FUTURE_CLAIMS}) AS claims LEFT JOIN events ON events.id = claims.event_id
     WHERE coalesce(claims.user_id, events.organizer_user_id) <> ALL(CAST(:assignees AS bigint[]))
     GROUP BY claims.bookable_id ORDER BY claims.bookable_id`,
    { ids: bookables.map(({ id }) => id), now, assignees },
  )
  if (rows.length === 0) return
  const { number, id } = rows[0]
  const name = String(bookables.find((each) => each.id === id)?.row.name)
  throw new Refusal(
    'in_use',
    message`${name} has ${countUpcoming(number)} by other people, events included, so it cannot be assigned yet.`,
  )
}

async function listAssignees(trx: Transaction, id: number): Promise<number[]> {
  const { rows } = await trx.raw(
    'SELECT user_id FROM bookable_assignees WHERE bookable_id = ? ORDER BY user_id',
    [id],
  )
  return rows.map(({ user_id }: { user_id: number }) => user_id)
}

/** Replies with the current number of assignees. */
function assigneesReply(id: number, assignees: number[]) {
  return { data: { id, assignees: assignees.length } }
}
