// The map of many desks in a browser: zoom, keyboard, and load time.
import { brotliCompressSync } from 'node:zlib'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, openWindow, useChromium } from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { drawnPng, floorPlanColumns } from '../../../../support/dashboard/pictures.ts'
import {
  createBooking,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const COLUMNS = 40
const ROWS = 25
const FIRST_SIGHT_BYTES_MAX = 150 * 1024
const NAME_PX_MIN = 8.5
// The zoom of one turn of the wheel, and the maximum (browser/shared/zoom.ts).
const TURN = Math.exp(0.004 * 120)
const LARGEST = 4

describe('a map of a thousand desks, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: [] })
  const signedIn = useSignedIn(world)
  let path: string
  let ids: number[]

  before(async () => {
    const plan = floorPlanColumns(drawnPng(300, 200))
    const building_id = await createBuilding(world.database)
    const location_id = await createLocation(world.database, { building_id, name: 'Hall', ...plan })
    // A second floor, so that the page has tabs.
    await createLocation(world.database, { building_id, name: 'Loft' })
    const user_id = await createUser(world.database, { name: 'Ada Lovelace' })
    const desks = Array.from({ length: COLUMNS * ROWS }, (_, index) => ({
      location_id,
      name: `Desk ${index + 1}`,
      type: 0,
      position_x: ((index % COLUMNS) + 0.5) / COLUMNS,
      position_y: (Math.floor(index / COLUMNS) + 0.5) / ROWS,
    }))
    const rows: Array<{ id: number }> = await world.database('bookables').insert(desks, 'id')
    ids = rows.map(({ id }) => Number(id))
    for (const bookable_id of ids.slice(0, 40))
      await createBooking(world.database, {
        bookable_id,
        user_id,
        from: hoursFromNow(-1),
        to: hoursFromNow(1),
      })
    path = `/dashboard/map?location=${location_id}`
  })

  const open = async (query = '') => {
    const opened = await openWindow(signedIn, { viewport: { width: 1440, height: 900 } })
    await opened.page.goto(path + query)
    await opened.page.locator('[data-zoom]').waitFor()
    return opened
  }
  const focused = (page: Page) =>
    page.evaluate<string>(`document.activeElement.querySelector('title')?.textContent.split(':')[0] ?? ''`)
  const widthOf = async (page: Page, selector: string) =>
    (await page.locator(selector).boundingBox())?.width ?? expect.fail(selector)

  it('appears with few bytes and readable names', async () => {
    const { context, page, complaints } = await open()
    const { text } = await signedIn.open(path)
    expect(text.match(/class="cell"/g)).to.have.length(COLUMNS * ROWS)
    expect(brotliCompressSync(text).length).to.be.below(FIRST_SIGHT_BYTES_MAX / 3)
    const wire = await context.newCDPSession(page)
    await wire.send('Network.enable')
    let bytes = 0
    wire.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await wire.send('Network.setCacheDisabled', { cacheDisabled: true })
    await page.goto(path, { waitUntil: 'networkidle' })
    expect(bytes).to.be.within(10_000, FIRST_SIGHT_BYTES_MAX)
    const name = page.locator('.map-cells .cell text').first()
    expect((await name.boundingBox())?.height).to.be.at.least(NAME_PX_MIN)
    const [one, other] = [page.locator(`#cell-${ids[0]} rect`), page.locator(`#cell-${ids[1]} rect`)]
    const [left, right] = [await one.first().boundingBox(), await other.first().boundingBox()]
    expect((left?.x ?? 0) + (left?.width ?? 0), 'no two overlap').to.be.at.most((right?.x ?? 0) + 1)
    expect(complaints).to.deep.equal([])
    await context.close()
  })

  it('fits above the fold', async () => {
    const { context, page } = await open()
    await page.getByRole('navigation', { name: 'Floors' }).waitFor()
    const box = (await page.locator('.map-scroll').boundingBox()) ?? expect.fail()
    expect(box.y + box.height).to.be.at.most(900)
    await context.close()
  })

  it('is one Tab stop, with arrow keys from desk to desk', async () => {
    const { context, page } = await open(`&bookable=${ids[41]}`)
    expect(await page.locator('.map-cells .cell[tabindex="0"]').count()).to.equal(1)
    expect(await page.locator('.map-cells .cell[tabindex="-1"]').count()).to.equal(COLUMNS * ROWS - 1)
    await page.getByRole('button', { name: 'Zoom in' }).focus()
    await page.keyboard.press('Tab')
    expect(await focused(page), 'the one that is looked for').to.equal('Desk 42')
    for (const [key, name] of [
      ['ArrowRight', 'Desk 43'],
      ['ArrowDown', 'Desk 83'],
      ['ArrowLeft', 'Desk 82'],
      ['ArrowUp', 'Desk 42'],
      ['ArrowUp', 'Desk 2'],
      ['ArrowUp', 'Desk 2'],
    ] as const) {
      await page.keyboard.press(key)
      expect(await focused(page), key).to.equal(name)
    }
    await page.keyboard.press('ArrowLeft')
    // A reload of the cells meanwhile keeps the position.
    await world.database('bookings').where({ bookable_id: ids[0] }).delete()
    await eventually(async () =>
      expect(await page.locator(`#cell-${ids[0]}`).getAttribute('data-state')).to.equal('free'),
    )
    expect(await focused(page)).to.equal('Desk 1')
    await page.keyboard.press('ArrowRight')
    expect(await focused(page)).to.equal('Desk 2')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Desk 2' }).getByText('Ada Lovelace until').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    expect(await focused(page)).to.equal('Desk 2')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(`document.activeElement.closest('.map-cells')`), 'and out again').to.equal(
      null,
    )
    await context.close()
  })

  it('zooms, stays sharp, and can be dragged', async () => {
    const { context, page } = await open()
    const first = await widthOf(page, '.map-cells')
    await page.getByRole('button', { name: 'Zoom in' }).click()
    expect(await widthOf(page, '.map-cells')).to.be.closeTo(first * 1.4, 3)
    expect(await widthOf(page, '.map-floor-plan')).to.be.closeTo(first * 1.4, 3)
    const transform = await page.evaluate(`getComputedStyle(document.querySelector('.map-canvas')).transform`)
    expect(transform, 'laid out anew').to.equal('none')
    await page.getByRole('button', { name: 'Fit' }).click()
    const box = (await page.locator('.map-scroll').boundingBox()) ?? expect.fail()
    const whole = await widthOf(page, '.map-cells')
    expect(whole).to.be.at.most(box.width)
    const middle = { x: box.x + box.width / 2, y: box.y + 150 }
    await page.mouse.move(middle.x, middle.y)
    const under = () =>
      page.evaluate(
        `(() => { const box = document.querySelector('.map-cells').getBoundingClientRect()
          return [(${middle.x} - box.left) / box.width, (${middle.y} - box.top) / box.height] })()`,
      ) as Promise<[number, number]>
    const [across, down] = await under()
    await page.keyboard.down('Control')
    for (let turn = 0; turn < 6; turn++) await page.mouse.wheel(0, -120)
    await page.keyboard.up('Control')
    // A turn of the wheel that arrives later would change the next measurement.
    const wide = Math.min(whole * TURN ** 6, first * LARGEST)
    await eventually(async () => expect(await widthOf(page, '.map-cells')).to.be.closeTo(wide, wide * 0.01))
    expect(wide).to.be.above(box.width * 2)
    const [acrossNow, downNow] = await under()
    expect(acrossNow, 'what was under the mouse is still there').to.be.closeTo(across, 0.02)
    expect(downNow).to.be.closeTo(down, 0.02)
    const scrolled = () => page.locator('.map-scroll').evaluate((each) => [each.scrollLeft, each.scrollTop])
    const [left = 0, top = 0] = await scrolled()
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('_part=panel') && asked.push(request.url()))
    await page.mouse.down()
    await page.mouse.move(middle.x - 80, middle.y - 30, { steps: 4 })
    await page.mouse.up()
    expect(await scrolled()).to.deep.equal([left + 80, top + 30])
    await page.mouse.move(middle.x, middle.y)
    await page
      .locator('.map-cells .cell')
      .nth(COLUMNS * 2 + 20)
      .click()
    await page.getByRole('dialog').waitFor()
    expect(asked, 'that was no click').to.have.length(1)
    await context.close()
  })
})
