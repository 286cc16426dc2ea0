// Fills a database with a sample company, in bulk statements in one transaction. Keeps existing data.
import type { Knex } from 'knex'
import { seedBookings, seedOpenEnded } from './bookings.ts'
import { numberRooms, seedEvents } from './events.ts'
import { seedAssignees, seedBookables, seedBuildings, seedLocations } from './places.ts'
import { createDraw, type Draw } from './random.ts'
import { type SeedOptions, scheduleEvents, schedulePeriods } from './schedule.ts'
import { cutSlots } from './slots.ts'
import { seedGroups, seedUsers, seedVehicles } from './users.ts'

/** Called with what has been created. */
type Report = (created: string) => void

const OPEN_ENDED_MAX = 5
const REPORT_INTERVAL_MS = 1_000

export async function seedCompany(database: Knex, options: SeedOptions, report: Report): Promise<void> {
  const draw = createDraw(options.seed)
  await database.transaction(async (trx) => {
    await trx.raw("SET LOCAL work_mem = '128MB'; SET LOCAL statement_timeout = 0")
    const vehicles = await seedUsersAndVehicles(trx, draw, options)
    report(`${count(options.users, 'user')} with their groups and ${count(vehicles, 'vehicle')}`)
    await seedPlaces(trx, draw, options)
    const { buildings, locations, bookables } = options
    report(
      `${count(buildings, 'building')}, ${count(locations, 'location')}, ${count(bookables, 'bookable')}`,
    )
    await seedClaims(trx, draw, options, vehicles, report)
  })
  // Vacuuming also marks pages as all-visible, which autovacuum would do at a less convenient moment.
  await database.raw(
    `VACUUM (ANALYZE) users, groups, group_members, vehicles, buildings, locations, bookables, bookable_assignees,
       bookings, events, event_attendees`,
  )
  report('statistics for the query planner')
}

async function seedUsersAndVehicles(database: Knex, draw: Draw, options: SeedOptions): Promise<number> {
  await seedUsers(database, draw, options.users, options.seed)
  await seedGroups(database, draw)
  return seedVehicles(database, draw)
}

async function seedPlaces(database: Knex, draw: Draw, options: SeedOptions): Promise<void> {
  await seedBuildings(database, draw, options.buildings)
  await seedLocations(database, options.buildings, options.locations)
  await seedBookables(database, draw, options.locations, options.bookables)
  await seedAssignees(database, draw, options.users)
}

async function seedClaims(
  database: Knex,
  draw: Draw,
  options: SeedOptions,
  vehicles: number,
  report: Report,
): Promise<void> {
  const { users, bookings } = options
  const daily = await cutSlots(database)
  const events = scheduleEvents(options, await numberRooms(database))
  let created = await seedOpenEnded(database, users, Math.min(OPEN_ENDED_MAX, Math.floor(bookings / 100)))
  let reportMs = Date.now() + REPORT_INTERVAL_MS
  for (const period of schedulePeriods(options, bookings - created, daily)) {
    await seedBookings(database, draw, period, daily, { users, vehicles })
    created += period.bookings
    if (created < bookings && Date.now() < reportMs) continue
    reportMs = Date.now() + REPORT_INTERVAL_MS
    report(created < bookings ? `${count(created, 'booking')} so far` : count(created, 'booking'))
  }
  if (events > 0) await seedEvents(database, draw, options, events)
  report(count(events, 'event'))
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}
