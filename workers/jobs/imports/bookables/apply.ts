// Applies the plan in two statements, with an entry in the audit log for each bookable.
import { auditEach } from '../../../../shared/audit/audit.ts'
import { CREATED, readFormer } from '../../../../shared/changes/former.ts'
import type { Transaction, WorkContext } from '../../../runtime/context.ts'
import { type AuditedRow, auditedRow } from '../../kit/rows.ts'
import type { PlannedRow } from './planned-rows.ts'

const COLUMNS = 'name, description, type, status, tags, capacity, requires_vehicle, position_x, position_y'
const PLANNED = `jsonb_to_recordset(?::jsonb) AS planned (
  ordinal integer, id bigint, name text, description text, type smallint, status smallint, tags text[], capacity integer,
  requires_vehicle boolean, position_x double precision, position_y double precision)`

export async function createPlanned(
  trx: Transaction,
  locationId: number,
  planned: PlannedRow[],
  context: WorkContext,
): Promise<void> {
  const { rows } = await trx.raw(
    `INSERT INTO bookables (location_id, ${COLUMNS}) SELECT ?, ${COLUMNS} FROM ${PLANNED} ORDER BY ordinal
     RETURNING ${auditedRow('bookables')}`,
    [locationId, toJson(planned)],
  )
  const changes = rows.map(({ id, row }: AuditedRow) => ({ id, after: row }))
  await auditEach(trx, context, { action: 'bookables.create', resource: 'bookables' }, CREATED, changes)
}

/** `before`: the locked rows of these bookables. */
export async function changePlanned(
  trx: Transaction,
  planned: PlannedRow[],
  before: AuditedRow[],
  context: WorkContext,
): Promise<void> {
  const ids = before.map(({ id }) => id)
  const former = await readFormer(trx, 'bookables', ids)
  const { rows } = await trx.raw(
    `UPDATE bookables SET (${COLUMNS}, updated_at) = ROW (${plannedColumns}, now())
     FROM ${PLANNED} WHERE bookables.id = planned.id RETURNING ${auditedRow('bookables')}`,
    [toJson(planned)],
  )
  const after = new Map<number, AuditedRow['row']>(rows.map(({ id, row }: AuditedRow) => [id, row]))
  const changes = before
    .filter(({ id }) => after.has(id))
    .map(({ id, row }) => ({ id, before: row, after: after.get(id) }))
  await auditEach(trx, context, { action: 'bookables.edit', resource: 'bookables' }, former, changes)
}

const plannedColumns = COLUMNS.split(', ')
  .map((column) => `planned.${column}`)
  .join(', ')

const toJson = (planned: PlannedRow[]): string =>
  JSON.stringify(
    planned.map(({ row_number, bookable_id, fields }) => ({
      ordinal: row_number,
      ...fields,
      id: bookable_id,
    })),
  )
