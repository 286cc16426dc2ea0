// Fills a database with a sample company, in bulk statements in one transaction. Keeps existing data.
import type { Knex } from 'knex'
import { seedBookings, type WeekCounts } from './bookings.ts'
import { seedEvents } from './events.ts'
import { seedFloorPlans } from './floor-plans.ts'
import { seedGroups, seedUsers, seedVehicles } from './people.ts'
import { seedBookables, seedBuildings, seedLocations } from './places.ts'
import { createRandomNumberFunction } from './sql.ts'

export type SeedOptions = WeekCounts & {
  buildings: number
  locations: number
  bookables: number
  users: number
  bookings: number
  /** The number of events. Defaults to one per hundred bookings, or fewer if the rooms do not suffice. */
  events?: number | undefined
  /** Whether floors get a drawn floor plan. Otherwise bookables stand in a grid. */
  floorPlans?: boolean
  /**
   * The seed of the random numbers. The same seed gives the same data, except for ids and everything that depends on
   * today's date.
   */
  seed: number
}

const REPORT_INTERVAL_MS = 1_000

/** Seeds the company, and calls `report` with a description of each step's result. */
export async function seedCompany(
  database: Knex,
  options: SeedOptions,
  report: (created: string) => void,
): Promise<void> {
  const { buildings, locations, bookables, users, bookings } = options
  let reportMs = Date.now() + REPORT_INTERVAL_MS
  await database.transaction(async (trx) => {
    await trx.raw("SET LOCAL work_mem = '128MB'; SET LOCAL statement_timeout = 0")
    await createRandomNumberFunction(trx, options.seed)
    await seedUsers(trx, users, options.seed)
    await seedGroups(trx)
    const vehicles = await seedVehicles(trx)
    report(`${formatCount(users, 'user')} with their groups and ${formatCount(vehicles, 'vehicle')}`)
    await seedBuildings(trx, buildings)
    await seedLocations(trx, buildings, locations)
    await seedBookables(trx, options)
    if (options.floorPlans) await seedFloorPlans(trx, options)
    report(
      `${formatCount(buildings, 'building')}, ${formatCount(locations, 'location')}, ${formatCount(bookables, 'bookable')}`,
    )
    await seedBookings(trx, options, { users, vehicles }, (created) => {
      if (Date.now() < reportMs) return
      reportMs = Date.now() + REPORT_INTERVAL_MS
      report(`${formatCount(created, 'booking')} so far`)
    })
    report(formatCount(bookings, 'booking'))
    const eventsWanted = Math.floor(bookings / 100)
    report(formatCount(await seedEvents(trx, { ...options, events: options.events, eventsWanted }), 'event'))
  })
  // Vacuums the tables, which also marks pages as all-visible. Autovacuum would do so later, at a less convenient
  // moment.
  await database.raw(
    `VACUUM (ANALYZE) users, groups, group_members, vehicles, buildings, locations, bookables, bookable_assignees,
       bookings, events, event_attendees`,
  )
  report('statistics for the query planner')
}

function formatCount(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}
