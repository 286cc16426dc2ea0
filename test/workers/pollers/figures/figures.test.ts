// Tests the daily figures that upkeep computes: once for each past day, by any number of workers, and again if past
// bookings have changed. Figures are kept longer than bookings.
import { expect } from 'chai'
import { createLog } from '../../../../shared/utilities/log.ts'
import { releaseNoShows } from '../../../../workers/pollers/check-ins/no-shows.ts'
import { updateDailyFigures } from '../../../../workers/pollers/figures/update-daily-figures.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  hoursFromNow,
} from '../../../support/factories.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'
import { readStoredFigures, recount } from './recount.ts'

const log = createLog('test', 'silent')
const DAY_MS = 24 * 3_600_000
// The day before today, so that none of it is in the future at any time of day.
const TODAY = Math.floor(Date.now() / DAY_MS - 1) * DAY_MS
const getDayAgo = (days: number) => new Date(TODAY - days * DAY_MS).toISOString().slice(0, 10)
const at = (daysAgo: number, hour: number) =>
  new Date(TODAY - daysAgo * DAY_MS + hour * 3_600_000).toISOString()
// Two hours past midnight in UTC: yesterday ended more than an hour ago.
const NOW = at(0, 2)

describe('daily figures', () => {
  const world = useWorld({ workers: [], each: true })

  async function createFloor(row: object = {}) {
    const building_id = await createBuilding(world.database, { timezone: 'UTC', ...row })
    const location_id = await createLocation(world.database, { building_id })
    const desk = await createBookable(world.database, { location_id, created_at: at(400, 0) })
    return { building_id, location_id, desk }
  }
  const book = (bookable_id: number, daysAgo: number, row: object = {}) =>
    createBooking(world.database, { bookable_id, from: at(daysAgo, 9), to: at(daysAgo, 17), ...row })
  const keep = (now = NOW) => updateDailyFigures(world.database, log, { now })
  /** Returns the sum of a desk's figures. */
  const minutesOf = async (bookable_id: number, period: number) => {
    const { rows } = await world.database.raw(
      `SELECT coalesce(sum(minutes), 0)::int AS minutes FROM bookable_figures WHERE bookable_id = ? AND period = ?`,
      [bookable_id, period],
    )
    return rows[0].minutes
  }
  const dayOf = async (location_id: number, daysAgo: number) => {
    const day = getDayAgo(daysAgo)
    return (await readStoredFigures(world.database, location_id, { first: day, last: day }))[`${day} 0`]
  }
  const snapshot = () =>
    Promise.all(
      ['location_figures', 'bookable_figures', 'figured_locations'].map(async (table) =>
        (await world.database(table)).map((row: unknown) => JSON.stringify(row)).sort(),
      ),
    )

  it('are computed an hour after the end of the local day, and never for today', async () => {
    const { location_id, desk } = await createFloor()
    await book(desk, 1)
    await book(desk, 0)
    await keep(at(0, 0.9))
    expect(await dayOf(location_id, 1), 'too early').to.equal(undefined)
    expect((await dayOf(location_id, 2))?.bookings).to.equal(0)
    await keep(at(0, 1.1))
    expect((await dayOf(location_id, 1))?.bookings).to.equal(1)
    expect(await dayOf(location_id, 0), 'today').to.equal(undefined)
    const tokyo = await createFloor({ timezone: 'Asia/Tokyo' })
    await keep(at(0, 1.1))
    expect((await dayOf(tokyo.location_id, 1))?.available[8]).to.equal(60)
    expect(await dayOf(tokyo.location_id, 0), 'today there').to.equal(undefined)
  })

  it('are computed by the upkeep', async () => {
    const { location_id, desk } = await createFloor()
    await book(desk, 3)
    const workers = await world.startWorkers(['upkeep'])
    await eventually(async () => expect((await dayOf(location_id, 3))?.bookings).to.equal(1), 30_000)
    await workers.stop()
  })

  it('are the same with one or four workers, and in one or many runs', async () => {
    const floors = await Promise.all(Array.from({ length: 6 }, () => createFloor()))
    for (const [index, { desk }] of floors.entries())
      for (let days = 1; days < 120; days += 7 + index) await book(desk, days)
    await Promise.all([1, 2, 3, 4].map(() => keep()))
    await keep()
    const once = await snapshot()
    expect(once[0]?.length).to.be.greaterThan(500)
    for (const table of ['location_figures', 'bookable_figures', 'figured_locations', 'past_changes'])
      await world.database(table).delete()
    for (let run = 0; run < 1_000; run++) {
      await updateDailyFigures(world.database, log, { now: NOW, runMsMax: 1 })
      const { rows } = await world.database.raw('SELECT min(last_day)::text AS day FROM figured_locations')
      if (rows[0].day === getDayAgo(1)) break
    }
    expect(await snapshot()).to.deep.equal(once)
    await Promise.all([1, 2, 3, 4].map(() => keep()))
    expect(await snapshot()).to.deep.equal(once)
  })

  it('catch up with years of bookings, beginning with the first booking', async () => {
    const { location_id, desk } = await createFloor()
    await world.database('bookables').where({ id: desk }).update({ created_at: null })
    for (const days of [1, 200, 800]) await book(desk, days)
    await keep()
    const range = { first: getDayAgo(801), last: getDayAgo(1) }
    const stored = await readStoredFigures(world.database, location_id, range)
    expect(Object.keys(stored)).to.have.length(800)
    expect([await minutesOf(desk, 0), await minutesOf(desk, 1)]).to.deep.equal([1440, 1440])
  })

  it('are recomputed after a past booking is created, shortened, moved, released or deleted', async () => {
    const { location_id, desk } = await createFloor()
    const other = await createBookable(world.database, { location_id, created_at: at(400, 0) })
    const [shortened, moved, deleted] = [await book(desk, 5), await book(desk, 4), await book(desk, 3)]
    await book(desk, 2)
    await book(desk, 1, { check_in_from: at(1, 8), check_in_until: at(1, 10) })
    await keep()
    expect(await minutesOf(desk, 1)).to.equal(5 * 480)
    await world.database.raw('UPDATE bookings SET during = tstzrange(lower(during), ?) WHERE id = ?', [
      at(5, 10),
      shortened,
    ])
    await world.database('bookings').where({ id: moved }).update({ bookable_id: other })
    await world.database('bookings').where({ id: deleted }).delete()
    await book(other, 6)
    expect(await releaseNoShows(world.database, log)).to.equal(1)
    await keep()
    expect(await minutesOf(desk, 1)).to.equal(60 + 480 + 60)
    expect(await minutesOf(other, 1)).to.equal(2 * 480)
    expect((await dayOf(location_id, 1))?.noShows).to.equal(1)
    const range = { first: getDayAgo(10), last: getDayAgo(1) }
    expect(await readStoredFigures(world.database, location_id, range)).to.deep.equal(
      await recount(world.database, location_id, { zone: 'UTC', ...range }),
    )
    expect(await world.database('past_changes')).to.deep.equal([])
  })

  it('ignore current and future bookings, check-ins, and bookings that end early today', async () => {
    const { desk } = await createFloor()
    const running = await book(desk, 0, { from: hoursFromNow(-3), to: hoursFromNow(3) })
    const id = await book(desk, -4)
    await world.database('past_changes').delete()
    await world.database('bookings').where({ id: running }).update({ checked_in_at: new Date() })
    await world.database('bookings').where({ id }).delete()
    await book(desk, -5)
    // A person books a free desk on the spot, and leaves soon after.
    const other = await createBookable(world.database, {})
    const now = await book(other, 0, {
      from: new Date(Date.now() - 1_000).toISOString(),
      to: hoursFromNow(3),
    })
    await world.database.raw(
      'UPDATE bookings SET during = tstzrange(lower(during), now()) WHERE id = ANY(?)',
      [[running, now]],
    )
    expect(await world.database('past_changes')).to.deep.equal([])
  })

  it('stay when bookings are deleted more than ninety days later or become anonymous', async () => {
    const { desk } = await createFloor()
    const old = await book(desk, 120)
    const recent = await book(desk, 80)
    await keep()
    await world.database('bookings').where({ id: old }).delete()
    await keep()
    expect([await minutesOf(desk, 0), await minutesOf(desk, 1)]).to.deep.equal([960, 960])
    await world.database('bookings').where({ id: recent }).delete()
    await keep()
    expect([await minutesOf(desk, 0), await minutesOf(desk, 1)]).to.deep.equal([480, 480])
  })

  it('include the past of deleted desks, and follow a desk to another floor', async () => {
    const { building_id, location_id, desk } = await createFloor()
    const deleted = await createBookable(world.database, { location_id, created_at: at(400, 0) })
    await book(deleted, 6)
    await book(desk, 6)
    await keep()
    await world
      .database('bookables')
      .where({ id: deleted })
      .update({ deleted_at: at(2, 12) })
    const next = await createLocation(world.database, { building_id })
    await world.database('bookables').where({ id: desk }).update({ location_id: next })
    await keep()
    expect((await dayOf(location_id, 6))?.bookings, 'where it was').to.equal(1)
    expect((await dayOf(next, 6))?.bookings, 'where it is').to.equal(1)
    expect((await dayOf(location_id, 2))?.available[9], 'on its last day').to.equal(60)
    expect([await minutesOf(desk, 0), await minutesOf(deleted, 0)]).to.deep.equal([480, 480])
    await keep(at(-1, 2))
    expect((await dayOf(location_id, 0))?.available[9], 'after it').to.equal(undefined)
  })

  it('count desks of unknown age from the first booking on their floor on', async () => {
    const { location_id, desk } = await createFloor()
    await world.database('bookables').where({ id: desk }).update({ created_at: null })
    await createBookable(world.database, { location_id, created_at: null })
    await book(desk, 200)
    // Locks the desk like a booking: every write of a bookable waits for it.
    const booking = await world.database.transaction()
    await booking('bookables').where({ location_id }).forShare()
    await keep()
    await booking.rollback()
    expect((await dayOf(location_id, 201))?.available[9]).to.equal(undefined)
    expect((await dayOf(location_id, 200))?.available[9]).to.equal(120)
    expect((await dayOf(location_id, 1))?.available[9]).to.equal(120)
  })

  it('are deleted with their floor', async () => {
    const { location_id, desk } = await createFloor()
    await keep()
    await world.database('bookables').where({ id: desk }).delete()
    await world.database('locations').where({ id: location_id }).delete()
    await keep()
    expect(await world.database('location_figures').where({ location_id })).to.deep.equal([])
    expect(await world.database('figured_locations').where({ location_id })).to.deep.equal([])
  })

  it('are computed by one worker at a time: days that another worker has locked wait a minute', async () => {
    const [held, free] = [await createFloor(), await createFloor()]
    await keep(at(1, 2))
    await book(held.desk, 3)
    await world.database.transaction(async (trx) => {
      await trx('figured_locations').where({ location_id: held.location_id }).forUpdate()
      await keep()
      expect((await dayOf(free.location_id, 1))?.bookings).to.equal(0)
      expect(await dayOf(held.location_id, 1)).to.equal(undefined)
      expect(await world.database('past_changes')).to.have.length(1)
    })
    await keep()
    expect((await dayOf(held.location_id, 3))?.bookings).to.equal(1)
    expect((await dayOf(held.location_id, 1))?.bookings).to.equal(0)
  })
})
