// Queries for a person's waitlist entries, with their position in the line and the current offers.
import { message } from '../../../shared/messages/message.ts'
import * as rows from '../../reads/rows/rows.ts'
import { flagColumn, instantColumn, nullableColumn, numberColumn, textColumn } from '../../reads/rows/rows.ts'
import type { Call } from '../pages/page/page.ts'

/**
 * SQL that counts how many people are ahead in the line for the same place, or for any place of its type on its floor.
 */
const countAheadSql = (wait: {
  id: string
  bookable: string
  location: string
  type: string
  during: string
}) =>
  numberColumn(`(
  SELECT count(*)::int FROM waits AS others
  WHERE others.state = 'waiting' AND others.id < ${wait.id} AND others.during && ${wait.during}
    AND (others.bookable_id = ${wait.bookable} OR (others.location_id = ${wait.location} AND others.type = ${wait.type})))`)

const WAIT_COLUMNS = {
  id: numberColumn('waits.id'),
  state: textColumn('waits.state'),
  /** The id and the name of the bookable; null if the person waits for any place on the floor. */
  bookableId: nullableColumn(numberColumn('bookables.id')),
  bookable: nullableColumn(textColumn('bookables.name')),
  type: numberColumn('coalesce(bookables.type, waits.type)'),
  from: instantColumn('lower(coalesce(holds.during, waits.during))'),
  to: instantColumn('upper(waits.during)'),
  expiresAt: nullableColumn(instantColumn('holds.expires_at')),
  /** The refusal code, if the entry was removed because the person has booked something else. */
  endReason: nullableColumn(textColumn('waits.end_reason')),
  ahead: countAheadSql({
    id: 'waits.id',
    bookable: 'waits.bookable_id',
    location: 'locations.id',
    during: 'waits.during',
    type: 'coalesce(waits.type, bookables.type)',
  }),
  ...rows.PLACE_COLUMNS,
}
export type OwnWaitlistEntry = rows.RowOf<typeof WAIT_COLUMNS>
export type WaitlistOffer = OwnWaitlistEntry & { bookable: string; expiresAt: string }

const ENDED_SHOWN_HOURS = 24
const SHOWN_ENTRIES_MAX = 20

/** Lists the person's open waitlist entries, and the entries that ended by themselves within the last day. */
export function listOwnWaitlistEntries({ reads, requirePerson, now }: Call): Promise<OwnWaitlistEntry[]> {
  return rows.selectRows(
    reads,
    WAIT_COLUMNS,
    `waits LEFT JOIN holds ON holds.id = waits.hold_id
     LEFT JOIN bookables ON bookables.id = coalesce(holds.bookable_id, waits.bookable_id)
     JOIN locations ON locations.id = coalesce(bookables.location_id, waits.location_id)
     JOIN buildings ON buildings.id = locations.building_id
     WHERE waits.user_id = $1 AND (
       (waits.state = 'waiting' AND upper(waits.during) > $2::timestamptz)
       OR (waits.state = 'offered' AND holds.expires_at > $2::timestamptz)
       OR ((waits.state = 'missed' OR waits.end_reason IS NOT NULL)
         AND waits.ended_at > $2::timestamptz - interval '${ENDED_SHOWN_HOURS} hours'))
     ORDER BY lower(waits.during), waits.id LIMIT ${SHOWN_ENTRIES_MAX}`,
    [requirePerson().id, now],
  )
}

export const isWaitlistOffer = (wait: OwnWaitlistEntry): wait is WaitlistOffer =>
  wait.state === 'offered' && wait.bookable !== null && wait.expiresAt !== null

/** What somebody waits for: one desk or room, or any place of a type on a floor. */
export type WaitlistTarget = {
  bookable?: number | undefined
  location?: number | undefined
  type?: number | undefined
  from: string
  to: string
}

const TARGET_COLUMNS = {
  bookable: nullableColumn(textColumn('bookables.name')),
  type: numberColumn('coalesce(bookables.type, asked.type)'),
  requiresVehicle: flagColumn('coalesce(bookables.requires_vehicle, false)'),
  ahead: countAheadSql({
    id: '9223372036854775807',
    bookable: 'asked.bookable_id',
    location: 'locations.id',
    type: 'coalesce(bookables.type, asked.type)',
    during: 'asked.during',
  }),
  ...rows.PLACE_COLUMNS,
}

/** Finds the place or floor whose waitlist the person is about to join. */
export function requireWaitlistTarget(
  reads: Call['reads'],
  { bookable, location, type, from, to }: WaitlistTarget,
) {
  return rows.requireRow<rows.RowOf<typeof TARGET_COLUMNS>>(
    message`There is no waitlist for this.`,
    reads,
    `SELECT ${rows.columnsSql(TARGET_COLUMNS)}
     FROM (SELECT $1::bigint AS bookable_id, $2::bigint AS location_id, $3::smallint AS type,
       tstzrange($4, $5) AS during) AS asked
     LEFT JOIN bookables ON bookables.id = asked.bookable_id AND bookables.deleted_at IS NULL
     JOIN locations ON locations.id = coalesce(bookables.location_id, asked.location_id)
     JOIN buildings ON buildings.id = locations.building_id
     WHERE coalesce(bookables.type, asked.type) IS NOT NULL`,
    [bookable ?? null, location ?? null, type ?? null, from, to],
  )
}
