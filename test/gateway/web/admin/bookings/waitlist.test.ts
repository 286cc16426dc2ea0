// Tests the waitlist page of the front desk: who waits for what, since when, and what is offered to them.
import { expect } from 'chai'
import { createLog } from '../../../../../shared/utilities/log.ts'
import { offerPlaces } from '../../../../../workers/pollers/holds/offering.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBooking, createDesk, createUser, hoursFromNow } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const WANTED_SPAN = { from: hoursFromNow(24), to: hoursFromNow(32) }

describe('the waitlist in the dashboard', () => {
  const world = useWorld({ workers: [] })
  const browser = useSignedIn(world)

  it('names who waits for which place, and what each person is offered', async () => {
    const { bookable_id, location_id } = await createDesk(world.database, { name: 'Bow 1' })
    await browser.open('/dashboard/bookings')
    expect(browser.words).to.not.include('waiting')
    const during = world.database.raw('tstzrange(?, ?)', [WANTED_SPAN.from, WANTED_SPAN.to])
    const since = { during, created_at: new Date(Date.now() - 3 * 3_600_000) }
    const wilma = await createUser(world.database, { name: 'Wilma Waiting' })
    const otto = await createUser(world.database, { name: 'Otto Other' })
    await world.database('waits').insert({ user_id: wilma, bookable_id, ...since })
    await world.database('waits').insert({ user_id: otto, location_id, type: 0, ...since })
    await offerPlaces(world.database, createLog('test', 'silent'))
    await browser.open('/dashboard/bookings')
    await browser.follow('2 waiting')
    expect(browser.words)
      .to.match(/Wilma Waiting.*Bow 1.*Bow 1, until \d\d:\d\d.*Otto Other.*Any desk/)
      .and.include('3 hours ago')
    await world.database('waits').update({ state: 'over', ended_at: hoursFromNow(0) })
    await createBooking(world.database, WANTED_SPAN)
    await browser.open('/dashboard/bookings/waitlist')
    expect(browser.words).to.include('Nobody is waiting for a place.')
  })
})
