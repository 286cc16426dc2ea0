// Tests blocking a desk for a period, which adds the rule “closed” to the desk and keeps its other rules.

import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBuilding,
  createClosedTimes,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const NOW = Date.parse('2026-11-20T09:30:00Z')

describe('a desk that an administrator blocks for a period', () => {
  const world = useWorld({ workers: ['writes'], now: createClock(NOW) })
  const browser = useSignedIn(world)
  const client = useClient(world)

  it('refuses bookings in the blocked period, and keeps its other rules', async () => {
    const building_id = await createBuilding(world.database, { timezone: 'Europe/Berlin' })
    const location_id = await createLocation(world.database, { building_id })
    const rules = { minutes_max: 600, days_ahead_max: null }
    const desk = await createBookable(world.database, {
      location_id,
      name: 'Desk 7',
      rules: JSON.stringify(rules),
    })
    const user_id = await createUser(world.database)
    const book = async (day: number) => {
      const times = { from_time: `2026-11-${day}T08:00:00Z`, to_time: `2026-11-${day}T09:00:00Z` }
      return (await client.post('bookings', { bookable_id: desk, location_id, user_id, ...times })).status
    }
    const stored = async () => (await world.database('bookables').where({ id: desk }).first()).rules

    await browser.open(`/dashboard/places/bookables/${desk}/block`)
    expect((await browser.submit('Block')).status).to.equal(422)
    expect(browser.words).to.include('Reason is required.')
    await browser.submit('Block', { reason: 'New lamp' })
    expect(browser.page.path).to.equal(`/dashboard/places/bookables/${desk}`)
    expect(browser.words).to.include('Desk 7 is blocked at that time.')
    expect(await stored()).to.deep.equal({
      ...rules,
      closed: [
        { from: '2026-11-23T08:00:00.000000Z', to: '2026-11-23T16:00:00.000000Z', reason: 'New lamp' },
      ],
    })
    expect([await book(23), await book(24)]).to.deep.equal([409, 200])

    await browser.open(`/dashboard/places/bookables/${desk}/block`)
    expect(browser.words).to.include('New lamp')
    await browser.submit('Unblock')
    expect(await stored()).to.deep.equal({ ...rules, closed: [] })
    expect(await book(23)).to.equal(200)
  })

  it('can have at most 50 closed times', async () => {
    const rules = JSON.stringify({ closed: createClosedTimes(50) })
    const desk = await createBookable(world.database, { name: 'Desk 8', rules })
    await browser.open(`/dashboard/places/bookables/${desk}/block`)
    expect((await browser.submit('Block', { reason: 'New lamp' })).status).to.equal(422)
    expect(browser.words).to.include(
      'Desk 8 would have 51 closed times, but at most 50 are allowed. Delete past closed times first.',
    )
    expect((await world.database('bookables').where({ id: desk }).first()).rules.closed).to.have.length(50)
  })
})
