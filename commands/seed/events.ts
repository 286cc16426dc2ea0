// Events with their rooms and attendees. Every other room hosts events, at most one a day, in the hours that
// bookings leave free; sometimes the next room joins. So no two events can want the same room.

import type { Knex } from 'knex'
import { BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import { onlyRow } from '../../shared/database/database.ts'
import { type Draw, pick } from './random.ts'
import { type SeedOptions, WEEKDAYS } from './schedule.ts'
import { instant } from './slots.ts'
import { meetingDescriptions, meetingNames } from './vocabulary.ts'

const STATUS = { confirmed: 1, cancelled: 2 }
const OPENS_MINUTE = 13 * 60
const ATTENDEES_MAX = 6

/** Numbers the rooms; returns how many of them host events. */
export async function numberRooms(database: Knex): Promise<number> {
  await database.raw(
    `CREATE TEMP TABLE seed_rooms ON COMMIT DROP AS
     SELECT row_number() OVER (ORDER BY number) - 1 AS room, id, timezone
     FROM seed_shares WHERE type = ${BOOKABLE_TYPES.meetingRoom}`,
  )
  const { rows } = await database.raw<{ rows: Array<{ hosts: number }> }>(
    'SELECT (count(*) + 1) / 2 AS hosts FROM seed_rooms',
  )
  return onlyRow(rows).hosts
}

export async function seedEvents(
  database: Knex,
  draw: Draw,
  options: SeedOptions,
  events: number,
): Promise<void> {
  await draftEvents(database, draw, options, events)
  await database.raw(
    `INSERT INTO events (id, name, description, during, from_timezone, to_timezone, classification, status,
       organizer_user_id, created_at, updated_at)
     OVERRIDING SYSTEM VALUE
     SELECT seed_events.id, ${pick(meetingNames, draw('event', 'name', meetingNames.length))},
       ${pick(meetingDescriptions, draw('event', 'description', meetingDescriptions.length))}, during, timezone, timezone,
       3 - greatest(0, ${draw('event', 'classification', 8)} - 4), status, seed_users.id, created_at, created_at
     FROM seed_events
     JOIN seed_users ON seed_users.number = ${draw('event', 'organizer', options.users)}
     ORDER BY event`,
  )
  await seedAttendees(database, draw, options.users)
  await database.raw(
    `INSERT INTO bookings (bookable_id, event_id, during, exclusive, created_at, updated_at)
     SELECT seed_rooms.id, seed_events.id, during, true, created_at, created_at
     FROM seed_events
     JOIN seed_rooms ON seed_rooms.room = host
       OR seed_rooms.room = host + 1 AND ${draw('event', 'second room', 10)} = 0
     WHERE status = ${STATUS.confirmed} AND ${draw('event', 'without a room', 12)} > 0
     ORDER BY event, seed_rooms.room`,
  )
}

async function draftEvents(database: Knex, draw: Draw, options: SeedOptions, events: number): Promise<void> {
  const days = WEEKDAYS * (options.weeksBefore + options.weeksAhead)
  const edge = (k: string) => `${days} * (${k}) / share`
  const starts = `${OPENS_MINUTE} + 15 * ${draw('event', 'start', 3)}`
  const ends = `${OPENS_MINUTE} + 120 - 15 * ${draw('event', 'end', 4)}`
  const notice = `make_interval(mins => (1 + ${draw('event', 'notice', 20_000)})::int)`
  await database.raw(
    `CREATE TEMP TABLE seed_events ON COMMIT DROP AS
     SELECT *, nextval(pg_get_serial_sequence('events', 'id')) AS id,
       CASE WHEN ${draw('event', 'cancelled', 40)} = 0 THEN ${STATUS.cancelled} ELSE ${STATUS.confirmed} END AS status,
       least(lower(during), now()) - ${notice} AS created_at
     FROM (
       SELECT event, host, timezone, tstzrange(${instant(-options.weeksBefore, 'day', starts)},
         ${instant(-options.weeksBefore, 'day', ends)}) AS during
       FROM (
         SELECT *, ${edge('turn')} + ${draw('event', 'day', `${edge('turn + 1')} - ${edge('turn')}`)} AS day
         FROM (
           SELECT event, event % hosts * 2 AS host, event / hosts AS turn, (${events} - 1) / hosts + 1 AS share
           FROM generate_series(0, ${events}::bigint - 1) AS event,
             (SELECT (count(*) + 1) / 2 AS hosts FROM seed_rooms) AS rooms
         ) AS turns
         OFFSET 0
       ) AS days
       JOIN seed_rooms ON seed_rooms.room = host
       ORDER BY day, event
     ) AS drafts`,
  )
  await database.raw('ANALYZE seed_events')
}

/** The organizer, who has accepted, some colleagues with random answers, and sometimes a visitor. */
async function seedAttendees(database: Knex, draw: Draw, users: number): Promise<void> {
  const organizer = draw('event', 'organizer', users)
  const colleague = `(${organizer} + ordinal * (1 + ${draw('event', 'stride', users)})) % ${users}`
  await database.raw(
    `INSERT INTO event_attendees (event_id, user_id, role, status)
     SELECT seed_events.id, seed_users.id, (ordinal > 0)::int,
       CASE WHEN ordinal = 0 THEN 1 ELSE ${draw('event * 10 + ordinal', 'answer', 4)} END
     FROM seed_events
     CROSS JOIN generate_series(0, 1 + ${draw('event', 'attendees', ATTENDEES_MAX)}) AS ordinal
     JOIN seed_users ON seed_users.number = ${colleague}
     ORDER BY event, ordinal
     ON CONFLICT DO NOTHING`,
  )
  await database.raw(
    `INSERT INTO event_attendees (event_id, email, visitor_id)
     SELECT id, 'visitor.' || ${draw('event', 'visitor', 100_000)} || '@guests.example',
       nextval(pg_get_serial_sequence('users', 'id'))
     FROM seed_events WHERE ${draw('event', 'visited', 7)} = 0
     ORDER BY event`,
  )
}
