// Bookables created by administrators: many at once, each with a unique name in its location.
import { auditEach } from '../../../shared/audit/audit.ts'
import { type BookableFields, NEW_BOOKABLE } from '../../../shared/bookables/bookable-columns.ts'
import { CREATED } from '../../../shared/changes/former.ts'
import { counted, listNames, message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { naturalSql } from '../../../shared/schemas/ordering.ts'
import type { Handler, Transaction, WorkContext } from '../../runtime/context.ts'
import { type AuditedRow, auditedRow } from '../kit/rows.ts'

const NAMES_SHOWN_MAX = 5

export const createBookables: Handler<'bookables.create'> = async (
  trx,
  { location_id, names, ...given },
  context,
) => {
  await lockLocation(trx, location_id)
  await refuseTakenNames(trx, location_id, names, 'names')
  const fields = { ...NEW_BOOKABLE, ...given, tags: [...new Set(given.tags)] }
  const bookables = names.map((name) => ({ ...fields, name }))
  const created = await insertBookables(trx, location_id, bookables, context)
  return { data: { ids: created.map(({ id }) => id) } }
}

/** SQL: :bookables as rows with these fields and an id, which is null for new ones. */
export const GIVEN_BOOKABLES =
  'jsonb_populate_recordset(CAST(NULL AS bookables), CAST(:bookables AS jsonb)) WITH ORDINALITY'
export const FIELDS = Object.keys(NEW_BOOKABLE).join(', ')

export async function insertBookables(
  trx: Transaction,
  locationId: number,
  bookables: Array<Partial<BookableFields>>,
  context: WorkContext,
): Promise<AuditedRow[]> {
  const { rows } = await trx.raw(
    `INSERT INTO bookables (location_id, ${FIELDS}) SELECT :locationId, ${FIELDS} FROM ${GIVEN_BOOKABLES} ORDER BY ordinality
     RETURNING ${auditedRow('bookables')}`,
    { locationId, bookables: JSON.stringify(bookables) },
  )
  const changes = rows.map(({ id, row }: AuditedRow) => ({ id, after: row }))
  await auditEach(trx, context, 'bookables.create', CREATED, changes)
  return rows
}

// Locks the location, so that two requests cannot add the same name.
export async function lockLocation(trx: Transaction, id: number): Promise<void> {
  const { rows } = await trx.raw('SELECT FROM locations WHERE id = ? FOR NO KEY UPDATE', [id])
  if (rows.length === 0) throw invalid({ location_id: [message`There is no location with this id.`] })
}

// Ignores case, because names that differ only in case sound the same.
export async function refuseTakenNames(
  trx: Transaction,
  locationId: number,
  names: string[],
  field: string,
): Promise<void> {
  const taken = await trx.raw(
    `SELECT name FROM unnest(?::text[]) AS asked (name)
     WHERE lower(name) IN (
       SELECT lower(bookables.name) FROM bookables WHERE location_id = ? AND deleted_at IS NULL
     ) GROUP BY name ORDER BY ${naturalSql('name')}`,
    [names, locationId],
  )
  const repeated = await trx.raw(
    `SELECT min(name) AS name FROM unnest(?::text[]) AS asked (name) GROUP BY lower(name) HAVING count(*) > 1
     ORDER BY ${naturalSql('min(name)')}`,
    [names],
  )
  const problems = [
    counted(
      taken.rows.length,
      '{0} already exists in this location.',
      '{0} already exist in this location.',
      listRowNames(taken.rows),
    ),
    counted(
      repeated.rows.length,
      '{0} is in the list more than once.',
      '{0} are in the list more than once.',
      listRowNames(repeated.rows),
    ),
  ].filter(({ count }) => count !== 0)
  if (problems.length > 0) throw invalid({ [field]: problems })
}

const listRowNames = (rows: Array<{ name: string }>) =>
  listNames(
    rows.map(({ name }) => name),
    NAMES_SHOWN_MAX,
  )
