// What a person waits for, with their place in the line, and what they are offered.
import { message } from '../../../shared/messages/message.ts'
import * as rows from '../../reads/rows/rows.ts'
import { flag, instant, number, orNull, text } from '../../reads/rows/rows.ts'
import type { Call } from '../pages/page/page.ts'

/** SQL: how many people wait ahead of somebody for the same place, or for any of its type on its floor. */
const ahead = (wait: { id: string; bookable: string; location: string; type: string; during: string }) =>
  number(`(
  SELECT count(*)::int FROM waits AS others
  WHERE others.state = 'waiting' AND others.id < ${wait.id} AND others.during && ${wait.during}
    AND (others.bookable_id = ${wait.bookable} OR (others.location_id = ${wait.location} AND others.type = ${wait.type})))`)

const WAIT = {
  id: number('waits.id'),
  state: text('waits.state'),
  /** Null if any place on the floor will do. */
  bookable: orNull(text('bookables.name')),
  type: number('coalesce(bookables.type, waits.type)'),
  from: instant('lower(coalesce(holds.during, waits.during))'),
  to: instant('upper(waits.during)'),
  expiresAt: orNull(instant('holds.expires_at')),
  /** The code of the refusal, if the wait ended because the person has booked something else. */
  endReason: orNull(text('waits.end_reason')),
  ahead: ahead({
    id: 'waits.id',
    bookable: 'waits.bookable_id',
    location: 'locations.id',
    during: 'waits.during',
    type: 'coalesce(waits.type, bookables.type)',
  }),
  ...rows.PLACE,
}
export type OwnWait = rows.RowOf<typeof WAIT>
export type Offer = OwnWait & { bookable: string; expiresAt: string }

const ENDED_HOURS = 24
const SHOWN_MAX = 20

/** Open waits, and waits that ended by themselves within the last day. */
export function listOwnWaits({ reads, requirePerson, now }: Call): Promise<OwnWait[]> {
  return rows.selectRows(
    reads,
    WAIT,
    `waits LEFT JOIN holds ON holds.id = waits.hold_id
     LEFT JOIN bookables ON bookables.id = coalesce(holds.bookable_id, waits.bookable_id)
     JOIN locations ON locations.id = coalesce(bookables.location_id, waits.location_id)
     JOIN buildings ON buildings.id = locations.building_id
     WHERE waits.user_id = $1 AND (
       (waits.state = 'waiting' AND upper(waits.during) > $2::timestamptz)
       OR (waits.state = 'offered' AND holds.expires_at > $2::timestamptz)
       OR ((waits.state = 'missed' OR waits.end_reason IS NOT NULL)
         AND waits.ended_at > $2::timestamptz - interval '${ENDED_HOURS} hours'))
     ORDER BY lower(waits.during), waits.id LIMIT ${SHOWN_MAX}`,
    [requirePerson().id, now],
  )
}

export const isOffer = (wait: OwnWait): wait is Offer =>
  wait.state === 'offered' && wait.bookable !== null && wait.expiresAt !== null

/** For one desk or room, or for any of a type on a floor. */
export type Waited = {
  bookable?: number | undefined
  location?: number | undefined
  type?: number | undefined
  from: string
  to: string
}

const PLACE = {
  bookable: orNull(text('bookables.name')),
  type: number('coalesce(bookables.type, asked.type)'),
  requiresVehicle: flag('coalesce(bookables.requires_vehicle, false)'),
  ahead: ahead({
    id: '9223372036854775807',
    bookable: 'asked.bookable_id',
    location: 'locations.id',
    type: 'coalesce(bookables.type, asked.type)',
    during: 'asked.during',
  }),
  ...rows.PLACE,
}

/** Reads what somebody is about to wait for. */
export function requireWaited(reads: Call['reads'], { bookable, location, type, from, to }: Waited) {
  return rows.requireRow<rows.RowOf<typeof PLACE>>(
    message`There is nothing like this to wait for.`,
    reads,
    `SELECT ${rows.columnsSql(PLACE)}
     FROM (SELECT $1::bigint AS bookable_id, $2::bigint AS location_id, $3::smallint AS type,
       tstzrange($4, $5) AS during) AS asked
     LEFT JOIN bookables ON bookables.id = asked.bookable_id AND bookables.deleted_at IS NULL
     JOIN locations ON locations.id = coalesce(bookables.location_id, asked.location_id)
     JOIN buildings ON buildings.id = locations.building_id
     WHERE coalesce(bookables.type, asked.type) IS NOT NULL`,
    [bookable ?? null, location ?? null, type ?? null, from, to],
  )
}
