// The company that `npm start` shows: small enough to be there at once, large enough to look at.
import type { Knex } from 'knex'
import { seedCompany } from './company.ts'
import { seedFloorPlans } from './floor-plans.ts'

/** Does nothing where there are users: that is somebody's data. */
export async function seedDemo(database: Knex): Promise<void> {
  if (await database('users').first('id')) return
  const numbers = { buildings: 2, locations: 6, bookables: 200, users: 150, bookings: 3_000, events: 60 }
  await seedCompany(database, { ...numbers, seed: 1, weeksBefore: 3, weeksAhead: 4 }, () => undefined)
  await seedFloorPlans(database)
}
