// The demo data that `npm start` shows, and on which the README's first booking relies.
import { inflateSync } from 'node:zlib'
import { expect } from 'chai'
import { imageSize } from 'image-size'
import { seedDemo } from '../../../commands/seed/demo.ts'
import { useConnection, useDatabase } from '../../support/databases.ts'
import { createUser } from '../../support/factories.ts'

describe('the demo', () => {
  const database = useConnection(useDatabase({ each: true }))

  it('has a first desk that user 1 can book from now on', async () => {
    await seedDemo(database)
    const desk = await database('bookables').where({ id: 1 }).first('location_id', 'type', 'status')
    expect(desk).to.deep.equal({ location_id: 1, type: 0, status: 0 })
    expect(
      await database('bookings').where({ bookable_id: 1 }).whereRaw('upper(during) > now()'),
    ).to.deep.equal([])
    expect(await database('users').where({ id: 1 }).whereNull('deactivated_at')).to.have.length(1)
  })

  it('has bookings around today, in two time zones', async () => {
    await seedDemo(database)
    expect(await database('buildings').orderBy('id').pluck('timezone')).to.deep.equal([
      'Europe/Berlin',
      'America/New_York',
    ])
    const around = "during && tstzrange(now() - interval '7 days', now() + interval '7 days')"
    expect(await database('bookings').whereRaw(around)).to.have.length.above(300)
    expect(await database('events').whereRaw(around)).to.have.length.above(5)
  })

  it('has a floor plan for every location, in a form that every program reads', async () => {
    await seedDemo(database)
    const plans = await database('locations').select('floor_plan', 'floor_plan_type')
    expect(plans).to.have.length(6)
    for (const { floor_plan, floor_plan_type } of plans) {
      expect(floor_plan_type).to.equal('image/png')
      expect(imageSize(floor_plan)).to.deep.equal({ width: 1_200, height: 900, type: 'png' })
      const data = floor_plan.subarray(floor_plan.indexOf('IDAT') + 4, floor_plan.lastIndexOf('IEND') - 8)
      expect(inflateSync(data)).to.have.length(900 * 1_201)
    }
  })

  it('has rules and check-in on one floor, and on no other', async () => {
    await seedDemo(database)
    const ruled = await database('locations').whereNotNull('rules')
    expect(ruled).to.have.length(1)
    expect(ruled[0].rules).to.include({ days_ahead_max: 28, one_at_a_time: true })
    expect(ruled[0].rules.check_in).to.deep.equal({ opens_minutes_before: 30, release_minutes_after: 60 })
  })

  it('has a series of bookings in weeks in which nobody else books the desk', async () => {
    await seedDemo(database)
    const bookings = await database('bookings').whereNotNull('series_id')
    expect(bookings).to.have.length.within(1, 4)
    expect(new Set(bookings.map(({ bookable_id }) => bookable_id)).size).to.equal(1)
    expect(await database('series')).to.have.length(1)
  })

  it('has two webhooks, both switched off', async () => {
    await seedDemo(database)
    const webhooks = await database('webhooks').orderBy('id')
    expect(webhooks.map(({ enabled }) => enabled)).to.deep.equal([false, false])
    expect(new Set(webhooks.map(({ secret }) => secret)).size).to.equal(2)
  })

  it('is not created if there are users already', async () => {
    await createUser(database)
    await seedDemo(database)
    expect(await database('bookings')).to.deep.equal([])
    expect(await database('users')).to.have.length(1)
  })
})
