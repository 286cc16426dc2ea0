// Several bookings by one write in the model: batches and series. Of a user whose bookings are counted one comes in each round,
// so that the next one sees it; what is refused in a round is told what is in the way at the end of it.
import {
  addBooking,
  type BookingBody,
  bookingAnswer,
  isBackwards,
  NEVER_AFTER,
  refusedByChecks,
  refusedByClaims,
  refusedByCounts,
  type WantedBooking,
  wantedBooking,
} from './bookings.ts'
import { type Expected, refuse } from './refusals.ts'
import { counts } from './rules.ts'
import { bookableOf, type Span, type State } from './state.ts'

const DAY_MS = 24 * 3_600_000

type Refused = { status: number; body: { code: string } & Record<string, unknown> }
type Decision = { booking: unknown } | Refused
type Sent<Body> = { body: Body; now: string }

export type BatchBody = { bookings: BookingBody[]; atomic: boolean }
export type SeriesBody = BookingBody & {
  from_time: string
  repeat: { every: 'day'; interval: number; count: number }
  on_conflict: 'refuse' | 'skip'
}

/** `ids` are what the database called those that were made, in order. */
export function createBatch(state: State, { body, now }: Sent<BatchBody>, ids: number[]): Expected {
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
  const wanted = body.bookings.map((each) => wantedBooking(each, now))
  const { decisions, undo } = decide(state, wanted, ids)
  const refused = decisions.findIndex(isRefused)
  if (body.atomic && refused >= 0) return undo(withIndex(decisions, refused))
  const data = decisions.map((decision) =>
    isRefused(decision) ? { status: decision.status, ...decision.body } : { status: 200, ...decision },
  )
  return { status: 200, body: { data } }
}

/** The stage is in UTC, where each day has 24 hours. */
export function createSeries(
  state: State,
  { body, now }: Sent<SeriesBody>,
  { id, ids }: { id: number; ids: number[] },
): Expected {
  const { repeat, on_conflict, ...booking } = body
  if (isBackwards(booking)) return refuse('validation_failed', { errors: NEVER_AFTER })
  const spans = Array.from({ length: repeat.count }, (_, number): Span => {
    const ms = number * repeat.interval * DAY_MS
    return { from: later(booking.from_time, ms), to: later(booking.to_time, ms) }
  })
  const wanted = spans.map(({ from, to }) =>
    wantedBooking({ ...booking, from_time: from, to_time: to }, now, id),
  )
  const { decisions, undo } = decide(state, wanted, ids)
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

/** Those that have not begun from then on are gone; one that runs ends now, unless only later ones are meant. */
export function deleteSeries(state: State, id: number, from: string | undefined, now: string): Expected {
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

function decide(state: State, wanted: WantedBooking[], ids: number[]) {
  const before = state.bookings
  state.bookings = [...before]
  const fresh = new Map<number, number>()
  const decisions: Array<Decision | undefined> = wanted.map((each) => refusedByChecks(state, each) as Refused)
  for (const round of roundsOf(state, wanted, decisions)) {
    for (const index of round) {
      const each = wanted[index] as WantedBooking
      if (counts(state, bookableOf(state, each.body.bookable_id))) {
        decisions[index] = refusedByCounts(state, each) as Refused
      }
    }
    const open = round.filter((index) => !decisions[index])
    const full = open.filter((index) => {
      const each = wanted[index] as WantedBooking
      if (refusedByClaims(state, each)) return true
      // Named when it is known which ids they have: in the order in which they came, and not in that of the rounds.
      fresh.set(index, addBooking(state, each, -1 - index).id)
      return false
    })
    for (const index of full)
      decisions[index] = refusedByClaims(state, wanted[index] as WantedBooking) as Refused
  }
  nameBookings(state, wanted, fresh, ids)
  return {
    decisions: wanted.map((_each, index): Decision => {
      const refused = decisions[index]
      if (refused) return refused
      const booking = state.bookings.find(({ id }) => id === fresh.get(index))
      return { booking: booking && bookingAnswer(state, booking) }
    }),
    undo(refusal: Expected): Expected {
      state.bookings = before
      return refusal
    },
  }
}

function roundsOf(state: State, wanted: WantedBooking[], decisions: unknown[]): number[][] {
  const rounds: number[][] = []
  const seen = new Map<number, number>()
  wanted.forEach(({ body }, index) => {
    if (decisions[index]) return
    const isCounted = counts(state, bookableOf(state, body.bookable_id))
    const number = isCounted ? (seen.get(body.user_id) ?? 0) : 0
    if (isCounted) seen.set(body.user_id, number + 1)
    rounds[number] = [...(rounds[number] ?? []), index]
  })
  return rounds
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

const isRefused = (decision: Decision): decision is Refused => 'status' in decision

function withIndex(decisions: Decision[], index: number): Expected {
  const { status, body } = decisions[index] as Refused
  return { status, body: { ...body, index } }
}

const later = (instant: string, ms: number) =>
  new Date(Date.parse(instant) + ms).toISOString().replace('Z', '000Z')
