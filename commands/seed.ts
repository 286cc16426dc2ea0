// Fills a database with a sample company of any size, for trials and benchmarks.
import { parseArgs } from 'node:util'
import { print } from '../local/tools/terminal.ts'
import { readNumbers, readWholeNumber, runCommand, withDatabase } from './command.ts'
import { seedCompany } from './seed/company.ts'

const usage = `Fills a database with a sample company. Existing data stays as it is.

  npm run seed -- [--buildings 2] [--locations 10] [--bookables 200] [--users 1000] [--bookings 10000]
                  [--events NUMBER] [--seed 1]

The numbers are totals. Bookings lie between a year ago and nine weeks from now, or go further back if there are many.
By default there is one event for every hundred bookings. The same --seed gives the same data, except for ids and
everything that depends on today's date.`

const NUMBER_OPTIONS = {
  buildings: { type: 'string', default: '2', min: 1, max: 10_000 },
  locations: { type: 'string', default: '10', min: 1, max: 100_000 },
  bookables: { type: 'string', default: '200', min: 1, max: 1_000_000 },
  users: { type: 'string', default: '1000', min: 1, max: 1_000_000 },
  bookings: { type: 'string', default: '10000', min: 0, max: 100_000_000 },
  seed: { type: 'string', default: '1', min: 0, max: 1_000_000_000 },
} as const
const EVENTS_OPTION = { type: 'string', min: 0, max: 10_000_000 } as const

await runCommand(usage, async (args) => {
  const { values } = parseArgs({ args, options: { ...NUMBER_OPTIONS, events: EVENTS_OPTION } })
  const events =
    values.events === undefined ? undefined : readWholeNumber('events', values.events, EVENTS_OPTION)
  const numbers = readNumbers(values, NUMBER_OPTIONS)
  const options = { ...numbers, events, weeksBefore: 52, weeksAhead: 9, floorPlans: true }
  const startedMs = Date.now()
  const seconds = () => `${((Date.now() - startedMs) / 1000).toFixed(1).padStart(6)} s`
  await withDatabase((database) =>
    seedCompany(database, options, (created) => print(`${seconds()}  ${created}`)),
  )
  print(`${seconds()}  done`)
})
