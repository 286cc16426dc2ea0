// Tests how administrators see and decide requests for bookings that need approval.
import { expect } from 'chai'
import { createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBookable, createHold, createLocation, createUser } from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

// The current day is a Wednesday.
const NOW = Date.parse('2026-11-25T09:30:00Z')
const REQUESTED_SPAN = { from: '2026-11-26T08:00:00Z', to: '2026-11-26T16:00:00Z' }

describe('booking requests in the dashboard', () => {
  const world = useWorld({ workers: ['writes'], now: createClock(NOW) })
  const browser = useSignedIn(world)
  let location: number
  let desk: number
  let request: number

  beforeEach(async () => {
    await world.database('bookings').delete()
    await world.database('holds').delete()
    const user_id = await createUser(world.database, {
      name: 'Rita Requester',
      email: `rita${Math.random()}@example.com`,
    })
    location = await createLocation(world.database, { name: 'Deck' })
    desk = await createBookable(world.database, { location_id: location, name: 'Bow 1' })
    request = await createHold(world.database, {
      ...REQUESTED_SPAN,
      bookable_id: desk,
      user_id,
      expires_at: REQUESTED_SPAN.from,
    })
  })

  const rowOf = (id: number) => world.database('holds').where({ id }).first()

  it('are listed while they wait for a decision, and become bookings when approved', async () => {
    await browser.open('/dashboard/bookings')
    await browser.follow('1 request')
    expect(browser.words).to.include('Rita Requester').and.include('Bow 1')
    await browser.follow('Decide')
    await browser.submit('Approve')
    expect(browser.words).to.include('Approved and booked.').and.include('No requests are waiting.')
    const { state, booking_id, decided_by_admin_id } = await rowOf(request)
    expect(state).to.equal('approved')
    expect(decided_by_admin_id).to.be.a('number')
    expect(await world.database('bookings').where({ id: booking_id })).to.have.length(1)
    await browser.open('/dashboard/bookings')
    expect(browser.words).to.not.include('1 request')
  })

  it('can be declined with a reason by an administrator', async () => {
    await browser.open(`/dashboard/bookings/requests/${request}`)
    await browser.submit('Decline', { reason: 'Full' })
    expect(browser.words).to.include('Declined. The time is free again.')
    const { state, reason } = await rowOf(request)
    expect({ state, reason }).to.deep.equal({ state: 'declined', reason: 'Full' })
    await browser.open(`/dashboard/bookings/requests/${request}`)
    expect(browser.words).to.include('Full').and.include('declined')
  })

  it('show who decided first if another administrator has decided in the meantime', async () => {
    await browser.open(`/dashboard/bookings/requests/${request}`)
    const { user_id } = await rowOf(request)
    await world.database('bookings').where({ hold_id: request }).delete()
    const decided = { state: 'declined', decided_at: new Date(), decided_by_user_id: user_id }
    await world.database('holds').where({ id: request }).update(decided)
    await browser.submit('Approve')
    expect(browser.words).to.include('Rita Requester has already declined the request.')
  })

  it('show the requester on the map, on the timeline and on the page of the desk', async () => {
    for (const path of [
      `/dashboard/map?location=${location}&date=2026-11-26&time=10:00`,
      `/dashboard/day?location=${location}&date=2026-11-26`,
      `/dashboard/places/bookables/${desk}`,
    ]) {
      await browser.open(path)
      expect(browser.words, path).to.include('Requested by Rita Requester')
    }
    await browser.follow('Requested by Rita Requester')
    expect(browser.words).to.include('Bow 1 for Rita Requester')
  })

  it('appear as a conflict when the same time is booked for another person', async () => {
    const user = await createUser(world.database)
    const asked = `user=${user}&bookable=${desk}&from=2026-11-26T09:00&to=2026-11-26T10:00`
    await browser.open(`/dashboard/bookings/new?${asked}`)
    await browser.submit('Create booking')
    expect(browser.words).to.match(/Bow 1 is requested by Rita Requester/)
  })

  it('are hidden from administrators with the role reader, even at their own URL', async () => {
    const reader = await createSignedIn(world, 'reader@example.com', 'reader')
    for (const path of ['/dashboard/bookings/requests', `/dashboard/bookings/requests/${request}`])
      expect((await reader.open(path)).status).to.equal(403)
    await reader.open('/dashboard/bookings')
    expect(reader.words).to.not.include('1 request')
  })
})
