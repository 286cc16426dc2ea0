// Seeds events with their rooms and attendees. Every other room hosts events, at most one a day, in the hours that
// bookings leave free. Some events also use the next room. This way, no two events need the same room.
import type { Knex } from 'knex'
import { CliError } from '../../local/tools/terminal.ts'
import { BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import { getOnlyRow } from '../../shared/database/database.ts'
import { EVENT_STATUSES } from '../../shared/events/events.ts'
import { WEEKDAY_COUNT, type WeekCounts } from './bookings.ts'
import { insertRows, localInstantSql, randomElementSql, randomNumberSql } from './sql.ts'
import { meetingDescriptions, meetingNames } from './vocabulary.ts'

const FIRST_EVENT_MINUTE = 13 * 60
const ATTENDEES_MAX = 6

type EventSeedOptions = WeekCounts & { users: number; events: number | undefined; eventsWanted: number }

/**
 * Creates `events` events, or by default as many as are wanted, if the rooms suffice. Returns the number of events
 * created.
 */
export async function seedEvents(database: Knex, options: EventSeedOptions): Promise<number> {
  const { users, weeksBefore, weeksAhead } = options
  await database.raw(
    `CREATE TEMP TABLE seed_rooms ON COMMIT DROP AS
     SELECT row_number() OVER (ORDER BY number) - 1 AS room, id AS room_id, timezone
     FROM seed_bookables WHERE type = ${BOOKABLE_TYPES.meetingRoom}`,
  )
  const { rows } = await database.raw<{ rows: Array<{ hosts: number }> }>(
    'SELECT (count(*) + 1) / 2 AS hosts FROM seed_rooms',
  )
  const days = WEEKDAY_COUNT * (weeksBefore + weeksAhead)
  const eventsMax = getOnlyRow(rows).hosts * days
  const events = options.events ?? Math.min(eventsMax, options.eventsWanted)
  if (events > eventsMax)
    throw new CliError(
      `Nothing was created: there is only room for ${eventsMax} events. Ask for fewer events, or for more bookables.`,
    )
  const at = (minute: string) =>
    localInstantSql(
      `day / ${WEEKDAY_COUNT} - ${weeksBefore}`,
      `day % ${WEEKDAY_COUNT}`,
      `${FIRST_EVENT_MINUTE} + ${minute}`,
    )
  await insertRows(
    database,
    'events',
    `name, description, during, from_timezone, to_timezone, classification, status, organizer_user_id, created_at,
     updated_at`,
    `SELECT event, room, during, timezone AS from_timezone, timezone AS to_timezone, seed_users.id AS organizer_user_id,
       ${randomElementSql(meetingNames, 'event', 'name')} AS name,
       ${randomElementSql(meetingDescriptions, 'event', 'description')} AS description,
       3 - greatest(0, ${randomNumberSql('event', 'classification', 8)} - 4) AS classification,
       CASE WHEN ${randomNumberSql('event', 'cancelled', 40)} = 0 THEN ${EVENT_STATUSES.cancelled}
         ELSE ${EVENT_STATUSES.confirmed} END AS status, announced_at AS created_at, announced_at AS updated_at
     FROM (
       SELECT *, tstzrange(${at(`15 * ${randomNumberSql('event', 'start', 3)}`)}, ${at(`120 - 15 * ${randomNumberSql('event', 'end', 4)}`)}) AS during
       FROM (SELECT *, room * ${days} + day AS event FROM seed_rooms, generate_series(0, ${days - 1}) AS day) AS free
       WHERE room % 2 = 0
       ORDER BY ${randomNumberSql('event', 'chosen', 2 ** 53)} LIMIT ${events}
     ) AS chosen CROSS JOIN LATERAL (
       SELECT least(lower(during), now()) - interval '1 minute' * (1 + ${randomNumberSql('event', 'notice', 20_000)}) AS announced_at
     ) AS announced
     JOIN seed_users ON seed_users.number = ${randomNumberSql('event', 'organizer', users)}
     ORDER BY during, event`,
  )
  await seedAttendees(database, users)
  await database.raw(
    `INSERT INTO bookings (bookable_id, event_id, during, exclusive, created_at, updated_at)
     SELECT room_id, seed_events.id, during, true, created_at, created_at
     FROM seed_events JOIN seed_rooms ON seed_rooms.room = seed_events.room
       OR seed_rooms.room = seed_events.room + 1 AND ${randomNumberSql('event', 'second room', 10)} = 0
     WHERE status = ${EVENT_STATUSES.confirmed} AND ${randomNumberSql('event', 'without a room', 12)} > 0
     ORDER BY event, seed_rooms.room`,
  )
  return events
}

/** Adds the organizer, who has accepted, some colleagues with random answers, and sometimes a visitor. */
async function seedAttendees(database: Knex, users: number): Promise<void> {
  const organizer = randomNumberSql('event', 'organizer', users)
  const colleague = `(${organizer} + ordinal * (1 + ${randomNumberSql('event', 'stride', users)})) % ${users}`
  await database.raw(
    `INSERT INTO event_attendees (event_id, user_id, role, status)
     SELECT seed_events.id, seed_users.id, (ordinal > 0)::int,
       CASE WHEN ordinal = 0 THEN 1 ELSE ${randomNumberSql('event * 10 + ordinal', 'answer', 4)} END
     FROM seed_events
     CROSS JOIN generate_series(0, 1 + ${randomNumberSql('event', 'attendees', ATTENDEES_MAX)}) AS ordinal
     JOIN seed_users ON seed_users.number = ${colleague}
     ORDER BY event, ordinal
     ON CONFLICT DO NOTHING`,
  )
  await database.raw(
    `INSERT INTO event_attendees (event_id, email, visitor_id)
     SELECT id, 'visitor.' || ${randomNumberSql('event', 'visitor', 100_000)} || '@guests.example',
       nextval(pg_get_serial_sequence('users', 'id'))
     FROM seed_events WHERE ${randomNumberSql('event', 'visited', 7)} = 0
     ORDER BY event`,
  )
}
