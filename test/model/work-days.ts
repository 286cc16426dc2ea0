// Models My week: a write that sets where a person works on days, at a desk or at home, in place of what the person has
// on these days.
import { BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import { listBookingsInDays, releaseBookings } from './absences.ts'
import { type BookingBody, toWantedBooking } from './bookings.ts'
import { type ExpectedAnswer, refuse } from './refusals.ts'
import { type Decision, decideBookings, isRefused, withIndex } from './several.ts'
import type { State } from './state.ts'

type WorkDay = { date: string; choices: Array<Omit<BookingBody, 'user_id'>> }
export type WorkDaysBody = { user_id: number; days: WorkDay[]; keeps_present: boolean }
/** The bookings in the answer by their day, and the ids of other bookings that the database inserted. */
type GivenBookings = { booked: Map<string, { id: number; bookable: number }>; added: number[] }

const TYPES = [BOOKABLE_TYPES.desk, BOOKABLE_TYPES.homeOffice]

/** All days or none are set, except for days that stay as they are because the person has something. */
export function setWorkDays(
  state: State,
  { body, now }: { body: WorkDaysBody; now: string },
  given: GivenBookings,
): ExpectedAnswer {
  const before = { bookings: state.bookings, absences: state.absences }
  const { user_id: user, days, keeps_present } = body
  const refused = keeps_present ? undefined : clearDays(state, body, { now, added: given.added })
  const open = keeps_present ? days.filter(({ date }) => isEmptyDay(state, { user, date, now })) : days
  const decisions = refused ? [] : bookFirstChoices(state, { ...body, days: open }, { now, given })
  const first = decisions.findIndex((each) => each && isRefused(each))
  const isNoneSet = decisions.length > 0 && decisions.every((each) => each && isRefused(each))
  if (refused || (first >= 0 && (isNoneSet || !keeps_present))) {
    Object.assign(state, before)
    return refused ?? withIndex(decisions as Decision[], first)
  }
  const data = open.map(({ date }, index) => {
    const decision = decisions[index]
    return { date, ...(decision && isRefused(decision) ? decision.body : decision) }
  })
  return { status: 200, body: { data } }
}

function clearDays(
  state: State,
  { user_id: user, days }: WorkDaysBody,
  { now, added }: { now: string; added: number[] },
): ExpectedAnswer | undefined {
  for (const { date } of days)
    releaseBookings(state, { user, from: date, to: date, now, types: TYPES, added })
  const dates = days.map(({ date }) => date)
  const found = state.absences.filter(
    (each) => each.user === user && dates.some((date) => each.from <= date && date <= each.to),
  )
  if (found.some(({ from, to }) => from !== to)) return refuse('already_away')
  state.absences = state.absences.filter((each) => !found.includes(each))
  return undefined
}

function isEmptyDay(state: State, { user, date, now }: { user: number; date: string; now: string }): boolean {
  const asked = { user, from: date, to: date, now, types: TYPES }
  const isAway = state.absences.some((each) => each.user === user && each.from <= date && date <= each.to)
  return !isAway && listBookingsInDays(state, asked).length === 0
}

function bookFirstChoices(
  state: State,
  { user_id, days }: WorkDaysBody,
  { now, given }: { now: string; given: GivenBookings },
): Array<Decision | undefined> {
  const decisions = new Map<WorkDay, Decision>()
  for (let rank = 0; ; rank++) {
    const wanted = days.flatMap((day) => {
      const [choice, decision] = [day.choices[rank], decisions.get(day)]
      return choice && (!decision || isRefused(decision)) ? [{ day, choice }] : []
    })
    if (wanted.length === 0) return days.map((day) => decisions.get(day))
    const ids = wanted.flatMap(({ day: { date }, choice }) => {
      const booked = given.booked.get(date)
      return booked?.bookable === choice.bookable_id ? [booked.id] : []
    })
    const asked = wanted.map(({ choice }) => toWantedBooking({ ...choice, user_id }, now))
    const tried = decideBookings(state, asked, ids).decisions
    for (const [index, { day }] of wanted.entries()) {
      const decision = tried[index]
      if (decision && !(isRefused(decision) && decisions.has(day))) decisions.set(day, decision)
    }
  }
}
