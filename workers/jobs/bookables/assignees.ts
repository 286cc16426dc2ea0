// Adds and removes the assignees of bookables. The bookables are locked first, so that two administrators cannot undo
// each other's changes. If a write names several bookables, all of them are changed or none.
import type { RecordedAction } from '../../../shared/audit/audit.ts'
import { ASSIGNEES_MAX, BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { countedMessage, listNames, message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import type { AffectedBookingsInput } from '../../../shared/rules/affected-bookings-input.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { resolveAffectedBookings } from '../affected-bookings/resolve-affected-bookings.ts'
import {
  FUTURE_CLAIMS_SQL,
  lockBookable,
  lockBookables,
  lockClaims,
  refuseChangedSinceRead,
} from '../claims/locks.ts'
import { endLoansOfOthers } from '../loans/loans.ts'
import { formatUpcomingCount, lockRow } from '../rows/rows.ts'
import { formatNames, updateBookables } from './creations.ts'

type AssignedRow = { id: number; row: { name: string; status: number; assignees: number[] } }

const { assigned, flexible } = BOOKABLE_STATUSES

export const assigneeHandlers: Handlers<`bookables.${'assign' | 'unassign'}${string}`> = {
  /** Assigns the bookable to one more user. The user shares it with the current assignees. */
  async 'bookables.assign'(write, { id, ...input }) {
    const refuseFull = ([found]: AssignedRow[]) => {
      if (found && found.row.assignees.length >= ASSIGNEES_MAX)
        throw invalidFields({ user_id: [message`It can be assigned to at most ${ASSIGNEES_MAX} people.`] })
    }
    await assignBookables(
      write,
      { ...input, ids: [id], lock: () => lockRow(write, 'bookables', id) },
      refuseFull,
    )
    return countAssignees(write, id)
  },

  /**
   * Assigns many bookables to one user, and removes all other assignees. Sharing a bookable is only possible on its own
   * page.
   */
  'bookables.assign-many'(write, input) {
    const ids = [...new Set(input.ids)]
    return assignBookables(
      write,
      { ...input, ids, lock: () => lockBookables(write, ids) },
      refuseAssignedBookables,
    )
  },

  /** Removes the user from the bookable's assignees. Does nothing if the bookable is not assigned to them. */
  async 'bookables.unassign'(write, { id, user_id }) {
    await lockBookable(write, id)
    const found = (await readAssignedBookables(write, [id])).filter(({ row }) =>
      row.assignees.includes(user_id),
    )
    const kept = found.flatMap(({ row }) => row.assignees).filter((each) => each !== user_id)
    if (found.length > 0) await endLoansOfOthers(write, [id], kept)
    await write.run('DELETE FROM bookable_assignees WHERE bookable_id = ? AND user_id = ?', [id, user_id])
    await saveAssignmentStatus(write, found, 'bookables.unassign')
    return countAssignees(write, id)
  },

  async 'bookables.unassign-all'(write, { id }) {
    await lockBookable(write, id)
    await removeAllAssignees(write, [id])
    return { data: { id, assignees: 0 } }
  },

  async 'bookables.unassign-many'(write, input) {
    const ids = [...new Set(input.ids)]
    await lockClaims(write, ids)
    await lockBookables(write, ids)
    return removeAllAssignees(write, ids)
  },
}

type Assignment = AffectedBookingsInput & { ids: number[]; user_id: number; lock(): Promise<unknown> }

/**
 * Assigns bookables to a user, except for those that are already assigned to them. Affects bookings by anyone who is
 * not an assignee.
 */
async function assignBookables(
  write: Write,
  { ids, user_id, lock, ...resolutionInput }: Assignment,
  refuseUnfit: (found: AssignedRow[]) => void,
) {
  const listOthers = async () => {
    const others = (await readAssignedBookables(write, ids)).filter(
      ({ row }) => !row.assignees.includes(user_id),
    )
    refuseUnfit(others)
    return { others, keptUsers: [...others.flatMap(({ row }) => row.assignees), user_id] }
  }
  const { others, keptUsers } = await listOthers()
  const taken = others.map(({ id }) => id)
  const search = { ids: taken, times: [{ from: write.now, to: null }], keptUsers }
  const { isResolved } = await resolveAffectedBookings(write, search, resolutionInput)
  await lockClaims(write, taken)
  await lock()
  await requireActiveUser(write, user_id)
  const changing = await listOthers()
  refuseChangedSinceRead(changing.others, taken)
  if (isResolved) await refuseClaimedByOthers(write, changing.others, changing.keptUsers)
  await write.run(
    'INSERT INTO bookable_assignees (bookable_id, user_id) SELECT id, CAST(? AS bigint) FROM unnest(?::bigint[]) AS id',
    [user_id, changing.others.map(({ id }) => id)],
  )
  return saveAssignmentStatus(write, changing.others, 'bookables.assign')
}

export async function findAssignees(write: Write, id: number): Promise<number[]> {
  const [found] = await readAssignedBookables(write, [id])
  return found?.row.assignees ?? []
}

/** Replaces all assignees of a locked bookable. Refuses if other users still have bookings on it. */
export async function setAssignees(write: Write, id: number, wanted: number[]): Promise<void> {
  if (await replaceAssignees(write, id, wanted)) await refuseClaimsOfOthers(write, id)
}

/** Refuses if a bookable is assigned, and users other than its assignees have bookings on it. */
export async function refuseClaimsOfOthers(write: Write, id: number): Promise<void> {
  const found = await readAssignedBookables(write, [id])
  const assignees = found.flatMap(({ row }) => row.assignees)
  if (assignees.length > 0) await refuseClaimedByOthers(write, found, assignees)
}

/**
 * Replaces all assignees of a locked bookable. Returns whether they have changed; if so, the caller calls
 * `refuseClaimsOfOthers` afterwards.
 */
export async function replaceAssignees(write: Write, id: number, wanted: number[]): Promise<boolean> {
  const before = await readAssignedBookables(write, [id])
  const present = before.flatMap(({ row }) => row.assignees)
  const added = wanted.filter((user) => !present.includes(user))
  if (added.length === 0 && present.every((user) => wanted.includes(user))) return false
  await requireActiveUsers(write, added)
  await endLoansOfOthers(write, [id], wanted)
  await write.run(
    'DELETE FROM bookable_assignees WHERE bookable_id = ? AND user_id <> ALL (CAST(? AS bigint[]))',
    [id, wanted],
  )
  await write.run(
    'INSERT INTO bookable_assignees (bookable_id, user_id) SELECT DISTINCT CAST(? AS bigint), user_id FROM unnest(?::bigint[]) AS user_id',
    [id, added],
  )
  const removal = wanted.length === 0 ? 'bookables.unassign-all' : 'bookables.unassign'
  await saveAssignmentStatus(write, before, added.length > 0 ? 'bookables.assign' : removal)
  return true
}

/**
 * Assigns locked bookables to one user instead of another, beside their other assignees. Returns how many were assigned.
 * Ends the loans of the former assignee. All bookings stay, also the former assignee's.
 */
export async function replaceAssignee(
  write: Write,
  ids: number[],
  { id: from, to }: { id: number; to: number },
): Promise<number> {
  const found = (await readAssignedBookables(write, ids)).filter(({ row }) => row.assignees.includes(from))
  const taken = found.map(({ id }) => id)
  const kept = found.flatMap(({ row }) => row.assignees).filter((each) => each !== from)
  await endLoansOfOthers(write, taken, kept)
  await write.run(
    `INSERT INTO bookable_assignees (bookable_id, user_id)
     SELECT id, CAST(? AS bigint) FROM unnest(?::bigint[]) AS id ON CONFLICT DO NOTHING`,
    [to, taken],
  )
  await write.run('DELETE FROM bookable_assignees WHERE bookable_id = ANY(?::bigint[]) AND user_id = ?', [
    taken,
    from,
  ])
  if (found.length > 0) await saveAssignmentStatus(write, found, 'bookables.assign')
  return found.length
}

async function requireActiveUsers(write: Write, ids: number[]): Promise<void> {
  const sql =
    'SELECT id FROM users WHERE id = ANY (?::bigint[]) AND deactivated_at IS NULL AND NOT is_anonymous'
  const found = await write.ids(sql, [ids])
  const unknown = [...new Set(ids)].filter((id) => !found.includes(id))
  if (unknown.length === 0) return
  const named = listNames(unknown.map(String), ASSIGNEES_MAX)
  throw invalidFields({ assigned_user_ids: [message`There is no active person with these ids: ${named}.`] })
}

/** Removes the assignees of bookables. Bookables that are not assigned stay unchanged, so blocked ones stay blocked. */
async function removeAllAssignees(write: Write, ids: number[]) {
  const found = (await readAssignedBookables(write, ids)).filter(({ row }) => row.status === assigned)
  const taken = found.map(({ id }) => id)
  await endLoansOfOthers(write, taken, [])
  await write.run('DELETE FROM bookable_assignees WHERE bookable_id = ANY(?::bigint[])', [taken])
  return saveAssignmentStatus(write, found, 'bookables.unassign-all')
}

const AUDITED_COLUMNS = `bookables.id, to_jsonb(bookables) || jsonb_build_object('assignees', ARRAY(
  SELECT user_id FROM bookable_assignees WHERE bookable_id = bookables.id ORDER BY user_id)) AS row`

/** Saves the status of bookables, which follows from their assignees. */
function saveAssignmentStatus(write: Write, before: AssignedRow[], action: RecordedAction) {
  const set = `status = CASE WHEN EXISTS (SELECT FROM bookable_assignees WHERE bookable_id = bookables.id)
    THEN ${assigned} ELSE ${flexible} END`
  return updateBookables(write, before, { action, set, audited: AUDITED_COLUMNS })
}

function readAssignedBookables(write: Write, ids: number[]) {
  return write.all<AssignedRow>(
    `SELECT ${AUDITED_COLUMNS} FROM bookables WHERE id = ANY(?::bigint[]) AND deleted_at IS NULL ORDER BY id`,
    [ids],
  )
}

async function countAssignees(write: Write, id: number) {
  const [found] = await readAssignedBookables(write, [id])
  return { data: { id, assignees: found?.row.assignees.length ?? 0 } }
}

async function requireActiveUser(write: Write, id: number): Promise<void> {
  if (await write.first('SELECT FROM users WHERE id = ? AND deactivated_at IS NULL', [id])) return
  throw invalidFields({ user_id: [message`There is no active person with this id.`] })
}

function refuseAssignedBookables(found: AssignedRow[]): void {
  const taken = found.filter(({ row }) => row.assignees.length > 0)
  if (taken.length === 0) return
  const detail = countedMessage(
    taken.length,
    '{0} is assigned to somebody else. End the assignment first, or leave them out. Nothing was changed.',
    '{0} are assigned to somebody else. End the assignment first, or leave them out. Nothing was changed.',
    formatNames(taken),
  )
  throw new Refusal('bookable_assigned', detail)
}

/** Refuses if users other than the assignees have claims. A claim for an event counts as its organizer's. */
async function refuseClaimedByOthers(write: Write, bookables: AssignedRow[], assignees: number[]) {
  const claimed = await write.first<{ number: number; id: number }>(
    `SELECT count(*)::int AS number, min(claims.bookable_id) AS id
     FROM (${FUTURE_CLAIMS_SQL}) AS claims LEFT JOIN events ON events.id = claims.event_id
     WHERE coalesce(claims.user_id, events.organizer_user_id) <> ALL(CAST(:assignees AS bigint[]))
     GROUP BY claims.bookable_id ORDER BY claims.bookable_id LIMIT 1`,
    { ids: bookables.map(({ id }) => id), now: write.now, assignees },
  )
  if (!claimed) return
  const { number, id } = claimed
  const name = bookables.find((each) => each.id === id)?.row.name ?? ''
  throw new Refusal(
    'in_use',
    message`${name} has ${formatUpcomingCount(number)} by other people, including meetings, so it cannot be assigned yet.`,
  )
}
