// Many bookables changed at once by administrators: blocked, unblocked, tagged, relocated. All are changed or
// none. Those that need no change stay as they are; the audit log has an entry for each changed one.
import { BOOKABLE_STATUSES, TAGS_MAX } from '../../../shared/bookables/bookables.ts'
import type { ReplyOf } from '../../../shared/jobs/jobs.ts'
import { counted, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import type { ConflictInput } from '../../../shared/rules/in-the-way.ts'
import type { Handler, Transaction, WorkContext } from '../../runtime/context.ts'
import { clearTheWay } from '../affected-bookings/clear.ts'
import { findBookables, lockBookables, lockClaims, refuseOthers } from '../claims/locks.ts'
import type { AuditedRow } from '../kit/rows.ts'
import { lockLocation, refuseTakenNames } from './creations.ts'
import { listRows, updateBookables } from './updates.ts'

type ManyReply = ReplyOf<'bookables.set-status'>

export const setStatus: Handler<'bookables.set-status'> = async (
  trx,
  { ids, status, ...conflictInput },
  context,
) => {
  const distinct = [...new Set(ids)]
  return status === BOOKABLE_STATUSES.blocked
    ? block(trx, distinct, conflictInput, context)
    : unblock(trx, distinct, context)
}

// Bookings on a bookable that is already blocked were in the way before, and are not cleared again.
async function block(
  trx: Transaction,
  ids: number[],
  conflictInput: ConflictInput,
  context: WorkContext,
): Promise<ManyReply> {
  const { blocked } = BOOKABLE_STATUSES
  const isOpen = ({ row }: AuditedRow) => row.status !== blocked
  const before = (await findBookables(trx, ids)).filter(isOpen)
  refuseAssigned(before)
  const taken = before.map(({ id }) => id)
  await clearTheWay(trx, { ids: taken, times: [{ from: context.now, to: null }] }, conflictInput, context)
  await lockClaims(trx, taken)
  const found = (await lockBookables(trx, ids)).filter(isOpen)
  refuseOthers(found, taken)
  refuseAssigned(found)
  return updateBookables(trx, found, { set: 'status = :status', values: { status: blocked } }, context)
}

async function unblock(trx: Transaction, ids: number[], context: WorkContext): Promise<ManyReply> {
  const { blocked, flexible } = BOOKABLE_STATUSES
  const found = (await lockBookables(trx, ids)).filter(({ row }) => row.status === blocked)
  return updateBookables(trx, found, { set: 'status = :status', values: { status: flexible } }, context)
}

function refuseAssigned(found: AuditedRow[]): void {
  const assigned = found.filter(({ row }) => row.status === BOOKABLE_STATUSES.assigned)
  if (assigned.length === 0) return
  const detail = counted(
    assigned.length,
    '{0} is assigned. End the assignment first, or leave them out. Nothing was changed.',
    '{0} are assigned. End the assignment first, or leave them out. Nothing was changed.',
    listRows(assigned),
  )
  throw new Refusal('bookable_assigned', detail)
}

/** Tags do not depend on claims, so only the rows are locked. */
export const setTags: Handler<'bookables.set-tags'> = async (trx, { ids, add, remove }, context) => {
  const found = await lockBookables(trx, [...new Set(ids)])
  const tagged = found.map((bookable) => {
    const present = bookable.row.tags as string[]
    const kept = present.filter((tag) => !remove.includes(tag))
    return { bookable, present, tags: [...new Set([...kept, ...add])] }
  })
  const full = tagged.filter(({ tags }) => tags.length > TAGS_MAX).map(({ bookable }) => bookable)
  if (full.length > 0) {
    throw invalid({
      add: [message`${listRows(full)} would have more than ${TAGS_MAX} tags. Nothing was changed.`],
    })
  }
  const changing = tagged.filter(({ present, tags }) => tags.join('\u0000') !== present.join('\u0000'))
  const values = {
    tags: JSON.stringify(Object.fromEntries(changing.map(({ bookable, tags }) => [bookable.id, tags]))),
  }
  const set = `tags = ARRAY(SELECT jsonb_array_elements_text(CAST(:tags AS jsonb) -> CAST(bookables.id AS text)))`
  const rows = changing.map(({ bookable }) => bookable)
  return updateBookables(trx, rows, { set, values }, context)
}

/** Clears their positions, which were on the floor plan of the former location. */
export const relocateBookables: Handler<'bookables.relocate'> = async (trx, input, context) => {
  const { location_id } = input
  const ids = [...new Set(input.ids)]
  await lockClaims(trx, ids)
  await lockLocation(trx, location_id)
  const found = await lockBookables(trx, ids)
  const moving = found.filter(({ row }) => row.location_id !== location_id)
  const names = moving.map(({ row }) => String(row.name))
  await refuseTakenNames(trx, location_id, names, 'location_id')
  const set = 'location_id = :location_id, position_x = NULL, position_y = NULL'
  return updateBookables(trx, moving, { set, values: { location_id } }, context)
}
