// Anonymizes bookings and events that ended long ago. Works in small batches, so that other writes do not wait.
import type { Knex } from 'knex'
import { readFormerBuildings } from '../../../shared/changes/former-state.ts'
import { recordChanges, UPKEEP_AUTHOR } from '../../../shared/changes/record.ts'
import { getOnlyRow } from '../../../shared/database/database.ts'
import {
  ANONYMIZE_BOOKING_SQL,
  ANONYMIZE_EVENT_SQL,
  ensureAnonymousUser,
} from '../../../shared/erasures/erase-user.ts'
import type { Config } from '../../../shared/settings/config.ts'
import type { Log } from '../../../shared/utilities/log.ts'

const ROWS_PER_PIECE = 2_000

type Cursor = { start: string; id: number }

/** Warns if audit log entries are kept longer than bookings, because the audit log shows who had a booking. */
export function warnAboutAuditLog(
  {
    bookingsAnonymousAfterMonths: months,
    auditLogKeptMonths,
  }: Pick<Config, 'bookingsAnonymousAfterMonths' | 'auditLogKeptMonths'>,
  log: Log,
) {
  if (months === 0 || (auditLogKeptMonths > 0 && auditLogKeptMonths <= months)) return
  log.warn(
    { months, auditLogKeptMonths },
    'the audit log still says whose anonymous bookings were: set AUDIT_LOG_KEPT_MONTHS to no more than BOOKINGS_ANONYMOUS_AFTER_MONTHS',
  )
}

/** Anonymizes bookings and events that are older than this many months. Zero means never. */
export async function anonymizeOldBookings(database: Knex, months: number, log: Log): Promise<void> {
  if (months === 0) return
  const { rows } = await database.raw('SELECT now() - make_interval(months => ?) AS cutoff', [months])
  const values = { cutoff: rows[0].cutoff, anonymous: await ensureAnonymousUser(database) }
  const bookings = await anonymizeRows(database, 'bookings', values)
  const events = await anonymizeRows(database, 'events', values)
  const holds = await deleteOldHolds(database, values)
  log.info({ bookings, events, holds }, 'old bookings anonymized')
}

// Deletes old holds. They record who wanted what, and no figures count them.
async function deleteOldHolds(database: Knex, { cutoff }: AnonymizeValues): Promise<number> {
  const old = `DELETE FROM holds WHERE state <> 'pending' AND upper(during) < ?`
  return ((await database.raw(old, [cutoff])) as { rowCount: number }).rowCount
}

type AnonymizeValues = { cutoff: string; anonymous: number }
type AnonymizedPiece = { changed: number[]; last: Cursor | null }

async function anonymizeRows(
  database: Knex,
  resource: 'bookings' | 'events',
  values: AnonymizeValues,
): Promise<number> {
  let number = 0
  for (let from: Cursor | null = { start: '-infinity', id: 0 }; from; ) {
    const bindings: AnonymizeValues & Cursor = { ...values, ...from }
    const { changed, last } = await database.transaction(async (trx) => {
      const piece = getOnlyRow<AnonymizedPiece>((await trx.raw(ANONYMIZE_SQL[resource], bindings)).rows)
      const former = await readFormerBuildings(trx, resource, piece.changed)
      await recordChanges(trx, UPKEEP_AUTHOR, { resource, action: 'updated' }, former)
      return piece
    })
    number += changed.length
    from = last
  }
  return number
}

const ANONYMIZE_SQL = {
  // SQL that anonymizes bookings in the order of their starts, which has an index. Skips rows that are already
  // anonymous.
  bookings: `
    WITH piece AS (
      SELECT id, lower(during) AS start FROM bookings
      WHERE user_id IS NOT NULL AND (lower(during), id) > (CAST(:start AS timestamptz), :id)
        AND lower(during) < :cutoff
      ORDER BY lower(during), id LIMIT ${ROWS_PER_PIECE}
    ), changed AS (
      UPDATE bookings SET ${ANONYMIZE_BOOKING_SQL}
      WHERE id IN (SELECT id FROM piece) AND user_id <> :anonymous
        AND NOT upper_inf(during) AND upper(during) < :cutoff
      RETURNING id
    )
    SELECT (SELECT coalesce(json_agg(id ORDER BY id), '[]') FROM changed) AS changed,
      (SELECT json_build_object('start', start, 'id', id) FROM piece ORDER BY start DESC, id DESC LIMIT 1) AS last`,
  // SQL that anonymizes events. Keeps past claims on rooms, and removes attendees and invitations. The next batch
  // continues with the rest.
  events: `
    WITH piece AS (
      SELECT id FROM events
      WHERE organizer_user_id <> :anonymous AND NOT upper_inf(during) AND upper(during) < :cutoff LIMIT ${ROWS_PER_PIECE}
    ), left_out AS (
      DELETE FROM event_attendees WHERE event_id IN (SELECT id FROM piece)
    ), uninvited AS (
      DELETE FROM invitations WHERE event_id IN (SELECT id FROM piece)
    ), changed AS (
      UPDATE events SET ${ANONYMIZE_EVENT_SQL} WHERE id IN (SELECT id FROM piece) RETURNING id
    )
    SELECT coalesce(json_agg(id ORDER BY id), '[]') AS changed,
      CASE WHEN count(*) = ${ROWS_PER_PIECE} THEN json_build_object('start', '-infinity', 'id', 0) END AS last FROM changed`,
}
