// Tests how Postgres finds the items of a listing: never by reading all bookings. Prepared statements get
// generic plans after a while, so the tests check both kinds of plans, on a table that is large enough for
// the planner to have a choice.
import { expect } from 'chai'
import { seedCompany } from '../../../../commands/seed/company.ts'
import { createAffectedBookingsListing } from '../../../../gateway/api/rest/affected-bookings/affected-bookings-routes.ts'
import {
  availableBookables,
  bookableAvailabilityStatement,
} from '../../../../gateway/api/rest/availability/availability-routes.ts'
import { takenTimesStatement } from '../../../../gateway/api/rest/availability/free-busy.ts'
import {
  bookableById,
  bookablesOfLocation,
  detailedOccupancyOfLocation,
  occupancyOfLocation,
} from '../../../../gateway/api/rest/bookables/bookables-routes.ts'
import {
  allBookings,
  bookingById,
  bookingsOfBookable,
  bookingsOfBuilding,
  bookingsOfEmail,
  bookingsOfLocation,
  bookingsOfUser,
  seriesById,
} from '../../../../gateway/api/rest/bookings/bookings-queries.ts'
import {
  filteredBookings,
  filteredBookingsOfBuilding,
  filteredBookingsOfLocation,
} from '../../../../gateway/api/rest/bookings/filtered-bookings.ts'
import { buildingById } from '../../../../gateway/api/rest/buildings/buildings-routes.ts'
import { eventById, eventsBetween, eventsToday } from '../../../../gateway/api/rest/events/events-routes.ts'
import { livemapStatement } from '../../../../gateway/api/rest/livemap/livemap.ts'
import { locationById } from '../../../../gateway/api/rest/locations/locations-routes.ts'
import { limitText } from '../../../../gateway/reads/limits/building-limits.ts'
import type { Listing, Statement } from '../../../../gateway/server/http/listing.ts'
import { useConnection, useDatabase } from '../../../support/databases.ts'

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

const WEEK_MS = 7 * 24 * 3_600_000
const TO = new Date().toISOString()
const FROM = new Date(Date.parse(TO) - WEEK_MS).toISOString()
const BASE_URL = 'http://localhost'
const BOOKING_COUNT = 60_000
// The bookings of the requested week and of the day before it.
const ROWS_READ_MAX = BOOKING_COUNT / 20

const listings: Record<string, { listing: Listing; values: unknown[] }> = {
  'users/{user_id}/bookings': { listing: bookingsOfUser, values: [1, FROM, TO, BASE_URL] },
  'users/by-email/{user_email}/bookings': {
    listing: bookingsOfEmail,
    values: ['a@b.example', FROM, TO, BASE_URL],
  },
  'buildings/{building_id}/bookings': { listing: bookingsOfBuilding, values: [1, FROM, TO, BASE_URL] },
  'locations/{location_id}/bookings': { listing: bookingsOfLocation, values: [1, FROM, TO, BASE_URL] },
  'bookables/{bookable_id}/bookings': { listing: bookingsOfBookable, values: [1, FROM, TO, BASE_URL] },
  bookings: { listing: allBookings, values: [FROM, TO, BASE_URL] },
  'bookings?user_id': {
    listing: filteredBookings.listings.ofUser,
    values: [1, null, FROM, TO, BASE_URL, null, null],
  },
  'bookings?group_id&type': {
    listing: filteredBookings.listings.ofAll,
    values: [1, FROM, TO, BASE_URL, 0, null],
  },
  'bookings?tag': {
    listing: filteredBookings.listings.ofAll,
    values: [null, FROM, TO, BASE_URL, null, '{quiet}'],
  },
  'buildings/{building_id}/bookings?user_id&type': {
    listing: filteredBookingsOfBuilding.listings.ofUser,
    values: [1, 1, null, FROM, TO, BASE_URL, 0, null],
  },
  'buildings/{building_id}/bookings?group_id&tag': {
    listing: filteredBookingsOfBuilding.listings.ofAll,
    values: [1, 1, FROM, TO, BASE_URL, null, '{quiet}'],
  },
  'locations/{location_id}/bookings?user_id': {
    listing: filteredBookingsOfLocation.listings.ofUser,
    values: [1, 1, null, FROM, TO, BASE_URL, null, null],
  },
  'locations/{location_id}/bookings?type': {
    listing: filteredBookingsOfLocation.listings.ofAll,
    values: [1, null, FROM, TO, BASE_URL, 0, null],
  },
  'locations/{location_id}/bookables': { listing: bookablesOfLocation, values: [1] },
  'locations/{location_id}/bookables/occupancy': { listing: occupancyOfLocation, values: [1, TO] },
  'locations/{location_id}/bookables/occupancy?details=true': {
    listing: detailedOccupancyOfLocation,
    values: [1, TO],
  },
  'availability?building_id': {
    listing: availableBookables,
    values: [1, null, null, FROM, TO, null, null, null],
  },
  'availability?location_id&user_id': {
    listing: availableBookables,
    values: [null, 1, 1, FROM, TO, 0, '{}', 0],
  },
  'buildings/{id}/in-the-way': { listing: createAffectedBookingsListing('buildings'), values: [1, FROM, TO] },
  'locations/{id}/in-the-way': { listing: createAffectedBookingsListing('locations'), values: [1, FROM, TO] },
  'bookables/{id}/in-the-way': { listing: createAffectedBookingsListing('bookables'), values: [1, FROM, TO] },
  events: { listing: eventsBetween, values: [null, null, null, FROM, TO] },
  'events?building_id': { listing: eventsBetween, values: [1, null, null, FROM, TO] },
  'events?location_id': { listing: eventsBetween, values: [null, 1, null, FROM, TO] },
  'events?bookable_id': { listing: eventsBetween, values: [null, null, 1, FROM, TO] },
  'events/today?building_id': { listing: eventsToday, values: [1, null, null, TO] },
  'events/today?bookable_id': { listing: eventsToday, values: [null, null, 1, TO] },
}

/** Statements that read one resource by its id. */
const SINGLE_READS: Array<[Statement, unknown[]]> = [
  [bookingById, [1, BASE_URL]],
  [seriesById, [1, BASE_URL]],
  [eventById, [1]],
  [livemapStatement, [1, TO]],
  [bookableById, [1]],
  [buildingById, [1]],
  [locationById, [1]],
  [bookableAvailabilityStatement, [1, FROM, TO]],
  [takenTimesStatement, ['{1,2,3}', FROM, TO, null, null]],
]

describe('SQL plans of listings', function suite() {
  this.timeout(120_000)
  // Uses one connection, because the tests examine its settings and prepared statements.
  const database = useConnection(useDatabase(), { connectionsMax: 1 })
  before(async () => {
    const size = { buildings: 4, locations: 12, bookables: 1_200, users: 2_000, bookings: BOOKING_COUNT }
    await seedCompany(database, { ...size, seed: 1, weeksBefore: 52, weeksAhead: 9 }, () => undefined)
    await database.raw('VACUUM ANALYZE')
  })
  async function explain(text: string, values: unknown[], { anew = true } = {}): Promise<Plan[]> {
    if (anew) await database.raw('DEALLOCATE ALL')
    // Inserts the values into the text, because bindings would create a second prepared statement.
    if (anew) await database.raw(`PREPARE listing AS ${text}`.replaceAll('?', '\\?'))
    const literals = values.map((value) => (value === null ? 'NULL' : `'${value}'`)).join(', ')
    const { rows } = await database.raw<{ rows: Array<{ 'QUERY PLAN': Array<{ Plan: Plan }> }> }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE listing(${literals})`,
    )
    return rows.flatMap((row) => row['QUERY PLAN'].map((each) => each.Plan))
  }

  const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
  const scanned = (plans: Plan[]) =>
    plans
      .flatMap(nodesOf)
      .filter((node) => node['Node Type'].endsWith('Seq Scan'))
      .map((node) => node['Relation Name'])
  /** Returns the number of bookings that Postgres read, including those that it filtered out. */
  const read = (plans: Plan[]) =>
    plans
      .flatMap(nodesOf)
      .filter((node) => node['Relation Name'] === 'bookings')
      .map(
        ({ 'Rows Removed by Filter': left = 0, 'Rows Removed by Index Recheck': others = 0, ...node }) =>
          (node['Actual Rows'] + left + others) * node['Actual Loops'],
      )
      .reduce((sum, rows) => sum + rows, 0)

  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    for (const [path, { listing, values }] of Object.entries(listings)) {
      it(`never read all bookings for ${path}, with ${mode}`, async () => {
        await database.raw(`SET plan_cache_mode = ${mode}`)
        const keys = listing.order.map(({ type }) => (type === 'timestamptz' ? FROM : 1))
        const statements: Array<[string, unknown[]]> = [
          [listing.whole.text, values],
          [listing.first.text, [...values, 101]],
          [listing.next.text, [...values, ...keys, 101]],
          [listing.all, values],
          ...(listing.beginning ? [[listing.beginning, values] as [string, unknown[]]] : []),
        ]
        for (const [text, given] of statements) {
          const plans = await explain(text, given)
          expect(scanned(plans), text).not.to.include('bookings')
          expect(read(plans), text).to.be.lessThan(ROWS_READ_MAX)
        }
      })
    }
  }

  it('never read all bookings for a token that is limited to buildings', async () => {
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await database.raw(`SET plan_cache_mode = ${mode}`)
      for (const [path, { listing, values }] of Object.entries(listings)) {
        for (const text of [listing.whole.text, listing.first.text, listing.all]) {
          const given = text === listing.first.text ? [...values, 101] : values
          const plans = await explain(limitText(text, given.length), [...given, '{1,2}'])
          expect(scanned(plans), `${path}, ${mode}`).not.to.include('bookings')
        }
      }
      for (const [{ name, text }, values] of SINGLE_READS) {
        const plans = await explain(limitText(text, values.length), [...values, '{1,2}'])
        expect(scanned(plans), `${name}, ${mode}`).not.to.include('bookings')
      }
    }
  })

  for (const [path, { text }, values] of [
    ['bookables/{id}/availability', bookableAvailabilityStatement, [1, FROM, TO]],
    ['free-busy', takenTimesStatement, ['{1,2,3}', FROM, TO, null, null]],
    ['free-busy of rooms', takenTimesStatement, ['{1,2,3}', FROM, TO, '{2}', null]],
  ] as Array<[string, Statement, unknown[]]>)
    it(`never read all bookings for ${path}`, async () => {
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        await database.raw(`SET plan_cache_mode = ${mode}`)
        const plans = await explain(text, values)
        expect(scanned(plans)).not.to.include('bookings').and.not.to.include('events')
        expect(read(plans)).to.be.lessThan(ROWS_READ_MAX)
      }
    })

  it('are cached for listings of a time range and of current bookings', async () => {
    await database.raw('SET plan_cache_mode = auto')
    const kept = [bookingsOfUser, bookingsOfLocation, bookingsOfBookable, detailedOccupancyOfLocation]
    for (const { listing, values } of Object.values(listings).filter((each) => kept.includes(each.listing))) {
      // Postgres tries five custom plans before it considers a generic plan.
      for (let round = 0; round < 7; round++) await explain(listing.whole.text, values, { anew: round === 0 })
      const { rows } = await database.raw(
        "SELECT generic_plans::int AS kept FROM pg_prepared_statements WHERE name = 'listing'",
      )
      expect(rows[0].kept, listing.whole.name).to.equal(2)
    }
  })

  it('evaluate rules once for all bookables that have the same rules', async () => {
    await database.raw('SET plan_cache_mode = force_custom_plan')
    const rules = JSON.stringify({ minutes_min: 15 })
    await database('buildings').update({ rules })
    const plans = await explain(availableBookables.all, [1, null, null, FROM, TO, null, null, null])
    await database('buildings').update({ rules: null })
    // Postgres reads the bookables once into a hash table, with one row for each combination of location, type and
    // rules.
    expect(JSON.stringify(plans)).to.include('hashed SubPlan')
    const different = plans.flatMap(nodesOf).filter((node) => /Aggregate|Unique/.test(node['Node Type']))
    expect(different.map((node) => [node['Actual Rows'], node['Actual Loops']])).to.deep.include([12, 1])
  })

  it('show it if a statement reads all bookings, so the test can detect this', async () => {
    const plans = await explain('SELECT count(*) FROM bookings WHERE during && tstzrange($1, $2)', [FROM, TO])
    expect(scanned(plans)).to.include('bookings')
    expect(read(plans)).to.be.at.least(BOOKING_COUNT)
  })
})
