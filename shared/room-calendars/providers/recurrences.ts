// Lists the dates of a repetition rule of RFC 5545. It looks at every day up to the end that it is given, so that no rule can
// keep it busy. (ical.js, which parses the rules, never returns from FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30, and gives wrong
// dates for BYWEEKNO.)
import { getWeekday } from '../../schemas/wall-clock.ts'

const DAY_MS = 24 * 3_600_000
// From the first date to the end. Programs make no older series.
const YEARS_MAX = 150
const DAYS_MAX = YEARS_MAX * 366
const DAYS_PER_WEEK = 7

export type RepetitionRule = {
  every: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'
  interval: number
  count?: number
  months?: number[]
  /** Negative ones count from the end of the month. */
  monthDays?: number[]
  yearDays?: number[]
  weekNumbers?: number[]
  /** `weekday` is 1 for Monday. `nth` is 0 for every one, and negative from the end of the month or year. */
  weekdays?: Array<{ weekday: number; nth: number }>
  positions?: number[]
  /** The first day of the week, 1 for Monday. */
  weekStart: number
}

/** Thrown for a rule or a file that Berth does not understand. */
export class UnreadableEntry extends Error {}

/** A day with what rules ask about it. `day` is the number of days since 1970. */
type Day = {
  day: number
  month: number
  date: number
  monthLength: number
  yearDay: number
  yearLength: number
}

const startOfYear = (year: number) => Date.UTC(year, 0, 1) / DAY_MS

function describeDay(day: number): Day {
  const date = new Date(day * DAY_MS)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return {
    day,
    month: month + 1,
    date: date.getUTCDate(),
    monthLength: new Date(Date.UTC(year, month + 1, 0)).getUTCDate(),
    yearDay: day - startOfYear(year) + 1,
    yearLength: startOfYear(year + 1) - startOfYear(year),
  }
}

/**
 * Yields local times, in milliseconds since 1970 as if local time were UTC, in order: the first date and those that the
 * rule adds, until `untilMs`.
 */
export function* listDates(rule: RepetitionRule, startMs: number, untilMs: number): Generator<number> {
  const firstDay = Math.floor(startMs / DAY_MS)
  const timeOfDayMs = startMs - firstDay * DAY_MS
  const lastDay = Math.floor(untilMs / DAY_MS)
  if (lastDay - firstDay > DAYS_MAX)
    throw new UnreadableEntry(`The series began over ${YEARS_MAX} years ago.`)
  const filled = fillFromStart(rule, describeDay(firstDay))
  let count = 0
  if (!matchesStart(filled, firstDay)) yield startMs
  for (const [first, last] of listPeriods(rule, firstDay, lastDay)) {
    const days: number[] = []
    for (let day = first; day <= last; day++) if (matchesDay(filled, describeDay(day))) days.push(day)
    for (const day of choosePositions(days, rule.positions)) {
      if (day < firstDay) continue
      if (day > lastDay || (rule.count !== undefined && ++count > rule.count)) return
      yield day * DAY_MS + timeOfDayMs
    }
  }
}

function matchesStart(filled: RepetitionRule, firstDay: number): boolean {
  if (filled.positions) {
    const [period] = listPeriods(filled, firstDay, firstDay)
    const days: number[] = []
    for (let day = period?.[0] ?? firstDay; day <= (period?.[1] ?? firstDay); day++)
      if (matchesDay(filled, describeDay(day))) days.push(day)
    return choosePositions(days, filled.positions).includes(firstDay)
  }
  return matchesDay(filled, describeDay(firstDay))
}

// What the rule does not say, the first date says.
function fillFromStart(rule: RepetitionRule, start: Day): RepetitionRule {
  const { every, months, monthDays, yearDays, weekNumbers, weekdays } = rule
  const ownWeekday = [{ weekday: getWeekday(start.day), nth: 0 }]
  if (weekdays || monthDays || yearDays || every === 'DAILY') return rule
  if (every === 'WEEKLY' || weekNumbers) return { ...rule, weekdays: ownWeekday }
  if (every === 'MONTHLY') return { ...rule, monthDays: [start.date] }
  return { ...rule, monthDays: [start.date], months: months ?? [start.month] }
}

/** Yields the first and the last day of every period of the rule: days, weeks, months or years. */
function* listPeriods(rule: RepetitionRule, firstDay: number, lastDay: number): Generator<[number, number]> {
  const { every, interval, weekStart } = rule
  if (every === 'DAILY' || every === 'WEEKLY') {
    const length = every === 'DAILY' ? 1 : DAYS_PER_WEEK
    const intoWeek = (getWeekday(firstDay) - weekStart + DAYS_PER_WEEK) % DAYS_PER_WEEK
    const start = every === 'DAILY' ? firstDay : firstDay - intoWeek
    for (let day = start; day <= lastDay; day += length * interval) yield [day, day + length - 1]
    return
  }
  const first = new Date(firstDay * DAY_MS)
  const months = every === 'MONTHLY' ? 1 : 12
  const year = first.getUTCFullYear()
  for (let month = every === 'MONTHLY' ? first.getUTCMonth() : 0; ; month += months * interval) {
    const day = Date.UTC(year, month, 1) / DAY_MS
    // NaN is a year that dates do not have.
    if (!(day <= lastDay)) return
    yield [day, Date.UTC(year, month + months, 1) / DAY_MS - 1]
  }
}

function matchesDay(rule: RepetitionRule, day: Day): boolean {
  const { months, monthDays, yearDays, weekNumbers, weekdays } = rule
  if (months && !months.includes(day.month)) return false
  if (monthDays && !includesFromEitherEnd(monthDays, day.date, day.monthLength)) return false
  if (yearDays && !includesFromEitherEnd(yearDays, day.yearDay, day.yearLength)) return false
  if (weekNumbers && !matchesWeekNumber(weekNumbers, day.day, rule.weekStart)) return false
  return !weekdays || weekdays.some((each) => matchesWeekday(rule, each, day))
}

const includesFromEitherEnd = (wanted: number[], position: number, length: number) =>
  wanted.includes(position) || wanted.includes(position - length - 1)

function matchesWeekday(
  { every, months, weekNumbers }: RepetitionRule,
  { weekday, nth }: { weekday: number; nth: number },
  day: Day,
): boolean {
  if (getWeekday(day.day) !== weekday) return false
  // RFC 5545 gives numbers a meaning in months and years only.
  if (nth === 0 || every === 'DAILY' || every === 'WEEKLY' || weekNumbers) return true
  const isInYear = every === 'YEARLY' && !months
  const position = isInYear ? day.yearDay : day.date
  const length = isInYear ? day.yearLength : day.monthLength
  return nth > 0
    ? Math.ceil(position / DAYS_PER_WEEK) === nth
    : Math.ceil((length - position + 1) / DAYS_PER_WEEK) === -nth
}

// Week 1 is the first with at least four days in the year, as in ISO 8601.
function matchesWeekNumber(wanted: number[], day: number, weekStart: number): boolean {
  const year = new Date(day * DAY_MS).getUTCFullYear()
  const firstWeek = findFirstWeek(year, weekStart)
  // The first and last days of a year may be in a week of the year before or after, which this year's rule leaves out.
  const number = Math.floor((day - firstWeek) / DAYS_PER_WEEK) + 1
  const weeks = Math.round((findFirstWeek(year + 1, weekStart) - firstWeek) / DAYS_PER_WEEK)
  if (number < 1 || number > weeks)
    return matchesOtherYear(wanted, day, weekStart, number < 1 ? year - 1 : year + 1)
  return includesFromEitherEnd(wanted, number, weeks)
}

function matchesOtherYear(wanted: number[], day: number, weekStart: number, year: number): boolean {
  const firstWeek = findFirstWeek(year, weekStart)
  const weeks = Math.round((findFirstWeek(year + 1, weekStart) - firstWeek) / DAYS_PER_WEEK)
  return includesFromEitherEnd(wanted, Math.floor((day - firstWeek) / DAYS_PER_WEEK) + 1, weeks)
}

/** The first day of week 1 of a year. */
function findFirstWeek(year: number, weekStart: number): number {
  const first = startOfYear(year)
  const into = (getWeekday(first) - weekStart + DAYS_PER_WEEK) % DAYS_PER_WEEK
  return into <= 3 ? first - into : first - into + DAYS_PER_WEEK
}

function choosePositions(days: number[], positions: number[] | undefined): number[] {
  if (!positions) return days
  return days.filter((_day, index) => includesFromEitherEnd(positions, index + 1, days.length))
}
