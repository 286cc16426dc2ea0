// Imports desks, rooms and parking spots from a file: makes a plan, which an administrator reviews, and applies the
// plan. A row changes the bookable that has the same name in the location, ignoring letter case. Empty cells change
// nothing.

import { type BookableFields, NEW_BOOKABLE_DEFAULTS } from '../../../shared/bookables/bookable-columns.ts'
import {
  BOOKABLE_STATUSES,
  BOOKABLE_TYPES,
  BOOKABLES_PER_WRITE_MAX,
} from '../../../shared/bookables/bookables.ts'
import type { RowErrors } from '../../../shared/imports/headings.ts'
import { limitLockWaits } from '../../../shared/imports/import-lock.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { invalidFields } from '../../../shared/messages/refusal.ts'
import type { AuditedRow, Write } from '../../runtime/write.ts'
import type { BookableRowFields } from '../../sheets/lists/bookable-rows.ts'
import { countFutureClaims, findBookables, lockClaims, refuseChangedSinceRead } from '../claims/locks.ts'
import { createReviewedImport, IMPORT_PLAN, toAuditedCounts } from '../imports/reviewed-imports.ts'
import { STAGING_TABLE, stageImportFile } from '../imports/stage-import-file.ts'
import {
  BOOKABLE_FIELDS_SQL,
  BOOKABLES_FROM_JSON,
  insertBookables,
  lockLocation,
  updateBookables,
} from './creations.ts'

type ImportInput = InputOf<'bookables.plan-import'>

/** `before` contains the bookables that the rows name. It is empty while an administrator is still reviewing
 * the plan. */
type PlannedImport = {
  header: string[]
  rows: PlannedRow[]
  before: AuditedRow[]
  counts: object
  reason: string
}

export const { plan: planBookableImport, apply: applyBookableImport } = createReviewedImport<
  ImportInput,
  PlannedImport
>({
  subject: 'bookable_id',
  async withPlan(write, { location_id, file_id }, { isApplied }, act) {
    await refuseDeletedLocation(write, location_id)
    const options = { list: 'bookables', rowsMax: BOOKABLES_PER_WRITE_MAX, keepsCells: true } as const
    const { header } = await stageImportFile(write, file_id, options)
    const before = isApplied ? await lockNamedBookables(write, location_id) : []
    if (!isApplied) write.report({ phase: 'checked' })
    const rows = await createImportPlan(write, location_id)
    const plan: PlannedImport = {
      header,
      rows,
      before,
      counts: {},
      reason: "CASE action WHEN 'skip' THEN 'same' END",
    }
    return act(write, plan)
  },
  async apply(write, { rows, before }, { location_id }) {
    const changing = rows.flatMap(({ action, bookable_id: id, fields }) =>
      action === 'change' && id !== null ? [{ ...fields, id }] : [],
    )
    // A bookable that somebody gave one of these names after the others were locked is not locked, so the import
    // refuses.
    refuseChangedSinceRead(
      changing,
      before.map(({ id }) => id),
    )
    write.report({ phase: 'applying' })
    const creating = rows.filter(({ action }) => action === 'create').map(({ fields }) => fields)
    await insertBookables(write, location_id, creating)
    const changed = before.filter(({ id }) => changing.some((each) => each.id === id))
    const set = `(${BOOKABLE_FIELDS_SQL}) = ROW (${BOOKABLE_FIELDS_SQL.replace(/\w+/g, 'given.$&')})`
    const update = {
      set,
      given: `${BOOKABLES_FROM_JSON} AS given`,
      values: { bookables: JSON.stringify(changing) },
    }
    await updateBookables(write, changed, update)
  },
  audited: ({ location_id, filename }, counts) => ({
    action: 'bookables.import',
    after: { location_id, filename, ...toAuditedCounts(counts) },
  }),
})

async function refuseDeletedLocation(write: Write, id: number): Promise<void> {
  if (!(await write.first('SELECT FROM locations WHERE id = ?', [id])))
    throw invalidFields({ location_id: [message`The floor of this import has been deleted.`] })
}

/**
 * Locks the bookables that the rows may change, along with their claims. Also locks the location, so that no two
 * imports add the same name.
 */
async function lockNamedBookables(write: Write, locationId: number): Promise<AuditedRow[]> {
  const ids = await findNamedBookableIds(write, locationId)
  await limitLockWaits(write.trx)
  await lockClaims(write, ids)
  await lockLocation(write, locationId)
  return findBookables(write, ids, 'FOR NO KEY UPDATE')
}

type KnownBookable = BookableFields & { id: number }

type PlannedRow = {
  row_number: number
  action: 'create' | 'change' | 'skip' | 'error'
  name: string | null
  /** The id of the existing bookable with this name. Null if there is none. */
  bookable_id: number | null
  /** The changed fields. Each has its current and its new value. */
  changes: Record<string, [before: unknown, after: unknown]> | null
  all_errors: RowErrors | null
  /** The fields of the bookable after the import. */
  fields: BookableFields
}

/** A staged row, with the bookable that has the same name. */
type NamedRow = {
  row_number: number
  name: string | null
  given: BookableRowFields
  errors: RowErrors | null
  /** The number of the first row in the file with this name. */
  first_row: number
  known: KnownBookable | null
  /** The number of bookables in the location that have this name. */
  known_number: number
}

export async function createImportPlan(write: Write, locationId: number): Promise<PlannedRow[]> {
  const named = await matchRowsToBookables(write, locationId)
  const claims = await countFutureClaims(write, listKnownIds(named))
  const rows = named.map((row) => planImportRow(row, claims.get(row.known?.id ?? 0) ?? 0))
  await write.run(
    `CREATE TEMPORARY TABLE ${IMPORT_PLAN} ON COMMIT DROP AS
     SELECT planned.*, NULL::text AS email, cells FROM jsonb_to_recordset(?::jsonb) AS planned (
       row_number integer, action text, bookable_id bigint, name text, changes jsonb, all_errors jsonb
     ) JOIN ${STAGING_TABLE} USING (row_number)`,
    [JSON.stringify(rows.map(({ fields: _, ...row }) => row))],
  )
  return rows
}

/** Finds the ids of the bookables that the rows would change. */
async function findNamedBookableIds(write: Write, locationId: number): Promise<number[]> {
  return listKnownIds(await matchRowsToBookables(write, locationId))
}

const listKnownIds = (rows: NamedRow[]) => rows.flatMap(({ known }) => (known ? [known.id] : []))

// Finds the bookable that has the same name as each row. Ignores letter case, as all checks of bookable names do.
async function matchRowsToBookables(write: Write, locationId: number): Promise<NamedRow[]> {
  return write.all<NamedRow>(
    `SELECT listed.row_number, listed.name, listed.given, listed.errors,
       min(listed.row_number) OVER (PARTITION BY lower(listed.name)) AS first_row,
       to_jsonb(bookables) AS known, coalesce(named.number, 0) AS known_number
     FROM ${STAGING_TABLE} AS listed
     LEFT JOIN (
       SELECT lower(name) AS name, min(id) AS id, count(*)::int AS number FROM bookables
       WHERE location_id = ? AND deleted_at IS NULL GROUP BY lower(name)
     ) AS named ON named.name = lower(listed.name)
     LEFT JOIN bookables ON bookables.id = named.id
     ORDER BY listed.row_number`,
    [locationId],
  )
}

function planImportRow(row: NamedRow, claims: number): PlannedRow {
  const { row_number, name, known } = row
  const fields = { ...(known ?? NEW_BOOKABLE_DEFAULTS), ...getGivenFields(row) }
  const errors = row.errors ?? findDataErrors(row, { before: known, after: fields, claims })
  const changes = findChanges(known, fields)
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

/** Returns only the fields that the row sets, in the form in which the database stores them. */
function getGivenFields({ name, given }: NamedRow): Partial<BookableFields> {
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

/**
 * Returns the fields that the import changes. For a new bookable, returns its type and the fields that differ from
 * their defaults.
 */
function findChanges(known: KnownBookable | null, after: BookableFields): Record<string, [unknown, unknown]> {
  const [was, is] = [toShownFields(known ?? NEW_BOOKABLE_DEFAULTS), toShownFields(after)]
  const isShown = (field: string) =>
    JSON.stringify(was[field]) !== JSON.stringify(is[field]) || (known === null && field === 'type')
  const shown = Object.keys(is).filter(isShown)
  return Object.fromEntries(shown.map((field) => [field, [known ? was[field] : null, is[field]]]))
}

/** Returns the fields as the plan shows them, with both coordinates as one field. */
function toShownFields(fields: BookableFields): Record<string, unknown> {
  const { position_x, position_y } = fields
  const others = Object.keys(NEW_BOOKABLE_DEFAULTS).filter((field) => !field.startsWith('position_'))
  const shown = others.map((field) => [field, fields[field as keyof BookableFields]])
  return { ...Object.fromEntries(shown), position: position_x === null ? null : [position_x, position_y] }
}

type RowFacts = {
  before: BookableFields | null
  after: BookableFields
  /** The number of upcoming claims on the bookable. */
  claims: number
}

function findDataErrors(row: NamedRow, facts: RowFacts): RowErrors | null {
  const found = [findNameError(row), findStatusError(facts), findTypeError(facts)].filter(
    (error) => error !== undefined,
  )
  if (found.length === 0) return null
  return Object.fromEntries(found.map(([column, rule]) => [column, [rule]]))
}

type CellError = [column: string, rule: Message] | undefined

function findNameError({ row_number, first_row, known_number }: NamedRow): CellError {
  if (first_row < row_number) return ['name', message`the name was already used in row ${first_row}`]
  if (known_number > 1)
    return [
      'name',
      message`several desks or rooms on this floor have this name; give each a unique name first`,
    ]
  return undefined
}

function findStatusError({ before, after, claims }: RowFacts): CellError {
  const { assigned, blocked } = BOOKABLE_STATUSES
  if (!before || before.status === after.status) return undefined
  if (before.status === assigned)
    return ['status', message`it is assigned; end the assignment first, or leave the status empty`]
  if (after.status !== blocked || claims === 0) return undefined
  return [
    'status',
    message`it has upcoming bookings or meetings (${claims}); block it on its own page, where you choose what happens to them, or leave the status empty`,
  ]
}

// Returns the error if a row changes the type of a bookable whose claims would no longer fit. Each claim stores whether
// it is exclusive, as all claims except those on home offices are.
function findTypeError({ before, after, claims }: RowFacts): CellError {
  const { homeOffice } = BOOKABLE_TYPES
  if (!before || claims === 0 || (before.type === homeOffice) === (after.type === homeOffice))
    return undefined
  return [
    'type',
    after.type === homeOffice
      ? message`it has upcoming bookings or meetings (${claims}), so it cannot become a home office yet`
      : message`it has upcoming bookings or meetings (${claims}), so it must remain a home office for now`,
  ]
}
