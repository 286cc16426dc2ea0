// Tests tabs that show outdated bookings, offers and requests: an action is refused if the resource has
// changed, and the page shows its current state.
import { expect } from 'chai'
import { createLog } from '../../../../shared/utilities/log.ts'
import { offerPlaces } from '../../../../workers/pollers/holds/offering.ts'
import type { Browser } from '../../../support/dashboard/dashboard.ts'
import { createBooking, createDesk, createUser, hoursFromNow } from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

const log = createLog('test', 'silent')

describe('a browser tab with an outdated booking or offer', () => {
  const world = useWorld()

  async function createPerson() {
    const user_id = await createUser(world.database)
    return { user_id, browser: await signInAs(world, user_id) }
  }
  async function createBooked(from: number, to: number) {
    const { user_id, browser } = await createPerson()
    const desk = await createDesk(world.database, { name: 'Bow' })
    const times = { from: hoursFromNow(from), to: hoursFromNow(to) }
    const id = await createBooking(world.database, { user_id, bookable_id: desk.bookable_id, ...times })
    await browser.open(from > 0 ? `/my/bookings/${id}` : '/my')
    return { id, browser, change: (during: [string, string]) => moveTo(id, during) }
  }
  const moveTo = (id: number, [from, to]: [string, string]) =>
    world
      .database('bookings')
      .where({ id })
      .update({ during: world.database.raw('tstzrange(?, ?)', [from, to]) })
  /** Opens the page in a second tab, and returns the form with the given button. */
  async function openOther(browser: Browser, button: string, path = '/my') {
    await browser.open(path)
    return browser.form(button)
  }
  const exists = async (id: number) => (await world.database('bookings').where({ id })).length > 0

  it('shows that the booking is already cancelled when the person cancels, leaves or checks in', async () => {
    const future = await createBooked(48, 50)
    const once = future.browser.form('Cancel it')
    const cancel = await openOther(future.browser, 'Cancel it', `/my/bookings/${future.id}`)
    await future.browser.send(once)
    expect(future.browser.words).to.include('Cancelled: Bow (')
    // Simulates a double click.
    await future.browser.send(once)
    expect(future.browser.words).to.include('Cancelled.')
    await future.browser.send(cancel)
    expect(future.browser.page.status).to.equal(404)
    expect(future.browser.words).to.include('This booking has already been cancelled.')

    const running = await createBooked(-1, 3)
    await world.database('bookings').where({ id: running.id }).delete()
    await running.browser.submit('Leave now')
    expect(running.browser.words).to.include('This booking has already been cancelled.')
  })

  it('does not change a booking that has ended in the meantime, and says that it has ended', async () => {
    const { id, browser, change } = await createBooked(48, 50)
    await change([hoursFromNow(-3), hoursFromNow(-1)])
    await browser.submit('Cancel it')
    expect(browser.words).to.match(/Your booking of Bow \(.+\) already ended/)
    expect(await exists(id)).to.equal(true)
  })

  it('shows the new place and time of a moved booking before it can cancel the booking', async () => {
    const { id, browser, change } = await createBooked(48, 50)
    await change([hoursFromNow(72), hoursFromNow(74)])
    await browser.submit('Cancel it')
    expect(browser.page.status).to.equal(409)
    expect(browser.words).to.include('This booking has changed: it is now Bow (')
    expect(await exists(id)).to.equal(true)
    await browser.submit('Cancel it')
    expect(browser.words).to.include('Cancelled: Bow (')
    expect(await exists(id)).to.equal(false)
  })

  it('ends a booking that has begun in the meantime, instead of deleting it', async () => {
    const { id, browser } = await createBooked(48, 50)
    const form = browser.form('Cancel it')
    form.controls = form.controls.filter(({ name }) => name !== 'seen')
    await moveTo(id, [hoursFromNow(-1), hoursFromNow(3)])
    await browser.send(form)
    expect(browser.words).to.include('has ended')
    expect(await exists(id)).to.equal(true)
  })

  it('shows that the person has already accepted or declined the offer', async () => {
    const { bookable_id } = await createDesk(world.database, { name: 'Bow' })
    const { user_id, browser } = await createPerson()
    const span = { from: hoursFromNow(24), to: hoursFromNow(32) }
    const booking = await createBooking(world.database, { ...span, bookable_id })
    const query = new URLSearchParams({ ...span, bookable: String(bookable_id) })
    await browser.open(`/my/waits/new?${query}`)
    await browser.submit('Wait')
    const wait = browser.form('Stop waiting')
    await world.database('bookings').where({ id: booking }).delete()
    await offerPlaces(world.database, log)
    await browser.open('/my')
    const [take, decline] = [browser.form('Take it'), browser.form('No, thanks')]
    await browser.send(await openOther(browser, 'Take it'))
    expect(browser.words).to.match(/Bow \(.+\) is yours/)
    for (const form of [take, decline, wait]) {
      await browser.send(form)
      expect(browser.words).to.include('You have already accepted this offer.')
    }
    const held = await world.database('bookings').where({ bookable_id })
    expect(held.map((each) => Number(each.user_id))).to.deep.equal([user_id])
  })
})
