// A colleague near whom the person wants to sit: which desk the colleague has on a day, and at which hours.
// The colleague may have another desk on another day, so the page's address names the colleague instead of
// the desk.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import {
  formatLocalDate,
  formatLocalDateTime,
  parseLocalDateTime,
} from '../../../../shared/schemas/wall-clock.ts'
import { selectRow, textColumn } from '../../../reads/rows/rows.ts'
import type { Call } from '../../pages/page/page.ts'
import { type BookedSeat, listSeats } from '../../pages/search/seats.ts'

/** `seat` is undefined if the colleague has no desk on that day; `hours` is empty if the colleague's hours
 * are unknown. */
export type ColleagueToJoin = { name: string; seat: BookedSeat | undefined; hours: SeatHours }
type SeatHours = { from?: string | undefined; to?: string | undefined }
type LocalDay = { date: string; zone: string }

/** Returns undefined if the person may not see the colleague. */
export async function findColleagueToJoin(
  { reads, now }: Pick<Call, 'reads' | 'now'>,
  id: number,
  { date, zone }: LocalDay,
): Promise<ColleagueToJoin | undefined> {
  const colleague = await selectRow(reads, { name: textColumn('name') }, 'colleagues WHERE id = $1', [id])
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
  return { ...colleague, seat, hours: booked ? findHoursOn(date, booked) : {} }
}

/** Returns the hours of a seat on a day, in the time zone of the place. `from` is absent if the booking
 * begins before that day, and `to` is absent if it ends after that day. */
function findHoursOn(date: string, { from, to, zone }: BookedSeat): SeatHours {
  const timeOn = (instant: string | null) => {
    const [day, time] = instant === null ? [] : formatLocalDateTime(instant, zone).split('T')
    return day === date ? time?.slice(0, 5) : undefined
  }
  return { from: timeOn(from), to: timeOn(to) }
}
