// Bookings: most by a user, some for a guest, on parking spots with a vehicle, and a few home offices without
// an end.
//
// They are inserted with every constraint and index in place: a million in 36 s (PostgreSQL 18, two cores).
// Dropping the exclusion constraint and adding it again took 28 s, and dropping all keys and indexes too took
// 18 s, of which 11 s went to that one constraint; but that locks the table for everybody, and rebuilds the
// indexes of older rows. Sorting by bookable instead of time saves 3 s, but sorting by time places ids and
// pages like those of real bookings.

import type { Knex } from 'knex'
import { BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import { type Draw, pick } from './random.ts'
import type { DailySlots, Period } from './schedule.ts'
import { chooseSlots, DAY_CLOSES_MINUTE, instant } from './slots.ts'
import { firstNames, guestReasons, lastNames } from './vocabulary.ts'

type Bookers = { users: number; vehicles: number }

export async function seedBookings(
  database: Knex,
  draw: Draw,
  period: Period,
  daily: DailySlots,
  bookers: Bookers,
): Promise<void> {
  const drawHere: Draw = (row, purpose, limit) => draw(row, `${purpose} ${period.weekFirst}`, limit)
  await database.raw(
    `INSERT INTO bookings (bookable_id, user_id, during, exclusive, vehicle_id, license_plate, guest_name, guest_email,
       booking_info, created_at, updated_at)
     SELECT timed.id, coalesce(assignee_user_id, seed_vehicles.user_id, seed_users.id),
       tstzrange(starts_at, ends_at), type <> ${BOOKABLE_TYPES.homeOffice}, seed_vehicles.id, license_plate, ${guestColumns(drawHere)},
       created_at, created_at
     FROM (${timeBookings(drawHere, period, daily)}) AS timed
     JOIN seed_users ON seed_users.number = ${pickUser(drawHere, 'slots_before', bookers.users, daily.all)}
     LEFT JOIN seed_vehicles
       ON type = ${BOOKABLE_TYPES.parkingSpot} AND seed_vehicles.number = ${pickUser(drawHere, 'of_type_before', bookers.vehicles, daily.parking)}
     ORDER BY created_at`,
  )
}

function timeBookings(draw: Draw, period: Period, daily: DailySlots): string {
  const opens = `opens_minute + 15 * ${draw('key', 'start', 'quarters')}`
  const closes = `CASE WHEN whole_day THEN ${DAY_CLOSES_MINUTE} ELSE closes_minute END
    - 15 * ${draw('key', 'end', 'quarters')}`
  const notice = `make_interval(mins => (1 + ${draw('key', 'notice', 20_000)})::int)`
  return `
    SELECT *, least(starts_at, now()) - ${notice} AS created_at,
      type IN (0, 2) AND ${draw('key', 'guest', 30)} = 0 AS for_guest
    FROM (
      SELECT chosen.*, ${instant(period.weekFirst, 'day', opens)} AS starts_at,
        ${instant(period.weekFirst, 'day', closes)} AS ends_at
      FROM (${chooseSlots(draw, daily, period)}) AS chosen JOIN seed_slots USING (type, slot)
      OFFSET 0
    ) AS spans
    OFFSET 0`
}

/** If there are enough users, no one gets two slots on one day: all users move on by the same step. */
function pickUser(draw: Draw, slotsBefore: string, bookers: number, slots: number): string {
  const perSlot = Math.max(1, Math.floor(bookers / Math.max(1, slots)))
  const turn = draw('day', 'user', Math.ceil(bookers / 10))
  return `((${slotsBefore} + slot) * ${perSlot} + ${turn}) % ${bookers}`
}

function guestColumns(draw: Draw): string {
  const number = draw('key', 'guest e-mail', 100_000)
  const name = `${pick(firstNames, draw('key', 'guest first name', firstNames.length))} || ' '
    || ${pick(lastNames, draw('key', 'guest last name', lastNames.length))}`
  const reason = pick(guestReasons, draw('key', 'guest reason', guestReasons.length))
  return `CASE WHEN for_guest THEN ${name} END,
    CASE WHEN for_guest AND ${number} % 2 = 0 THEN 'visitor.' || ${number} || '@guests.example' END,
    CASE WHEN for_guest THEN ${reason} END`
}

/** Gives the first home offices an occupant without an end date; returns how many got one. */
export async function seedOpenEnded(database: Knex, users: number, limit: number): Promise<number> {
  const startsAt = instant(-1, '(seed_shares.number % 5)', '8 * 60')
  const { rowCount } = await database.raw<{ rowCount: number }>(
    `INSERT INTO bookings (bookable_id, user_id, during, exclusive, created_at, updated_at)
     SELECT seed_shares.id, seed_users.id, tstzrange(${startsAt}, NULL), false, ${startsAt}, ${startsAt}
     FROM seed_shares JOIN seed_users ON seed_users.number = seed_shares.number * 31 % ${users}
     WHERE type = ${BOOKABLE_TYPES.homeOffice}
     ORDER BY seed_shares.number
     LIMIT ${limit}`,
  )
  return rowCount
}
