// Sets where a person works on each of several days: books the first choice that is free, and releases the desks and
// home offices that the person already had. One write does all of this, so that one undo restores everything.
import {
  AUDITED_ABSENCE_SQL,
  bookingsInDaysSql,
  FIRST_DAY_SQL,
  LAST_DAY_SQL,
} from '../../../shared/absences/absences-shape.ts'
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import type { WrittenBooking } from '../../../shared/bookings/bookings.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { AuditedRow, Handlers, Write } from '../../runtime/write.ts'
import { releaseBookingsInDays } from '../absences/release-bookings.ts'
import { lockClaims } from '../claims/locks.ts'
import { refuseUnlessOwner } from '../rows/personal-tokens.ts'
import { throwFirstRefusal } from '../series/series.ts'
import { createManyBookings, describeRefusal } from './creations.ts'

type Input = InputOf<'bookings.set-days'>
type WorkDay = Input['days'][number]

/** The types of bookables at which a person can work. */
const WORKPLACE_TYPES = [BOOKABLE_TYPES.desk, BOOKABLE_TYPES.homeOffice]

const PRESENT_SQL = bookingsInDaysSql({ user: 'CAST(:userId AS bigint)', days: 'days.day', now: ':now' })

export const workDayHandlers: Handlers<'bookings.set-days'> = {
  async 'bookings.set-days'(write, { user_id, days, keeps_present }) {
    refuseUnlessOwner(write, user_id)
    await lockClaimsOfDays(write, user_id, days)
    const open = keeps_present ? await filterEmptyDays(write, user_id, days) : days
    if (!keeps_present) await clearDays(write, user_id, days)
    const decisions = await bookFirstChoices(write, user_id, open)
    const isNoneSet = decisions.length > 0 && decisions.every((each) => each instanceof Refusal)
    if (!keeps_present || isNoneSet) throwFirstRefusal(decisions)
    return {
      data: open.map(({ date }, index) => {
        const decision = decisions[index]
        if (decision instanceof Refusal) return { date, ...describeRefusal(decision) }
        return decision ? { date, booking: decision } : { date }
      }),
    }
  },
}

/** SQL for the given days, with the person's desks and home offices on each day. */
const WORKPLACES_ON_DAYS_SQL = `unnest(CAST(:dates AS date[])) AS asked (date)
  CROSS JOIN LATERAL (SELECT daterange(date, date, '[]') AS day) AS days
  CROSS JOIN LATERAL (SELECT bookings.bookable_id FROM ${PRESENT_SQL}
    AND bookables.type = ANY(CAST(:types AS integer[]))) AS present`

const toValues = (write: Write, userId: number, days: WorkDay[]) => ({
  userId,
  dates: days.map(({ date }) => date),
  types: WORKPLACE_TYPES,
  now: write.now,
})

/** Locks all claims that the write may release or create, in the order of docs/decisions/0005. */
async function lockClaimsOfDays(write: Write, userId: number, days: WorkDay[]): Promise<void> {
  const held = await write.all<{ bookable_id: number }>(
    `SELECT DISTINCT present.bookable_id FROM ${WORKPLACES_ON_DAYS_SQL}`,
    toValues(write, userId, days),
  )
  const wanted = days.flatMap(({ choices }) => choices.map(({ bookable_id }) => bookable_id))
  await lockClaims(write, [...held.map(({ bookable_id }) => bookable_id), ...wanted])
}

/** Returns the days on which the person has neither a desk nor a home office, and is not away. */
async function filterEmptyDays(write: Write, userId: number, days: WorkDay[]): Promise<WorkDay[]> {
  const found = await write.all<{ date: string }>(
    `SELECT to_char(asked.date, 'YYYY-MM-DD') AS date FROM ${WORKPLACES_ON_DAYS_SQL}
     UNION SELECT to_char(asked.date, 'YYYY-MM-DD') FROM unnest(CAST(:dates AS date[])) AS asked (date)
       JOIN absences ON absences.user_id = :userId AND absences.days @> asked.date`,
    toValues(write, userId, days),
  )
  const filled = new Set(found.map(({ date }) => date))
  return days.filter(({ date }) => !filled.has(date))
}

/**
 * Releases the person's desks and home offices on these days, and deletes absences that last one of these days. Refuses
 * a day within a longer absence.
 */
async function clearDays(write: Write, userId: number, days: WorkDay[]): Promise<void> {
  for (const { date } of days)
    await releaseBookingsInDays(
      write,
      userId,
      { from: date, to: date },
      { types: WORKPLACE_TYPES, verb: 'release-day' },
    )
  for (const { date } of days) await deleteAbsence(write, userId, date)
}

type AbsenceOfDay = AuditedRow & { from: string; to: string }

async function deleteAbsence(write: Write, userId: number, date: string): Promise<void> {
  const absence = await write.first<AbsenceOfDay>(
    `SELECT id, ${AUDITED_ABSENCE_SQL} AS row, to_char(${FIRST_DAY_SQL}, 'YYYY-MM-DD') AS "from",
       to_char(${LAST_DAY_SQL}, 'YYYY-MM-DD') AS "to"
     FROM absences WHERE user_id = ? AND days @> CAST(? AS date) FOR UPDATE`,
    [userId, date],
  )
  if (!absence) return
  const { id, row, from, to } = absence
  if (from !== to)
    throw new Refusal(
      'already_away',
      message`The person is already away from ${{ date: from }} to ${{ date: to }}.`,
    )
  const former = await write.readFormer('absences', [id])
  await write.run('DELETE FROM absences WHERE id = ?', [id])
  await write.audit({ action: 'absences.delete', id, former, before: row })
}

/**
 * Books the first free choice of each day. Returns a booking for each day. If no choice of a day is free, returns the
 * refusal of its first choice instead; if a day has no choices, returns undefined.
 */
async function bookFirstChoices(write: Write, userId: number, days: WorkDay[]) {
  const decisions = new Map<WorkDay, WrittenBooking | Refusal>()
  for (let rank = 0; ; rank++) {
    const wanted = days.flatMap((day) => {
      const decision = decisions.get(day)
      const choice = day.choices[rank]
      return choice && (!decision || decision instanceof Refusal) ? [{ day, choice }] : []
    })
    if (wanted.length === 0) return days.map((day) => decisions.get(day))
    const tried = await createManyBookings(
      write,
      wanted.map(({ choice }) => ({ ...choice, user_id: userId })),
    )
    for (const [index, { day }] of wanted.entries()) {
      const decision = tried[index]
      if (decision && !(decision instanceof Refusal && decisions.has(day))) decisions.set(day, decision)
    }
  }
}
