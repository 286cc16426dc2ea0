// Finds the desk that the person usually books, so that they can book it for today with one press.
import { claimsOfBookableSql } from '../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { lentUntilSql } from '../../../shared/loans/loans-shape.ts'
import { startOfDaySql } from '../../../shared/schemas/days.ts'
import { formatLocalDate } from '../../../shared/schemas/wall-clock.ts'
import * as rows from '../../reads/rows/rows.ts'
import type { Call } from '../pages/page/page.ts'
import {
  createPlaceHoursColumns,
  findWantedTime,
  listNextOpenDays,
  type PlaceHours,
} from './book/wanted-time.ts'

export type UsualDesk = rows.RowOf<typeof rows.BOOKED_PLACE_COLUMNS> & { from: string; to: string }

// SQL for the current date in the building's time zone.
const TODAY_SQL = '($2::timestamptz AT TIME ZONE timezone)::date'

const DESK_COLUMNS = {
  ...rows.BOOKED_PLACE_COLUMNS,
  ...createPlaceHoursColumns('bookables'),
  /** SQL that lists all claims of the desk today. */
  taken: rows.listColumn(
    {
      ...rows.createSpanColumns('claims'),
      to: rows.nullableColumn(rows.createSpanColumns('claims').to),
      isOwn: rows.flagColumn('claims.user_id = $1'),
    },
    `(${claimsOfBookableSql('bookables.id', startOfDaySql(TODAY_SQL, 'timezone'), startOfDaySql(`(${TODAY_SQL} + 1)`, 'timezone'))}) AS claims`,
    'lower(claims.during)',
  ),
}
type UsualDeskRow = rows.RowOf<typeof DESK_COLUMNS>

/** Finds the person's usual desk for the rest of today. Returns undefined if the desk is taken, the person
 * has left it today, or the day is over in the desk's building. */
export async function findUsualDesk({ reads, requirePerson, now }: Call): Promise<UsualDesk | undefined> {
  const desk = await rows.selectRow(
    reads,
    DESK_COLUMNS,
    `bookables ${rows.JOIN_PLACES} JOIN (
       SELECT bookable_id, count(*) AS often, max(lower(during)) AS last FROM bookings
       WHERE user_id = $1 AND guest_name IS NULL AND guest_email IS NULL
         AND during && tstzrange($2::timestamptz - interval '8 weeks', $2)
       GROUP BY bookable_id
     ) AS own ON own.bookable_id = bookables.id
     WHERE bookables.type = ${BOOKABLE_TYPES.desk} AND bookables.deleted_at IS NULL AND (
       bookables.status = ${BOOKABLE_STATUSES.flexible} OR bookables.status = ${BOOKABLE_STATUSES.assigned}
         AND (EXISTS (SELECT FROM bookable_assignees WHERE bookable_id = bookables.id AND user_id = $1)
           OR ${lentUntilSql('$2')} IS NOT NULL))
     ORDER BY often DESC, last DESC, bookables.id LIMIT 1`,
    [requirePerson().id, now],
  )
  const span = desk && findRestOfToday(now, desk)
  return span && isFree(desk, span) ? { ...desk, ...span } : undefined
}

/** Returns the time that the Book page proposes. Returns undefined if that time is on another day. */
function findRestOfToday(now: string, desk: PlaceHours): { from: string; to: string } | undefined {
  const today = formatLocalDate(now, desk.zone)
  const { date, from, to } = findWantedTime({}, desk, now)
  return date === today && listNextOpenDays(desk, now, 1)[0] === today ? { from, to } : undefined
}

/** Returns whether the desk is free. Returns false if the person had it today and left. */
function isFree({ taken }: UsualDeskRow, span: { from: string; to: string }): boolean {
  const [from, to] = [Date.parse(span.from), Date.parse(span.to)]
  return !taken.some((claim) => {
    const begins = Date.parse(claim.from)
    const ends = claim.to === null ? Infinity : Date.parse(claim.to)
    return (begins < to && ends > from) || (claim.isOwn && begins < from)
  })
}
