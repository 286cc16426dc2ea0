// Tests the demo data of `npm start`, on which the first booking in the README relies.
import { expect } from 'chai'
import { seedDemo } from '../../../commands/seed/demo.ts'
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { sanitizeSvg } from '../../../workers/pictures/sanitize-svg.ts'
import { useConnection, useDatabase } from '../../support/databases.ts'
import { createUser } from '../../support/factories.ts'

describe('the demo data', () => {
  const database = useConnection(useDatabase({ each: true }))

  it('contain a first desk that user 1 can book now', async () => {
    await seedDemo(database)
    const desk = await database('bookables').where({ id: 1 }).first('location_id', 'type', 'status')
    expect(desk).to.deep.equal({ location_id: 1, type: 0, status: 0 })
    expect(
      await database('bookings').where({ bookable_id: 1 }).whereRaw('upper(during) > now()'),
    ).to.deep.equal([])
    expect(await database('users').where({ id: 1 }).whereNull('deactivated_at')).to.have.length(1)
  })

  it('contain bookings around the current date in two time zones', async () => {
    await seedDemo(database)
    expect(await database('buildings').orderBy('id').pluck('timezone')).to.deep.equal([
      'Europe/Berlin',
      'America/New_York',
    ])
    const around = "during && tstzrange(now() - interval '7 days', now() + interval '7 days')"
    expect(await database('bookings').whereRaw(around)).to.have.length.above(300)
    expect(await database('events').whereRaw(around)).to.have.length.above(5)
  })

  it('contain a floor plan for every location, with each desk and room where the plan has it', async () => {
    await seedDemo(database)
    const plans = await database('locations').orderBy('id')
    expect(plans).to.have.length(6)
    expect(new Set(plans.map(({ floor_plan }) => floor_plan.toString())).size).to.equal(6)
    for (const plan of plans) {
      const sanitized = sanitizeSvg(plan.floor_plan)
      expect(sanitized.width / sanitized.height).to.be.closeTo(
        plan.floor_plan_width / plan.floor_plan_height,
        0.01,
      )
      const desks = await database('bookables').where({ location_id: plan.id, type: BOOKABLE_TYPES.desk })
      const drawn = [
        ...plan.floor_plan.toString().matchAll(/href="#desk" transform="translate\(([\d.]+) ([\d.]+)\)/g),
      ]
      const places = (all: Array<[number, number]>) =>
        all.map(([x, y]) => `${Math.round(2 * x)} ${Math.round(2 * y)}`).sort()
      expect(
        places(
          desks.map(({ position_x, position_y }) => [
            position_x * plan.floor_plan_width,
            position_y * plan.floor_plan_height,
          ]),
        ),
      ).to.deep.equal(places(drawn.map(([, x, y]) => [Number(x), Number(y)])))
    }
  })

  it('have parking beside the ground floor only, and no two bookables in one place', async () => {
    await seedDemo(database)
    const parking = await database('bookables').where({ type: BOOKABLE_TYPES.parkingSpot })
    const floors = await database('locations').whereIn(
      'id',
      parking.map(({ location_id }) => location_id),
    )
    expect(floors.map(({ name }) => name)).to.deep.equal(['Ground floor', 'Ground floor'])
    expect(new Set(parking.map(({ location_id, name }) => `${location_id} ${name}`)).size).to.equal(
      parking.length,
    )
    const { rows } = await database.raw(
      `SELECT FROM bookables JOIN locations ON locations.id = location_id
       JOIN bookables AS other ON other.location_id = bookables.location_id AND other.id > bookables.id
       WHERE abs(bookables.position_x - other.position_x) < cell_width * 0.99
         AND abs(bookables.position_y - other.position_y) * floor_plan_height < cell_width * floor_plan_width * 0.48`,
    )
    expect(rows).to.deep.equal([])
    const unplaced = database('bookables')
      .whereNot({ type: BOOKABLE_TYPES.homeOffice })
      .whereNull('position_x')
    expect(await unplaced).to.deep.equal([])
  })

  it('set booking rules and check-in for one floor only', async () => {
    await seedDemo(database)
    const ruled = await database('locations').whereNotNull('rules')
    expect(ruled).to.have.length(1)
    expect(ruled[0].rules).to.include({ days_ahead_max: 28, one_at_a_time: true })
    expect(ruled[0].rules.check_in).to.deep.equal({ opens_minutes_before: 30, release_minutes_after: 60 })
  })

  it('contain a booking series in weeks when nobody else has booked the desk', async () => {
    await seedDemo(database)
    const bookings = await database('bookings').whereNotNull('series_id')
    expect(bookings).to.have.length.within(1, 4)
    expect(new Set(bookings.map(({ bookable_id }) => bookable_id)).size).to.equal(1)
    expect(await database('series')).to.have.length(1)
  })

  it('contain two webhooks, both switched off', async () => {
    await seedDemo(database)
    const webhooks = await database('webhooks').orderBy('id')
    expect(webhooks.map(({ enabled }) => enabled)).to.deep.equal([false, false])
    expect(new Set(webhooks.map(({ secret }) => secret)).size).to.equal(2)
  })

  it('are not created if the database already contains users', async () => {
    await createUser(database)
    await seedDemo(database)
    expect(await database('bookings')).to.deep.equal([])
    expect(await database('users')).to.have.length(1)
  })
})
