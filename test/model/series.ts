// Models writes about several bookings of a series: those of a time, or a booking and others of its series.

import { createBookingAnswer, END_NOT_AFTER_START, isBackwards } from './bookings.ts'
import {
  type BookingChanges,
  changedBooking,
  deleteBooking,
  findRefusalByChangeChecks,
  saveBookingChange,
  spanAfter,
  type TimedRequest,
  updateBooking,
} from './model.ts'
import { type ExpectedAnswer, refuse } from './refusals.ts'
import type { Booking, Span, State } from './state.ts'

export type Scope = 'one' | 'following' | 'all'

/** Deletes the bookings of a series from a time on. Without a time, a running booking ends now. */
export function deleteSeries(
  state: State,
  id: number,
  from: string | undefined,
  now: string,
): ExpectedAnswer {
  if (!state.series.includes(id)) return refuse('not_found')
  const since = from ?? now
  const isMeant = (booking: Span) =>
    booking.to > now && (booking.from >= since || (booking.from < now && since <= now))
  state.bookings = state.bookings.flatMap((booking) => {
    if (booking.series !== id || !isMeant(booking)) return [booking]
    return booking.from < now ? [{ ...booking, to: now }] : []
  })
  return { status: 204, body: null }
}

/** Changes a booking and others of its series by as much, or none of them. */
export function updateBookings(
  state: State,
  { id, scope }: { id: number; scope: Scope },
  sent: TimedRequest<BookingChanges>,
): ExpectedAnswer {
  const { body, now } = sent
  if (isBackwards(body)) return refuse('validation_failed', { errors: END_NOT_AFTER_START })
  const named = state.bookings.find((each) => each.id === id)
  if (!named) return refuse('not_found')
  if (named.series === null || scope === 'one') return updateBooking(state, id, sent)
  const before = structuredClone(state.bookings)
  const shift = createShift(named, spanAfter(named, sent))
  const changes = listConcerned(state, named, { scope, now }).map((booking) => {
    const { from, to } = shift(booking)
    const times = {
      ...('from_time' in body && { from_time: from }),
      ...('to_time' in body && { to_time: to }),
    }
    return { booking, sent: { body: booking === named ? body : { ...body, ...times }, now } }
  })
  const waiting = new Set(changes.map(({ booking }) => booking.id))
  let refused = changes.reduce<ExpectedAnswer | undefined>(
    (found, { booking, sent }) => found ?? findRefusalByChangeChecks(state, booking, sent),
    undefined,
  )
  const moved = new Map(changes.map(({ booking, sent }) => [booking.id, changedBooking(booking, sent)]))
  const after = { ...state, bookings: state.bookings.map((each) => moved.get(each.id) ?? each) }
  for (const { booking, sent } of refused ? [] : changes) {
    refused = saveBookingChange(state, booking, sent, { ignored: waiting, after })
    if (refused) break
    waiting.delete(booking.id)
  }
  if (!refused) return { status: 200, body: { data: createBookingAnswer(state, named) } }
  state.bookings = before
  return refused
}

/** Deletes a booking and others of its series. A running one ends now, and those that are over stay. */
export function deleteBookings(
  state: State,
  { id, scope }: { id: number; scope: Scope },
  now: string,
): ExpectedAnswer {
  const named = state.bookings.find((each) => each.id === id)
  if (!named || named.series === null || scope === 'one') return deleteBooking(state, id)
  const concerned = listConcerned(state, named, { scope, now }).filter(({ to }) => to > now)
  state.bookings = state.bookings.flatMap((booking) => {
    if (!concerned.includes(booking)) return [booking]
    return booking.from < now ? [{ ...booking, to: now }] : []
  })
  return { status: 204, body: null }
}

/** Returns the named booking and the others of its series that a change concerns, in order of time. */
function listConcerned(
  state: State,
  named: Booking,
  { scope, now }: { scope: Scope; now: string },
): Booking[] {
  return state.bookings
    .filter(
      (each) => each === named || (each.series === named.series && isConcerned(each, named, { scope, now })),
    )
    .sort(compareByTime)
}

export const isConcerned = (each: Span, named: Span, { scope, now }: { scope: Scope; now: string }) =>
  each.to > now && (scope === 'all' || named.from <= each.from)

export const compareByTime = (a: Span & { id: number }, b: Span & { id: number }) =>
  a.from === b.from ? a.id - b.id : a.from < b.from ? -1 : 1

const floorSeconds = (instant: string) => Math.floor(Date.parse(instant) / 1_000) * 1_000

/** Returns a function that moves a time by as much as a change moves another. It counts in whole seconds. */
export function createShift(before: Span, after: Span): (span: Span) => Span {
  const move = (time: string, from: string, to: string) => {
    const byMs = floorSeconds(to) - floorSeconds(from)
    return byMs === 0 ? time : new Date(floorSeconds(time) + byMs).toISOString().replace('Z', '000Z')
  }
  return ({ from, to }) => ({ from: move(from, before.from, after.from), to: move(to, before.to, after.to) })
}
