// The positions of bookables on their floor plan: of one, or of many at once, all or none. Positions do not
// depend on claims, so only the rows are locked.
import { auditEach } from '../../../shared/audit/audit.ts'
import { readFormer } from '../../../shared/changes/former.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { field, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { versionSql } from '../../../shared/schemas/versions.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { lockBookables } from '../claims/future-claims.ts'
import { type AuditedRow, auditedRow, idReply, lockRow, updateRow } from '../kit/rows.ts'
import { requireVersion } from '../kit/versions.ts'
import { listRows } from './many.ts'

type Positions = InputOf<'bookables.set-positions'>['positions']

export async function setPosition(
  trx: Transaction,
  { id, version, x, y }: InputOf<'bookables.set-position'>,
  context: WorkContext,
): Promise<ReplyOf<'bookables.set-position'>> {
  const bookable = await lockRow(trx, 'bookables', id)
  await requireVersion(trx, 'positions', id, version)
  const fields = { position_x: x, position_y: y, updated_at: trx.fn.now() }
  await updateRow(trx, context, bookable, { table: 'bookables', action: 'bookables.set-position', fields })
  return idReply(id)
}

/** Bookables that are already there stay as they are. The audit log has an entry for each moved one. */
export async function setPositions(
  trx: Transaction,
  { positions }: InputOf<'bookables.set-positions'>,
  context: WorkContext,
): Promise<ReplyOf<'bookables.set-positions'>> {
  const positionOf = new Map(positions.map((each) => [each.id, each]))
  if (positionOf.size < positions.length)
    throw invalid({ positions: [message`${field('positions')} must name each id once.`] })
  const found = await lockBookables(trx, [...positionOf.keys()])
  await refuseMovedMeanwhile(trx, found, positions)
  const moving = found.filter(({ id, row }) => {
    const position = positionOf.get(id)
    return row.position_x !== position?.x || row.position_y !== position?.y
  })
  const ids = moving.map(({ id }) => id)
  const former = await readFormer(trx, 'bookables', ids)
  const { rows } = await trx.raw(
    `UPDATE bookables SET position_x = positions.x, position_y = positions.y, updated_at = now()
     FROM jsonb_to_recordset(?::jsonb) AS positions (id bigint, x double precision, y double precision)
     WHERE bookables.id = positions.id RETURNING ${auditedRow('bookables')}`,
    [JSON.stringify(ids.map((id) => positionOf.get(id)))],
  )
  const after = new Map(rows.map(({ id, row }: AuditedRow) => [id, row]))
  const changes = moving.map(({ id, row }) => ({ id, before: row, after: after.get(id) }))
  await auditEach(trx, context, { action: 'bookables.set-position', resource: 'bookables' }, former, changes)
  return { data: { changed: moving.length } }
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
