// Writes of buildings, locations and bookables by administrators: a row is locked, inserted, updated or
// deleted, and the audit log stores it before and after.
import type { RecordedAction } from '../../../shared/audit/audit.ts'
import { CREATED, type Former } from '../../../shared/changes/former.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import { counted, type Message, MISSING_PLACE, message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import type { AuditedRow, Write } from '../../runtime/write.ts'
import { requireInTokenBuildings } from './preconditions.ts'

type Fields = Record<string, unknown>
type Table = keyof typeof MISSING_PLACE
export type LockedRow = AuditedRow & { table: Table; former: Former }

// The bytes of floor plans would bloat the audit log and slow down every read of a location.
const AUDITED = {
  buildings: 'to_jsonb(buildings)',
  locations: `jsonb_build_object(
    'id', locations.id, 'building_id', locations.building_id, 'name', locations.name, 'code', locations.code,
    'floor_plan_type', locations.floor_plan_type, 'floor_plan_bytes', octet_length(locations.floor_plan),
    'floor_plan_width', locations.floor_plan_width, 'floor_plan_height', locations.floor_plan_height,
    'cell_width', locations.cell_width, 'plan_shapes', coalesce(jsonb_array_length(locations.plan_shapes), 0),
    'rules', locations.rules)`,
  bookables: 'to_jsonb(bookables)',
}

export const auditedRow = (table: Table) => `${table}.id, ${AUDITED[table]} AS row`

/** Locks a row against other writes. Deleted bookables, and places outside the caller's buildings, are missing. */
export async function lockRow(
  write: Write,
  table: Table,
  id: number,
  /** `FOR UPDATE` also locks it against new rows that refer to it. */
  strength: 'FOR NO KEY UPDATE' | 'FOR UPDATE' = 'FOR NO KEY UPDATE',
): Promise<LockedRow> {
  const present = table === 'bookables' ? 'AND deleted_at IS NULL' : ''
  const lock = `SELECT ${auditedRow(table)} FROM ${table} WHERE id = ? ${present} ${strength}`
  const found = await write.requireRow<AuditedRow>(lock, [id], MISSING_PLACE[table])
  await requireInTokenBuildings(write, table, [id], MISSING_PLACE[table])
  return { ...found, table, former: await write.readFormer(table, [id]) }
}

export async function insertRow(write: Write, table: Table, fields: Fields) {
  const returned = write.trx.raw(auditedRow(table))
  const { id, row } = onlyRow<AuditedRow>(await write.trx(table).insert(fields).returning(returned))
  await write.audit({ action: `${table}.create`, id, former: CREATED, after: row })
  return idReply(id)
}

/** Undefined fields stay as they are. */
export async function updateRow(
  write: Write,
  { table, id, row, former }: LockedRow,
  fields: Fields,
  action: RecordedAction = `${table}.update`,
) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  let after = row
  if (given.length > 0) {
    const updated = write.trx(table).where({ id }).update(Object.fromEntries(given))
    after = onlyRow<AuditedRow>(await updated.returning(write.trx.raw(auditedRow(table)))).row
  }
  await write.audit({ action, id, former, before: row, after })
  return idReply(id)
}

export async function deleteRow(write: Write, { table, id, row, former }: LockedRow) {
  await write.trx(table).where({ id }).delete()
  await write.audit({ action: `${table}.delete`, id, former, before: row })
  return idReply(id)
}

/** The reply of most of these writes. */
export const idReply = (id: number) => ({ data: { id } })

/** Refuses the request unless all of the requested ids were found. */
export function refuseUnknownIds(ids: number[], found: Array<{ id: number }>, noun: string): void {
  const known = new Set(found.map(({ id }) => id))
  const unknown = [...new Set(ids)].filter((id) => !known.has(id))
  if (unknown.length === 0) return
  throw invalid({ ids: unknown.map((id) => message`There is no ${noun} with the id ${id}.`) })
}

export const countBookings = (number: number): Message => counted(number, '# booking', '# bookings')

export const countUpcoming = (number: number): Message =>
  counted(number, '# upcoming booking', '# upcoming bookings')

/** The columns of the rows, as the values of a statement that unnests them. */
export const arraysOf = <Row>(rows: Row[], columns: Array<keyof Row>) =>
  columns.map((column) => rows.map((row) => row[column]))
