// Plans what an import does with each row of a list of desks, rooms and parking; review and application use
// the same plan. A row changes the bookable of its name in the location, in any letter case. Empty cells
// change nothing.

import { type BookableFields, NEW_BOOKABLE } from '../../../../shared/bookables/bookable-columns.ts'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import type { RowErrors } from '../../../../shared/imports/headings.ts'
import type { Transaction } from '../../../runtime/context.ts'
import type { GivenFields } from '../../../sheets/lists/bookable-rows.ts'
import { countFutureClaims } from '../../claims/locks.ts'
import { IMPORT_PLAN } from '../reviewed-imports.ts'
import { STAGING } from '../stage-import-file.ts'
import { describeData } from './data-errors.ts'

type Known = BookableFields & { id: number }

export type PlannedRow = {
  row_number: number
  action: 'create' | 'change' | 'skip' | 'error'
  name: string | null
  /** The bookable that has the name already. */
  bookable_id: number | null
  /** Each field with its present and its future value. */
  changes: Record<string, [before: unknown, after: unknown]> | null
  all_errors: RowErrors | null
  /** The bookable after the import. */
  fields: BookableFields
}

/** A staged row, with the bookable that has its name. */
type NamedRow = {
  row_number: number
  name: string | null
  given: GivenFields
  errors: RowErrors | null
  /** The first row of the file with this name. */
  first_row: number
  known: Known | null
  /** How many bookables of the location have this name. */
  known_number: number
}

/** `now`: only claims after this time count. */
export async function createImportPlan(
  trx: Transaction,
  locationId: number,
  now: string,
): Promise<PlannedRow[]> {
  const named = await nameRows(trx, locationId)
  const claims = await countFutureClaims(trx, knownIds(named), now)
  const rows = named.map((row) => planRow(row, claims.get(row.known?.id ?? 0) ?? 0))
  await trx.raw(
    `CREATE TEMPORARY TABLE ${IMPORT_PLAN} ON COMMIT DROP AS
     SELECT planned.*, NULL::text AS email, cells FROM jsonb_to_recordset(?::jsonb) AS planned (
       row_number integer, action text, bookable_id bigint, name text, changes jsonb, all_errors jsonb
     ) JOIN ${STAGING} USING (row_number)`,
    [JSON.stringify(rows.map(({ fields: _, ...row }) => row))],
  )
  return rows
}

/** The bookables that the rows would change. */
export async function findNamedIds(trx: Transaction, locationId: number): Promise<number[]> {
  return knownIds(await nameRows(trx, locationId))
}

const knownIds = (rows: NamedRow[]) => rows.flatMap(({ known }) => (known ? [known.id] : []))

// Compares names without regard to letter case, as everywhere.
async function nameRows(trx: Transaction, locationId: number): Promise<NamedRow[]> {
  const { rows } = await trx.raw(
    `SELECT listed.row_number, listed.name, listed.given, listed.errors,
       min(listed.row_number) OVER (PARTITION BY lower(listed.name)) AS first_row,
       to_jsonb(bookables) AS known, coalesce(named.number, 0) AS known_number
     FROM ${STAGING} AS listed
     LEFT JOIN (
       SELECT lower(name) AS name, min(id) AS id, count(*)::int AS number FROM bookables
       WHERE location_id = ? AND deleted_at IS NULL GROUP BY lower(name)
     ) AS named ON named.name = lower(listed.name)
     LEFT JOIN bookables ON bookables.id = named.id
     ORDER BY listed.row_number`,
    [locationId],
  )
  return rows
}

function planRow(row: NamedRow, claims: number): PlannedRow {
  const { row_number, name, known } = row
  const fields = { ...(known ?? NEW_BOOKABLE), ...fieldsOf(row) }
  const errors = row.errors ?? describeData(row, { before: known, after: fields, claims })
  const changes = changesOf(known, fields)
  const isChanged = Object.keys(changes).length > 0
  const action = errors ? 'error' : known === null ? 'create' : isChanged ? 'change' : 'skip'
  return {
    row_number,
    action,
    name,
    bookable_id: known?.id ?? null,
    changes: action === 'create' || action === 'change' ? changes : null,
    all_errors: errors,
    fields,
  }
}

/** Only the fields that the row sets, as the database stores them. */
function fieldsOf({ name, given }: NamedRow): Partial<BookableFields> {
  const { type, status, requires_vehicle, x, y, ...others } = given
  return {
    ...others,
    ...(name !== null && { name }),
    ...(type && { type: BOOKABLE_TYPES[type] }),
    ...(status && { status: BOOKABLE_STATUSES[status] }),
    ...(requires_vehicle && { requires_vehicle: requires_vehicle === 'yes' }),
    ...(x !== undefined && y !== undefined && { position_x: x, position_y: y }),
  }
}

/** For a new bookable: its type, and the fields that differ from their defaults. */
function changesOf(known: Known | null, after: BookableFields): Record<string, [unknown, unknown]> {
  const [was, is] = [shownFields(known ?? NEW_BOOKABLE), shownFields(after)]
  const isShown = (field: string) =>
    JSON.stringify(was[field]) !== JSON.stringify(is[field]) || (known === null && field === 'type')
  const shown = Object.keys(is).filter(isShown)
  return Object.fromEntries(shown.map((field) => [field, [known ? was[field] : null, is[field]]]))
}

/** Joins both coordinates to one field. */
function shownFields(fields: BookableFields): Record<string, unknown> {
  const { position_x, position_y } = fields
  const others = Object.keys(NEW_BOOKABLE).filter((field) => !field.startsWith('position_'))
  const shown = others.map((field) => [field, fields[field as keyof BookableFields]])
  return { ...Object.fromEntries(shown), position: position_x === null ? null : [position_x, position_y] }
}
