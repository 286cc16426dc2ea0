// Tests booking on a small phone: the map comes first, it takes three touches, and it needs no scripts.
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import {
  expectAccessible,
  expectNoSidewaysScroll,
  openWindow,
  useChromium,
} from '../../../support/dashboard/browser.ts'
import { createFloorPlanColumns, drawPng } from '../../../support/dashboard/pictures.ts'
import { createBooking, createUser } from '../../../support/factories.ts'
import { createFloor, DAY, FROM, TO } from '../../../support/people/floor.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }
const DESK_COUNT = 12
const MAP_TOP_PX_MAX = 200

describe('booking a desk on a phone', function suite() {
  this.timeout(120_000)
  useChromium()
  const world = useWorld({ workers: ['writes'] })

  /** Creates a floor with a floor plan, on which Anna has the first desk. */
  async function createFloorWithPlan() {
    const { database } = world
    const names = Array.from({ length: DESK_COUNT }, (_none, index) => `Desk ${index + 1}`)
    const floor = await createFloor(world, { names })
    await database('locations')
      .where({ id: floor.location_id })
      .update(createFloorPlanColumns(drawPng(300, 200)))
    for (const [index, id] of floor.desks.entries()) {
      const [position_x, position_y] = [0.3 + (index % 4) * 0.12, 0.3 + Math.floor(index / 4) * 0.15]
      await database('bookables')
        .where({ id })
        .update({ position_x, position_y, tags: ['monitor'] })
    }
    const anna = await createUser(database, { name: 'Anna Berg' })
    await database('favourite_colleagues').insert({ user_id: floor.user_id, colleague_id: anna })
    await createBooking(database, { user_id: anna, bookable_id: floor.desks[0], from: FROM, to: TO })
    return floor
  }

  const cellOf = (page: Page, id: number | undefined) => page.locator(`#cell-${id}`)

  for (const javaScriptEnabled of [true, false])
    it(`takes three touches ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const { place, desks, user_id } = await createFloorWithPlan()
      const browser = await signInAs(world, user_id)
      const { context, page } = await openWindow(browser, { ...PHONE, javaScriptEnabled })
      await page.goto(place)
      const map = (await page.locator('.map-scroll').boundingBox()) ?? expect.fail('There is no map')
      expect(map.y).to.be.at.most(MAP_TOP_PX_MAX)
      await expectNoSidewaysScroll(page)
      await cellOf(page, desks[5]).tap()
      const book = page.getByRole('button', { name: /^Book \d/ }).last()
      await book.waitFor()
      expect((await book.boundingBox())?.height).to.be.at.least(44)
      await book.tap()
      await page
        .getByText(/ is booked/)
        .first()
        .waitFor()
      const [booking] = await world.database('bookings').where({ user_id })
      expect(booking.bookable_id).to.equal(desks[5])
      await context.close()
    })

  it('opens a sheet with the desk, who is near and its day, and changes the time in the sheet', async () => {
    const { place, desks, user_id } = await createFloorWithPlan()
    const { context, page, complaints } = await openWindow(await signInAs(world, user_id), PHONE)
    await page.goto(place)
    await cellOf(page, desks[1]).tap()
    const sheet = page.getByRole('dialog', { name: 'Desk 2' })
    await sheet.getByText('Near Anna Berg (Desk 1)').waitFor()
    await sheet.getByRole('img', { name: /^Desk 2: free/ }).waitFor()
    await expectAccessible(page)
    await sheet.getByRole('link', { name: /^Afternoon/ }).tap()
    await sheet.getByRole('button', { name: 'Book 13–17' }).waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'hidden' })
    await cellOf(page, desks[0]).tap()
    const taken = page.getByRole('dialog', { name: 'Desk 1' })
    await taken.getByText('Taken: Anna Berg').waitFor()
    await taken.getByRole('link', { name: 'Wait for this place' }).waitFor()
    expect(complaints).to.deep.equal([])
    await context.close()
  })

  it('is a single Tab stop, whose arrow keys move between desks, and Enter opens the sheet', async () => {
    const { place, desks, user_id } = await createFloorWithPlan()
    const { context, page } = await openWindow(await signInAs(world, user_id), PHONE)
    await page.goto(place)
    await page.locator('.map-scroll.zoomable').waitFor()
    expect(await page.locator('.cell[tabindex="0"]').count()).to.equal(1)
    await cellOf(page, desks[1]).focus()
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate('document.activeElement.id')).to.equal(`cell-${desks[5]}`)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Desk 6' }).waitFor()
    await context.close()
  })

  it('passes the axe accessibility checks in light and dark mode, and in German', async () => {
    const { place, desks, user_id } = await createFloorWithPlan()
    const browser = await signInAs(world, user_id)
    for (const [colorScheme, locale] of [
      ['light', 'en-GB'],
      ['dark', 'de-DE'],
    ] as const) {
      const { context, page } = await openWindow(browser, { ...PHONE, colorScheme, locale })
      for (const each of [
        place,
        `${place}&view=list`,
        `/my/book/${desks[2]}?date=${DAY}`,
        `/my/book/${desks[0]}?date=${DAY}`,
      ]) {
        await page.goto(each)
        if (locale === 'de-DE' && each === place)
          expect(await page.locator('h1').innerText()).to.equal('Buchen')
        await expectAccessible(page)
        await expectNoSidewaysScroll(page)
      }
      await context.close()
    }
  })
})
