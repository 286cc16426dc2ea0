// A colleague near whom the person wants to sit: which desk they have on a day, and at which hours. On another day they may sit
// elsewhere, so the address of the page names the colleague and not the desk.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import {
  formatLocalDate,
  formatLocalDateTime,
  parseLocalDateTime,
} from '../../../../shared/schemas/wall-clock.ts'
import { selectRow, text } from '../../../reads/rows/rows.ts'
import type { Call } from '../../pages/page/page.ts'
import { listSeats, type Seat } from '../../pages/search/seats.ts'

/** `seat` is undefined if they have no desk on that day; `hours` is empty if it is unknown when they are there. */
export type Companion = { name: string; seat: Seat | undefined; hours: Hours }
type Hours = { from?: string | undefined; to?: string | undefined }
type Day = { date: string; zone: string }

/** Undefined if the person may not see them. */
export async function findCompanion(
  { reads, now }: Pick<Call, 'reads' | 'now'>,
  id: number,
  { date, zone }: Day,
): Promise<Companion | undefined> {
  const colleague = await selectRow(reads, { name: text('name') }, 'colleagues WHERE id = $1', [id])
  if (!colleague) return undefined
  const isToday = date === formatLocalDate(now, zone)
  const seats = await listSeats(
    reads,
    [id],
    isToday ? now : parseLocalDateTime(`${date}T12:00`, zone, 'date'),
  )
  const desks = seats.filter(({ type }) => type === BOOKABLE_TYPES.desk)
  const booked = desks.find(({ isAssigned, to }) => !isAssigned && (to === null || to > now))
  const seat = booked ?? desks.find(({ isAssigned }) => isAssigned)
  return { ...colleague, seat, hours: booked ? hoursOn(date, booked) : {} }
}

/** In the time zone of the place. `from` is absent if the booking begins before that day, `to` if it ends after it. */
function hoursOn(date: string, { from, to, zone }: Seat): Hours {
  const timeOn = (instant: string | null) => {
    const [day, time] = instant === null ? [] : formatLocalDateTime(instant, zone).split('T')
    return day === date ? time?.slice(0, 5) : undefined
  }
  return { from: timeOn(from), to: timeOn(to) }
}
