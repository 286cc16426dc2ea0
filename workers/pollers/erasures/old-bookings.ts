// Anonymizes bookings and events that ended long ago, in small pieces, so that other writes do not wait.
import type { Knex } from 'knex'
import { readFormerPlaces } from '../../../shared/changes/former.ts'
import { recordChanges, UPKEEP } from '../../../shared/changes/record.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import {
  ANONYMIZE_BOOKING,
  ANONYMIZE_EVENT,
  ensureAnonymousUser,
} from '../../../shared/erasures/erase-user.ts'
import type { Config } from '../../../shared/settings/config.ts'
import type { Log } from '../../../shared/utilities/log.ts'

const PIECE = 2_000

type Cursor = { start: string; id: number }

/** The audit log shows who had a booking for as long as it is kept. */
export function warnOfAuditLog(
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

/** Zero months means never. */
export async function anonymizeOldBookings(database: Knex, months: number, log: Log): Promise<void> {
  if (months === 0) return
  const { rows } = await database.raw('SELECT now() - make_interval(months => ?) AS cutoff', [months])
  const values = { cutoff: rows[0].cutoff, anonymous: await ensureAnonymousUser(database) }
  const bookings = await anonymize(database, 'bookings', values)
  const events = await anonymize(database, 'events', values)
  const holds = await deleteOldHolds(database, values)
  log.info({ bookings, events, holds }, 'old bookings anonymized')
}

// They say who wanted what, and count nowhere.
async function deleteOldHolds(database: Knex, { cutoff }: Values): Promise<number> {
  const old = `DELETE FROM holds WHERE state <> 'pending' AND upper(during) < ?`
  return ((await database.raw(old, [cutoff])) as { rowCount: number }).rowCount
}

type Values = { cutoff: string; anonymous: number }
type Piece = { changed: number[]; last: Cursor | null }

async function anonymize(database: Knex, resource: 'bookings' | 'events', values: Values): Promise<number> {
  let number = 0
  for (let from: Cursor | null = { start: '-infinity', id: 0 }; from; ) {
    const bindings: Values & Cursor = { ...values, ...from }
    const { changed, last } = await database.transaction(async (trx) => {
      const piece = onlyRow<Piece>((await trx.raw(ANONYMIZE[resource], bindings)).rows)
      const former = await readFormerPlaces(trx, resource, piece.changed)
      await recordChanges(trx, UPKEEP, { resource, action: 'updated' }, former)
      return piece
    })
    number += changed.length
    from = last
  }
  return number
}

const ANONYMIZE = {
  // In the order of their starts, which has an index; rows that are already anonymous are skipped.
  bookings: `
    WITH piece AS (
      SELECT id, lower(during) AS start FROM bookings
      WHERE user_id IS NOT NULL AND (lower(during), id) > (CAST(:start AS timestamptz), :id)
        AND lower(during) < :cutoff
      ORDER BY lower(during), id LIMIT ${PIECE}
    ), changed AS (
      UPDATE bookings SET ${ANONYMIZE_BOOKING}
      WHERE id IN (SELECT id FROM piece) AND user_id <> :anonymous
        AND NOT upper_inf(during) AND upper(during) < :cutoff
      RETURNING id
    )
    SELECT (SELECT coalesce(json_agg(id ORDER BY id), '[]') FROM changed) AS changed,
      (SELECT json_build_object('start', start, 'id', id) FROM piece ORDER BY start DESC, id DESC LIMIT 1) AS last`,
  // The rooms stay claimed in the past; the attendees are removed. The next piece has what is left.
  events: `
    WITH piece AS (
      SELECT id FROM events
      WHERE organizer_user_id <> :anonymous AND NOT upper_inf(during) AND upper(during) < :cutoff LIMIT ${PIECE}
    ), left_out AS (
      DELETE FROM event_attendees WHERE event_id IN (SELECT id FROM piece)
    ), changed AS (
      UPDATE events SET ${ANONYMIZE_EVENT} WHERE id IN (SELECT id FROM piece) RETURNING id
    )
    SELECT coalesce(json_agg(id ORDER BY id), '[]') AS changed,
      CASE WHEN count(*) = ${PIECE} THEN json_build_object('start', '-infinity', 'id', 0) END AS last FROM changed`,
}
