// The actions of My week. Each action is one write, which Undo reverses as a whole.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { list, object, required, text } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { plural, t } from '../../locales/translate.ts'
import { describeSkippedDays } from '../../pages/bookings/several-days.ts'
import type { ActionCall } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { localDate } from '../../pages/time/fields.ts'
import { addDaysToDate, formatDate } from '../../pages/time/instants.ts'
import { formatFirstItems } from '../../pages/ui/parts.ts'
import { chooseDesk, chooseDeskWithTeam, chooseHomeOffice, type MeetingTeam } from './choose-workplace.ts'
import { findDayWeekBefore, readOwnDays } from './own-days.ts'
import { listTeamDays, listTeams } from './teams.ts'
import { listTwoWeeks, type WorkingDay } from './working-days.ts'

const DAY_PATTERN = /^\d{4}-\d{2}-\d{2} (office|home|away|none|join \d{1,15})$/
const NOT_A_DAY = message`Choose one of the days of this week or the next.`
const DAYS_PER_WEEK_MAX = 5
const NAMED_DAYS_MAX = 5

/** The form of a row. The value of its button contains the date and what to set. */
export const dayForm = object({ day: required(text({ max: 40 }).matches(DAY_PATTERN, () => NOT_A_DAY)) })
export const repeatForm = object({
  days: required(list(required(localDate()), { max: DAYS_PER_WEEK_MAX })),
})

type WeekAction<Form> = ActionCall<unknown, unknown, Form>

/** Sets one day. Replaces the desk, the home office or the absence that the person had on this day. */
export async function setDay(call: WeekAction<{ day: string }>) {
  const [date = '', kind = '', teamDay] = call.form.day.split(' ')
  const [day] = await requireDays(call, [date])
  if (!day) throw new Refusal('validation_failed', NOT_A_DAY)
  const notice = await setKind(call, day, kind, Number(teamDay))
  return { redirectTo: call.link('/week'), notice: `${formatDate(date, 'weekday')}: ${notice}` }
}

async function setKind(
  call: WeekAction<unknown>,
  day: WorkingDay,
  kind: string,
  teamDay: number,
): Promise<string> {
  const { date } = day
  const user_id = call.requirePerson().id
  const { absence } = (await readOwnDays(call, { from: date, to: date }))(date)
  if (kind === 'away') {
    await call.dispatch('absences.create', { user_id, kind, from: date, to: date, release_bookings: true })
    return t`away.`
  }
  if (kind === 'none' && absence && absence.from === absence.to) {
    await call.dispatch('absences.delete', { user_id, absence_id: absence.id })
    return t`nothing planned.`
  }
  const choices = kind === 'none' ? [] : await requireChoices(call, day, kind, teamDay)
  const { data } = await call.dispatch('bookings.set-days', { user_id, days: [{ date, choices }] })
  const booking = data[0]?.booking
  if (!booking) return t`nothing planned.`
  const { name, location } = booking.bookable
  return kind === 'home' ? t`home office.` : `${name}, ${location.name}.`
}

async function requireChoices(call: WeekAction<unknown>, day: WorkingDay, kind: string, teamDay: number) {
  const choices =
    kind === 'home'
      ? await chooseHomeOffice(call, day)
      : kind === 'join'
        ? await chooseDeskWithTeam(call, day, await requireTeam(call, teamDay))
        : await chooseDesk(call, day)
  if (choices.length > 0) return choices
  const when = { date: day.date }
  throw new Refusal(
    'booking_conflict',
    kind === 'home'
      ? message`There is no home office to book on ${when}.`
      : message`No desk is free for you on ${when}.`,
  )
}

async function requireTeam(call: WeekAction<unknown>, teamDay: number): Promise<MeetingTeam> {
  const yesterday = addDaysToDate(formatLocalDate(call.now, 'UTC'), -1)
  const found = (await listTeamDays(call, yesterday)).find(({ id }) => id === teamDay)
  const team = (await listTeams(call)).find(({ id }) => id === found?.teamId)
  if (!found || !team) throw new Refusal('not_found', message`This team day no longer exists.`)
  return { teamId: team.id, locationId: found.locationId }
}

type WantedDay = { date: string; choices: Awaited<ReturnType<typeof chooseDesk>>; first: number | undefined }

/** Sets the empty days of a week to the same as in the week before. */
export async function repeatLastWeek(call: WeekAction<{ days: string[] }>) {
  const days = await requireDays(call, call.form.days)
  const dates = days.map(({ date }) => date)
  const [first = '', last = ''] = [dates[0], dates.at(-1)]
  const findOwn = await readOwnDays(call, { from: findDayWeekBefore(first), to: last })
  const wanted: WantedDay[] = []
  const nothingFree: Array<{ date: string; code: string }> = []
  // Reads one day after the other, so that the page uses no more than its share of connections.
  for (const day of days) {
    const { kind, bookings } = findOwn(findDayWeekBefore(day.date))
    const [former] = bookings.filter(({ type }) => (type === BOOKABLE_TYPES.desk) === (kind === 'office'))
    if (findOwn(day.date).kind !== null || kind === null || kind === 'away') continue
    const choices = kind === 'home' ? await chooseHomeOffice(call, day) : await chooseDesk(call, day, former)
    if (choices.length > 0) wanted.push({ date: day.date, choices, first: former?.bookableId })
    else nothingFree.push({ date: day.date, code: 'booking_conflict' })
  }
  if (wanted.length === 0)
    throw new Refusal('booking_conflict', message`No day of last week can be repeated.`)
  const { data } = await call.dispatch('bookings.set-days', {
    user_id: call.requirePerson().id,
    keeps_present: true,
    days: wanted.map(({ date, choices }) => ({ date, choices })),
  })
  const booked = data.flatMap(({ date, booking }) => (booking ? [{ date, ...booking.bookable }] : []))
  const refused = data.flatMap(({ date, code }) => (code === undefined ? [] : [{ date, code }]))
  const others = booked.filter(({ date, id }) => wanted.find((each) => each.date === date)?.first !== id)
  return {
    redirectTo: call.link('/week'),
    notice: [
      plural(booked.length, 'Planned as last week: # day.', 'Planned as last week: # days.'),
      describeOtherPlaces(others),
      describeSkippedDays([...refused, ...nothingFree].sort((a, b) => (a.date < b.date ? -1 : 1))).trim(),
    ]
      .filter(Boolean)
      .join(' '),
  }
}

/** Names the days for which a different place than in the week before was booked. */
function describeOtherPlaces(others: Array<{ date: string; name: string }>): string {
  if (others.length === 0) return ''
  const named = others.map(({ date, name }) => `${formatDate(date, 'weekday')} ${name}`)
  return t`Another place: ${formatFirstItems(named, NAMED_DAYS_MAX)}.`
}

/** Returns the days with these dates. Refuses dates that the page does not show. */
async function requireDays(call: WeekAction<unknown>, dates: string[]): Promise<WorkingDay[]> {
  const shown = listTwoWeeks(call.now, await findCommonZone(call.reads)).flat()
  const days = shown.filter(({ date }) => dates.includes(date))
  if (days.length < new Set(dates).size || days.length === 0)
    throw new Refusal('validation_failed', NOT_A_DAY)
  return days
}
