// Models the links of bookables to their calendars.
import { type ExpectedAnswer, refuse } from './refusals.ts'
import { findBookable, type State } from './state.ts'

export type LinkBody = { provider: string; calendar: string; names?: string }

const HOME_OFFICE_TYPE = 3

export function linkCalendar(state: State, id: number, { calendar, names }: LinkBody): ExpectedAnswer {
  const bookable = findBookable(state, id)
  if (bookable.type === HOME_OFFICE_TYPE)
    return refuse('validation_failed', { errors: { bookable_id: ['A home office has no calendar.'] } })
  if (state.bookables.some((each) => each.id !== id && each.calendar?.calendar === calendar))
    return refuse('in_use')
  bookable.calendar = { calendar, names: names ?? bookable.calendar?.names ?? 'full' }
  return { status: 200, body: null }
}

export function unlinkCalendar(state: State, id: number): ExpectedAnswer {
  const bookable = findBookable(state, id)
  if (!bookable.calendar) return refuse('not_found')
  bookable.calendar = null
  return { status: 204, body: null }
}
