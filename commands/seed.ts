// Fills a database with a sample company of any size, for trials and measurements.
import { parseArgs } from 'node:util'
import { print } from '../local/tools/terminal.ts'
import { readWholeNumber, runCommand, withDatabase } from './command.ts'
import { seedCompany } from './seed/company.ts'
import type { SeedOptions } from './seed/schedule.ts'

const usage = `Fills a database with a sample company. Existing data stays as it is.

  npm run seed -- [--buildings 2] [--locations 10] [--bookables 200] [--users 1000] [--bookings 10000]
                  [--events NUMBER] [--seed 1]

The numbers are totals. Bookings lie between a year ago and nine weeks from now, or go further back if there are many.
By default there is one event for every hundred bookings. The same --seed gives the same data, apart from ids and
whatever depends on today's date.`

const WEEKS_BEFORE = 52
const WEEKS_AHEAD = 9

await runCommand(usage, async (args) => {
  const options = readOptions(args)
  const startedMs = Date.now()
  const seconds = () => `${((Date.now() - startedMs) / 1000).toFixed(1).padStart(6)} s`
  await withDatabase((database) =>
    seedCompany(database, options, (created) => print(`${seconds()}  ${created}`)),
  )
  print(`${seconds()}  done`)
})

function readOptions(args: string[]): SeedOptions {
  const { values } = parseArgs({
    args,
    options: {
      buildings: { type: 'string', default: '2' },
      locations: { type: 'string', default: '10' },
      bookables: { type: 'string', default: '200' },
      users: { type: 'string', default: '1000' },
      bookings: { type: 'string', default: '10000' },
      events: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  })
  const { events } = values
  return {
    buildings: readWholeNumber('buildings', values.buildings, { min: 1, max: 10_000 }),
    locations: readWholeNumber('locations', values.locations, { min: 1, max: 100_000 }),
    bookables: readWholeNumber('bookables', values.bookables, { min: 1, max: 1_000_000 }),
    users: readWholeNumber('users', values.users, { min: 1, max: 1_000_000 }),
    bookings: readWholeNumber('bookings', values.bookings, { min: 0, max: 100_000_000 }),
    events: events === undefined ? undefined : readWholeNumber('events', events, { min: 0, max: 10_000_000 }),
    seed: readWholeNumber('seed', values.seed, { min: 0, max: 1_000_000_000 }),
    weeksBefore: WEEKS_BEFORE,
    weeksAhead: WEEKS_AHEAD,
  }
}
