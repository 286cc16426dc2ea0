// Bookables changed: by the API, and by administrators, who may change everything. Positions: positions.ts.
import type { AuditAction } from '../../../shared/contracts/administrators/audit-actions.ts'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/contracts/bookables.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { selectBookable, taggedBookableJson } from '../../../shared/shapes/bookables.ts'
import { dataText } from '../../../shared/shapes/json.ts'
import { ReplyWithETag, type Transaction, type WorkContext } from '../../context.ts'
import { finishReply } from '../../finished-reply.ts'
import { clearTheWay } from '../in-the-way/clear.ts'
import { findETag, requireMatch } from '../preconditions.ts'
import { type AuditedRow, idReply, type LockedRow, lockRowWithin, updateRow } from '../rows.ts'
import { countUpcoming } from '../texts.ts'
import { requireVersion } from '../versions.ts'
import { countFutureClaims, lockBookable } from './future-claims.ts'

const SELECT_BOOKABLE = selectBookable('?')

/** None of what the API changes depends on claims: the row alone is locked. */
export async function updateBookable(
  trx: Transaction,
  { id, if_match, ...changes }: InputOf<'bookables.update'>,
  context: WorkContext,
): Promise<ReplyWithETag<ReplyOf<'bookables.update'>>> {
  const bookable = await lockRowWithin(trx, context, 'bookables', id)
  await requireMatch(trx, if_match, SELECT_BOOKABLE, [id])
  await change(trx, bookable, { action: 'bookables.update', changes }, context)
  const { text } = await finishReply(
    trx,
    dataText(taggedBookableJson('bookables')),
    (reply) => `SELECT ${reply} FROM bookables WHERE id = ?`,
    [id],
  )
  return new ReplyWithETag(text, await findETag(trx, SELECT_BOOKABLE, [id]))
}

export async function editBookable(
  trx: Transaction,
  { id, version, in_the_way, release_id, ...changes }: InputOf<'bookables.edit'>,
  context: WorkContext,
): Promise<ReplyOf<'bookables.edit'>> {
  if (changes.status === BOOKABLE_STATUSES.blocked && !(await isBlocked(trx, id))) {
    const always = [{ from: context.now, to: null }]
    await clearTheWay(trx, { ids: [id], times: always }, { in_the_way, release_id }, context)
  }
  const bookable = await lockBookable(trx, id)
  await requireVersion(trx, 'bookables', id, version)
  await refuseOtherExclusiveness(trx, bookable, changes.type, context)
  await change(trx, bookable, { action: 'bookables.edit', changes }, context)
  return idReply(id)
}

// What is blocked already has nobody in its way who was not there before.
async function isBlocked(trx: Transaction, id: number): Promise<boolean> {
  const { rows } = await trx.raw('SELECT status FROM bookables WHERE id = ?', [id])
  return rows[0]?.status === BOOKABLE_STATUSES.blocked
}

type Change = {
  action: AuditAction
  changes: Omit<InputOf<'bookables.edit'>, 'id' | 'version' | 'in_the_way' | 'release_id'>
}

/** Where nothing is to be changed it stays as it is, and is in the log all the same. */
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
    // The position was one on the floor plan of the other location.
    ...(isMoved ? { position_x: null, position_y: null } : {}),
    ...(isChanged ? { updated_at: trx.fn.now() } : {}),
  }
  return updateRow(trx, context, bookable, { table: 'bookables', action, fields })
}

// A claim says whether it is exclusive: a home office's is not, all others are.
async function refuseOtherExclusiveness(
  trx: Transaction,
  { id, row }: AuditedRow,
  type: number | undefined,
  { now }: WorkContext,
): Promise<void> {
  const { homeOffice } = BOOKABLE_TYPES
  if (type === undefined || (type === homeOffice) === (row.type === homeOffice)) return
  const number = await countFutureClaims(trx, id, now)
  if (number === 0) return
  const [name, held] = [String(row.name), countUpcoming(number)]
  const detail =
    type === homeOffice
      ? message`${name} has ${held}, events included, so it cannot be made a home office yet.`
      : message`${name} has ${held}, events included, so it cannot be made anything but a home office yet.`
  throw new Refusal('in_use', detail)
}
