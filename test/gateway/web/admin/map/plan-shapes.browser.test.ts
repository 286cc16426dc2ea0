// Tests drawing rooms, zones and walls on a floor plan in a browser with the mouse and with keys: they are
// saved immediately, can be undone, and appear on the map.

import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { PlanShape } from '../../../../../shared/locations/plan-shapes.ts'
import {
  expectAccessible,
  expectNoSidewaysScroll,
  openWindow,
  useChromium,
} from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { findMiddle, pointOf } from '../../../../support/dashboard/floor-plan.ts'
import { createFloorPlanColumns, drawPng } from '../../../../support/dashboard/pictures.ts'
import { createBookable, createLocation } from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const DESKTOP = { width: 1440, height: 900 }
const AREA: PlanShape = { kind: 'area', tone: 'blue', name: 'Sales', x1: 0.1, y1: 0.1, x2: 0.4, y2: 0.5 }

describe('rooms, zones and walls on a floor plan, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: ['writes'] })
  const signedIn = useSignedIn(world)
  let id: number

  const create = async (row: Record<string, unknown>) => {
    id = await createLocation(world.database, row)
  }
  const shapes = async (): Promise<PlanShape[]> =>
    (await world.database('locations').where({ id }).first()).plan_shapes ?? []
  const expectShapes = (expected: object[]) =>
    eventually(async () => {
      const present = await shapes()
      expect(present).to.have.length(expected.length)
      for (const [index, each] of expected.entries()) expect(present[index]).to.deep.include(each)
    })
  const open = async (options: Parameters<typeof openWindow>[1] = { viewport: DESKTOP }) => {
    const opened = await openWindow(signedIn, options)
    const answer = await opened.page.goto(`/dashboard/places/locations/${id}/arrange`)
    expect(answer?.status()).to.equal(200)
    return opened
  }
  const drag = async (page: Page, from: [number, number], to: [number, number]) => {
    const [start, end] = [await pointOf(page, ...from), await pointOf(page, ...to)]
    await page.mouse.move(start.x, start.y)
    await page.mouse.down()
    await page.mouse.move(end.x, end.y, { steps: 5 })
    await page.mouse.up()
  }

  it('can be drawn without a floor plan, undone and redone, and appear on the map', async () => {
    await create({})
    await createBookable(world.database, { location_id: id, name: 'Desk 1' })
    const { context, page, complaints } = await open()
    await page.getByRole('button', { name: 'Draw a floor plan' }).click()
    await page.getByRole('button', { name: 'Draw wall' }).click()
    // A nearly horizontal wall becomes horizontal, and snaps to the grid.
    await drag(page, [0.102, 0.2], [0.7, 0.214])
    await expectShapes([{ kind: 'wall', x1: 0.1, y1: 0.2, x2: 0.7, y2: 0.2 }])
    await drag(page, [0.7, 0.2], [0.7, 0.6])
    await expectShapes([{}, { kind: 'wall', x1: 0.7, y1: 0.2, x2: 0.7, y2: 0.6 }])
    await page.getByRole('button', { name: 'Draw area' }).click()
    await drag(page, [0.5, 0.5], [0.2, 0.3])
    await page.keyboard.type('Sales team')
    await page.locator('[data-area-tone]').selectOption('green')
    const area = { kind: 'area', x1: 0.2, y1: 0.3, x2: 0.5, y2: 0.5, name: 'Sales team', tone: 'green' }
    await expectShapes([{}, {}, area])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expectShapes([{}, {}])
    for (let step = 0; step < 3; step++) await page.getByRole('button', { name: 'Redo' }).click()
    await expectShapes([{}, {}, area])
    expect(complaints).to.deep.equal([])
    await page.goto(`/dashboard/map?location=${id}`)
    expect(await page.locator('.map-floor-plan .plan-shapes line').count()).to.equal(2)
    await page.locator('.map-floor-plan text', { hasText: 'Sales team' }).waitFor()
    await context.close()
  })

  it('are selected, moved and resized with the mouse, and do not obstruct selecting desks', async () => {
    await create({ ...createFloorPlanColumns(drawPng(300, 200)), plan_shapes: JSON.stringify([AREA]) })
    await createBookable(world.database, {
      location_id: id,
      name: 'Desk 1',
      position_x: 0.3,
      position_y: 0.3,
    })
    const { context, page } = await open()
    await drag(page, [0.12, 0.45], [0.39, 0.2])
    await page.getByText('Desk 1: now tap its position').waitFor()
    await page.keyboard.press('Escape')
    const inside = await pointOf(page, 0.15, 0.45)
    await page.mouse.click(inside.x, inside.y)
    await drag(page, [0.15, 0.45], [0.25, 0.55])
    await expectShapes([{ x1: 0.2, y1: 0.2, x2: 0.5, y2: 0.6 }])
    // On a slow machine, the page learns later than the database that the change is saved.
    await page.getByText('Drawing saved.').waitFor()
    await drag(page, [0.5, 0.6], [0.6, 0.9])
    await expectShapes([{ x1: 0.2, y1: 0.2, x2: 0.6, y2: 0.9 }])
    const desk = await findMiddle(page, 'Desk 1')
    const there = await pointOf(page, 0.3, 0.3)
    expect(Math.hypot(desk.x - there.x, desk.y - there.y)).to.be.below(2)
    await context.close()
  })

  it('are drawn, moved, resized and deleted with keys', async () => {
    await create(createFloorPlanColumns(drawPng(300, 200)))
    const { context, page } = await open()
    await page.getByRole('button', { name: 'Draw area' }).press('Enter')
    await expectShapes([{ x1: 0.4, y1: 0.4, x2: 0.6, y2: 0.6 }])
    await page.getByRole('button', { name: 'Room or zone' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Shift+ArrowDown')
    await expectShapes([{ x1: 0.41, y1: 0.402, x2: 0.61, y2: 0.602 }])
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowLeft')
    await expectShapes([{ x1: 0.4, y1: 0.402, x2: 0.61, y2: 0.602 }])
    await page.getByRole('button', { name: 'Room or zone' }).press('Delete')
    await expectShapes([])
    await page.keyboard.press('Control+Z')
    await expectShapes([{ x1: 0.4, x2: 0.61 }])
    await context.close()
  })

  it('are kept when somebody else changes the floor plan', async () => {
    await create({ ...createFloorPlanColumns(drawPng(300, 200)), plan_shapes: JSON.stringify([AREA]) })
    const { context, page } = await open()
    await world
      .database('locations')
      .where({ id })
      .update({ plan_shapes: JSON.stringify([AREA, AREA]) })
    await page.getByRole('button', { name: 'Sales' }).press('Delete')
    await page.getByText('This was changed while you were editing it.').waitFor()
    await expectShapes([AREA, AREA])
    await context.close()
  })

  it('are accessible at every window size and in both themes', async () => {
    await create({ ...createFloorPlanColumns(drawPng(300, 200)), plan_shapes: JSON.stringify([AREA]) })
    await createBookable(world.database, { location_id: id, name: 'Desk 1' })
    for (const colorScheme of ['light', 'dark'] as const)
      for (const viewport of [DESKTOP, { width: 360, height: 800 }]) {
        const { context, page } = await open({ viewport, colorScheme })
        await page.locator('summary', { hasText: 'Rooms, zones and walls' }).click()
        await page.locator('.shape').focus()
        await expectAccessible(page)
        await expectNoSidewaysScroll(page)
        if (process.env.PICTURES)
          await page.screenshot({ path: `/tmp/plan-${colorScheme}-${viewport.width}.png`, fullPage: true })
        await context.close()
      }
  })
})
