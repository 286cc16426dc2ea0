// Tests year-to-date sums: reports that use them must equal the daily figures. This includes missing sums, writes of the
// previous release (which does not maintain sums), changed past days, and moved bookables.
import { expect } from 'chai'
import fc from 'fast-check'
import { findLastCountedDays } from '../../../../gateway/web/admin/reports/queries.ts'
import { bookableSumsSql, figuresSql } from '../../../../shared/reports/conditions.ts'
import { HOURS, hourColumn, PERIODS } from '../../../../shared/reports/figures.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import { updateDailyFigures } from '../../../../workers/pollers/figures/update-daily-figures.ts'
import { writeDailyFigures } from '../../../../workers/pollers/figures/write-days.ts'
import { useConnection, useDatabase, usePool } from '../../../support/databases.ts'
import { createBookable, createBooking, createBuilding, createLocation } from '../../../support/factories.ts'
import { use } from '../../../support/use.ts'

const log = createLog('test', 'silent')
const [FIRST, LAST] = ['2023-02-10', '2025-11-20']
const NOW = '2025-11-21T12:00:00.000Z'
const DAY_MS = 24 * 3_600_000
const DAY_COUNT = (Date.parse(LAST) - Date.parse(FIRST)) / DAY_MS
const getDay = (index: number) => new Date(Date.parse(FIRST) + index * DAY_MS).toISOString().slice(0, 10)
const HOUR_COLUMNS = HOURS.flatMap((hour) => [hourColumn('booked', hour), hourColumn('available', hour)])

describe('year-to-date sums', () => {
  const server = useDatabase()
  const database = useConnection(server)
  const reads = usePool(server)
  const find = async (statement: string) => (await database.raw(statement)).rows
  const keep = (now = NOW) => updateDailyFigures(database, log, { now })
  const summed = async () => (await findLastCountedDays(reads, undefined)).summed

  /** Creates random figures of days, months and years, as upkeep of earlier releases stored them. */
  const floors = use(async () => {
    const [quay, tower] = [
      await createBuilding(database, { timezone: 'Asia/Tokyo' }),
      await createBuilding(database, { timezone: 'America/New_York' }),
    ]
    const ids = [
      await createLocation(database, { building_id: quay }),
      await createLocation(database, { building_id: tower }),
    ]
    const created_at = `${FIRST}T00:00:00Z`
    for (const location_id of [...ids, ...ids]) await createBookable(database, { location_id, created_at })
    await database.raw(`SELECT setseed(0.5)`)
    const days = `generate_series('${FIRST}'::timestamp, '${LAST}', '1 day') AS day`
    await database.raw(
      `INSERT INTO bookable_figures (period, first_day, bookable_id, minutes, bookings, no_shows)
       SELECT 0, day, id, (random() * 500)::int, (random() * 3)::int, (random() * 2)::int FROM ${days}, bookables WHERE random() < 0.6
       UNION ALL SELECT 1, '2025-10-01', id, 0, 0, 0 FROM bookables UNION ALL SELECT 2, '2023-01-01', id, 7, 7, 7 FROM bookables`,
    )
    await database.raw(
      `INSERT INTO location_figures (period, first_day, location_id, type, weekday, bookings, no_shows, ${HOUR_COLUMNS.join(', ')})
       SELECT 0, day, id, 0, extract(isodow FROM day), (random() * 9)::int, (random() * 9)::int, ${HOUR_COLUMNS.map(() => '(random() * 180)::int').join(', ')}
       FROM ${days}, locations WHERE random() < 0.9
       UNION ALL SELECT 2, '2023-01-01', id, 0, 5, 7, 7, ${HOUR_COLUMNS.map(() => '7').join(', ')} FROM locations`,
    )
    await addUpMonths()
    await database.raw(
      `INSERT INTO figured_locations (location_id, timezone, last_day, unsummed_since)
       SELECT locations.id, timezone, '${LAST}', '-infinity' FROM locations JOIN buildings ON buildings.id = building_id`,
    )
    return ids
  })

  async function addUpMonths() {
    await database.raw('DELETE FROM location_figures WHERE period = 1')
    await database.raw('DELETE FROM bookable_figures WHERE period = 1')
    const month = "date_trunc('month', first_day::timestamp)::date"
    await database.raw(
      `INSERT INTO location_figures (period, first_day, location_id, type, weekday, bookings, no_shows, ${HOUR_COLUMNS.join(', ')})
       SELECT 1, ${month}, location_id, type, weekday, sum(bookings), sum(no_shows), ${HOUR_COLUMNS.map((column) => `sum(${column})`).join(', ')}
       FROM location_figures WHERE period = 0 GROUP BY 2, 3, 4, 5`,
    )
    await database.raw(
      `INSERT INTO bookable_figures (period, first_day, bookable_id, minutes, bookings, no_shows)
       SELECT 1, ${month}, bookable_id, sum(minutes), sum(bookings), sum(no_shows) FROM bookable_figures WHERE period = 0 GROUP BY 2, 3`,
    )
  }

  /** Expects reports of random ranges to equal the sum of their days. */
  async function expectExact(ranges: number) {
    const known = await summed()
    const sums = HOUR_COLUMNS.map((column) => `sum(sign * ${column}) AS ${column}`).join(', ')
    const floorsOf = (from: string) =>
      `SELECT location_id, type, weekday, sum(sign * bookings) AS bookings, sum(sign * no_shows) AS "noShows", ${sums}
       FROM ${from} GROUP BY 1, 2, 3 HAVING sum(sign * available_09) > 0 ORDER BY 1, 2, 3`
    const range = fc
      .tuple(fc.nat(DAY_COUNT), fc.nat(DAY_COUNT))
      .map((two) => two.sort((a, b) => a - b).map(getDay))
    await fc.assert(
      fc.asyncProperty(range, async ([first_day = '', last_day = '']) => {
        const days = { first_day, last_day, summed: known }
        const direct = (table: string) =>
          `(SELECT 1 AS sign, * FROM ${table} WHERE period = 0 AND first_day >= '${first_day}' AND first_day <= '${last_day}') AS figures`
        expect(await find(floorsOf(figuresSql('location_figures', days)))).to.deep.equal(
          await find(floorsOf(direct('location_figures'))),
        )
        const each = bookableSumsSql(days)
        const counted = each.replace(figuresSql('bookable_figures', days), direct('bookable_figures'))
        expect(counted).to.include(direct('bookable_figures'))
        expect(await find(`${each} ORDER BY 1`)).to.deep.equal(await find(`${counted} ORDER BY 1`))
      }),
      {
        numRuns: ranges,
        examples: [[[FIRST, LAST]], [['2023-02-16', '2025-11-15']], [['2024-01-01', '2024-12-31']]],
      },
    )
  }

  it('are computed for half a year of old data at a time, and reports work without them until then', async () => {
    await floors
    expect(await summed()).to.equal(null)
    await expectExact(5)
    let last = '0'
    for (let run = 0; run < 20; run++) {
      await updateDailyFigures(database, log, { now: NOW, runMsMax: 0 })
      const known = await summed()
      await expectExact(5)
      if (known === LAST) break
      expect((known ?? '') > last, `${known} after ${last}`).to.equal(true)
      last = known ?? ''
    }
    expect(await summed()).to.equal(LAST)
    await expectExact(40)
    const { rows } = await database.raw(
      `SELECT count(DISTINCT first_day)::int AS number FROM location_figures WHERE period = ${PERIODS.yearSoFar}`,
    )
    expect(rows[0].number).to.equal(68)
  })

  it('are computed anew after the previous release has run, which does not maintain them', async () => {
    const [location_id = 0] = floors
    await database.transaction(async (trx) => {
      const day = { first_day: '2025-11-21', last_day: '2025-11-21' }
      await writeDailyFigures(trx, [{ location_id, timezone: 'Asia/Tokyo', ...day }])
      await trx('figured_locations').where({ location_id }).update({ last_day: day.last_day })
    })
    expect(await summed()).to.equal('2025-11-05')
    await expectExact(10)
    await keep('2025-11-22T12:00:00.000Z')
    expect(await summed()).to.equal('2025-11-21')
    await expectExact(10)

    await database.raw(
      'UPDATE location_figures SET bookings = bookings + 7 WHERE period = 0 AND first_day = ?',
      ['2025-09-05'],
    )
    await addUpMonths()
    const during = '[2025-09-05 08:00+00,2025-09-05 09:00+00)'
    await database('past_changes').insert({ location_id, during })
    await database('past_changes').insert({ location_id: floors[1], during })
    await database('past_changes').delete()
    expect(await summed()).to.equal('2025-08-19')
    await expectExact(10)
    await keep('2025-11-22T12:00:00.000Z')
    expect(await summed()).to.equal('2025-11-21')
    await expectExact(10)

    // A past booking was moved to a future day.
    await database('past_changes').insert({
      location_id,
      during: '[2026-03-05 08:00+00,2026-03-05 09:00+00)',
    })
    await database('past_changes').delete()
    expect(await summed()).to.equal('2025-11-21')
    await keep('2025-11-22T12:00:00.000Z')
    expect(await database('figured_locations').whereNotNull('unsummed_since')).to.deep.equal([])
    await expectExact(10)
  })

  it('follow changes of past bookings and of the time zone', async () => {
    const bookables: number[] = await database('bookables').pluck('id')
    await database('past_changes').delete()
    await keep('2025-11-22T12:00:00.000Z')
    const at = (daysAgo: number, hour: number) =>
      new Date(Date.parse('2025-11-21') - daysAgo * DAY_MS + hour * 3_600_000).toISOString()
    const ids: number[] = []
    for (const [index, bookable_id] of bookables.entries())
      for (let daysAgo = index; daysAgo < 85; daysAgo += 9)
        ids.push(await createBooking(database, { bookable_id, from: at(daysAgo, 8), to: at(daysAgo, 23) }))
    await keep('2025-11-22T12:00:00.000Z')
    await expectExact(10)
    const every = (rest: number) => ids.filter((_, index) => index % 4 === rest)
    await database('bookings').whereIn('id', every(0)).delete()
    await database.raw(
      `UPDATE bookings SET during = tstzrange(lower(during), lower(during) + interval '1 hour') WHERE id = ANY(?)`,
      [every(1)],
    )
    await database('bookings')
      .whereIn('id', every(2))
      .update({ released_at: database.raw('upper(during)') })
    await keep('2025-11-22T12:00:00.000Z')
    await expectExact(10)
    await database('buildings').where({ timezone: 'Asia/Tokyo' }).update({ timezone: 'Pacific/Honolulu' })
    await keep('2025-11-22T12:00:00.000Z')
    expect(await summed()).to.equal('2025-11-21')
    await expectExact(20)
  })

  it('are computed anew when a bookable brings its past from a floor without sums', async () => {
    const [from, to] = floors
    const [{ id }] = await database('bookables').where({ location_id: from }).limit(1)
    await database('bookable_figures').where({ bookable_id: id, period: PERIODS.yearSoFar }).delete()
    await database('bookables').where({ id }).update({ location_id: to })
    await keep('2025-11-22T12:00:00.000Z')
    expect(await summed()).to.equal('2025-11-21')
    await expectExact(20)
  })

  it('stay for a floor that no longer has any bookables', async () => {
    const [location_id = 0, other] = floors
    await database('bookings').delete()
    await database('bookables').where({ location_id }).update({ location_id: other })
    await keep('2025-12-05T12:00:00.000Z')
    expect(await summed()).to.equal('2025-12-04')
    await expectExact(10)
  })
})
