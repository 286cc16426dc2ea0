// Reads where the person is on each day: in the office, at home, away, or not decided yet.
import { listAbsencesSql } from '../../../../shared/absences/absences-shape.ts'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { numberColumn, textColumn } from '../../../reads/rows/rows.ts'
import type { Call } from '../../pages/page/page.ts'
import { addDaysToDate } from '../../pages/time/instants.ts'

const BOOKING_COLUMNS = {
  id: numberColumn('bookings.id'),
  ...rows.CLAIM_SPAN_COLUMNS,
  ...rows.BOOKED_PLACE_COLUMNS,
}
export type DayBooking = rows.RowOf<typeof BOOKING_COLUMNS>

const ABSENCE_COLUMNS = { id: numberColumn('id'), from: textColumn('"from"'), to: textColumn('"to"') }
type DayAbsence = rows.RowOf<typeof ABSENCE_COLUMNS>

const { desk, homeOffice } = BOOKABLE_TYPES
const BOOKINGS_MAX = 200

export type OwnDay = {
  kind: 'office' | 'home' | 'away' | null
  /** The desks and home offices of the day, in order of time. */
  bookings: DayBooking[]
  absence: DayAbsence | undefined
}

/** Reads the days from one date to another, inclusive. Returns a function that returns the day for a date. */
export async function readOwnDays(
  { reads, requirePerson }: Call,
  { from, to }: { from: string; to: string },
): Promise<(date: string) => OwnDay> {
  const { id } = requirePerson()
  const [bookings, absences] = await Promise.all([
    rows.selectRows(
      reads,
      BOOKING_COLUMNS,
      `bookings ${rows.JOIN_BOOKABLES}
       WHERE bookings.user_id = $1 AND bookables.type = ANY($2)
         AND bookings.during && tstzrange($3::date - interval '1 day', $4::date + interval '2 days')
         AND bookings.guest_name IS NULL AND bookings.guest_email IS NULL
       ORDER BY lower(bookings.during), bookings.id LIMIT ${BOOKINGS_MAX}`,
      [id, [desk, homeOffice], from, to],
    ),
    rows.selectRows(reads, ABSENCE_COLUMNS, `(${listAbsencesSql('ARRAY[$1::bigint]', '$2', '$3')}) AS own`, [
      id,
      from,
      to,
    ]),
  ])
  return (date) => {
    const own = bookings.filter((each) => isOnDate(each, date))
    const absence = absences.find((each) => each.from <= date && date <= each.to)
    return { kind: findKind(own, absence), bookings: own, absence }
  }
}

// Times are ISO texts in UTC, so a booking that ends at midnight does not touch the day that begins then.
function isOnDate({ from, to, zone }: DayBooking, date: string): boolean {
  const first = formatLocalDate(from, zone)
  if (to === null) return first <= date
  const last = formatLocalDate(new Date(Date.parse(to) - 1).toISOString(), zone)
  return first <= date && date <= last
}

function findKind(bookings: DayBooking[], absence: DayAbsence | undefined): OwnDay['kind'] {
  if (bookings.some(({ type }) => type === desk)) return 'office'
  if (bookings.length > 0) return 'home'
  return absence ? 'away' : null
}

/** Returns the same weekday of the week before. */
export const findDayWeekBefore = (date: string) => addDaysToDate(date, -7)
