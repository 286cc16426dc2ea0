// Models writes that create several bookings: batches and series. Each booking is checked against those before it.
import {
  addBooking,
  type BookingBody,
  createBookingAnswer,
  END_NOT_AFTER_START,
  findRefusalByChecks,
  findRefusalByClaims,
  findRefusalByCounts,
  isBackwards,
  toWantedBooking,
  type WantedBooking,
} from './bookings.ts'
import { type ExpectedAnswer, refuse } from './refusals.ts'
import type { Span, State } from './state.ts'

const DAY_MS = 24 * 3_600_000

type RefusedBooking = { status: number; body: { code: string } & Record<string, unknown> }
export type Decision = { booking: unknown } | RefusedBooking
type TimedRequest<Body> = { body: Body; now: string }

export type BatchBody = { bookings: BookingBody[]; atomic: boolean }
export type SeriesBody = BookingBody & {
  from_time: string
  repeat: { every: 'day'; interval: number; count: number }
  on_conflict: 'refuse' | 'skip'
}

/** `ids` are the ids that the database assigned to the created bookings, in order. */
export function createBatch(
  state: State,
  { body, now }: TimedRequest<BatchBody>,
  ids: number[],
): ExpectedAnswer {
  const backwards = body.bookings.flatMap((each, index) => (isBackwards(each) ? [index] : []))
  if (backwards.length > 0) {
    const errors = Object.fromEntries(
      backwards.map((index) => {
        const field = `bookings.${index}.to_time`
        return [field, [`${field} must be after from_time.`]]
      }),
    )
    return refuse('validation_failed', { errors })
  }
  const wanted = body.bookings.map((each) => toWantedBooking(each, now))
  const { decisions, undo } = decideBookings(state, wanted, ids)
  const refused = decisions.findIndex(isRefused)
  if (body.atomic && refused >= 0) return undo(withIndex(decisions, refused))
  const data = decisions.map((decision) =>
    isRefused(decision) ? { status: decision.status, ...decision.body } : { status: 200, ...decision },
  )
  return { status: 200, body: { data } }
}

/** Creates a series. Every day has 24 hours, because the stage is in UTC. */
export function createSeries(
  state: State,
  { body, now }: TimedRequest<SeriesBody>,
  { id, ids }: { id: number; ids: number[] },
): ExpectedAnswer {
  const { repeat, on_conflict, ...booking } = body
  if (isBackwards(booking)) return refuse('validation_failed', { errors: END_NOT_AFTER_START })
  const spans = Array.from({ length: repeat.count }, (_, number): Span => {
    const ms = number * repeat.interval * DAY_MS
    return { from: addMs(booking.from_time, ms), to: addMs(booking.to_time, ms) }
  })
  const wanted = spans.map(({ from, to }) =>
    toWantedBooking({ ...booking, from_time: from, to_time: to }, now, id),
  )
  const { decisions, undo } = decideBookings(state, wanted, ids)
  const refused = decisions.findIndex(isRefused)
  const isSkipping = on_conflict === 'skip' && decisions.some((decision) => !isRefused(decision))
  if (refused >= 0 && !isSkipping) return undo(withIndex(decisions, refused))
  const wrong = decisions.filter(isRefused).find(({ status }) => status === 422)
  if (wrong) return undo(wrong)
  state.series.push(id)
  const created = decisions.flatMap((decision) => (isRefused(decision) ? [] : [decision.booking]))
  const skipped = decisions.flatMap((decision, index) =>
    isRefused(decision) ? [{ ...spans[index], code: decision.body.code }] : [],
  )
  return { status: 200, body: { data: { id, created, skipped } } }
}

export function decideBookings(state: State, wanted: WantedBooking[], ids: number[]) {
  const before = state.bookings
  state.bookings = [...before]
  const fresh = new Map<number, number>()
  const decisions: Array<Decision | undefined> = wanted.map(
    (each) => findRefusalByChecks(state, each) as RefusedBooking,
  )
  const taken: number[] = []
  for (const [index, each] of wanted.entries()) {
    decisions[index] ??= findRefusalByCounts(state, each) as RefusedBooking | undefined
    if (decisions[index]) continue
    if (findRefusalByClaims(state, each)) taken.push(index)
    // Uses a temporary id. Real ids are assigned at the end, in the order of the request.
    else fresh.set(index, addBooking(state, each, -1 - index).id)
  }
  // A refusal also names what else is free, which depends on later bookings too.
  for (const index of taken)
    decisions[index] = findRefusalByClaims(state, wanted[index] as WantedBooking) as RefusedBooking
  nameBookings(state, wanted, fresh, ids)
  return {
    decisions: wanted.map((_each, index): Decision => {
      const refused = decisions[index]
      if (refused) return refused
      const booking = state.bookings.find(({ id }) => id === fresh.get(index))
      return { booking: booking && createBookingAnswer(state, booking) }
    }),
    undo(refusal: ExpectedAnswer): ExpectedAnswer {
      state.bookings = before
      return refusal
    },
  }
}

function nameBookings(
  state: State,
  wanted: WantedBooking[],
  fresh: Map<number, number>,
  ids: number[],
): void {
  const made = wanted.map((_each, index) => index).filter((index) => fresh.has(index))
  made.forEach((index, place) => {
    const booking = state.bookings.find(({ id }) => id === fresh.get(index))
    if (!booking) return
    booking.id = ids[place] ?? -1
    fresh.set(index, booking.id)
  })
}

export const isRefused = (decision: Decision): decision is RefusedBooking => 'status' in decision

export function withIndex(decisions: Decision[], index: number): ExpectedAnswer {
  const { status, body } = decisions[index] as RefusedBooking
  return { status, body: { ...body, index } }
}

export const addMs = (instant: string, ms: number) =>
  new Date(Date.parse(instant) + ms).toISOString().replace('Z', '000Z')
