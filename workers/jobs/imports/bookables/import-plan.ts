// Plans what an import does with each row of a list of desks, rooms and parking; review and application use
// the same plan. A row changes the bookable of its name in the location, in any letter case. Empty cells
// change nothing.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import type { Transaction } from '../../../runtime/context.ts'
import { FUTURE_CLAIMS } from '../../claims/future-claims.ts'
import { describeData } from './data-errors.ts'
import type { BookableFields, Known, NamedRow, PlannedRow } from './planned-rows.ts'
import { STAGING } from './staging.ts'

const NEW: BookableFields = {
  name: '',
  type: BOOKABLE_TYPES.desk,
  description: null,
  tags: [],
  status: BOOKABLE_STATUSES.flexible,
  capacity: null,
  requires_vehicle: false,
  position_x: null,
  position_y: null,
}

/** `now`: only claims after this time count. */
export async function makeImportPlan(
  trx: Transaction,
  locationId: number,
  now: string,
): Promise<PlannedRow[]> {
  const rows = await nameRows(trx, locationId)
  const claims = await countClaims(trx, rows, now)
  return rows.map((row) => planRow(row, claims.get(row.known?.id ?? 0) ?? 0))
}

/** Finds the bookables that the rows would change. */
export async function findNamedIds(trx: Transaction, locationId: number): Promise<number[]> {
  return (await nameRows(trx, locationId)).flatMap(({ known }) => (known ? [known.id] : []))
}

// Compares names without regard to letter case, as everywhere.
async function nameRows(trx: Transaction, locationId: number): Promise<NamedRow[]> {
  const { rows } = await trx.raw(
    `SELECT listed.row_number, listed.name, listed.type, listed.description, listed.tags, listed.status, listed.capacity,
       listed.requires_vehicle, listed.position_x, listed.position_y, listed.errors,
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

async function countClaims(trx: Transaction, rows: NamedRow[], now: string): Promise<Map<number, number>> {
  const ids = rows.flatMap(({ known }) => (known ? [known.id] : []))
  const { rows: counted } = await trx.raw(
    `SELECT bookable_id AS id, count(*)::int AS number FROM (${FUTURE_CLAIMS}) AS claims GROUP BY bookable_id`,
    { ids, now },
  )
  return new Map(counted.map(({ id, number }: { id: number; number: number }) => [id, number]))
}

function planRow(row: NamedRow, claims: number): PlannedRow {
  const { row_number, name, known } = row
  const before = known ?? NEW
  const fields = { ...before, ...sayingOf(row) }
  const errors = row.errors ?? describeData(row, { before: known, after: fields, claims })
  const changes = changesOf(known, fields)
  const isChanged = Object.keys(changes).length > 0
  const section = errors ? 'error' : known === null ? 'create' : isChanged ? 'change' : 'skip'
  return {
    row_number,
    section,
    name,
    bookable_id: known?.id ?? null,
    changes: section === 'create' || section === 'change' ? changes : null,
    errors,
    fields,
  }
}

/** Only the fields that the row sets. */
function sayingOf(row: NamedRow): Partial<BookableFields> {
  const { name, type, description, tags, status, capacity, requires_vehicle, position_x, position_y } = row
  return {
    ...(name === null ? {} : { name }),
    ...(type === null ? {} : { type: BOOKABLE_TYPES[type] }),
    ...(description === null ? {} : { description }),
    ...(tags === null ? {} : { tags }),
    ...(status === null ? {} : { status: BOOKABLE_STATUSES[status] }),
    ...(capacity === null ? {} : { capacity }),
    ...(requires_vehicle === null ? {} : { requires_vehicle: requires_vehicle === 'yes' }),
    ...(position_x === null || position_y === null ? {} : { position_x, position_y }),
  }
}

/** For a new bookable: its type, and the fields that differ from their defaults. */
function changesOf(known: Known | null, after: BookableFields): Record<string, [unknown, unknown]> {
  const [was, is] = [shownFields(known ?? NEW), shownFields(after)]
  const isShown = (field: string) =>
    JSON.stringify(was[field]) !== JSON.stringify(is[field]) || (known === null && field === 'type')
  const shown = Object.keys(is).filter(isShown)
  return Object.fromEntries(shown.map((field) => [field, [known ? was[field] : null, is[field]]]))
}

/** Joins both coordinates to one field. */
function shownFields(fields: BookableFields): Record<string, unknown> {
  const { name, type, description, tags, status, capacity, requires_vehicle, position_x, position_y } = fields
  const position = position_x === null ? null : [position_x, position_y]
  return { name, type, description, tags, status, capacity, requires_vehicle, position }
}
