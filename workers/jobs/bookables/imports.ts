// Imports desks, rooms and parking from a file: makes a plan, which an administrator reviews, and applies it. A row
// changes the bookable of its name in the location, in any letter case. Empty cells change nothing.

import { type BookableFields, NEW_BOOKABLE } from '../../../shared/bookables/bookable-columns.ts'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES, MANY_MAX } from '../../../shared/bookables/bookables.ts'
import type { RowErrors } from '../../../shared/imports/headings.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import type { AuditedRow, Write } from '../../runtime/write.ts'
import type { GivenFields } from '../../sheets/lists/bookable-rows.ts'
import { countFutureClaims, findBookables, lockClaims, refuseChangedSinceRead } from '../claims/locks.ts'
import { auditedCounts, IMPORT_PLAN, reviewedImport } from '../imports/reviewed-imports.ts'
import { STAGING, stageImportFile } from '../imports/stage-import-file.ts'
import { FIELDS, GIVEN_BOOKABLES, insertBookables, lockLocation, updateBookables } from './creations.ts'

type ImportInput = InputOf<'bookables.plan-import'>

/** `before`: the bookables that the rows name; empty for a review. */
type Planned = { header: string[]; rows: PlannedRow[]; before: AuditedRow[]; counts: object; reason: string }

export const { plan: planBookableImport, apply: applyBookableImport } = reviewedImport<ImportInput, Planned>({
  subject: 'bookable_id',
  async withPlan(write, { location_id, file_id }, { isApplied }, act) {
    await refuseDeletedLocation(write, location_id)
    const options = { list: 'bookables', rowsMax: MANY_MAX, keepsCells: true } as const
    const { header } = await stageImportFile(write, file_id, options)
    const before = isApplied ? await lockNamed(write, location_id) : []
    if (!isApplied) write.report({ phase: 'checked' })
    const rows = await createImportPlan(write, location_id)
    const plan: Planned = {
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
    // A bookable that got one of these names after the lock is not locked.
    refuseChangedSinceRead(
      changing,
      before.map(({ id }) => id),
    )
    write.report({ phase: 'applying' })
    const creating = rows.filter(({ action }) => action === 'create').map(({ fields }) => fields)
    await insertBookables(write, location_id, creating)
    const changed = before.filter(({ id }) => changing.some((each) => each.id === id))
    const set = `(${FIELDS}) = ROW (${FIELDS.replace(/\w+/g, 'given.$&')})`
    const update = {
      set,
      given: `${GIVEN_BOOKABLES} AS given`,
      values: { bookables: JSON.stringify(changing) },
    }
    await updateBookables(write, changed, update)
  },
  audited: ({ location_id, filename }, counts) => ({
    action: 'bookables.import',
    after: { location_id, filename, ...auditedCounts(counts) },
  }),
})

async function refuseDeletedLocation(write: Write, id: number): Promise<void> {
  if (!(await write.first('SELECT FROM locations WHERE id = ?', [id])))
    throw invalid({ location_id: [message`The floor of this import has been deleted.`] })
}

/** Locks what the rows may change, with its claims, and the location: no two imports add the same name. */
async function lockNamed(write: Write, locationId: number): Promise<AuditedRow[]> {
  const ids = await findNamedIds(write, locationId)
  await lockClaims(write, ids)
  await lockLocation(write, locationId)
  return findBookables(write, ids, 'FOR NO KEY UPDATE')
}

type Known = BookableFields & { id: number }

type PlannedRow = {
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

export async function createImportPlan(write: Write, locationId: number): Promise<PlannedRow[]> {
  const named = await nameRows(write, locationId)
  const claims = await countFutureClaims(write, knownIds(named))
  const rows = named.map((row) => planRow(row, claims.get(row.known?.id ?? 0) ?? 0))
  await write.run(
    `CREATE TEMPORARY TABLE ${IMPORT_PLAN} ON COMMIT DROP AS
     SELECT planned.*, NULL::text AS email, cells FROM jsonb_to_recordset(?::jsonb) AS planned (
       row_number integer, action text, bookable_id bigint, name text, changes jsonb, all_errors jsonb
     ) JOIN ${STAGING} USING (row_number)`,
    [JSON.stringify(rows.map(({ fields: _, ...row }) => row))],
  )
  return rows
}

/** The bookables that the rows would change. */
async function findNamedIds(write: Write, locationId: number): Promise<number[]> {
  return knownIds(await nameRows(write, locationId))
}

const knownIds = (rows: NamedRow[]) => rows.flatMap(({ known }) => (known ? [known.id] : []))

// Compares names without regard to letter case, as everywhere.
async function nameRows(write: Write, locationId: number): Promise<NamedRow[]> {
  return write.all<NamedRow>(
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

type Facts = {
  before: BookableFields | null
  after: BookableFields
  /** The number of upcoming claims. */
  claims: number
}

function describeData(row: NamedRow, facts: Facts): RowErrors | null {
  const found = [nameError(row), statusError(facts), typeError(facts)].filter((error) => error !== undefined)
  if (found.length === 0) return null
  return Object.fromEntries(found.map(([column, rule]) => [column, [rule]]))
}

type Found = [column: string, rule: Message] | undefined

function nameError({ row_number, first_row, known_number }: NamedRow): Found {
  if (first_row < row_number) return ['name', message`the name was already used in row ${first_row}`]
  if (known_number > 1)
    return ['name', message`several on this floor have this name; give each a name of its own first`]
  return undefined
}

function statusError({ before, after, claims }: Facts): Found {
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

// Each claim stores whether it is exclusive: that of a home office is not, all others are.
function typeError({ before, after, claims }: Facts): Found {
  const { homeOffice } = BOOKABLE_TYPES
  if (!before || claims === 0 || (before.type === homeOffice) === (after.type === homeOffice))
    return undefined
  return [
    'type',
    after.type === homeOffice
      ? message`it has upcoming bookings or meetings (${claims}), so it cannot be made a home office yet`
      : message`it has upcoming bookings or meetings (${claims}), so it cannot be made anything but a home office yet`,
  ]
}
