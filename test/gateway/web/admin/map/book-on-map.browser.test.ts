// Tests booking a free desk on the map: click on the desk, enter a name, and click on “Book”.
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, openWindow, useChromium } from '../../../../support/dashboard/browser.ts'
import { createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBookable, createBooking, createLocation, createUser } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const DAY = '2030-03-11'
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }

describe('booking a desk on the map', () => {
  useChromium()
  const world = useWorld()
  const signedIn = useSignedIn(world)
  let path: string
  let desk: number
  let anna: number
  beforeEach(async () => {
    const location_id = await createLocation(world.database, { name: 'Hall' })
    desk = await createBookable(world.database, { location_id, name: 'Desk 1' })
    anna = await createUser(world.database, { name: 'Anna Bauer' })
    path = `/dashboard/map?location=${location_id}&date=${DAY}&time=10:00`
  })
  afterEach(() => world.database('users').update({ deactivated_at: new Date() }))

  const bookings = () => world.database('bookings').where({ bookable_id: desk })
  const cell = (page: Page) => page.locator(`.cell[data-bookable="${desk}"]`)
  const panel = (page: Page) => page.getByRole('dialog', { name: 'Desk 1' })
  const book = (page: Page) => panel(page).getByRole('button', { name: 'Book', exact: true })

  it('takes two clicks and a name, and then shows the desk as taken', async () => {
    const { context, page, complaints } = await openWindow(signedIn)
    await page.goto(path)
    await cell(page).click()
    await panel(page).getByText('Mon, 11 Mar 2030, 10:00 until 17:00').waitFor()
    await page.keyboard.type('anna')
    await page.getByRole('option', { name: /Anna Bauer/ }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await book(page).click()
    await page.getByText('Desk 1 is booked for Anna Bauer.').waitFor()
    expect(await cell(page).getAttribute('data-state')).to.equal('occupied')
    const [made, ...others] = await bookings()
    expect(others).to.deep.equal([])
    expect(Number(made.user_id)).to.equal(anna)
    expect(made.during).to.match(/2030-03-11 10:00:00.*2030-03-11 17:00:00/)
    expect(complaints).to.deep.equal([])
    await context.close()
  })

  it('sets the end to the start of the next booking of the desk', async () => {
    const span = { from: `${DAY}T12:30:00Z`, to: `${DAY}T14:00:00Z` }
    await createBooking(world.database, { bookable_id: desk, ...span })
    const { context, page } = await openWindow(signedIn)
    await page.goto(path)
    await cell(page).click()
    await panel(page).getByText('10:00 until 12:30').waitFor()
    await context.close()
  })

  it('says who booked the desk in the meantime, and keeps the entered name', async () => {
    const { context, page } = await openWindow(signedIn)
    await page.goto(path)
    await cell(page).click()
    await panel(page).getByText('Mon, 11 Mar 2030, 10:00 until 17:00').waitFor()
    await panel(page).getByLabel('Person').fill('anna bauer')
    await page.getByRole('option', { name: /Anna Bauer/ }).click()
    const ben = await createUser(world.database, { name: 'Ben Clark' })
    const span = { from: `${DAY}T11:00:00Z`, to: `${DAY}T12:00:00Z` }
    await createBooking(world.database, { bookable_id: desk, user_id: ben, ...span })
    await book(page).click()
    const card = page.getByRole('region', { name: 'Book Desk 1' })
    await card.getByText(/Desk 1 is taken by Ben Clark/).waitFor()
    expect(await card.getByLabel('Person').inputValue()).to.equal('Anna Bauer')
    await context.close()
  })

  it('asks which person is meant if several people have the entered name', async () => {
    await createUser(world.database, { name: 'Anna Diaz' })
    const span = { from_time: `${DAY}T10:00`, to_time: `${DAY}T17:00` }
    await signedIn.open(path)
    await signedIn.submit('Book', { person: 'anna', bookable: String(desk), ...span })
    expect(signedIn.words).to.include('Anna Bauer').and.include('Anna Diaz')
    await signedIn.open(`${signedIn.page.path}&user=${anna}`)
    await signedIn.submit('Create booking')
    expect(signedIn.words).to.include('Desk 1 is booked for Anna Bauer.')
    expect((await bookings())[0].during).to.match(/2030-03-11 10:00:00.*2030-03-11 17:00:00/)
  })

  it('has more actions behind “…”, which Escape closes without closing the panel', async () => {
    const { context, page } = await openWindow(signedIn)
    await page.goto(path)
    await cell(page).click()
    const menu = panel(page).locator('summary')
    const block = panel(page).getByRole('link', { name: 'Block', exact: true })
    await menu.focus()
    await page.keyboard.press('Enter')
    await block.waitFor()
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Block')
    await page.keyboard.press('Escape')
    await block.waitFor({ state: 'hidden' })
    expect(await book(page).isVisible()).to.equal(true)
    await menu.click()
    await block.waitFor()
    await panel(page).getByText('Free for').click()
    await block.waitFor({ state: 'hidden' })
    await context.close()
  })

  it('shows the map first on a phone, with the panel at the lower edge', async () => {
    const { context, page } = await openWindow(signedIn, PHONE)
    await page.goto(path)
    const top = async (selector: string) =>
      (await page.locator(selector).boundingBox())?.y ?? expect.fail(selector)
    expect((await top('.map-scroll')) - (await top('h1'))).to.be.below(PHONE.viewport.height / 5)
    expect(await page.getByLabel('Time', { exact: true }).isVisible()).to.equal(false)
    await page.getByRole('button', { name: 'Filter' }).tap()
    await page.getByLabel('Time', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await cell(page).tap()
    await book(page).waitFor()
    const box = (await panel(page).boundingBox()) ?? expect.fail()
    expect(Math.round(box.y + box.height)).to.equal(PHONE.viewport.height)
    await expectAccessible(page)
    await context.close()
  })

  it('is not offered to administrators with the role reader', async () => {
    const { context, page } = await openWindow(await createSignedIn(world, 'reader@example.com', 'reader'))
    await page.goto(path)
    await cell(page).click()
    await panel(page).getByRole('link', { name: 'Open Desk 1' }).waitFor()
    expect(await page.getByRole('button', { name: 'Book' }).count()).to.equal(0)
    await context.close()
  })
})
