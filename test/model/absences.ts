// Models absences: on which days a person is away, what they refuse, and which bookings they release. All days are in
// UTC, the time zone of the stage.
import { type ExpectedAnswer, refuse } from './refusals.ts'
import {
  type Absence,
  type Booking,
  findBookable,
  findUser,
  type Span,
  type State,
  spansOverlap,
} from './state.ts'

type Days = Pick<Absence, 'from' | 'to'>
export type AbsenceBody = Days & { release_bookings: boolean }

const DAY_MS = 24 * 3_600_000
const startOfDay = (date: string) => `${date}T00:00:00.000000Z`
const startOfNextDay = (date: string) =>
  startOfDay(new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10))
const later = (one: string, other: string) => (one > other ? one : other)
const lastDayOf = ({ to }: Span) => new Date(Date.parse(to) - 1).toISOString().slice(0, 10)

type BookingForUser = { user: number; span: Span; now: string; isForGuest: boolean; overrides: boolean }

/** Refuses a booking for a person who is away on one of its days, from today on. */
export function findRefusalByAbsence(
  state: State,
  { user, span, now, isForGuest, overrides }: BookingForUser,
): ExpectedAnswer | undefined {
  const first = later(span.from, now).slice(0, 10)
  const isAway = state.absences.some(
    (each) => each.user === user && each.to >= first && each.from <= lastDayOf(span),
  )
  return isAway && !isForGuest && !overrides ? refuse('user_away') : undefined
}

/** `id` is the id that the database assigned, and `added` those of bookings that it inserted. */
export function createAbsence(
  state: State,
  user: number,
  { body, now }: { body: AbsenceBody; now: string },
  { id, added }: { id: number; added: number[] },
): ExpectedAnswer {
  const { from, to, release_bookings } = body
  if (!findUser(state, user).isActive) return refuse('not_found')
  if (state.absences.some((each) => each.user === user && each.from <= to && from <= each.to))
    return refuse('already_away')
  const released = release_bookings ? releaseBookings(state, { user, from, to, now, added }) : 0
  state.absences.push({ id, user, from, to })
  const data = { id, user_id: user, kind: 'away', from, to, released_bookings: released }
  return { status: 200, body: { data } }
}

export function deleteAbsence(state: State, user: number, id: number): ExpectedAnswer {
  if (!state.absences.some((each) => each.id === id && each.user === user)) return refuse('not_found')
  state.absences = state.absences.filter((each) => each.id !== id)
  return { status: 204, body: null }
}

type AskedDays = Days & { user: number; now: string; types?: number[] }

/** Returns what is left of some days, from now on. */
const timeAhead = ({ from, to, now }: AskedDays): Span => ({
  from: later(now, startOfDay(from)),
  to: startOfNextDay(to),
})

/** Returns the user's own bookings on some days that are not over. */
export function listBookingsInDays(state: State, asked: AskedDays): Booking[] {
  return state.bookings.filter(
    (booking) =>
      booking.user === asked.user &&
      booking.guest === null &&
      (asked.types === undefined || asked.types.includes(findBookable(state, booking.bookable).type)) &&
      spansOverlap(booking, timeAhead(asked)),
  )
}

/** Cuts the days out of the user's own bookings. Returns the number of bookings that were released. */
export function releaseBookings(state: State, asked: AskedDays & { added: number[] }): number {
  const free = timeAhead(asked)
  const released = listBookingsInDays(state, asked).sort((a, b) => a.bookable - b.bookable)
  for (const booking of released) {
    const parts = [
      { from: booking.from, to: free.from },
      { from: free.to, to: booking.to },
    ].filter(({ from, to }) => from < to)
    const left = parts.map((part, index): Booking => {
      if (index > 0)
        return { ...booking, ...part, id: asked.added.shift() ?? -1, isCheckedIn: false, opens: null }
      return { ...booking, ...part, opens: part.from === booking.from ? booking.opens : null }
    })
    state.bookings = [...state.bookings.filter((each) => each !== booking), ...left]
  }
  return released.length
}
