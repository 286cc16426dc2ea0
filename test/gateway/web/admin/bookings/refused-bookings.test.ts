// Tests refused bookings on the pages of people and places: who wanted what, and why Berth refused it. Berth stores a
// few per person and day for a month.
import { expect } from 'chai'
import { eraseUser } from '../../../../../shared/erasures/erase-user.ts'
import { createLog } from '../../../../../shared/utilities/log.ts'
import { deleteExpiredRows } from '../../../../../workers/pollers/upkeep.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBooking, createDesk, createUser, hoursFromNow } from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

describe('refused bookings in the dashboard', () => {
  const world = useWorld({ workers: ['writes'], environment: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const client = useClient(world)
  const browser = useSignedIn(world)
  let desk: Awaited<ReturnType<typeof createDesk>>
  let anna: number
  const time = () => ({ from_time: hoursFromNow(24), to_time: hoursFromNow(26) })

  beforeEach(async () => {
    desk = await createDesk(world.database, { name: 'Desk 3' })
    anna = await createUser(world.database, { name: 'Anna Berg' })
    await createBooking(world.database, {
      bookable_id: desk.bookable_id,
      from: hoursFromNow(20),
      to: hoursFromNow(40),
    })
  })

  const book = (more = {}) => client.post('bookings', { ...desk, user_id: anna, ...time(), ...more })
  const kept = () => world.database('refused_bookings').where({ user_id: anna })
  const keeps = (number: number) => eventually(async () => expect(await kept()).to.have.length(number))

  it('appear on the pages of the person and the desk, in the administrator’s language', async () => {
    expect((await book()).json.code).to.equal('booking_conflict')
    await keeps(1)
    await browser.open(`/dashboard/people/${anna}`)
    expect(browser.words).to.match(/Refused bookings .* Desk 3 .* Desk 3 is taken from .* by test/)
    await browser.open(`/dashboard/places/bookables/${desk.bookable_id}`)
    expect(browser.words).to.include('Anna Berg').and.include('Desk 3 is taken')
    await browser.open(`/dashboard/people/${anna}`, { headers: { 'Accept-Language': 'de' } })
    expect(browser.words).to.include('Abgelehnte Buchungen').and.include('Desk 3 ist')
    await browser.open(`/dashboard/people/${anna}`)
    await browser.press('Test now whether Anna Berg can book Desk 3')
    await browser.submit('Test')
    expect(browser.words).to.include('Anna Berg cannot book Desk 3 at this time.')
  })

  it('are also stored for batches and series, unless the request itself was invalid', async () => {
    const booking = { ...desk, user_id: anna, ...time() }
    await client.post('bookings/batch', { bookings: [booking, { ...booking, user_id: 999_999 }] })
    await client.post('bookings/batch', { bookings: [booking], atomic: true })
    const until = hoursFromNow(24 * 3).slice(0, 10)
    await client.post('bookings/series', { ...booking, repeat: { every: 'day', until } })
    await book({ from_time: hoursFromNow(-48), to_time: hoursFromNow(-47) })
    await book({ location_id: 999_999 })
    await client.post('bookings/check', booking)
    await keeps(3)
  })

  it('are limited to twenty per person and day, and are deleted after thirty days', async () => {
    for (let number = 0; number < 15; number++) await book()
    await keeps(15)
    for (let number = 0; number < 15; number++) await book()
    await createBooking(world.database, {
      bookable_id: desk.bookable_id,
      from: hoursFromNow(200),
      to: hoursFromNow(210),
    })
    const other = await createUser(world.database)
    await book({ user_id: other })
    await eventually(async () =>
      expect(await world.database('refused_bookings').where({ user_id: other })).to.have.length(1),
    )
    await keeps(20)
    await world.database('refused_bookings').update({ at: hoursFromNow(-24 * 31) })
    await deleteExpiredRows(world.database, createLog('test', 'silent'), { auditLogKeptMonths: 0 })
    expect(await kept()).to.deep.equal([])
  })

  it('are erased together with the person', async () => {
    await book()
    await keeps(1)
    await world.database.transaction((trx) =>
      eraseUser(
        trx,
        { id: anna, now: hoursFromNow(0) },
        { actor: { type: 'system', id: null, name: 'test' }, requestId: 'r', attempt: null },
      ),
    )
    expect(await kept()).to.deep.equal([])
  })
})
