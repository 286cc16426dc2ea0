// Tests that Postgres finds the bookings and events that the dashboard lists without reading all rows.
import { expect } from 'chai'
import type pg from 'pg'
import { seedCompany } from '../../../../../commands/seed/company.ts'
import { searchBookings } from '../../../../../gateway/web/admin/bookings/queries.ts'
import { searchEvents } from '../../../../../gateway/web/admin/events/queries.ts'
import { useConnection, useDatabase, usePool } from '../../../../support/databases.ts'

const DAY_MS = 24 * 3_600_000
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS
const createDayRange = (first: number, last: number) => ({
  from: new Date(TODAY + first * DAY_MS).toISOString(),
  to: new Date(TODAY + last * DAY_MS).toISOString(),
})
// A Wednesday at least a week ago, because hardly anybody books at weekends.
const WEDNESDAY_OFFSET_DAYS = -7 - ((new Date(TODAY).getUTCDay() + 4) % 7)
const day = createDayRange(WEDNESDAY_OFFSET_DAYS, WEDNESDAY_OFFSET_DAYS + 1)
const week = createDayRange(-7, 0)
const year = createDayRange(-360, 5)
const slice = { offset: 0, limit: 51 }

describe('SQL plans of the dashboard’s searches', function suite() {
  this.timeout(120_000)
  const own = useDatabase()
  const database = useConnection(own)
  const pool = usePool(own)
  before(async () => {
    const size = {
      buildings: 4,
      locations: 12,
      bookables: 1_200,
      users: 2_000,
      bookings: 60_000,
    }
    await seedCompany(database, { ...size, seed: 1, weeksBefore: 52, weeksAhead: 9 }, () => undefined)
    // Samples all rows: with a random sample, the plans could differ from run to run.
    await database.raw('ALTER TABLE bookings ALTER COLUMN id SET STATISTICS 1000')
    await database.raw('VACUUM ANALYZE')
  })

  /** Returns a pool that checks the plan of each statement before it runs the statement. */
  function watching(blocksMax: number): pg.Pool {
    const query = async (asked: string | pg.QueryConfig, given?: unknown[]) => {
      const { text, values = given } = typeof asked === 'string' ? { text: asked } : asked
      const { rows } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values)
      const { Plan: plan } = rows[0]['QUERY PLAN'][0]
      expect(JSON.stringify(plan), text).to.not.match(
        /"Seq Scan"[^{}]*"Relation Name":"(bookings|events|event_attendees)"/,
      )
      expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], 'blocks read').to.be.below(blocksMax)
      return pool.query(text, values)
    }
    return { query } as unknown as pg.Pool
  }

  const bookings: Record<string, [Parameters<typeof searchBookings>[1], number]> = {
    'a day': [day, 3_000],
    'somebody’s day': [{ ...day, person: 'an' }, 6_000],
    'a day of a floor': [{ ...day, place: '1st' }, 6_000],
    'a day of a building': [{ ...day, building: 1 }, 6_000],
    // Counting stops at ten thousand bookings.
    'the first page of a year': [year, 15_000],
  }
  for (const [what, [search, blocksMax]] of Object.entries(bookings)) {
    it(`find the bookings of ${what} with few reads`, async () => {
      const found = await searchBookings(watching(blocksMax), search, slice)
      expect(found.rows.length).to.be.greaterThan(0)
    })
  }

  it('find the bookings of one person in a year with few reads', async () => {
    const { rows } = await pool.query(
      'SELECT email FROM users WHERE id = (SELECT user_id FROM bookings WHERE user_id > 0 LIMIT 1)',
    )
    const found = await searchBookings(watching(6_000), { ...year, person: rows[0].email }, slice)
    expect(found.rows.length).to.be.greaterThan(0)
  })

  it('find the events of a week or of a place with few reads', async () => {
    expect((await searchEvents(watching(3_000), week, slice)).rows.length).to.be.greaterThan(0)
    await searchEvents(watching(6_000), { ...week, building: 1 }, slice)
    await searchEvents(watching(6_000), { ...week, place: 'nowhere' }, slice)
  })
})
