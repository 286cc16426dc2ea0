// Tests undoing a change from its notice or later from the history, and the reasons that prevent it.
import { expect } from 'chai'
import { createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBookable, createBooking, createLocation, createUser } from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const NOW = Date.parse('2026-11-25T09:30:00Z')
const FRIDAY = { from: '2026-11-27T08:00:00Z', to: '2026-11-27T16:00:00Z' }

describe('undoing a change in the dashboard', () => {
  const world = useWorld({ workers: ['writes'], now: createClock(NOW) })
  const browser = useSignedIn(world)
  let [bow, stern, anna, booking] = [0, 0, 0, 0]
  beforeEach(async () => {
    const location_id = await createLocation(world.database, { name: 'Deck' })
    bow = await createBookable(world.database, { location_id, name: 'Bow 1' })
    stern = await createBookable(world.database, { location_id, name: 'Stern 2' })
    anna = await createUser(world.database, { name: 'Anna Bauer' })
    booking = await createBooking(world.database, { bookable_id: bow, user_id: anna, ...FRIDAY })
  })

  const rowOf = (id: number) => world.database('bookings').where({ id }).first()
  const cancel = async (by = browser) => {
    await by.open(`/dashboard/bookings/${booking}/cancel?back=%2Fbookings%3Ffrom%3D2026-11-27`)
    await by.submit('Cancel booking')
  }
  const move = async () => {
    await browser.open(`/dashboard/bookings/${booking}/move`)
    await browser.submit('Move booking', { bookable_id: String(stern) })
  }

  it('works from the notice of the change, and leads back to the same page', async () => {
    const before = await rowOf(booking)
    await cancel()
    expect(await rowOf(booking)).to.equal(undefined)
    const { path } = await browser.submit('Undo')
    expect(path).to.equal('/dashboard/bookings?from=2026-11-27')
    expect(browser.words).to.include('Undone.').and.include('Anna Bauer')
    expect(await rowOf(booking)).to.include({ during: before?.during, bookable_id: bow, user_id: anna })
  })

  it('works from the history, which then shows the change as undone', async () => {
    await move()
    await browser.open(`/dashboard/bookings/${booking}`)
    await browser.follow('Undo')
    expect(browser.words).to.include('moved the booking for Anna Bauer from Bow 1 to Stern 2')
    await browser.submit('Undo')
    expect(browser.words).to.include('Undone.').and.include('from Stern 2 to Bow 1')
    expect(browser.words).to.include('undoing an earlier change')
    await browser.follow('an earlier change')
    expect(browser.words).to.include('Undone by a later change')
  })

  it('is refused if somebody else has booked the desk since, and the page gives this reason', async () => {
    await cancel()
    const user_id = await createUser(world.database, { name: 'Ben Vogel' })
    await createBooking(world.database, { bookable_id: bow, user_id, ...FRIDAY })
    await browser.submit('Undo')
    expect(browser.words).to.include('Bow 1 is taken').and.include('Undo this change?')
    expect(await rowOf(booking)).to.equal(undefined)
  })

  it('works for a swap, several cancelled bookings, a block and an assignment', async () => {
    const user_id = await createUser(world.database, { name: 'Ben Vogel' })
    const other = await createBooking(world.database, { bookable_id: stern, user_id, ...FRIDAY })
    await browser.open(`/dashboard/bookings/swap?ids=${booking},${other}`)
    await browser.submit('Swap')
    await browser.submit('Undo')
    expect((await rowOf(booking))?.bookable_id).to.equal(bow)
    await browser.open(`/dashboard/bookings/selected?ids=${booking},${other}`)
    await browser.submit('Cancel bookings')
    await browser.submit('Undo')
    expect(await Promise.all([booking, other].map(rowOf))).to.not.include(undefined)
    const { location_id } = await world.database('bookables').where({ id: bow }).first()
    const mast = await createBookable(world.database, { location_id, name: 'Mast 3' })
    await browser.open(`/dashboard/places/bookables/${mast}/block`)
    const times = { from_time: '2026-12-01T09:00', to_time: '2026-12-01T17:00', reason: 'Works' }
    await browser.submit('Block', times)
    await browser.submit('Undo')
    const deskOf = () => world.database('bookables').where({ id: mast }).first()
    expect((await deskOf())?.rules).to.equal(null)
    await createUser(world.database, { name: 'Quentin Only' })
    await browser.open(`/dashboard/places/bookables/${mast}/assign?search=Quentin`)
    await browser.submit('Assign')
    expect((await deskOf())?.status).to.equal(2)
    await browser.submit('Undo')
    expect((await deskOf())?.status).to.equal(0)
  })

  it('is not offered for changes that cannot be undone', async () => {
    await browser.open(`/dashboard/bookings/${booking}`)
    await browser.open('/dashboard/places/buildings/new')
    await browser.submit('Create building', { name: 'Harbour', timezone: 'UTC' })
    expect(browser.page.text).to.not.include('data-undo')
    const [{ id }] = await world
      .database('audit_log')
      .where({ action: 'buildings.create' })
      .orderBy('id', 'desc')
    await browser.open(`/dashboard/undo/${id}`)
    expect(browser.words).to.include('This cannot be undone here.')
  })

  it('is offered to the front desk only for their own changes to bookings', async () => {
    const desk = await createSignedIn(world, 'desk@example.com', 'front-desk')
    await move()
    const [{ id }] = await world.database('audit_log').where({ resource_id: booking, resource: 'bookings' })
    expect((await desk.open(`/dashboard/undo/${id}`)).status).to.equal(404)
    await cancel(desk)
    await desk.submit('Undo')
    expect((await rowOf(booking))?.bookable_id).to.equal(stern)
    const entry = {
      actor_type: 'admin',
      actor_name: 'desk@example.com',
      resource: 'bookables',
      resource_id: bow,
    }
    const rows = await world
      .database('audit_log')
      .insert({ ...entry, action: 'bookables.edit', request_id: 'r', before: {}, after: {} }, 'id')
    expect((await desk.open(`/dashboard/undo/${rows[0].id}`)).status).to.equal(403)
  })
})
