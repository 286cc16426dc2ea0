// Tests the screen in a lobby in a browser: it shows the floors in turn, and keeps its content without a
// network.
import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { browser, expectAccessible, expectNoSidewaysScroll } from '../../../support/dashboard/browser.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../support/factories.ts'
import { createScreen } from '../../../support/screens/screens.ts'
import { HOUR_MS, useTablet } from '../../../support/screens/tablet.ts'
import { eventually } from '../../../support/time.ts'

describe('the screen in a lobby, in a browser', function () {
  this.timeout(180_000)
  let page: Page
  let context: BrowserContext
  const { at, shows, words, world } = useTablet((opened, of) => {
    page = opened
    context = of
  })

  const becomes = (condition: string) =>
    eventually(async () => expect(await page.evaluate(condition)).to.equal(true), 20_000)

  /** Creates two floors with two people each, a floor plan on one of the floors, and a meeting. */
  async function createLobby(screen: object = {}) {
    const building_id = await createBuilding(world.database, { timezone: 'Europe/Berlin' })
    const floors: number[] = []
    for (const name of ['Lower floor', 'Upper floor'])
      floors.push(await createLocation(world.database, { building_id, name }))
    for (const [floor, location_id] of floors.entries()) {
      for (const name of [`Anna Floor-${floor}`, `Ben Floor-${floor}`]) {
        const user_id = await createUser(world.database, { name })
        const bookable_id = await createBookable(world.database, { location_id })
        await createBooking(world.database, { bookable_id, user_id, from: at(-1), to: at(2) })
      }
    }
    const [location_id] = floors
    const bookable_id = await createBookable(world.database, { location_id, type: 2, name: 'Aspen' })
    const event_id = await createEvent(world.database, { name: 'Planning', from: at(-1), to: at(1) })
    await createBooking(world.database, { bookable_id, event_id, from: at(-1), to: at(1) })
    const plan =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 800"><rect width="1200" height="800"/></svg>'
    await world
      .database('locations')
      .where({ id: location_id })
      .update({
        floor_plan: Buffer.from(plan),
        floor_plan_type: 'image/svg+xml',
        floor_plan_sha256: Buffer.alloc(32, 1),
        floor_plan_width: 1200,
        floor_plan_height: 800,
        floor_plan_orientation: 1,
      })
    return { building_id, ...(await createScreen(world.database, { kind: 'lobby', building_id, ...screen })) }
  }

  it('shows the floors in turn, and marks the current floor in the list', async () => {
    const { path } = await createLobby()
    await page.clock.install()
    await page.goto(world.url + path)
    const read = `[...document.querySelectorAll(
      '.lobby-floors .shown strong, .lobby-floor:not([hidden]) :is(h2, .lobby-people li)')].map((each) => each.textContent)`
    await becomes(`document.querySelector('.lobby-floors .shown') !== null`)
    const seen = new Set<string>()
    // The steps are shorter than the time for which a floor is shown, so that the test sees each floor.
    for (let step = 0; step < 8; step++) {
      seen.add((await page.evaluate<string[]>(read)).join())
      await page.clock.runFor(5_000)
    }
    expect([...seen].sort()).to.deep.equal([
      'Lower floor,Lower floor,Anna Floor-0,Ben Floor-0',
      'Upper floor,Upper floor,Anna Floor-1,Ben Floor-1',
    ])
    expect(await words())
      .to.include('Planning')
      .and.include('Aspen, Lower floor')
      .and.include('0 of 2 desks')
  })

  it('keeps its content and the time of the content without a network, even after a reload', async () => {
    const { path } = await createLobby()
    await page.clock.install()
    await page.goto(world.url + path)
    await becomes('navigator.serviceWorker.controller !== null')
    await page.reload()
    await becomes('localStorage.length > 0')
    await context.setOffline(true)
    await shows('No connection.')
    expect(await words()).to.match(/As of \d\d:\d\d\. No connection\./)
    await page.reload()
    await shows('No connection.')
    await shows('Planning')
    const isDrawn = `fetch(document.querySelector('image').href.baseVal).then((answer) => answer.ok)`
    expect(await page.evaluate(isDrawn)).to.equal(true)
    await page.clock.fastForward(24 * HOUR_MS)
    await shows('has no information about later bookings')
    expect(await words()).to.not.include('Anna')
  })

  it('is legible in every size and colour scheme, without overflow', async () => {
    for (const appearance of ['light', 'dark', 'e-ink']) {
      const { path } = await createLobby({ appearance })
      await page.goto(world.url + path)
      for (const [width, height] of [
        [1920, 1080],
        [1080, 1920],
        [1280, 800],
      ] as const) {
        await page.setViewportSize({ width, height })
        await expectAccessible(page)
        await expectNoSidewaysScroll(page)
        // Measures everything in one step, because the screen may replace its content in between.
        const parts = await page.evaluate<Array<{ right: number; bottom: number; height: number }>>(
          `[...document.querySelectorAll('.lobby-plan, .lobby-people li, .lobby-meetings')]
            .filter((each) => each.checkVisibility())
            .map((each) => each.getBoundingClientRect().toJSON())`,
        )
        expect(parts).to.not.have.length(0)
        for (const { right, bottom, height: down } of parts) {
          expect(right).to.be.at.most(width)
          expect(bottom).to.be.at.most(height)
          expect(down).to.be.at.least(14)
        }
      }
    }
  })

  it('draws dark cells on a dark screen', async () => {
    const readLightness = async (appearance: string) => {
      const { path } = await createLobby({ appearance })
      await page.goto(world.url + path)
      const fill = await page.evaluate<string>(
        `getComputedStyle(document.querySelector('.lobby-plan .cell rect')).fill`,
      )
      const [red = 0, green = 0, blue = 0] = fill.match(/\d+/g)?.map(Number) ?? []
      return (red + green + blue) / 3
    }
    expect(await readLightness('light')).to.be.above(200)
    expect(await readLightness('dark')).to.be.below(80)
  })

  it('lists all floors if scripts are off', async () => {
    const { path } = await createLobby()
    const plain = await (await browser()).newContext({ javaScriptEnabled: false })
    const still = await plain.newPage()
    await still.goto(world.url + path)
    expect(await still.locator('.lobby-floor:visible h2').allInnerTexts()).to.deep.equal([
      'Lower floor',
      'Upper floor',
    ])
    await plain.close()
  })
})
