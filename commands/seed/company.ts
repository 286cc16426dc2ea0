// Fills a database with a believable company, by statements over whole sets and in one transaction: there is all of it
// or nothing. What is there already stays as it is.
import type { Knex } from 'knex'
import { Problem } from '../../local/say.ts'
import { seedBookings, seedOpenEnded } from './bookings.ts'
import { numberRooms, seedEvents } from './events.ts'
import { seedGroups, seedUsers, seedVehicles } from './people.ts'
import { seedAssignees, seedBookables, seedBuildings, seedLocations } from './places.ts'
import { planStretches, type SeedOptions } from './plan.ts'
import { createDraw, type Draw } from './random.ts'
import { cutSlots } from './slots.ts'

/** Told of each step when it is done. */
export type Report = (made: string) => void

export async function seedCompany(database: Knex, options: SeedOptions, report: Report): Promise<void> {
  const draw = createDraw(options.seed)
  await database.transaction(async (trx) => {
    // Compiling statements as long as these takes longer than running them.
    await trx.raw("SET LOCAL jit = off; SET LOCAL work_mem = '128MB'; SET LOCAL statement_timeout = 0")
    const vehicles = await seedPeople(trx, draw, options)
    report(`${count(options.users)} users, with groups and ${count(vehicles)} vehicles`)
    await seedPlaces(trx, draw, options)
    report(
      `${count(options.buildings)} buildings, ${count(options.locations)} locations, ${count(options.bookables)} bookables`,
    )
    await seedAllBookings(trx, draw, options, vehicles, report)
    await seedAllEvents(trx, draw, options, report)
  })
  // Vacuuming also marks pages as visible to all, which autovacuum would do at a less convenient moment.
  await database.raw(
    `VACUUM (ANALYZE) users, groups, group_members, vehicles, buildings, locations, bookables, bookable_assignees,
       bookings, events, event_attendees`,
  )
  report('statistics for the query planner')
}

async function seedPeople(database: Knex, draw: Draw, options: SeedOptions): Promise<number> {
  await seedUsers(database, draw, options.users, options.seed)
  await seedGroups(database, draw)
  return seedVehicles(database, draw)
}

async function seedPlaces(database: Knex, draw: Draw, options: SeedOptions): Promise<void> {
  const { buildings, locations, bookables, users } = options
  await seedBuildings(database, draw, buildings)
  await seedLocations(database, buildings, locations)
  await seedBookables(database, draw, locations, bookables)
  await seedAssignees(database, draw, users)
}

async function seedAllBookings(
  database: Knex,
  draw: Draw,
  options: SeedOptions,
  vehicles: number,
  report: Report,
): Promise<void> {
  const { users, bookings } = options
  const daily = await cutSlots(database)
  let made = await seedOpenEnded(database, users, Math.min(5, Math.floor(bookings / 100)))
  for (const stretch of planStretches(options, bookings - made, daily)) {
    await seedBookings(database, draw, stretch, daily, { users, vehicles })
    made += stretch.bookings
    report(`${count(made)} of ${count(bookings)} bookings`)
  }
}

async function seedAllEvents(
  database: Knex,
  draw: Draw,
  options: SeedOptions,
  report: Report,
): Promise<void> {
  const eventsMax = await numberRooms(database, options)
  const events = options.events ?? Math.min(eventsMax, Math.floor(options.bookings / 100))
  if (events > eventsMax)
    throw new Problem(
      `There is room for ${count(eventsMax)} events only: ask for fewer, or for more bookables.`,
    )
  if (events > 0) await seedEvents(database, draw, options, events)
  report(`${count(events)} events`)
}

const count = (number: number) => number.toLocaleString('en')
