// Seeds bookings: most for a user, some for a guest, those of parking spots with a vehicle, and a few home offices
// without an end date. Each weekday of a bookable is divided into slots, and each booking gets one slot, so that no two
// overlap. All constraints and indexes stay in place: dropping and re-adding the exclusion constraint would save a
// quarter of the time, but would lock the table for everybody.
import type { Knex } from 'knex'
import { CliError } from '../../local/tools/terminal.ts'
import { BOOKABLE_TYPES as TYPE } from '../../shared/bookables/bookables.ts'
import { getOnlyRow } from '../../shared/database/database.ts'
import { localInstantSql, randomElementSql, randomNumberSql } from './sql.ts'
import { firstNames, guestReasons, lastNames } from './vocabulary.ts'

// The slots of a day for each type of bookable: the number of the slot, its hours, and the number of quarter
// hours from which the start and end are drawn. From 13:00 to 15:00, meeting rooms are reserved for events.
// All slots of home offices cover the whole day, because home offices are shared.
const SLOTS_SQL = `(VALUES
  (${TYPE.desk}, 0, 7, 12.5, 9), (${TYPE.desk}, 1, 12.5, 19, 9),
  (${TYPE.parkingSpot}, 0, 7, 12.5, 5), (${TYPE.parkingSpot}, 1, 12.5, 19, 5),
  (${TYPE.meetingRoom}, 0, 8, 10, 4), (${TYPE.meetingRoom}, 1, 10, 12.5, 4), (${TYPE.meetingRoom}, 2, 15, 18, 4),
  ${[0, 1, 2, 3, 4, 5].map((slot) => `(${TYPE.homeOffice}, ${slot}, 7, 18, 9)`)}
) AS slots (type, slot, opens, closes, quarters)`
const CLOSING_HOUR = 19

export const WEEKDAY_COUNT = 5
const WEEKS_BEFORE_MAX = 50 * 52
// The share of slots that are booked. In the weeks ahead, the later a week is, the more of its slots are free.
const BOOKED_SHARE_MAX = 0.85
const OPEN_ENDED_MAX = 5

export type WeekCounts = {
  /**
   * The number of whole weeks with bookings before the current one (more if the bookings need them), and from the
   * current one on.
   */
  weeksBefore: number
  weeksAhead: number
}
type BookerCounts = { users: number; vehicles: number }

/** Seeds the bookings, and calls `report` with the number of bookings created so far. */
export async function seedBookings(
  database: Knex,
  { bookings, ...weeks }: WeekCounts & { bookings: number },
  bookers: BookerCounts,
  report: (created: number) => void,
): Promise<void> {
  let created = await seedOpenEnded(
    database,
    bookers.users,
    Math.min(OPEN_ENDED_MAX, Math.floor(bookings / 100)),
  )
  for (const { week, number } of await planWeeks(database, weeks, bookings - created)) {
    await seedWeek(database, week, number, bookers)
    created += number
    if (created < bookings) report(created)
  }
}

/**
 * Returns the number of bookings in each week; week 0 is the current one. Adds past weeks if there are many bookings.
 */
async function planWeeks(
  database: Knex,
  { weeksBefore, weeksAhead }: WeekCounts,
  bookings: number,
): Promise<Array<{ week: number; number: number }>> {
  const { rows } = await database.raw<{ rows: Array<{ all: number; ahead: number }> }>(
    `SELECT ${WEEKDAY_COUNT} * count(*) AS all, ${WEEKDAY_COUNT} * count(*) FILTER (WHERE number > 0) AS ahead
     FROM seed_bookables JOIN ${SLOTS_SQL} USING (type)`,
  )
  const slots = getOnlyRow(rows)
  const ahead = Array.from({ length: weeksAhead }, (_, week) => slots.ahead * (1 - (week + 0.5) / weeksAhead))
  const needed = Math.ceil((bookings / BOOKED_SHARE_MAX - ahead.reduce(addNumbers, 0)) / slots.all)
  const before = Math.max(weeksBefore, needed)
  if (before > WEEKS_BEFORE_MAX)
    throw new CliError(
      'Nothing was created: so many bookings would fill these bookables for over 50 years. Request more bookables.',
    )
  const shares = [...Array.from({ length: before }, () => slots.all), ...ahead]
  const total = shares.reduce(addNumbers, 0)
  const upTo = (weeks: number) =>
    Math.floor((bookings * shares.slice(0, weeks).reduce(addNumbers, 0)) / total)
  return shares
    .map((_, index) => ({ week: index - before, number: upTo(index + 1) - upTo(index) }))
    .filter(({ number }) => number > 0)
}

const addNumbers = (one: number, other: number) => one + other

async function seedWeek(
  database: Knex,
  week: number,
  bookings: number,
  bookers: BookerCounts,
): Promise<void> {
  const weekday = `${(week + WEEKS_BEFORE_MAX) * 10} + day`
  // If there are enough users, nobody gets two slots on one day.
  const turn = (nth: string, purpose: string, limit: number) =>
    `(${nth} + ${randomNumberSql(weekday, purpose, limit)}) % ${limit}`
  const guest = (sql: string) => `CASE WHEN is_for_guest THEN ${sql} END`
  const number = randomNumberSql('key', 'guest e-mail', 100_000)
  // OFFSET 0 keeps Postgres from merging the subqueries, which would recompute the same numbers at each reference.
  await database.raw(
    `INSERT INTO bookings (bookable_id, user_id, during, exclusive, vehicle_id, license_plate, guest_name, guest_email,
       booking_info, created_at, updated_at)
     SELECT timed.id, coalesce(assignee_user_id, seed_vehicles.user_id, seed_users.id), tstzrange(starts_at, ends_at),
       type <> ${TYPE.homeOffice}, seed_vehicles.id, license_plate,
       ${guest(`${randomElementSql(firstNames, 'key', 'guest first name')} || ' ' || ${randomElementSql(lastNames, 'key', 'guest last name')}`)},
       ${guest(`CASE WHEN ${number} % 2 = 0 THEN 'visitor.' || ${number} || '@guests.example' END`)},
       ${guest(randomElementSql(guestReasons, 'key', 'guest reason'))}, booked_at, booked_at
     FROM (
       SELECT *, least(starts_at, now()) - interval '1 minute' * (1 + ${randomNumberSql('key', 'notice', 20_000)}) AS booked_at,
         type IN (${TYPE.desk}, ${TYPE.meetingRoom}) AND ${randomNumberSql('key', 'guest', 30)} = 0 AS is_for_guest
       FROM (
         SELECT *, ${localInstantSql(week, 'day', `60 * opens + 15 * ${randomNumberSql('key', 'start', 'quarters')}`)} AS starts_at,
           ${localInstantSql(week, 'day', `60 * CASE WHEN is_whole_day THEN ${CLOSING_HOUR} ELSE closes END - 15 * ${randomNumberSql('key', 'end', 'quarters')}`)} AS ends_at
         FROM (
           SELECT *, row_number() OVER (PARTITION BY day ORDER BY key) AS nth,
             row_number() OVER (PARTITION BY day, type ORDER BY key) AS nth_of_type,
             type < ${TYPE.meetingRoom} AND slot = 0 AND count(*) OVER (PARTITION BY day, number) = 1
               AND ${randomNumberSql('key', 'whole day', 10)} < 7 AS is_whole_day
           FROM (
             SELECT *
             FROM seed_bookables JOIN ${SLOTS_SQL} USING (type) CROSS JOIN generate_series(0, ${WEEKDAY_COUNT - 1}) AS day,
               LATERAL (SELECT (number * 100000::bigint + ${weekday}) * 10 + slot AS key) AS keys
             WHERE number > 0 OR ${week} < 0
             ORDER BY ${randomNumberSql('key', 'chosen', 2 ** 53)} LIMIT ${bookings}
           ) AS chosen
         ) AS counted
         OFFSET 0
       ) AS spans
       OFFSET 0
     ) AS timed
     JOIN seed_users ON seed_users.number = ${turn('nth', 'user', bookers.users)}
     LEFT JOIN seed_vehicles
       ON type = ${TYPE.parkingSpot} AND seed_vehicles.number = ${turn('nth_of_type', 'vehicle', bookers.vehicles)}
     ORDER BY booked_at`,
  )
}

/** Gives the first home offices an occupant without an end date. Returns how many home offices got one. */
async function seedOpenEnded(database: Knex, users: number, limit: number): Promise<number> {
  const startsAt = localInstantSql(-1, '(seed_bookables.number % 5)', '8 * 60')
  const { rowCount } = await database.raw<{ rowCount: number }>(
    `INSERT INTO bookings (bookable_id, user_id, during, exclusive, created_at, updated_at)
     SELECT seed_bookables.id, seed_users.id, tstzrange(${startsAt}, NULL), false, ${startsAt}, ${startsAt}
     FROM seed_bookables JOIN seed_users ON seed_users.number = seed_bookables.number * 31 % ${users}
     WHERE type = ${TYPE.homeOffice}
     ORDER BY seed_bookables.number
     LIMIT ${limit}`,
  )
  return rowCount
}
