// The company that `npm start` shows: small enough to be there at once, large enough to look at.
import type { Knex } from 'knex'
import { seedCompany } from './company.ts'
import { seedFloorPlans } from './floor-plans.ts'

const RULES = {
  opening_hours: [1, 2, 3, 4, 5].map((day) => ({ day, from: '06:00', to: '22:00' })),
  days_ahead_max: 28,
  minutes_max: 720,
  one_at_a_time: true,
  check_in: { opens_minutes_before: 30, release_minutes_after: 60 },
}

/** Does nothing where there are users: that is somebody's data. */
export async function seedDemo(database: Knex): Promise<void> {
  if (await database('users').first('id')) return
  const numbers = { buildings: 2, locations: 6, bookables: 200, users: 150, bookings: 3_000, events: 60 }
  await seedCompany(database, { ...numbers, seed: 1, weeksBefore: 3, weeksAhead: 4 }, () => undefined)
  await seedFloorPlans(database)
  await seedRules(database)
}

// On the last floor, so that what is tried on the first one is held to nothing.
async function seedRules(database: Knex): Promise<void> {
  await database.raw('UPDATE locations SET rules = ? WHERE id = (SELECT max(id) FROM locations)', [
    JSON.stringify(RULES),
  ])
}
