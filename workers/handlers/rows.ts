// Rows of places and people as administrators write them: found and locked, made and changed field by field, with what
// the audit log keeps of each.
import { onlyRow } from '../../shared/database.ts'
import type { Transaction } from '../context.ts'

export type Fields = Record<string, unknown>
export type AuditedRow = { id: number; row: Fields }

// A plan's bytes would make the log as large as the plans, and each look at a location as slow.
const KEPT = {
  buildings: 'to_jsonb(buildings)',
  locations: `jsonb_build_object(
    'id', locations.id, 'building_id', locations.building_id, 'name', locations.name, 'code', locations.code,
    'floor_plan_type', locations.floor_plan_type, 'floor_plan_bytes', octet_length(locations.floor_plan),
    'floor_plan_width', locations.floor_plan_width, 'floor_plan_height', locations.floor_plan_height)`,
  bookables: 'to_jsonb(bookables)',
}
export type Table = keyof typeof KEPT

export const auditedRow = (table: Table) => `${table}.id, ${KEPT[table]} AS row`

/** Locked against others who write it, but not against new rows that refer to it. */
export async function findRow(trx: Transaction, table: Table, id: number): Promise<AuditedRow | undefined> {
  const { rows } = await trx.raw(`SELECT ${auditedRow(table)} FROM ${table} WHERE id = ? FOR NO KEY UPDATE`, [
    id,
  ])
  return rows[0]
}

/** Locked against new rows that refer to it too. */
export async function findRowToDelete(
  trx: Transaction,
  table: Table,
  id: number,
): Promise<AuditedRow | undefined> {
  const { rows } = await trx.raw(`SELECT ${auditedRow(table)} FROM ${table} WHERE id = ? FOR UPDATE`, [id])
  return rows[0]
}

export async function insertRow(trx: Transaction, table: Table, fields: Fields): Promise<AuditedRow> {
  return onlyRow<AuditedRow>(
    await trx(table)
      .insert(fields)
      .returning(trx.raw(auditedRow(table))),
  )
}

/** Fields that are undefined stay. */
export async function changeRow(
  trx: Transaction,
  table: Table,
  { id, row }: AuditedRow,
  fields: Fields,
): Promise<AuditedRow> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  if (given.length === 0) return { id, row }
  const changed = trx(table).where({ id }).update(Object.fromEntries(given))
  return onlyRow<AuditedRow>(await changed.returning(trx.raw(auditedRow(table))))
}

export async function deleteRow(trx: Transaction, table: Table, id: number): Promise<void> {
  await trx(table).where({ id }).delete()
}

/** The reply of most of these writes: which row it was. */
export function idReply(id: number): { data: { id: number } } {
  return { data: { id } }
}

export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
