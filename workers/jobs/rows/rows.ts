// Locks, inserts, updates and deletes the rows of buildings, locations and bookables for administrators. The audit log
// stores each row before and after the write.
import type { RecordedAction } from '../../../shared/audit/audit.ts'
import { type FormerState, NEWLY_CREATED } from '../../../shared/changes/former-state.ts'
import { getOnlyRow } from '../../../shared/database/database.ts'
import {
  countedMessage,
  type Message,
  MISSING_PLACE_MESSAGES,
  message,
} from '../../../shared/messages/message.ts'
import { invalidFields } from '../../../shared/messages/refusal.ts'
import type { AuditedRow, Write } from '../../runtime/write.ts'
import { requireInTokenBuildings } from './preconditions.ts'

type RowFields = Record<string, unknown>
type PlaceTable = keyof typeof MISSING_PLACE_MESSAGES
export type LockedRow = AuditedRow & { table: PlaceTable; former: FormerState }

// The columns that the audit log stores of each table. Floor plans are left out: their bytes would bloat the
// audit log and slow down every read of a location.
const AUDITED_ROWS_SQL = {
  buildings: 'to_jsonb(buildings)',
  locations: `jsonb_build_object(
    'id', locations.id, 'building_id', locations.building_id, 'name', locations.name, 'code', locations.code,
    'floor_plan_type', locations.floor_plan_type, 'floor_plan_bytes', octet_length(locations.floor_plan),
    'floor_plan_width', locations.floor_plan_width, 'floor_plan_height', locations.floor_plan_height,
    'cell_width', locations.cell_width, 'plan_shapes', coalesce(jsonb_array_length(locations.plan_shapes), 0),
    'rules', locations.rules)`,
  bookables: 'to_jsonb(bookables)',
}

export const auditedRowSql = (table: PlaceTable) => `${table}.id, ${AUDITED_ROWS_SQL[table]} AS row`

/** Locks a row, so that no other write can change it. Returns nothing for a deleted bookable, and for a place
 * outside the caller's buildings. */
export async function lockRow(
  write: Write,
  table: PlaceTable,
  id: number,
  /** `FOR UPDATE` also prevents new rows that refer to this one. */
  strength: 'FOR NO KEY UPDATE' | 'FOR UPDATE' = 'FOR NO KEY UPDATE',
): Promise<LockedRow> {
  const present = table === 'bookables' ? 'AND deleted_at IS NULL' : ''
  const lock = `SELECT ${auditedRowSql(table)} FROM ${table} WHERE id = ? ${present} ${strength}`
  const found = await write.requireRow<AuditedRow>(lock, [id], MISSING_PLACE_MESSAGES[table])
  await requireInTokenBuildings(write, table, [id], MISSING_PLACE_MESSAGES[table])
  return { ...found, table, former: await write.readFormer(table, [id]) }
}

export async function insertRow(write: Write, table: PlaceTable, fields: RowFields) {
  const returned = write.trx.raw(auditedRowSql(table))
  const { id, row } = getOnlyRow<AuditedRow>(await write.trx(table).insert(fields).returning(returned))
  await write.audit({ action: `${table}.create`, id, former: NEWLY_CREATED, after: row })
  return createIdReply(id)
}

/** Updates a row. Undefined fields stay unchanged. */
export async function updateRow(
  write: Write,
  { table, id, row, former }: LockedRow,
  fields: RowFields,
  action: RecordedAction = `${table}.update`,
) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  let after = row
  if (given.length > 0) {
    const updated = write.trx(table).where({ id }).update(Object.fromEntries(given))
    after = getOnlyRow<AuditedRow>(await updated.returning(write.trx.raw(auditedRowSql(table)))).row
  }
  await write.audit({ action, id, former, before: row, after })
  return createIdReply(id)
}

export async function deleteRow(write: Write, { table, id, row, former }: LockedRow) {
  await write.trx(table).where({ id }).delete()
  await write.audit({ action: `${table}.delete`, id, former, before: row })
  return createIdReply(id)
}

/** Returns the reply of most writes: the id of the row. */
export const createIdReply = (id: number) => ({ data: { id } })

/** Refuses the request unless all of its ids were found. */
export function refuseUnknownIds(ids: number[], found: Array<{ id: number }>, noun: string): void {
  const known = new Set(found.map(({ id }) => id))
  const unknown = [...new Set(ids)].filter((id) => !known.has(id))
  if (unknown.length === 0) return
  throw invalidFields({ ids: unknown.map((id) => message`There is no ${noun} with the id ${id}.`) })
}

export const formatBookingCount = (number: number): Message =>
  countedMessage(number, '# booking', '# bookings')

export const formatUpcomingCount = (number: number): Message =>
  countedMessage(number, '# upcoming booking', '# upcoming bookings')

/** Returns the values of each column as an array, for a statement that unnests these arrays. */
export const toColumnArrays = <Row>(rows: Row[], columns: Array<keyof Row>) =>
  columns.map((column) => rows.map((row) => row[column]))
