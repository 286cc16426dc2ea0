// Tests that a map of 300 desks moves smoothly on a slow phone: pinching and dragging change a single layer, and lay out
// nothing. With TEST_LONG, it also measures the CPU time of frames on a phone with a fourth of the machine's speed.
import { expect } from 'chai'
import type { CDPSession, Page } from 'playwright-core'
import { openWindow, useChromium } from '../../../support/dashboard/browser.ts'
import { createFloorPlanColumns, drawPng } from '../../../support/dashboard/pictures.ts'
import { createFloor } from '../../../support/people/floor.ts'
import { isLong } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

const DESK_COUNT = 300
const COLUMN_COUNT = 25
const SLOWDOWN = 4
const STEPS = 60
const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }
// Of the CPU time of the main thread. A frame takes 16.7 ms at 60 frames a second.
const FRAME_MS_MAX = 16
// Once, after the fingers have left the map: it draws all cells sharply.
const SETTLE_MS_MAX = 400

describe('a map of 300 desks on a slow phone', function suite() {
  this.timeout(120_000)
  useChromium()
  const world = useWorld({ workers: [] })

  async function openMap() {
    const names = Array.from({ length: DESK_COUNT }, (_none, index) => `Desk ${index + 1}`)
    const { browser, location_id, place } = await createFloor(world, { names })
    const { database } = world
    await database('locations')
      .where({ id: location_id })
      .update(createFloorPlanColumns(drawPng(600, 400)))
    await database.raw(
      `UPDATE bookables SET position_x = placed.x, position_y = placed.y FROM (
        SELECT id, 0.03 + (row_number() OVER (ORDER BY id) - 1) % ${COLUMN_COUNT} * 0.039 AS x,
          0.1 + (row_number() OVER (ORDER BY id) - 1) / ${COLUMN_COUNT} * 0.07 AS y
        FROM bookables WHERE location_id = ?) AS placed WHERE placed.id = bookables.id`,
      [location_id],
    )
    const { context, page } = await openWindow(browser, PHONE)
    await page.goto(place)
    await page.locator('.map-scroll.zoomable').waitFor()
    expect(await page.locator('.cell').count()).to.equal(DESK_COUNT)
    const wire = await context.newCDPSession(page)
    return { context, page, wire }
  }

  /** Moves two fingers apart, or one finger across the map. Calls `held` while the fingers are still on the map. */
  async function gesture<T>(
    page: Page,
    wire: CDPSession,
    kind: 'pinch' | 'pan',
    held: () => Promise<T>,
  ): Promise<T> {
    const box = (await page.locator('.map-scroll').boundingBox()) ?? expect.fail()
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
    const fingersAt = (step: number) =>
      kind === 'pinch'
        ? [
            { x: middle.x - 20 - step, y: middle.y, id: 0 },
            { x: middle.x + 20 + step, y: middle.y, id: 1 },
          ]
        : [{ x: middle.x - step, y: middle.y - step, id: 0 }]
    await wire.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingersAt(0) })
    for (let step = 1; step <= STEPS; step++)
      await wire.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: fingersAt(step) })
    const result = await held()
    await wire.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    await page.locator('.map-scroll:not(.moving)').waitFor()
    return result
  }

  const zoomOf = (page: Page) =>
    page.evaluate<number>(
      `new DOMMatrix(getComputedStyle(document.querySelector('.map-canvas')).transform).a`,
    )

  it('changes only the transform of one layer, and lays out nothing, until the fingers leave it', async () => {
    const { context, page, wire } = await openMap()
    await wire.send('Performance.enable')
    const detail = () => page.locator('.map-canvas').getAttribute('data-detail')
    await page.evaluate(`globalThis.changes = []
      new MutationObserver((records) => {
        for (const { target, attributeName } of records)
          changes.push(target.classList[0] + ' ' + (attributeName ?? 'children'))
      }).observe(document.querySelector('.map-canvas'), { subtree: true, attributes: true, childList: true })`)
    const before = await zoomOf(page)
    for (const kind of ['pinch', 'pan'] as const) {
      await page.evaluate('changes.length = 0')
      const layoutsBefore = await readMetric(wire, 'LayoutCount')
      const detailBefore = await detail()
      const { changes, layouts } = await gesture(page, wire, kind, async () => ({
        changes: await page.evaluate<string[]>('changes'),
        layouts: (await readMetric(wire, 'LayoutCount')) - layoutsBefore,
      }))
      expect([...new Set(changes)], kind).to.deep.equal(['map-canvas style'])
      expect(layouts, kind).to.equal(0)
      expect((await detail()) !== detailBefore, kind).to.equal(kind === 'pinch')
    }
    expect(await zoomOf(page)).to.be.above(before * 2)
    await context.close()
  })

  if (isLong)
    it('needs less than 16 ms of CPU for a frame while it is pinched and dragged', async () => {
      const { context, page, wire } = await openMap()
      await wire.send('Performance.enable', { timeDomain: 'threadTicks' })
      const readCpuMs = async () => 1_000 * SLOWDOWN * (await readMetric(wire, 'TaskDuration'))
      for (const kind of ['pinch', 'pan'] as const) {
        await page.evaluate(`globalThis.frameCount = 0
          globalThis.countFrames ??= requestAnimationFrame(function note() {
            frameCount++
            requestAnimationFrame(note)
          })`)
        const before = await readCpuMs()
        const held = await gesture(page, wire, kind, async () => ({
          ms: await readCpuMs(),
          frames: await page.evaluate<number>('frameCount'),
        }))
        const frameMs = (held.ms - before) / held.frames
        const settleMs = (await readCpuMs()) - held.ms
        console.log(
          `    ${kind}: ${held.frames} frames of ${frameMs.toFixed(1)} ms, then once ${settleMs.toFixed(0)} ms`,
        )
        expect(held.frames, kind).to.be.above(10)
        expect(frameMs, kind).to.be.below(FRAME_MS_MAX)
        expect(settleMs, kind).to.be.below(SETTLE_MS_MAX)
      }
      await context.close()
    })
})

async function readMetric(wire: CDPSession, wanted: string): Promise<number> {
  const { metrics } = await wire.send('Performance.getMetrics')
  return (
    metrics.find(({ name }) => name === wanted)?.value ?? expect.fail(`The browser measures no ${wanted}`)
  )
}
