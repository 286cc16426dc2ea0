// Rows of bookables: created and deleted by administrators, and changed, each with one statement for many.
import type { RecordedAction } from '../../../shared/audit/audit.ts'
import { type BookableFields, NEW_BOOKABLE } from '../../../shared/bookables/bookable-columns.ts'
import { CREATED } from '../../../shared/changes/former.ts'
import { counted, listNames, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { naturalSql } from '../../../shared/schemas/ordering.ts'
import type { AuditedRow, Handlers, Write } from '../../runtime/write.ts'
import { resolveAffectedBookings } from '../affected-bookings/resolve-affected-bookings.ts'
import { FUTURE_CLAIMS, lockBookables, lockClaims } from '../claims/locks.ts'
import { auditedRow } from '../rows/rows.ts'

const TAKEN_SHOWN_MAX = 5
const NAMES_SHOWN_MAX = 3

export const bookableRowHandlers: Handlers<'bookables.create' | 'bookables.delete'> = {
  /** Each with a unique name in its location. */
  async 'bookables.create'(write, { location_id, names, ...given }) {
    await lockLocation(write, location_id)
    await refuseTakenNames(write, location_id, names, 'names')
    const fields = { ...NEW_BOOKABLE, ...given, tags: [...new Set(given.tags)] }
    const bookables = names.map((name) => ({ ...fields, name }))
    const created = await insertBookables(write, location_id, bookables)
    return { data: { ids: created.map(({ id }) => id) } }
  },

  /** All or none, none with future claims. Those with past bookings are kept for their history, hidden. */
  async 'bookables.delete'(write, input) {
    const ids = [...new Set(input.ids)]
    const search = { ids, times: [{ from: write.now, to: null }] }
    await resolveAffectedBookings(write, search, input)
    await lockClaims(write, ids)
    const before = await lockBookables(write, ids, 'FOR UPDATE')
    await refuseClaimed(write, ids)
    const former = await write.readFormer('bookables', ids)
    await write.auditRows('bookables.delete', former, { before, after: await remove(write, ids) })
    return { data: { deleted: ids.length } }
  },
}

/** SQL: :bookables as rows with these fields and an id, which is null for new ones. */
export const GIVEN_BOOKABLES =
  'jsonb_populate_recordset(CAST(NULL AS bookables), CAST(:bookables AS jsonb)) WITH ORDINALITY'
export const FIELDS = Object.keys(NEW_BOOKABLE).join(', ')

export async function insertBookables(
  write: Write,
  locationId: number,
  bookables: Array<Partial<BookableFields>>,
): Promise<AuditedRow[]> {
  const after = await write.all<AuditedRow>(
    `INSERT INTO bookables (location_id, ${FIELDS}) SELECT :locationId, ${FIELDS} FROM ${GIVEN_BOOKABLES} ORDER BY ordinality
     RETURNING ${auditedRow('bookables')}`,
    { locationId, bookables: JSON.stringify(bookables) },
  )
  await write.auditRows('bookables.create', CREATED, { after })
  return after
}

type Update = {
  action?: RecordedAction
  /** SQL after SET, with named values. */
  set: string
  values?: Record<string, string | number>
  /** SQL: a table `given` with a row for each id, for `set`. */
  given?: string
  /** SQL of what the audit log stores. */
  audited?: string
}

/** Changes locked rows. Returns how many were changed: all of them. */
export async function updateBookables(
  write: Write,
  before: AuditedRow[],
  { action = 'bookables.edit', set, values, given, audited = auditedRow('bookables') }: Update,
) {
  const ids = before.map(({ id }) => id)
  const former = await write.readFormer('bookables', ids)
  const after = await write.all<AuditedRow>(
    `UPDATE bookables SET ${set}, updated_at = now() ${given ? `FROM ${given}` : ''}
     WHERE bookables.id = ANY(CAST(:ids AS bigint[])) ${given ? 'AND given.id = bookables.id' : ''} RETURNING ${audited}`,
    { ...values, ids },
  )
  await write.auditRows(action, former, { before, after })
  return { data: { changed: before.length } }
}

/**
 * Returns the rows that it keeps, because mails and calendars still say where a booking was. Other bookables may use their
 * integration e-mails again.
 */
export async function remove(write: Write, ids: number[]): Promise<AuditedRow[]> {
  await write.run(
    `DELETE FROM bookables
     WHERE id = ANY(?::bigint[]) AND NOT EXISTS (SELECT FROM bookings WHERE bookable_id = bookables.id)
       AND NOT EXISTS (SELECT FROM holds WHERE bookable_id = bookables.id)
       AND NOT EXISTS (SELECT FROM cancelled_bookings WHERE bookable_id = bookables.id)`,
    [ids],
  )
  await write.run('DELETE FROM bookable_assignees WHERE bookable_id = ANY(?::bigint[])', [ids])
  return write.all(
    `UPDATE bookables SET deleted_at = now(), integration_email = NULL, updated_at = now()
     WHERE id = ANY(?::bigint[])
     RETURNING ${auditedRow('bookables')}`,
    [ids],
  )
}

export async function refuseClaimed(write: Write, ids: number[]): Promise<void> {
  const claimed = await write.all<{ name: string; number: number }>(
    `SELECT bookables.name, count(*)::int AS number
     FROM (${FUTURE_CLAIMS}) AS claims JOIN bookables ON bookables.id = claims.bookable_id
     GROUP BY bookables.id ORDER BY ${naturalSql('bookables.name')}, bookables.id`,
    { ids, now: write.now },
  )
  if (claimed.length === 0) return
  const names = claimed.map(({ name, number }) => `${name} (${number})`)
  throw new Refusal(
    'in_use',
    message`There are current or upcoming bookings or meetings of ${listNames(names, NAMES_SHOWN_MAX)}. Nothing was deleted.`,
  )
}

/** Locks the location, so that two requests cannot add the same name. */
export async function lockLocation(write: Write, id: number): Promise<void> {
  if (await write.first('SELECT FROM locations WHERE id = ? FOR NO KEY UPDATE', [id])) return
  throw invalid({ location_id: [message`There is no floor with this id.`] })
}

/** Ignores case, because names that differ only in case sound the same. */
export async function refuseTakenNames(write: Write, locationId: number, names: string[], field: string) {
  const taken = await write.all<{ name: string }>(
    `SELECT name FROM unnest(?::text[]) AS asked (name)
     WHERE lower(name) IN (
       SELECT lower(bookables.name) FROM bookables WHERE location_id = ? AND deleted_at IS NULL
     ) GROUP BY name ORDER BY ${naturalSql('name')}`,
    [names, locationId],
  )
  const repeated = await write.all<{ name: string }>(
    `SELECT min(name) AS name FROM unnest(?::text[]) AS asked (name) GROUP BY lower(name) HAVING count(*) > 1
     ORDER BY ${naturalSql('min(name)')}`,
    [names],
  )
  const problems = [
    counted(
      taken.length,
      '{0} already exists on this floor.',
      '{0} already exist on this floor.',
      listed(taken, TAKEN_SHOWN_MAX),
    ),
    counted(
      repeated.length,
      '{0} is in the list more than once.',
      '{0} are in the list more than once.',
      listed(repeated, TAKEN_SHOWN_MAX),
    ),
  ].filter(({ count }) => count !== 0)
  if (problems.length > 0) throw invalid({ [field]: problems })
}

/** “Desk 1, Desk 2 and 38 more”. */
export const formatNames = (rows: AuditedRow[]) => {
  const named = rows.map(({ row }) => ({ name: String(row.name) }))
  return listed(named, NAMES_SHOWN_MAX)
}

const listed = (named: Array<{ name: string }>, max: number) =>
  listNames(
    named.map(({ name }) => name),
    max,
  )
