// Seeds the demo company of `npm start`, which is small enough to be created quickly and large enough to explore.
import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { seedCompany } from './company.ts'

const DEMO_RULES = {
  opening_hours: [1, 2, 3, 4, 5].map((day) => ({ day, from: '06:00', to: '22:00' })),
  days_ahead_max: 28,
  minutes_max: 720,
  one_at_a_time: true,
  check_in: { opens_minutes_before: 30, release_minutes_after: 60 },
}

/** Does nothing if there are any users, because the data is then real. */
export async function seedDemo(database: Knex): Promise<void> {
  if (await database('users').first('id')) return
  const numbers = { buildings: 2, locations: 6, bookables: 200, users: 150, bookings: 3_000, events: 60 }
  await seedCompany(
    database,
    { ...numbers, seed: 1, weeksBefore: 3, weeksAhead: 4, floorPlans: true },
    () => undefined,
  )
  await seedRules(database)
  await seedSeries(database)
  await seedWebhooks(database)
}

// Sets rules only on the last floor, so that they do not get in the way of people who try out the first one.
async function seedRules(database: Knex): Promise<void> {
  await database.raw('UPDATE locations SET rules = ? WHERE id = (SELECT max(id) FROM locations)', [
    JSON.stringify(DEMO_RULES),
  ])
}

const SERIES_WEEKS = 4

// Creates a team day: the same desk each Tuesday, from 10:00 to 16:30 local time. Skips weeks in which the desk is
// taken.
async function seedSeries(database: Knex): Promise<void> {
  const repeat = { every: 'week', interval: 1, on: [2], until: null, count: SERIES_WEEKS }
  await database.raw(
    `WITH desk AS (
       SELECT bookables.id, timezone FROM bookables
       JOIN locations ON locations.id = location_id JOIN buildings ON buildings.id = building_id
       WHERE type = 0 AND status = 0 AND bookables.id > 1 ORDER BY bookables.id LIMIT 1
     ), made AS (
       INSERT INTO series (repeat, timezone) SELECT ?::json, timezone FROM desk RETURNING id
     ), days AS (
       SELECT date_trunc('week', current_date::timestamp) + make_interval(days => 1 + 7 * week) AS day
       FROM generate_series(1, ${SERIES_WEEKS}) AS week
     )
     INSERT INTO bookings (bookable_id, user_id, during, exclusive, series_id)
     SELECT desk.id, (SELECT min(id) FROM users WHERE deactivated_at IS NULL AND id > 1), tstzrange(
         (day + interval '10 hours') AT TIME ZONE timezone, (day + interval '16 hours 30 minutes') AT TIME ZONE timezone
       ), true, made.id
     FROM desk, made, days ON CONFLICT DO NOTHING`,
    [JSON.stringify(repeat)],
  )
}

// Creates disabled webhooks, so that nothing leaves the machine until a user enables them.
async function seedWebhooks(database: Knex): Promise<void> {
  const webhooks = [
    ['Lobby display', 'https://display.example.com/berth', ['booking.*', 'event.*']],
    ['Access control', 'https://doors.example.com/hooks', ['user.*', 'booking.checked_in']],
  ]
  await database('webhooks').insert(
    webhooks.map(([description, url, types]) => ({
      description,
      url,
      types,
      enabled: false,
      secret: `whsec_${randomBytes(32).toString('base64')}`,
      base_url: 'http://localhost:3000',
    })),
  )
}
