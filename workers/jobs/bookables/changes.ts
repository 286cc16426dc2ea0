// Changes bookables: by the API, and by administrators, who may change every field but the position.
import type { RecordedAction } from '../../../shared/audit/audit.ts'
import {
  BOOKABLE_STATUSES,
  BOOKABLE_TYPES,
  selectBookable,
  taggedBookableJson,
} from '../../../shared/bookables/bookables.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { dataText } from '../../../shared/schemas/json.ts'
import { type Handler, ReplyWithETag, type Transaction, type WorkContext } from '../../runtime/context.ts'
import { queryReply } from '../../runtime/statements.ts'
import { clearTheWay } from '../affected-bookings/clear.ts'
import { countFutureClaims, lockBookable } from '../claims/locks.ts'
import { findETag, requireMatch, requireVersion } from '../kit/preconditions.ts'
import { type AuditedRow, idReply, type LockedRow, lockRowWithin, updateRow } from '../kit/rows.ts'
import { countUpcoming } from '../kit/texts.ts'

const SELECT_BOOKABLE = selectBookable('?')

/** The fields that the API changes do not depend on claims, so only the row is locked. */
export const updateBookable: Handler<'bookables.update'> = async (
  trx,
  { id, if_match, ...changes },
  context,
) => {
  const bookable = await lockRowWithin(trx, context, 'bookables', id)
  await requireMatch(trx, if_match, SELECT_BOOKABLE, [id])
  await change(trx, bookable, { action: 'bookables.update', changes }, context)
  const text = await queryReply(trx, dataText(taggedBookableJson), 'bookables WHERE id = ?', [id])
  return new ReplyWithETag(text, await findETag(trx, SELECT_BOOKABLE, [id]))
}

export const editBookable: Handler<'bookables.edit'> = async (
  trx,
  { id, version, in_the_way, release_id, ...changes },
  context,
) => {
  if (changes.status === BOOKABLE_STATUSES.blocked && !(await isBlocked(trx, id))) {
    const fromNowOn = [{ from: context.now, to: null }]
    await clearTheWay(trx, { ids: [id], times: fromNowOn }, { in_the_way, release_id }, context)
  }
  const bookable = await lockBookable(trx, id)
  await requireVersion(trx, 'bookables', id, version)
  await refuseOtherExclusiveness(trx, bookable, changes.type, context)
  await change(trx, bookable, { action: 'bookables.edit', changes }, context)
  return idReply(id)
}

// Bookings on a bookable that is already blocked were in the way before, and are not cleared again.
async function isBlocked(trx: Transaction, id: number): Promise<boolean> {
  const { rows } = await trx.raw('SELECT status FROM bookables WHERE id = ?', [id])
  return rows[0]?.status === BOOKABLE_STATUSES.blocked
}

type Change = {
  action: RecordedAction
  changes: Omit<InputOf<'bookables.edit'>, 'id' | 'version' | 'in_the_way' | 'release_id'>
}

/** A change without fields leaves the row as it is, but is still in the audit log. */
function change(
  trx: Transaction,
  bookable: LockedRow,
  { action, changes }: Change,
  context: WorkContext,
): Promise<void> {
  const { row } = bookable
  if (changes.status !== undefined && row.status === BOOKABLE_STATUSES.assigned) {
    const detail = message`${String(row.name)} is assigned, so its status cannot be changed. End the assignment in the dashboard first.`
    throw new Refusal('bookable_assigned', detail)
  }
  const isMoved = changes.location_id !== undefined && changes.location_id !== row.location_id
  const isChanged = Object.values(changes).some((value) => value !== undefined)
  const fields = {
    ...changes,
    // The position was on the floor plan of the former location.
    ...(isMoved ? { position_x: null, position_y: null } : {}),
    ...(isChanged ? { updated_at: trx.fn.now() } : {}),
  }
  return updateRow(trx, context, bookable, { table: 'bookables', action, fields })
}

// A claim stores whether it is exclusive: all are, except those of a home office.
async function refuseOtherExclusiveness(
  trx: Transaction,
  { id, row }: AuditedRow,
  type: number | undefined,
  { now }: WorkContext,
): Promise<void> {
  const { homeOffice } = BOOKABLE_TYPES
  if (type === undefined || (type === homeOffice) === (row.type === homeOffice)) return
  const number = (await countFutureClaims(trx, [id], now)).get(id)
  if (number === undefined) return
  const [name, held] = [String(row.name), countUpcoming(number)]
  const detail =
    type === homeOffice
      ? message`${name} has ${held}, events included, so it cannot be made a home office yet.`
      : message`${name} has ${held}, events included, so it cannot be made anything but a home office yet.`
  throw new Refusal('in_use', detail)
}
