// Tests the map of many desks in a browser: zoom, keyboard, and load time.
import { brotliCompressSync } from 'node:zlib'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, openWindow, useChromium } from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createFloorPlanColumns, drawPng } from '../../../../support/dashboard/pictures.ts'
import {
  createBooking,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const COLUMN_COUNT = 40
const ROW_COUNT = 25
const FIRST_LOAD_BYTES_MAX = 150 * 1024
const TEXT_PX_MIN = 11
// The zoom of the buttons (browser/shared/map-view.ts).
const ZOOM_STEP = 1.6

describe('the map of 1,000 desks, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: [] })
  const signedIn = useSignedIn(world)
  let path: string
  let ids: number[]

  before(async () => {
    const plan = createFloorPlanColumns(drawPng(300, 200))
    const building_id = await createBuilding(world.database)
    const location_id = await createLocation(world.database, { building_id, name: 'Hall', ...plan })
    // Creates a second floor, so that the page has tabs.
    await createLocation(world.database, { building_id, name: 'Loft' })
    const user_id = await createUser(world.database, { name: 'Ada Lovelace' })
    const desks = Array.from({ length: COLUMN_COUNT * ROW_COUNT }, (_, index) => ({
      location_id,
      name: `Desk ${index + 1}`,
      type: 0,
      position_x: ((index % COLUMN_COUNT) + 0.5) / COLUMN_COUNT,
      position_y: (Math.floor(index / COLUMN_COUNT) + 0.5) / ROW_COUNT,
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

  it('loads few bytes, and shows all desks without overlaps', async () => {
    const { context, page, complaints } = await open()
    const { text } = await signedIn.open(path)
    expect(text.match(/class="cell"/g)).to.have.length(COLUMN_COUNT * ROW_COUNT)
    expect(brotliCompressSync(text).length).to.be.below(FIRST_LOAD_BYTES_MAX / 3)
    const wire = await context.newCDPSession(page)
    await wire.send('Network.enable')
    let bytes = 0
    wire.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await wire.send('Network.setCacheDisabled', { cacheDisabled: true })
    await page.goto(path, { waitUntil: 'networkidle' })
    expect(bytes).to.be.within(10_000, FIRST_LOAD_BYTES_MAX)
    const [one, other] = [page.locator(`#cell-${ids[0]} .seat`), page.locator(`#cell-${ids[1]} .seat`)]
    const [left, right] = [await one.first().boundingBox(), await other.first().boundingBox()]
    expect((left?.x ?? 0) + (left?.width ?? 0), 'no two overlap').to.be.at.most((right?.x ?? 0) + 1)
    expect(complaints).to.deep.equal([])
    await context.close()
  })

  it('fits into the window without scrolling', async () => {
    const { context, page } = await open()
    await page.getByRole('navigation', { name: 'Floors' }).waitFor()
    const box = (await page.locator('.map-scroll').boundingBox()) ?? expect.fail()
    expect(box.y + box.height).to.be.at.most(900)
    await context.close()
  })

  it('is a single Tab stop, with arrow keys to move between desks', async () => {
    const { context, page } = await open(`&bookable=${ids[41]}`)
    expect(await page.locator('.map-cells .cell[tabindex="0"]').count()).to.equal(1)
    expect(await page.locator('.map-cells .cell[tabindex="-1"]').count()).to.equal(
      COLUMN_COUNT * ROW_COUNT - 1,
    )
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
    // Reloading the cells does not change the zoom or position.
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

  /** Returns the zoom of the map, and the position of the map in its box. */
  const placeOf = (page: Page) =>
    page.evaluate<{ zoom: number; x: number; y: number }>(
      `(({ a, e, f }) => ({ zoom: a, x: e, y: f }))(new DOMMatrix(getComputedStyle(document.querySelector('.map-canvas')).transform))`,
    )
  const settled = (page: Page) => page.locator('.map-scroll:not(.moving)').waitFor()
  const zoom = async (page: Page, name: string) => {
    // On a slow machine, the page handles the click later.
    const handled = page.evaluate(
      `new Promise((resolve) => addEventListener('click', () => resolve(), { once: true }))`,
    )
    await page.getByRole('button', { name, exact: true }).click()
    await handled
    await settled(page)
  }

  it('shows all desks first, and not the paper around them', async () => {
    const { context, page } = await open()
    const frame = (await page.locator('.map-scroll').boundingBox()) ?? expect.fail()
    const [first, last] = [page.locator(`#cell-${ids[0]} .seat`), page.locator(`#cell-${ids.at(-1)} .seat`)]
    const [one, other] = [await first.boundingBox(), await last.boundingBox()]
    if (!one || !other) expect.fail()
    const [width, height] = [other.x + other.width - one.x, other.y + other.height - one.y]
    expect(one.x).to.be.at.least(frame.x)
    expect(other.y + other.height).to.be.at.most(frame.y + frame.height)
    expect(Math.max(width / frame.width, height / frame.height)).to.be.above(0.85)
    await context.close()
  })

  it('zooms with buttons, keys, the wheel and two clicks, and is sharp afterwards', async () => {
    const { context, page } = await open()
    const { zoom: whole } = await placeOf(page)
    await zoom(page, 'Zoom in')
    expect((await placeOf(page)).zoom).to.be.closeTo(whole * ZOOM_STEP, 0.01)
    const layer = await page.evaluate(`getComputedStyle(document.querySelector('.map-canvas')).willChange`)
    expect(layer, 'drawn anew').to.equal('auto')
    await page.locator('.map-cells .cell[tabindex="0"]').focus()
    const zoomed = (to: number, delta: number) =>
      eventually(async () => expect((await placeOf(page)).zoom).to.be.closeTo(to, delta))
    await page.keyboard.press('+')
    await zoomed(whole * ZOOM_STEP ** 2, 0.02)
    await page.keyboard.press('0')
    await zoomed(whole, 0.001)
    await settled(page)
    const box = (await page.locator('.map-scroll').boundingBox()) ?? expect.fail()
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
    await page.mouse.move(middle.x, middle.y)
    const under = async () => {
      const { zoom, x, y } = await placeOf(page)
      return [(middle.x - box.x - x) / zoom, (middle.y - box.y - y) / zoom] as const
    }
    const [across, down] = await under()
    for (let turn = 0; turn < 4; turn++) await page.mouse.wheel(0, -120)
    await zoomed(whole * Math.exp(1.92), 0.05)
    const [acrossNow, downNow] = await under()
    expect(acrossNow, 'what was under the mouse is still there').to.be.closeTo(across, 2)
    expect(downNow).to.be.closeTo(down, 2)
    await zoom(page, 'Fit')
    await page.mouse.dblclick(box.x + 3, box.y + 3)
    await eventually(async () => expect((await placeOf(page)).zoom).to.be.above(whole * 1.5))
    await context.close()
  })

  it('can be dragged, which is not a click', async () => {
    const { context, page } = await open()
    for (let step = 0; step < 4; step++) await zoom(page, 'Zoom in')
    const box = (await page.locator('.map-scroll').boundingBox()) ?? expect.fail()
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
    const before = await placeOf(page)
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('_part=panel') && asked.push(request.url()))
    await page.mouse.move(middle.x, middle.y)
    await page.mouse.down()
    await page.mouse.move(middle.x - 80, middle.y - 30, { steps: 4 })
    await page.mouse.up()
    await eventually(async () => {
      const after = await placeOf(page)
      expect(after.x).to.be.closeTo(before.x - 80, 1)
      expect(after.y).to.be.closeTo(before.y - 30, 1)
    })
    await settled(page)
    await page.mouse.click(middle.x, middle.y)
    await page.getByRole('dialog').waitFor()
    expect(asked).to.have.length(1)
    await context.close()
  })

  it('has no text below 11 pixels at any zoom', async () => {
    const { context, page } = await open()
    const details = new Set<string>()
    for (let step = 0; step < 12; step++) {
      const shown = await page.evaluate<{ detail: string; count: number; least: number }>(`(() => {
        const canvas = document.querySelector('.map-canvas')
        const matrixOf = (element) => new DOMMatrix(getComputedStyle(element).transform)
        const pixels = [...canvas.querySelectorAll('text')].filter((text) => text.checkVisibility()).map((text) => {
          let size = parseFloat(getComputedStyle(text).fontSize) * matrixOf(canvas).a
          for (let each = text; each !== canvas; each = each.parentElement) {
            const { a, b } = matrixOf(each)
            size *= Math.hypot(a, b)
          }
          return size
        })
        return { detail: canvas.dataset.detail, count: pixels.length, least: Math.min(...pixels) }
      })()`)
      details.add(shown.detail)
      if (shown.count > 0)
        expect(shown.least, `${shown.detail} at step ${step}`).to.be.at.least(TEXT_PX_MIN - 0.05)
      await zoom(page, 'Zoom in')
    }
    expect([...details]).to.include.members(['dots', 'initials', 'cards'])
    await context.close()
  })
})
