// Fills a database with a sample company, in bulk statements in one transaction. Keeps existing data.
import type { Knex } from 'knex'
import { seedBookings, type Weeks } from './bookings.ts'
import { seedEvents } from './events.ts'
import { seedGroups, seedUsers, seedVehicles } from './people.ts'
import { seedBookables, seedBuildings, seedLocations } from './places.ts'
import { createDraw } from './sql.ts'

export type SeedOptions = Weeks & {
  buildings: number
  locations: number
  bookables: number
  users: number
  bookings: number
  /** If absent, one per hundred bookings, up to what the rooms allow. */
  events?: number | undefined
  /** The same seed gives the same data, except ids and what depends on today. */
  seed: number
}

const REPORT_INTERVAL_MS = 1_000

/** Calls `report` with what has been created. */
export async function seedCompany(
  database: Knex,
  options: SeedOptions,
  report: (created: string) => void,
): Promise<void> {
  const { buildings, locations, bookables, users, bookings } = options
  let reportMs = Date.now() + REPORT_INTERVAL_MS
  await database.transaction(async (trx) => {
    await trx.raw("SET LOCAL work_mem = '128MB'; SET LOCAL statement_timeout = 0")
    await createDraw(trx, options.seed)
    await seedUsers(trx, users, options.seed)
    await seedGroups(trx)
    const vehicles = await seedVehicles(trx)
    report(`${count(users, 'user')} with their groups and ${count(vehicles, 'vehicle')}`)
    await seedBuildings(trx, buildings)
    await seedLocations(trx, buildings, locations)
    await seedBookables(trx, options)
    report(
      `${count(buildings, 'building')}, ${count(locations, 'location')}, ${count(bookables, 'bookable')}`,
    )
    await seedBookings(trx, options, { users, vehicles }, (created) => {
      if (Date.now() < reportMs) return
      reportMs = Date.now() + REPORT_INTERVAL_MS
      report(`${count(created, 'booking')} so far`)
    })
    report(count(bookings, 'booking'))
    const eventsWanted = Math.floor(bookings / 100)
    report(count(await seedEvents(trx, { ...options, events: options.events, eventsWanted }), 'event'))
  })
  // Vacuuming also marks pages as all-visible, which autovacuum would do at a less convenient moment.
  await database.raw(
    `VACUUM (ANALYZE) users, groups, group_members, vehicles, buildings, locations, bookables, bookable_assignees,
       bookings, events, event_attendees`,
  )
  report('statistics for the query planner')
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}
