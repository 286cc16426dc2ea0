// The positions of bookables on their floor plan: of one, or of many at once, all or none. Positions do not
// depend on claims, so only the rows are locked.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { field, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { versionSql } from '../../../shared/schemas/versions.ts'
import type { Handler, Transaction } from '../../runtime/context.ts'
import { lockBookables } from '../claims/locks.ts'
import { requireVersion } from '../kit/preconditions.ts'
import { type AuditedRow, idReply, lockRow, updateRow } from '../kit/rows.ts'
import { listRows, updateBookables } from './updates.ts'

type Positions = InputOf<'bookables.set-positions'>['positions']

export const setPosition: Handler<'bookables.set-position'> = async (trx, { id, version, x, y }, context) => {
  const bookable = await lockRow(trx, 'bookables', id)
  await requireVersion(trx, 'positions', id, version)
  const fields = { position_x: x, position_y: y, updated_at: trx.fn.now() }
  await updateRow(trx, context, bookable, { table: 'bookables', action: 'bookables.set-position', fields })
  return idReply(id)
}

/** Bookables that are already there stay as they are. The audit log has an entry for each moved one. */
export const setPositions: Handler<'bookables.set-positions'> = async (trx, { positions }, context) => {
  const positionOf = new Map(positions.map((each) => [each.id, each]))
  if (positionOf.size < positions.length)
    throw invalid({ positions: [message`${field('positions')} must name each id once.`] })
  const found = await lockBookables(trx, [...positionOf.keys()])
  await refuseMovedMeanwhile(trx, found, positions)
  const moving = found.filter(({ id, row }) => {
    const position = positionOf.get(id)
    return row.position_x !== position?.x || row.position_y !== position?.y
  })
  const given =
    'jsonb_to_recordset(CAST(:positions AS jsonb)) AS given (id bigint, x double precision, y double precision)'
  const set = 'position_x = given.x, position_y = given.y'
  const values = { positions: JSON.stringify(positions) }
  return updateBookables(trx, moving, { action: 'bookables.set-position', set, given, values }, context)
}

/** Without a version, whatever is there is replaced. */
async function refuseMovedMeanwhile(trx: Transaction, found: AuditedRow[], positions: Positions) {
  const expected = new Map(positions.map(({ id, version }) => [id, version]))
  const { rows } = await trx.raw(
    `SELECT id, ${versionSql('positions')} AS version FROM bookables WHERE id = ANY(?::bigint[])`,
    [found.map(({ id }) => id)],
  )
  const present = new Map(rows.map(({ id, version }: { id: number; version: string }) => [id, version]))
  const moved = found.filter(({ id }) => (expected.get(id) ?? present.get(id)) !== present.get(id))
  if (moved.length === 0) return
  const detail = message`Somebody else has moved ${listRows(moved)} meanwhile. Nothing was saved.`
  throw new Refusal('changed_meanwhile', detail)
}
