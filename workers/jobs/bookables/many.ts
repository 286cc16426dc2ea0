// Many bookables changed at once by administrators: blocked, unblocked, tagged, relocated. All are changed or
// none. Those that need no change stay as they are; the audit log has an entry for each changed one.
import { auditEach } from '../../../shared/audit/audit.ts'
import { BOOKABLE_STATUSES, TAGS_MAX } from '../../../shared/bookables/bookables.ts'
import { readFormer } from '../../../shared/changes/former.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { counted, listNames, message, type Value } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import type { ConflictInput } from '../../../shared/rules/in-the-way.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { clearTheWay } from '../affected-bookings/clear.ts'
import { lockBookables } from '../claims/future-claims.ts'
import { lockClaims } from '../claims/locks.ts'
import { type AuditedRow, auditedRow } from '../kit/rows.ts'
import { lockLocation, refuseTakenNames } from './creations.ts'

const NAMES_SHOWN_MAX = 3

type ManyReply = ReplyOf<'bookables.set-status'>

export function setStatus(
  trx: Transaction,
  { ids, status, ...conflictInput }: InputOf<'bookables.set-status'>,
  context: WorkContext,
): Promise<ManyReply> {
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
  return change(trx, found, { set: 'status = :status', values: { status: blocked } }, context)
}

async function unblock(trx: Transaction, ids: number[], context: WorkContext): Promise<ManyReply> {
  const { blocked, flexible } = BOOKABLE_STATUSES
  const found = (await lockBookables(trx, ids)).filter(({ row }) => row.status === blocked)
  return change(trx, found, { set: 'status = :status', values: { status: flexible } }, context)
}

/** Reads the rows before they are locked, to find out what must be cleared, and to refuse early. */
export async function findBookables(trx: Transaction, ids: number[]): Promise<AuditedRow[]> {
  const { rows } = await trx.raw(
    `SELECT ${auditedRow('bookables')} FROM bookables
     WHERE id = ANY(?::bigint[]) AND deleted_at IS NULL ORDER BY id`,
    [ids],
  )
  return rows
}

/** A bookable that changed between the look and the lock has not been cleared. */
export function refuseOthers(found: AuditedRow[], cleared: number[]): void {
  if (found.every(({ id }) => cleared.includes(id))) return
  throw new Refusal('in_use', message`Others are changing these right now. Nothing was changed: try again.`)
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
export async function setTags(
  trx: Transaction,
  { ids, add, remove }: InputOf<'bookables.set-tags'>,
  context: WorkContext,
): Promise<ManyReply> {
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
  return change(trx, rows, { set, values }, context)
}

/** Clears their positions, which were on the floor plan of the former location. */
export async function relocateBookables(
  trx: Transaction,
  input: InputOf<'bookables.relocate'>,
  context: WorkContext,
): Promise<ManyReply> {
  const { location_id } = input
  const ids = [...new Set(input.ids)]
  await lockClaims(trx, ids)
  await lockLocation(trx, location_id)
  const found = await lockBookables(trx, ids)
  const moving = found.filter(({ row }) => row.location_id !== location_id)
  const names = moving.map(({ row }) => String(row.name))
  await refuseTakenNames(trx, location_id, names, 'location_id')
  const set = 'location_id = :location_id, position_x = NULL, position_y = NULL'
  return change(trx, moving, { set, values: { location_id } }, context)
}

type Change = {
  /** SQL after SET, with named values. */
  set: string
  values: Record<string, string | number>
}

/** The rows are locked already. */
async function change(
  trx: Transaction,
  found: AuditedRow[],
  { set, values }: Change,
  context: WorkContext,
): Promise<ManyReply> {
  const ids = found.map(({ id }) => id)
  const former = await readFormer(trx, 'bookables', ids)
  const { rows } = await trx.raw(
    `UPDATE bookables SET ${set}, updated_at = now() WHERE id = ANY(CAST(:ids AS bigint[]))
     RETURNING ${auditedRow('bookables')}`,
    { ...values, ids },
  )
  const after = new Map(rows.map(({ id, row }: AuditedRow) => [id, row]))
  const changes = found.map(({ id, row }) => ({ id, before: row, after: after.get(id) }))
  await auditEach(trx, context, { action: 'bookables.edit', resource: 'bookables' }, former, changes)
  return { data: { changed: found.length } }
}

/** “Desk 1, Desk 2 and 38 more”. */
export const listRows = (rows: AuditedRow[]): Value =>
  listNames(
    rows.map(({ row }) => String(row.name)),
    NAMES_SHOWN_MAX,
  )
