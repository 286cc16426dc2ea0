// Tests that the seeded company has the requested numbers, and follows the rules of the API.
import { expect } from 'chai'
import fc from 'fast-check'
import type { Knex } from 'knex'
import { type SeedOptions, seedCompany } from '../../../commands/seed/company.ts'
import { CliError } from '../../../local/tools/terminal.ts'
import { connectDatabase, getOnlyRow } from '../../../shared/database/database.ts'
import { createDatabase, useConnection, useDatabase } from '../../support/databases.ts'
import { waitPastMidnight } from '../../support/time.ts'

const numbers = { buildings: 2, locations: 4, bookables: 120, users: 90, bookings: 4_000, events: 40 }
const options: SeedOptions = { ...numbers, seed: 1, weeksBefore: 6, weeksAhead: 4, floorPlans: true }
const ignoreProgress = () => undefined

async function withSeeded(work: (database: Knex) => Promise<void>): Promise<void> {
  const { databaseUrl, drop } = await createDatabase()
  const database = connectDatabase(databaseUrl)
  try {
    await seedCompany(database, options, ignoreProgress)
    await work(database)
  } finally {
    await database.destroy()
    await drop()
  }
}

describe('npm run seed', function suite() {
  this.timeout(120_000)
  const database = useConnection(useDatabase())

  before(async () => {
    await seedCompany(database, options, ignoreProgress)
  })

  const countWhere = async (rule: string) => {
    const { rows } = await database.raw<{ rows: Array<{ number: number }> }>(
      `SELECT count(*) AS number ${rule}`,
    )
    return getOnlyRow(rows).number
  }

  it('creates the requested number of each resource', async () => {
    expect(await countAll(database)).to.deep.equal(numbers)
  })

  it('creates flexible, blocked and assigned bookables of all four types', async () => {
    const types = await database('bookables').distinct('type').orderBy('type').pluck('type')
    expect(types).to.deep.equal([0, 1, 2, 3])
    const statuses = await database('bookables').distinct('status').orderBy('status').pluck('status')
    expect(statuses).to.deep.equal([0, 1, 2])
  })

  it('creates no overlapping bookings, except in home offices', async () => {
    expect(await countWhere(OVERLAPS_SQL)).to.equal(0)
    expect(await countWhere(`${BOOKED_PLACES_SQL} WHERE exclusive = (type = 3)`)).to.equal(0)
  })

  it('leaves every constraint and index of the database valid', async () => {
    const { rows } = await database.raw<{ rows: object[] }>(
      `SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
       WHERE relnamespace = 'public'::regnamespace AND NOT (indisvalid AND indisready)
       UNION ALL SELECT FROM pg_constraint WHERE NOT convalidated`,
    )
    expect(rows).to.deep.equal([])
    const overlap = database.raw(
      `INSERT INTO bookings (bookable_id, user_id, during, exclusive)
       SELECT bookable_id, user_id, during, true FROM bookings WHERE exclusive AND event_id IS NULL LIMIT 1`,
    )
    expect(await overlap.catch((error) => error.constraint)).to.equal('bookings__no_overlap')
  })

  it('books on weekdays during working hours, in the time zone of the building', async () => {
    const local = (bound: string) => `${bound}(during) AT TIME ZONE timezone`
    const outside = `to_char(${local('lower')}, 'HH24:MI') < '07:00' OR to_char(${local('upper')}, 'HH24:MI') > '19:00'
      OR extract(isodow FROM ${local('lower')}) > 5`
    expect(await countWhere(`${BOOKED_PLACES_SQL} WHERE ${outside}`)).to.equal(0)
  })

  it('books assigned bookables only for their assignees', async () => {
    const stranger = `NOT EXISTS (SELECT FROM bookable_assignees AS assignees
      WHERE assignees.bookable_id = bookings.bookable_id AND assignees.user_id = bookings.user_id)`
    expect(await countWhere(`${BOOKED_PLACES_SQL} WHERE status = 2`)).to.be.above(0)
    expect(await countWhere(`${BOOKED_PLACES_SQL} WHERE status = 2 AND ${stranger}`)).to.equal(0)
    expect(
      await countWhere(
        'FROM bookables LEFT JOIN bookable_assignees ON bookable_id = id WHERE (status = 2) = (user_id IS NULL)',
      ),
    ).to.equal(0)
  })

  it('books parking spots with a vehicle of the user and its license plate', async () => {
    const own =
      'FROM vehicles WHERE id = vehicle_id AND vehicles.user_id = bookings.user_id AND vehicles.license_plate = bookings.license_plate'
    expect(await countWhere(`${BOOKED_PLACES_SQL} WHERE type = 1`)).to.be.above(0)
    expect(await countWhere(`${BOOKED_PLACES_SQL} WHERE type = 1 AND NOT EXISTS (SELECT ${own})`)).to.equal(0)
    expect(
      await countWhere(
        `${BOOKED_PLACES_SQL} WHERE type <> 1 AND (vehicle_id IS NOT NULL OR bookings.license_plate IS NOT NULL)`,
      ),
    ).to.equal(0)
  })

  it('creates some bookings for guests, and open-ended bookings only in home offices', async () => {
    expect(await countWhere('FROM bookings WHERE guest_name IS NOT NULL')).to.be.above(0)
    expect(await countWhere(`${BOOKED_PLACES_SQL} WHERE upper_inf(during) AND type = 3`)).to.be.within(1, 5)
    expect(await countWhere(`${BOOKED_PLACES_SQL} WHERE upper_inf(during) AND type <> 3`)).to.equal(0)
  })

  it('creates events with an organizer who has accepted, and with rooms for the same time', async () => {
    const organizers = `FROM event_attendees AS attendees JOIN events ON events.id = event_id
      WHERE attendees.user_id = organizer_user_id AND role = 0 AND attendees.status = 1`
    expect(await countWhere(organizers)).to.equal(numbers.events)
    expect(await countWhere('FROM event_attendees WHERE role = 0')).to.equal(numbers.events)
    const rooms =
      'FROM bookings JOIN events ON events.id = event_id JOIN bookables ON bookables.id = bookable_id'
    expect(await countWhere(rooms)).to.be.above(numbers.events / 2)
    expect(
      await countWhere(`${rooms} WHERE bookings.during <> events.during OR events.status = 2 OR type <> 2`),
    ).to.equal(0)
  })

  it('creates no bookings in the future', async () => {
    expect(await countWhere('FROM bookings WHERE created_at > now()')).to.equal(0)
    expect(await countWhere('FROM bookings WHERE lower(during) > now()')).to.be.above(0)
  })

  it('adds to the existing data when it is run again', async () => {
    await seedCompany(database, options, ignoreProgress)
    const twice = Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, 2 * number]))
    expect(await countAll(database)).to.deep.equal(twice)
  })

  it('accepts any valid combination of numbers', async () => {
    const small = fc.record({
      buildings: fc.integer({ min: 1, max: 4 }),
      locations: fc.integer({ min: 1, max: 6 }),
      bookables: fc.integer({ min: 1, max: 60 }),
      users: fc.integer({ min: 1, max: 30 }),
      bookings: fc.integer({ min: 0, max: 1_500 }),
      seed: fc.integer({ min: 0, max: 1_000_000_000 }),
      weeksBefore: fc.integer({ min: 1, max: 60 }),
      weeksAhead: fc.integer({ min: 1, max: 10 }),
    })
    await fc.assert(
      fc.asyncProperty(small, async (asked) => {
        const { events: _before, ...before } = await countAll(database)
        await seedCompany(database, asked, ignoreProgress)
        const { events: _after, ...after } = await countAll(database)
        for (const [name, number] of Object.entries(after))
          expect(number - before[name as keyof typeof before], name).to.equal(
            asked[name as keyof typeof before],
          )
        expect(await countWhere(OVERLAPS_SQL)).to.equal(0)
      }),
      { numRuns: 10 },
    )
  })

  it('refuses contradictory numbers, and creates nothing', async () => {
    const before = await countAll(database)
    const tooMany = [
      { ...options, bookables: 1, bookings: 90_000 },
      { ...options, events: 100_000 },
    ]
    for (const asked of tooMany) {
      const refused = await seedCompany(database, asked, ignoreProgress).catch((error) => error)
      expect(refused).to.be.instanceOf(CliError)
    }
    expect(await countAll(database)).to.deep.equal(before)
  })

  it('creates the same data from the same random seed', async () => {
    // Both seed runs must be in the same week.
    await waitPastMidnight(30_000)
    const prints: string[] = []
    for (let round = 0; round < 2; round++)
      await withSeeded(async (seeded) => {
        prints.push(await hashData(seeded))
      })
    expect(prints[0]).to.equal(prints[1])
  })
})

const BOOKED_PLACES_SQL = `FROM bookings JOIN bookables ON bookables.id = bookable_id JOIN locations ON locations.id = location_id
  JOIN buildings ON buildings.id = building_id`

// Finds overlapping bookings without the constraint, so that the test fails if the constraint is missing.
const OVERLAPS_SQL = `FROM (
    SELECT lower(during) AS starts_at, max(upper(during)) OVER (
      PARTITION BY bookable_id ORDER BY lower(during) ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS taken_until
    FROM bookings JOIN bookables ON bookables.id = bookable_id WHERE type <> 3
  ) AS ordered
  WHERE starts_at < taken_until`

async function countAll(database: Knex): Promise<typeof numbers> {
  const { rows } = await database.raw<{ rows: Array<typeof numbers> }>(
    `SELECT (SELECT count(*) FROM buildings) AS buildings, (SELECT count(*) FROM locations) AS locations,
       (SELECT count(*) FROM bookables) AS bookables, (SELECT count(*) FROM users) AS users,
       (SELECT count(*) FROM bookings WHERE event_id IS NULL) AS bookings, (SELECT count(*) FROM events) AS events`,
  )
  return getOnlyRow(rows)
}

// Returns a hash of the data without ids, because ids depend on the time of the test run.
async function hashData(database: Knex): Promise<string> {
  const { rows } = await database.raw<{ rows: Array<{ print: string }> }>(
    `SELECT md5(string_agg(line, ',' ORDER BY line)) AS print
     FROM (
       SELECT row(bookables.name, users.email, during, guest_name, bookings.license_plate)::text AS line
       FROM bookings JOIN bookables ON bookables.id = bookable_id LEFT JOIN users ON users.id = user_id
     ) AS booked`,
  )
  return getOnlyRow(rows).print
}
