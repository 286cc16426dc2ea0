// How long a report takes over five years of five million bookings: from daily figures, as upkeep makes them, of 5,000 desks and
// rooms on 50 floors of 10 buildings.
import { expect } from 'chai'
import { HOURS, hourColumn } from '../../shared/reports/figures.ts'
import { useSignedIn } from '../support/dashboard/dashboard.ts'
import { promised, timed } from '../support/time.ts'
import { useWorld } from '../support/world.ts'

const NOW = '2026-01-05T12:00:00.000Z'
const [FIRST, LAST] = ['2021-01-01', '2025-12-31']
const ROUNDS = 30
const PROMISED_MS = 50

const hours = HOURS.flatMap((hour) => [hourColumn('booked', hour), hourColumn('available', hour)])
const RANGES = {
  'last week': 'range=last-week',
  'last month': 'range=last-month',
  'last quarter': 'range=last-quarter',
  'last year': 'range=last-year',
  'last year, one building': 'range=last-year&building=1',
  'five years': `from=${FIRST}&to=${LAST}`,
  'five years less a day at both ends': 'from=2021-01-02&to=2025-12-30',
  'five years from the middle of a month to another': 'from=2021-01-16&to=2025-12-15',
}

// Of any other range the time is only printed: docs/performance.md.
const PROMISED = Object.keys(RANGES).slice(0, 5)

describe('a report over five years of five million bookings', function suite() {
  this.timeout(1_200_000)
  const world = useWorld({ workers: [], now: () => Date.parse(NOW) })
  before(async () => {
    const { database } = world
    await database.raw(
      "INSERT INTO buildings (name, timezone) SELECT 'Building ' || n, 'Europe/Berlin' FROM generate_series(1, 10) AS n",
    )
    await database.raw(
      "INSERT INTO locations (building_id, name) SELECT 1 + (n - 1) / 5, 'Floor ' || n FROM generate_series(1, 50) AS n",
    )
    await database.raw(
      `INSERT INTO bookables (location_id, name, type, created_at)
       SELECT 1 + (n - 1) / 100, 'Desk ' || n, CASE WHEN n % 100 < 80 THEN 0 WHEN n % 100 < 90 THEN 1 ELSE 2 END, '2020-12-01'
       FROM generate_series(1, 5000) AS n`,
    )
    // Its key is built at the end, and nothing of it outlives this test: half the time.
    await database.raw('ALTER TABLE bookable_figures SET UNLOGGED, DROP CONSTRAINT bookable_figures__key')
    // Of the 1,304 working days each is booked on three of four: 4.9 million.
    await database.raw(
      `INSERT INTO bookable_figures (period, first_day, bookable_id, minutes, bookings, no_shows)
       SELECT 0, day::date, id, 480, 1, (random() < 0.05)::int
       FROM generate_series('${FIRST}'::timestamp, '${LAST}', '1 day') AS day, generate_series(1, 5000) AS id
       WHERE extract(isodow FROM day) < 6 AND (id * 7 + extract(doy FROM day)::int * 13) % 4 <> 0`,
    )
    await database.raw(
      `INSERT INTO location_figures (period, first_day, location_id, type, weekday, bookings, no_shows, ${hours.join(', ')})
       SELECT 0, day::date, location, type, extract(isodow FROM day)::int, 75, 4, ${hours.map(() => '600').join(', ')}
       FROM generate_series('${FIRST}'::timestamp, '${LAST}', '1 day') AS day, generate_series(1, 50) AS location,
         generate_series(0, 2) AS type`,
    )
    await database.raw(
      'ALTER TABLE bookable_figures ADD CONSTRAINT bookable_figures__key PRIMARY KEY (period, first_day, bookable_id)',
    )
    await database.raw(
      `INSERT INTO bookable_figures (period, first_day, bookable_id, minutes, bookings, no_shows)
       SELECT 1, date_trunc('month', first_day::timestamp)::date, bookable_id, sum(minutes), sum(bookings), sum(no_shows)
       FROM bookable_figures WHERE period = 0 GROUP BY 1, 2, 3`,
    )
    await database.raw(
      `INSERT INTO location_figures (period, first_day, location_id, type, weekday, bookings, no_shows, ${hours.join(', ')})
       SELECT 1, date_trunc('month', first_day::timestamp)::date, location_id, type, weekday, sum(bookings), sum(no_shows),
         ${hours.map((column) => `sum(${column})`).join(', ')}
       FROM location_figures WHERE period = 0 GROUP BY 1, 2, 3, 4, 5`,
    )
    await database.raw(
      `INSERT INTO figured_locations (location_id, timezone, last_day) SELECT id, 'Europe/Berlin', '2026-01-04' FROM locations`,
    )
    await database.raw('VACUUM ANALYZE')
  })
  const browser = useSignedIn(world)

  it(`is ready within ${PROMISED_MS} ms`, async () => {
    const { rows } = await world.database.raw(
      `SELECT (SELECT count(*) FROM bookable_figures) AS rows, (SELECT sum(bookings) FROM bookable_figures WHERE period = 0) AS bookings,
         pg_size_pretty(pg_total_relation_size('bookable_figures')) AS each, pg_size_pretty(pg_total_relation_size('location_figures')) AS floors`,
    )
    console.log(`      ${JSON.stringify(rows[0])}`)
    const medians: Record<string, number> = {}
    for (const [what, query] of Object.entries(RANGES)) {
      const took: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const { answer, tookMs } = await timed(() => browser.open(`/dashboard/reports?${query}`))
        expect(answer.status).to.equal(200)
        took.push(tookMs)
      }
      took.sort((one, other) => one - other)
      medians[what] = took[ROUNDS / 2] ?? 0
      console.log(`      ${what}: median ${medians[what].toFixed(1)} ms, best ${took[0]?.toFixed(1)} ms`)
    }
    for (const what of PROMISED) expect(medians[what], what).to.be.below(promised(PROMISED_MS))
  })
})
