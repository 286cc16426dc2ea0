// Compares daily figures with a simple recount of the bookings: in any time zone, around clock changes, after changes
// of past bookings, and after a change of the time zone.
import { expect } from 'chai'
import fc from 'fast-check'
import type { Knex } from 'knex'
import { createLog } from '../../../../shared/utilities/log.ts'
import { updateDailyFigures } from '../../../../workers/pollers/figures/update-daily-figures.ts'
import { useConnection, useDatabase } from '../../../support/databases.ts'
import { createBookable, createBuilding, createLocation, createUser } from '../../../support/factories.ts'
import { readStoredFigures, recount } from './recount.ts'

const log = createLog('test', 'silent')
const RUN_COUNT = 2
const MINUTE_MS = 60_000
const MINUTES_PER_DAY = 24 * 60

// Days with different clock changes (an hour, half an hour, at midnight, a whole day), and ordinary days.
const TESTED_DAYS: Array<[zone: string, day: string]> = [
  ['Europe/Berlin', '2025-03-30'],
  ['Europe/Berlin', '2025-10-26'],
  ['America/New_York', '2025-11-02'],
  ['Australia/Lord_Howe', '2025-04-06'],
  ['Australia/Lord_Howe', '2025-10-05'],
  ['America/Sao_Paulo', '2018-11-04'],
  ['America/Sao_Paulo', '2018-02-18'],
  ['America/Havana', '2025-11-02'],
  ['America/Havana', '2025-03-09'],
  ['Pacific/Apia', '2011-12-30'],
  ['Asia/Kolkata', '2024-02-29'],
  ['UTC', '2024-12-31'],
]
const TIME_ZONES = [...new Set(TESTED_DAYS.map(([zone]) => zone))]

type DrawnBooking = { bookable: number; begins: number; minutes: number | null; isReleased: boolean }

const booking: fc.Arbitrary<DrawnBooking> = fc.record({
  bookable: fc.nat(3),
  begins: fc.integer({ min: -3 * MINUTES_PER_DAY, max: 3 * MINUTES_PER_DAY }),
  minutes: fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 1, max: 12 * 60 }) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 3 * MINUTES_PER_DAY }) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  isReleased: fc.boolean(),
})

const scene = fc.record({
  otherZone: fc.constantFrom(...TIME_ZONES),
  bookings: fc.array(booking, { minLength: 1, maxLength: 14 }),
  later: fc.array(booking, { maxLength: 3 }),
  /** The time when the second bookable is created, and the time when the third is deleted. */
  came: fc.integer({ min: -4 * MINUTES_PER_DAY, max: 4 * MINUTES_PER_DAY }),
  went: fc.integer({ min: -4 * MINUTES_PER_DAY, max: 4 * MINUTES_PER_DAY }),
})
type Scene = (typeof scene extends fc.Arbitrary<infer Value> ? Value : never) & { zone: string; day: string }

describe('daily figures of random bookings', function suite() {
  this.timeout(300_000)
  const database = useConnection(useDatabase())
  let user_id: number
  before(async () => {
    user_id = await createUser(database)
  })

  const instant = (day: string, minutes: number) =>
    new Date(Date.parse(day) + minutes * MINUTE_MS).toISOString()

  /** Creates two desks, a room and a home office. */
  async function createFloor({ zone, day, came, went }: Scene) {
    const building_id = await createBuilding(database, { timezone: zone })
    const location_id = await createLocation(database, { building_id })
    const rows = [
      { type: 0, created_at: instant(day, -4 * MINUTES_PER_DAY) },
      { type: 0, created_at: instant(day, came) },
      { type: 2, created_at: null, deleted_at: instant(day, went) },
      { type: 3, created_at: null },
    ]
    const bookables: number[] = []
    for (const row of rows) bookables.push(await createBookable(database, { location_id, ...row }))
    return { building_id, location_id, bookables }
  }

  // Skips bookings that overlap another. A deleted bookable has only earlier bookings.
  async function book({ day, went }: Scene, bookables: number[], bookings: DrawnBooking[]) {
    for (const { bookable, begins, minutes, isReleased } of bookings) {
      const ends = minutes === null ? null : begins + minutes
      if (bookable === 2 && (ends === null || ends > went)) continue
      await database.raw(
        `INSERT INTO bookings (bookable_id, user_id, during, exclusive, released_at)
         VALUES (:bookable, :user_id, tstzrange(:from, :to), :exclusive, :released) ON CONFLICT DO NOTHING`,
        {
          user_id,
          bookable: bookables[bookable] ?? 0,
          from: instant(day, begins),
          to: ends === null ? null : instant(day, ends),
          exclusive: bookable !== 3,
          released: isReleased ? instant(day, begins) : null,
        },
      )
    }
  }

  // Of every three bookings, deletes the first, shortens the second, and restores the third if it was released.
  async function changePast(location_id: number) {
    const ids: number[] = await database('bookings')
      .join('bookables', 'bookables.id', 'bookable_id')
      .where({ location_id })
      .orderBy('bookings.id')
      .pluck('bookings.id')
    const every = (rest: number) => ids.filter((_, index) => index % 3 === rest)
    await database('bookings').whereIn('id', every(0)).delete()
    await database.raw(
      `UPDATE bookings SET during = tstzrange(lower(during), lower(during) + interval '1 minute') WHERE id = ANY(?)`,
      [every(1)],
    )
    await database('bookings').whereIn('id', every(2)).update({ released_at: null })
  }

  for (const [zone, day] of TESTED_DAYS) {
    it(`equal a recount around ${day} in ${zone}, even after changes of past bookings or the time zone`, () =>
      fc.assert(
        fc.asyncProperty(scene, async (rest) => {
          const drawn = { ...rest, zone, day }
          const now = instant(drawn.day, 6 * MINUTES_PER_DAY)
          const range = {
            first: instant(drawn.day, -5 * MINUTES_PER_DAY).slice(0, 10),
            last: instant(drawn.day, 4 * MINUTES_PER_DAY).slice(0, 10),
          }
          // Empties the tables, because otherwise the figures would also cover the years between two runs.
          for (const table of [
            'bookings',
            'bookables',
            'locations',
            'figured_locations',
            'location_figures',
            'bookable_figures',
          ])
            await database(table).delete()
          const floor = await createFloor(drawn)
          const expectRecounted = async (zone: string, what: string) => {
            await updateDailyFigures(database, log, { now })
            const counted = await recount(database, floor.location_id, { zone, ...range })
            expect(await readStoredFigures(database, floor.location_id, range), what).to.deep.equal(counted)
            await expectSums(database, floor.location_id)
          }
          await book(drawn, floor.bookables, drawn.bookings)
          await expectRecounted(drawn.zone, 'at first')
          await book(drawn, floor.bookables, drawn.later)
          await changePast(floor.location_id)
          await expectRecounted(drawn.zone, 'when the past has changed')
          await database('buildings').where({ id: floor.building_id }).update({ timezone: drawn.otherZone })
          await expectRecounted(drawn.otherZone, 'in another zone')
        }),
        { numRuns: RUN_COUNT },
      ))
  }
})

const startOfMonthSql = (day: string) => `date_trunc('month', ${day}::timestamp)`
const formatHalfMonthSql = (day: string) =>
  `(${startOfMonthSql(day)} + CASE WHEN extract(day FROM ${day}) > 15 THEN interval '15 days' ELSE interval '0' END)`
/** Kinds of sums: the period of a row, and whether a day belongs to the period. */
const SUM_KINDS = [
  { period: 1, begins: startOfMonthSql('first_day'), includes: `${startOfMonthSql('day')} = begins` },
  {
    period: 2,
    begins: formatHalfMonthSql('first_day'),
    includes: `date_trunc('year', day::timestamp) = date_trunc('year', begins) AND ${formatHalfMonthSql('day')} <= begins`,
  },
]

/** Expects partial months and years to be the sums of their days, and floors to be the sums of their desks. */
async function expectSums(database: Knex, location: number) {
  for (const { period, begins, includes } of SUM_KINDS) {
    const { rows: sums } = await database.raw(
      `WITH own AS (SELECT * FROM location_figures WHERE location_id = :location),
       bookable AS (SELECT * FROM bookable_figures WHERE bookable_id IN (SELECT id FROM bookables WHERE location_id = :location)),
       periods AS (SELECT DISTINCT ${begins} AS begins FROM own WHERE period IN (0, ${period})),
       stored AS (
         SELECT first_day, type, weekday, bookings, no_shows, booked_10, available_10 FROM own WHERE period = ${period}
       ), summed AS (
         SELECT begins::date, type, weekday, sum(bookings), sum(no_shows), sum(booked_10), sum(available_10)
         FROM periods JOIN (SELECT *, first_day AS day FROM own WHERE period = 0) AS days ON ${includes} GROUP BY 1, 2, 3
       ), stored_each AS (
         SELECT first_day, bookable_id, minutes, bookings, no_shows FROM bookable WHERE period = ${period}
       ), summed_each AS (
         SELECT begins::date, bookable_id, sum(minutes), sum(bookings), sum(no_shows)
         FROM periods JOIN (SELECT *, first_day AS day FROM bookable WHERE period = 0) AS days ON ${includes} GROUP BY 1, 2
       )
       SELECT (SELECT count(*) FROM (TABLE stored EXCEPT ALL TABLE summed) AS more) AS more,
         (SELECT count(*) FROM (TABLE summed EXCEPT ALL TABLE stored) AS less) AS less,
         (SELECT count(*) FROM (TABLE stored_each EXCEPT ALL TABLE summed_each) AS more) AS "moreEach",
         (SELECT count(*) FROM (TABLE summed_each EXCEPT ALL TABLE stored_each) AS less) AS "lessEach"`,
      { location },
    )
    expect(sums[0], `sums of period ${period}`).to.deep.equal({ more: 0, less: 0, moreEach: 0, lessEach: 0 })
  }
  const { rows } = await database.raw(
    `SELECT (SELECT coalesce(sum(${Array.from({ length: 24 }, (_, hour) => `booked_${String(hour).padStart(2, '0')}`).join(' + ')}), 0)
         FROM location_figures WHERE period = 0 AND location_id = :location)
       - (SELECT coalesce(sum(minutes), 0) FROM bookable_figures
         WHERE period = 0 AND bookable_id IN (SELECT id FROM bookables WHERE location_id = :location)) AS difference`,
    { location },
  )
  expect(rows[0].difference, 'minutes of the floor without those of its bookables').to.equal(0)
}
