// Creates, updates and deletes bookables for administrators. One statement handles many rows.
import type { RecordedAction } from '../../../shared/audit/audit.ts'
import { type BookableFields, NEW_BOOKABLE_DEFAULTS } from '../../../shared/bookables/bookable-columns.ts'
import { NEWLY_CREATED } from '../../../shared/changes/former-state.ts'
import { countedMessage, listNames, message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import { naturalSql } from '../../../shared/schemas/ordering.ts'
import type { AuditedRow, Handlers, Write } from '../../runtime/write.ts'
import { resolveAffectedBookings } from '../affected-bookings/resolve-affected-bookings.ts'
import { FUTURE_CLAIMS_SQL, lockBookables, lockClaims } from '../claims/locks.ts'
import { endLoansOfOthers } from '../loans/loans.ts'
import { endRoomCalendars } from '../room-calendars/end-calendars.ts'
import { auditedRowSql } from '../rows/rows.ts'

const TAKEN_SHOWN_MAX = 5
const NAMES_SHOWN_MAX = 3

export const bookableRowHandlers: Handlers<'bookables.create' | 'bookables.delete'> = {
  /** Creates one bookable for each name. Names must be unique in the location. */
  async 'bookables.create'(write, { location_id, names, ...given }) {
    await lockLocation(write, location_id)
    await refuseTakenNames(write, location_id, names, 'names')
    const fields = { ...NEW_BOOKABLE_DEFAULTS, ...given, tags: [...new Set(given.tags)] }
    const bookables = names.map((name) => ({ ...fields, name }))
    const created = await insertBookables(write, location_id, bookables)
    return { data: { ids: created.map(({ id }) => id) } }
  },

  /**
   * Deletes either all of the bookables or none. Refuses if any bookable has future claims. Bookables with past
   * bookings are only hidden, so that their history stays.
   */
  async 'bookables.delete'(write, input) {
    const ids = [...new Set(input.ids)]
    const search = { ids, times: [{ from: write.now, to: null }] }
    await endRoomCalendars(write, ids)
    await resolveAffectedBookings(write, search, input)
    await lockClaims(write, ids)
    const before = await lockBookables(write, ids, 'FOR UPDATE')
    await refuseClaimedBookables(write, ids)
    const former = await write.readFormer('bookables', ids)
    await write.auditRows('bookables.delete', former, { before, after: await deleteBookables(write, ids) })
    return { data: { deleted: ids.length } }
  },
}

/** SQL that turns the value :bookables into rows with these fields and an id. The id is null for new bookables. */
export const BOOKABLES_FROM_JSON =
  'jsonb_populate_recordset(CAST(NULL AS bookables), CAST(:bookables AS jsonb)) WITH ORDINALITY'
export const BOOKABLE_FIELDS_SQL = Object.keys(NEW_BOOKABLE_DEFAULTS).join(', ')

export async function insertBookables(
  write: Write,
  locationId: number,
  bookables: Array<Partial<BookableFields>>,
): Promise<AuditedRow[]> {
  const after = await write.all<AuditedRow>(
    `INSERT INTO bookables (location_id, ${BOOKABLE_FIELDS_SQL}) SELECT :locationId, ${BOOKABLE_FIELDS_SQL} FROM ${BOOKABLES_FROM_JSON} ORDER BY ordinality
     RETURNING ${auditedRowSql('bookables')}`,
    { locationId, bookables: JSON.stringify(bookables) },
  )
  await write.auditRows('bookables.create', NEWLY_CREATED, { after })
  return after
}

type BookableUpdate = {
  action?: RecordedAction
  /** SQL that follows SET, with named values. */
  set: string
  values?: Record<string, string | number>
  /** SQL for a table `given` with a row for each id, which `set` can use. */
  given?: string
  /** SQL for the values that the audit log stores. */
  audited?: string
}

/** Updates locked rows. Returns the number of updated rows, which is always the number of ids. */
export async function updateBookables(
  write: Write,
  before: AuditedRow[],
  { action = 'bookables.edit', set, values, given, audited = auditedRowSql('bookables') }: BookableUpdate,
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
 * Deletes bookables. Only hides bookables that mails and calendars still mention as the place of a booking, those that
 * somebody waits or waited for, and those whose calendar is still to be unlinked. Returns the hidden bookables. Other
 * bookables may reuse their integration e-mails.
 */
export async function deleteBookables(write: Write, ids: number[]): Promise<AuditedRow[]> {
  await endLoansOfOthers(write, ids, [])
  await write.run(
    `DELETE FROM bookables
     WHERE id = ANY(?::bigint[]) AND NOT EXISTS (SELECT FROM bookings WHERE bookable_id = bookables.id)
       AND NOT EXISTS (SELECT FROM holds WHERE bookable_id = bookables.id)
       AND NOT EXISTS (SELECT FROM waits WHERE bookable_id = bookables.id)
       AND NOT EXISTS (SELECT FROM cancelled_bookings WHERE bookable_id = bookables.id)
       AND NOT EXISTS (SELECT FROM room_calendars WHERE bookable_id = bookables.id)`,
    [ids],
  )
  await write.run('DELETE FROM bookable_assignees WHERE bookable_id = ANY(?::bigint[])', [ids])
  return write.all(
    `UPDATE bookables SET deleted_at = now(), integration_email = NULL, updated_at = now()
     WHERE id = ANY(?::bigint[])
     RETURNING ${auditedRowSql('bookables')}`,
    [ids],
  )
}

export async function refuseClaimedBookables(write: Write, ids: number[]): Promise<void> {
  const claimed = await write.all<{ name: string; number: number }>(
    `SELECT bookables.name, count(*)::int AS number
     FROM (${FUTURE_CLAIMS_SQL}) AS claims JOIN bookables ON bookables.id = claims.bookable_id
     GROUP BY bookables.id ORDER BY ${naturalSql('bookables.name')}, bookables.id`,
    { ids, now: write.now },
  )
  if (claimed.length === 0) return
  const names = claimed.map(({ name, number }) => `${name} (${number})`)
  throw new Refusal(
    'in_use',
    message`There are current or upcoming bookings or meetings for ${listNames(names, NAMES_SHOWN_MAX)}. Nothing was deleted.`,
  )
}

/** Locks the location, so that no two requests can add the same name. */
export async function lockLocation(write: Write, id: number): Promise<void> {
  if (await write.first('SELECT FROM locations WHERE id = ? FOR NO KEY UPDATE', [id])) return
  throw invalidFields({ location_id: [message`There is no floor with this id.`] })
}

/** Refuses a name that another bookable in the location already has. Ignores letter case, because names that
 * differ only in case are easily confused. */
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
    countedMessage(
      taken.length,
      '{0} already exists on this floor.',
      '{0} already exist on this floor.',
      formatNameList(taken, TAKEN_SHOWN_MAX),
    ),
    countedMessage(
      repeated.length,
      '{0} is in the list more than once.',
      '{0} are in the list more than once.',
      formatNameList(repeated, TAKEN_SHOWN_MAX),
    ),
  ].filter(({ count }) => count !== 0)
  if (problems.length > 0) throw invalidFields({ [field]: problems })
}

/** Formats the names of bookables, for example as “Desk 1, Desk 2 and 38 more”. */
export const formatNames = (rows: AuditedRow[]) => {
  const named = rows.map(({ row }) => ({ name: String(row.name) }))
  return formatNameList(named, NAMES_SHOWN_MAX)
}

const formatNameList = (named: Array<{ name: string }>, max: number) =>
  listNames(
    named.map(({ name }) => name),
    max,
  )
