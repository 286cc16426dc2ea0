// The desk that the person usually books, to book it for today with one press.
import { claimsOfBookable } from '../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import type { OpeningHours } from '../../../shared/rules/opening-hours.ts'
import { ruleInForce } from '../../../shared/rules/rules-shape.ts'
import { formatLocalDate } from '../../../shared/schemas/wall-clock.ts'
import * as rows from '../../reads/rows/rows.ts'
import type { Call } from '../pages/page/page.ts'
import { type Clocks, findWantedTime, nextDays } from './book/wanted-time.ts'

export type UsualDesk = rows.RowOf<typeof rows.BOOKED> & { from: string; to: string }

// Midnight at the start of today, in the time zone of the building.
const MIDNIGHT = `date_trunc('day', $2::timestamptz AT TIME ZONE timezone)`

const DESK = {
  ...rows.BOOKED,
  hours: rows.column<OpeningHours | null>(ruleInForce('bookables', 'opening_hours')),
  /** All claims of today. */
  taken: rows.list(
    {
      ...rows.spanOf('claims'),
      to: rows.orNull(rows.spanOf('claims').to),
      isOwn: rows.flag('claims.user_id = $1'),
    },
    `(${claimsOfBookable('bookables.id', `(${MIDNIGHT} AT TIME ZONE timezone)`, `((${MIDNIGHT} + interval '1 day') AT TIME ZONE timezone)`)}) AS claims`,
    'lower(claims.during)',
  ),
}
type Desk = rows.RowOf<typeof DESK>

/** Finds the desk for the rest of today. Undefined if it is taken, the person has left it today, or the day is over there. */
export async function findUsualDesk({ reads, requirePerson, now }: Call): Promise<UsualDesk | undefined> {
  const desk = await rows.selectRow(
    reads,
    DESK,
    `bookables ${rows.JOIN_PLACES} JOIN (
       SELECT bookable_id, count(*) AS often, max(lower(during)) AS last FROM bookings
       WHERE user_id = $1 AND guest_name IS NULL AND guest_email IS NULL
         AND during && tstzrange($2::timestamptz - interval '8 weeks', $2)
       GROUP BY bookable_id
     ) AS own ON own.bookable_id = bookables.id
     WHERE bookables.type = ${BOOKABLE_TYPES.desk} AND bookables.deleted_at IS NULL AND (
       bookables.status = ${BOOKABLE_STATUSES.flexible} OR bookables.status = ${BOOKABLE_STATUSES.assigned}
         AND EXISTS (SELECT FROM bookable_assignees WHERE bookable_id = bookables.id AND user_id = $1))
     ORDER BY often DESC, last DESC, bookables.id LIMIT 1`,
    [requirePerson().id, now],
  )
  const span = desk && restOfToday(now, desk)
  return span && isFree(desk, span) ? { ...desk, ...span } : undefined
}

/** The time that Book proposes. Undefined if it is on another day. */
function restOfToday(now: string, desk: Clocks): { from: string; to: string } | undefined {
  const today = formatLocalDate(now, desk.zone)
  const { date, from, to } = findWantedTime({}, desk, now)
  return date === today && nextDays(desk, now, 1)[0] === today ? { from, to } : undefined
}

/** False if the person had it today and left. */
function isFree({ taken }: Desk, span: { from: string; to: string }): boolean {
  const [from, to] = [Date.parse(span.from), Date.parse(span.to)]
  return !taken.some((claim) => {
    const begins = Date.parse(claim.from)
    const ends = claim.to === null ? Infinity : Date.parse(claim.to)
    return (begins < to && ends > from) || (claim.isOwn && begins < from)
  })
}
