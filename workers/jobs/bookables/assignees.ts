// The assignees of bookables. Users are added and removed under the bookables' locks, so that two
// administrators cannot undo each other's change. Of many bookables, all are changed or none.
import type { RecordedAction } from '../../../shared/audit/audit.ts'
import { ASSIGNEES_MAX, BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { counted, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import type { ConflictInput } from '../../../shared/rules/in-the-way.ts'
import type { Handler, Transaction, WorkContext } from '../../runtime/context.ts'
import { clearTheWay } from '../affected-bookings/clear.ts'
import { FUTURE_CLAIMS, lockBookable, lockBookables, lockClaims, refuseOthers } from '../claims/locks.ts'
import { lockRow } from '../kit/rows.ts'
import { countUpcoming } from '../kit/texts.ts'
import { listRows, updateBookables } from './updates.ts'

type AssignedRow = { id: number; row: { name: string; status: number; assignees: number[] } }

const { assigned, flexible } = BOOKABLE_STATUSES

/** Shares it with its other assignees. */
export const assignBookable: Handler<'bookables.assign'> = async (trx, { id, ...input }, context) => {
  const refuseFull = ([found]: AssignedRow[]) => {
    if (found && found.row.assignees.length >= ASSIGNEES_MAX)
      throw invalid({ user_id: [message`It can be assigned to at most ${ASSIGNEES_MAX} people.`] })
  }
  await assign(trx, { ...input, ids: [id], lock: () => lockRow(trx, 'bookables', id) }, refuseFull, context)
  return countAssignees(trx, id)
}

/** Sharing a bookable is only offered on that bookable's page. */
export const assignMany: Handler<'bookables.assign-many'> = (trx, input, context) => {
  const ids = [...new Set(input.ids)]
  return assign(trx, { ...input, ids, lock: () => lockBookables(trx, ids) }, refuseAssigned, context)
}

type Assignment = ConflictInput & { ids: number[]; user_id: number; lock(): Promise<unknown> }

/**
 * Bookables that are already theirs stay as they are. Keeps the bookings of the assignees; bookings of other
 * users are in the way.
 */
async function assign(
  trx: Transaction,
  { ids, user_id, lock, ...conflictInput }: Assignment,
  refuseUnfit: (found: AssignedRow[]) => void,
  context: WorkContext,
) {
  const listOthers = async () => {
    const others = (await readAssigned(trx, ids)).filter(({ row }) => !row.assignees.includes(user_id))
    refuseUnfit(others)
    return { others, keptUsers: [...others.flatMap(({ row }) => row.assignees), user_id] }
  }
  const { others, keptUsers } = await listOthers()
  const taken = others.map(({ id }) => id)
  const search = { ids: taken, times: [{ from: context.now, to: null }], keptUsers }
  const { isCleared } = await clearTheWay(trx, search, conflictInput, context)
  await lockClaims(trx, taken)
  await lock()
  await requireActiveUser(trx, user_id)
  const changing = await listOthers()
  refuseOthers(changing.others, taken)
  if (isCleared) await refuseClaimedByOthers(trx, changing.others, changing.keptUsers, context)
  await trx.raw(
    'INSERT INTO bookable_assignees (bookable_id, user_id) SELECT id, CAST(? AS bigint) FROM unnest(?::bigint[]) AS id',
    [user_id, changing.others.map(({ id }) => id)],
  )
  return saveStatus(trx, changing.others, 'bookables.assign', context)
}

/** Does nothing if the bookable is not assigned to the user. */
export const unassignBookable: Handler<'bookables.unassign'> = async (trx, { id, user_id }, context) => {
  await lockBookable(trx, id)
  const found = (await readAssigned(trx, [id])).filter(({ row }) => row.assignees.includes(user_id))
  await trx.raw('DELETE FROM bookable_assignees WHERE bookable_id = ? AND user_id = ?', [id, user_id])
  await saveStatus(trx, found, 'bookables.unassign', context)
  return countAssignees(trx, id)
}

export const unassignEverybody: Handler<'bookables.unassign-all'> = async (trx, { id }, context) => {
  await lockBookable(trx, id)
  await unassignAll(trx, [id], context)
  return { data: { id, assignees: 0 } }
}

export const unassignMany: Handler<'bookables.unassign-many'> = async (trx, input, context) => {
  const ids = [...new Set(input.ids)]
  await lockClaims(trx, ids)
  await lockBookables(trx, ids)
  return unassignAll(trx, ids, context)
}

/** A bookable that is not assigned stays as it is, notably a blocked one. */
async function unassignAll(trx: Transaction, ids: number[], context: WorkContext) {
  const found = (await readAssigned(trx, ids)).filter(({ row }) => row.status === assigned)
  await trx.raw('DELETE FROM bookable_assignees WHERE bookable_id = ANY(?::bigint[])', [
    found.map(({ id }) => id),
  ])
  return saveStatus(trx, found, 'bookables.unassign-all', context)
}

const AUDITED = `bookables.id, to_jsonb(bookables) || jsonb_build_object('assignees', ARRAY(
  SELECT user_id FROM bookable_assignees WHERE bookable_id = bookables.id ORDER BY user_id)) AS row`

/** The status follows from the assignees. */
function saveStatus(trx: Transaction, before: AssignedRow[], action: RecordedAction, context: WorkContext) {
  const set = `status = CASE WHEN EXISTS (SELECT FROM bookable_assignees WHERE bookable_id = bookables.id)
    THEN ${assigned} ELSE ${flexible} END`
  return updateBookables(trx, before, { action, set, audited: AUDITED }, context)
}

async function readAssigned(trx: Transaction, ids: number[]): Promise<AssignedRow[]> {
  const { rows } = await trx.raw(
    `SELECT ${AUDITED} FROM bookables WHERE id = ANY(?::bigint[]) AND deleted_at IS NULL ORDER BY id`,
    [ids],
  )
  return rows
}

async function countAssignees(trx: Transaction, id: number) {
  const [found] = await readAssigned(trx, [id])
  return { data: { id, assignees: found?.row.assignees.length ?? 0 } }
}

async function requireActiveUser(trx: Transaction, id: number): Promise<void> {
  const { rows } = await trx.raw('SELECT FROM users WHERE id = ? AND deactivated_at IS NULL', [id])
  if (rows.length === 0) throw invalid({ user_id: [message`There is no active user with this id.`] })
}

function refuseAssigned(found: AssignedRow[]): void {
  const taken = found.filter(({ row }) => row.assignees.length > 0)
  if (taken.length === 0) return
  const detail = counted(
    taken.length,
    '{0} is assigned to somebody else. End the assignment first, or leave them out. Nothing was changed.',
    '{0} are assigned to somebody else. End the assignment first, or leave them out. Nothing was changed.',
    listRows(taken),
  )
  throw new Refusal('bookable_assigned', detail)
}

/** An event belongs to its organizer. */
async function refuseClaimedByOthers(
  trx: Transaction,
  bookables: AssignedRow[],
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
  const name = bookables.find((each) => each.id === id)?.row.name ?? ''
  throw new Refusal(
    'in_use',
    message`${name} has ${countUpcoming(number)} by other people, events included, so it cannot be assigned yet.`,
  )
}
