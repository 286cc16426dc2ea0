// The assignees of bookables. Users are added and removed under the bookables' locks, so that two
// administrators cannot undo each other's change. Of many bookables, all are changed or none.
import type { RecordedAction } from '../../../shared/audit/audit.ts'
import { ASSIGNEES_MAX, BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { counted, listNames, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import type { AffectedBookingsInput } from '../../../shared/rules/affected-bookings-input.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { resolveAffectedBookings } from '../affected-bookings/resolve-affected-bookings.ts'
import {
  FUTURE_CLAIMS,
  lockBookable,
  lockBookables,
  lockClaims,
  refuseChangedSinceRead,
} from '../claims/locks.ts'
import { countUpcoming, lockRow } from '../rows/rows.ts'
import { formatNames, updateBookables } from './creations.ts'

type AssignedRow = { id: number; row: { name: string; status: number; assignees: number[] } }

const { assigned, flexible } = BOOKABLE_STATUSES

export const assigneeHandlers: Handlers<`bookables.${'assign' | 'unassign'}${string}`> = {
  /** Shares it with its other assignees. */
  async 'bookables.assign'(write, { id, ...input }) {
    const refuseFull = ([found]: AssignedRow[]) => {
      if (found && found.row.assignees.length >= ASSIGNEES_MAX)
        throw invalid({ user_id: [message`It can be assigned to at most ${ASSIGNEES_MAX} people.`] })
    }
    await assign(write, { ...input, ids: [id], lock: () => lockRow(write, 'bookables', id) }, refuseFull)
    return countAssignees(write, id)
  },

  /** Sharing a bookable is only offered on that bookable's page. */
  'bookables.assign-many'(write, input) {
    const ids = [...new Set(input.ids)]
    return assign(write, { ...input, ids, lock: () => lockBookables(write, ids) }, refuseAssigned)
  },

  /** Does nothing if the bookable is not assigned to the user. */
  async 'bookables.unassign'(write, { id, user_id }) {
    await lockBookable(write, id)
    const found = (await readAssigned(write, [id])).filter(({ row }) => row.assignees.includes(user_id))
    await write.run('DELETE FROM bookable_assignees WHERE bookable_id = ? AND user_id = ?', [id, user_id])
    await saveStatus(write, found, 'bookables.unassign')
    return countAssignees(write, id)
  },

  async 'bookables.unassign-all'(write, { id }) {
    await lockBookable(write, id)
    await unassignAll(write, [id])
    return { data: { id, assignees: 0 } }
  },

  async 'bookables.unassign-many'(write, input) {
    const ids = [...new Set(input.ids)]
    await lockClaims(write, ids)
    await lockBookables(write, ids)
    return unassignAll(write, ids)
  },
}

type Assignment = AffectedBookingsInput & { ids: number[]; user_id: number; lock(): Promise<unknown> }

/** Bookables that are already theirs stay as they are. Bookings of all but assignees are affected. */
async function assign(
  write: Write,
  { ids, user_id, lock, ...resolutionInput }: Assignment,
  refuseUnfit: (found: AssignedRow[]) => void,
) {
  const listOthers = async () => {
    const others = (await readAssigned(write, ids)).filter(({ row }) => !row.assignees.includes(user_id))
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
  return saveStatus(write, changing.others, 'bookables.assign')
}

export async function findAssignees(write: Write, id: number): Promise<number[]> {
  const [found] = await readAssigned(write, [id])
  return found?.row.assignees ?? []
}

/** Replaces all assignees of a locked bookable. Bookings of others have been resolved, or are in the way. */
export async function setAssignees(write: Write, id: number, wanted: number[]): Promise<void> {
  const before = await readAssigned(write, [id])
  const present = before.flatMap(({ row }) => row.assignees)
  const added = wanted.filter((user) => !present.includes(user))
  if (added.length === 0 && present.every((user) => wanted.includes(user))) return
  await requireActiveUsers(write, added)
  if (wanted.length > 0) await refuseClaimedByOthers(write, before, wanted)
  await write.run(
    'DELETE FROM bookable_assignees WHERE bookable_id = ? AND user_id <> ALL (CAST(? AS bigint[]))',
    [id, wanted],
  )
  await write.run(
    'INSERT INTO bookable_assignees (bookable_id, user_id) SELECT DISTINCT CAST(? AS bigint), user_id FROM unnest(?::bigint[]) AS user_id',
    [id, added],
  )
  const removal = wanted.length === 0 ? 'bookables.unassign-all' : 'bookables.unassign'
  await saveStatus(write, before, added.length > 0 ? 'bookables.assign' : removal)
}

async function requireActiveUsers(write: Write, ids: number[]): Promise<void> {
  const sql =
    'SELECT id FROM users WHERE id = ANY (?::bigint[]) AND deactivated_at IS NULL AND NOT is_anonymous'
  const found = await write.ids(sql, [ids])
  const unknown = [...new Set(ids)].filter((id) => !found.includes(id))
  if (unknown.length === 0) return
  const named = listNames(unknown.map(String), ASSIGNEES_MAX)
  throw invalid({ assigned_user_ids: [message`There is no active person with these ids: ${named}.`] })
}

/** A bookable that is not assigned stays as it is, notably a blocked one. */
async function unassignAll(write: Write, ids: number[]) {
  const found = (await readAssigned(write, ids)).filter(({ row }) => row.status === assigned)
  await write.run('DELETE FROM bookable_assignees WHERE bookable_id = ANY(?::bigint[])', [
    found.map(({ id }) => id),
  ])
  return saveStatus(write, found, 'bookables.unassign-all')
}

const AUDITED = `bookables.id, to_jsonb(bookables) || jsonb_build_object('assignees', ARRAY(
  SELECT user_id FROM bookable_assignees WHERE bookable_id = bookables.id ORDER BY user_id)) AS row`

/** The status follows from the assignees. */
function saveStatus(write: Write, before: AssignedRow[], action: RecordedAction) {
  const set = `status = CASE WHEN EXISTS (SELECT FROM bookable_assignees WHERE bookable_id = bookables.id)
    THEN ${assigned} ELSE ${flexible} END`
  return updateBookables(write, before, { action, set, audited: AUDITED })
}

function readAssigned(write: Write, ids: number[]) {
  return write.all<AssignedRow>(
    `SELECT ${AUDITED} FROM bookables WHERE id = ANY(?::bigint[]) AND deleted_at IS NULL ORDER BY id`,
    [ids],
  )
}

async function countAssignees(write: Write, id: number) {
  const [found] = await readAssigned(write, [id])
  return { data: { id, assignees: found?.row.assignees.length ?? 0 } }
}

async function requireActiveUser(write: Write, id: number): Promise<void> {
  if (await write.first('SELECT FROM users WHERE id = ? AND deactivated_at IS NULL', [id])) return
  throw invalid({ user_id: [message`There is no active person with this id.`] })
}

function refuseAssigned(found: AssignedRow[]): void {
  const taken = found.filter(({ row }) => row.assignees.length > 0)
  if (taken.length === 0) return
  const detail = counted(
    taken.length,
    '{0} is assigned to somebody else. End the assignment first, or leave them out. Nothing was changed.',
    '{0} are assigned to somebody else. End the assignment first, or leave them out. Nothing was changed.',
    formatNames(taken),
  )
  throw new Refusal('bookable_assigned', detail)
}

/** An event belongs to its organizer. */
async function refuseClaimedByOthers(write: Write, bookables: AssignedRow[], assignees: number[]) {
  const claimed = await write.first<{ number: number; id: number }>(
    `SELECT count(*)::int AS number, min(claims.bookable_id) AS id
     FROM (${FUTURE_CLAIMS}) AS claims LEFT JOIN events ON events.id = claims.event_id
     WHERE coalesce(claims.user_id, events.organizer_user_id) <> ALL(CAST(:assignees AS bigint[]))
     GROUP BY claims.bookable_id ORDER BY claims.bookable_id LIMIT 1`,
    { ids: bookables.map(({ id }) => id), now: write.now, assignees },
  )
  if (!claimed) return
  const { number, id } = claimed
  const name = bookables.find((each) => each.id === id)?.row.name ?? ''
  throw new Refusal(
    'in_use',
    message`${name} has ${countUpcoming(number)} by other people, meetings included, so it cannot be assigned yet.`,
  )
}
