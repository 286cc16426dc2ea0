// Tests arranging a floor plan in a browser: many desks in rows, several desks together, on a grid, with undo
// and redo.

import { expect } from 'chai'
import type { Page } from 'playwright-core'
import {
  expectAccessible,
  expectNoSidewaysScroll,
  openWindow,
  useChromium,
} from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { findCell, findMiddle, pointOf } from '../../../../support/dashboard/floor-plan.ts'
import { createFloorPlanColumns, drawPng } from '../../../../support/dashboard/pictures.ts'
import { createBookable, createLocation } from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

type Position = [x: number | null, y: number | null]
const DESKTOP = { width: 1440, height: 1200 }
const NO_POSITION: Position = [null, null]

describe('arranging a floor plan, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: ['writes'] })
  const signedIn = useSignedIn(world)
  let location_id: number

  beforeEach(async () => {
    location_id = await createLocation(world.database, createFloorPlanColumns(drawPng(300, 200)))
  })

  const addDesk = (name: string, [position_x, position_y]: Position = NO_POSITION) =>
    createBookable(world.database, { location_id, name, position_x, position_y })
  const positions = async (): Promise<Position[]> => {
    const rows = await world.database('bookables').where({ location_id }).orderBy('id')
    return rows.map(({ position_x, position_y }) => [position_x, position_y])
  }
  const expectPositions = (expected: Position[]) =>
    eventually(async () => expect(await positions()).to.deep.equal(expected))
  const open = async (options: Parameters<typeof openWindow>[1] = { viewport: DESKTOP }) => {
    const opened = await openWindow(signedIn, options)
    await opened.page.goto(`/dashboard/places/locations/${location_id}/arrange`)
    await opened.page.getByRole('button', { name: 'Undo' }).waitFor()
    return opened
  }
  const drag = async (page: Page, name: string, to: { x: number; y: number }) => {
    const from = await findMiddle(page, name)
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y, { steps: 4 })
    await page.mouse.up()
  }

  it('places forty bookables in rows as previewed, in one step that can be undone and redone', async () => {
    for (let number = 1; number <= 40; number++) await addDesk(`Desk ${number}`)
    const { context, page, complaints } = await open()
    await page.locator('summary', { hasText: 'Place in rows' }).click()
    await page.getByText('Preview: 40 desks and rooms in 6 rows.').waitFor()
    expect(await page.locator('.preview rect').count()).to.equal(40)
    expect(await positions()).to.deep.equal(Array(40).fill(NO_POSITION))
    await page.getByLabel('Number per row').fill('5')
    await page.getByLabel('Between rows').fill('11')
    await page.getByText('Preview: 40 desks and rooms in 8 rows.').waitFor()
    await page.getByRole('button', { name: 'Place in rows' }).click()
    await page.getByText('Desk 1, Desk 2, Desk 3 and 37 more saved.').waitFor()
    await page.getByText('Everything is on the floor plan.').waitFor()
    const placed = await positions()
    expect(placed.slice(4, 6)).to.deep.equal([
      [0.1 + 4 * 0.125, 0.1],
      [0.1, 0.21],
    ])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expectPositions(Array(40).fill(NO_POSITION))
    await page.getByText('40 of 40 desks and rooms:').waitFor()
    await page.keyboard.press('Control+Shift+Z')
    await expectPositions(placed)
    expect(complaints).to.deep.equal([])
    await context.close()
  })

  it('moves several selected bookables together, and keeps their arrangement at the plan’s edge', async () => {
    await addDesk('Desk A', [0.3, 0.5])
    await addDesk('Desk B', [0.45, 0.55])
    await addDesk('Desk C', [0.6, 0.8])
    const { context, page } = await open()
    await findCell(page, 'Desk A').click()
    await findCell(page, 'Desk B').click({ modifiers: ['Shift'] })
    await page.getByText('2 selected: Desk A, Desk B.').waitFor()
    expect(await findCell(page, 'Desk B').getAttribute('aria-pressed')).to.equal('true')
    await drag(page, 'Desk A', await pointOf(page, 0.4, 0.3))
    await expectPositions([
      [0.4, 0.3],
      [0.55, 0.35],
      [0.6, 0.8],
    ])
    await findCell(page, 'Desk B').focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowDown')
    await expectPositions([
      [0.39, 0.31],
      [0.54, 0.36],
      [0.6, 0.8],
    ])
    // The other desk reaches the edge of the plan first.
    await drag(page, 'Desk A', await pointOf(page, 0.9, 0.31))
    await eventually(async () => expect((await positions())[1]?.[0]).to.be.above(0.9))
    const [left, right] = await positions()
    expect((right?.[0] ?? 0) - (left?.[0] ?? 0)).to.be.closeTo(0.15, 0.000_03)
    // The page receives the result a moment later, and shows it in the place of the next message.
    await page.getByText(/saved\.$/).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Nothing is selected.').waitFor()
    await context.close()
  })

  it('selects with a rectangle, Space or the list, and can remove the selection from the plan', async () => {
    await addDesk('Desk A', [0.3, 0.3])
    await addDesk('Desk B', [0.5, 0.3])
    await addDesk('Desk C', [0.5, 0.7])
    const { context, page } = await open()
    const [from, to] = [await pointOf(page, 0.15, 0.15), await pointOf(page, 0.7, 0.5)]
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y, { steps: 4 })
    await page.mouse.up()
    await page.getByText('2 selected: Desk A, Desk B.').waitFor()
    await findCell(page, 'Desk C').focus()
    await page.keyboard.press('Space')
    await page.getByText('3 selected: Desk A, Desk B, Desk C.').waitFor()
    await page.locator('summary', { hasText: 'Place in rows' }).click()
    await page.getByLabel('Desk A', { exact: true }).uncheck()
    await page.getByText('2 selected: Desk B, Desk C.').waitFor()
    await findCell(page, 'Desk C').focus()
    await page.keyboard.press('Delete')
    await expectPositions([[0.3, 0.3], NO_POSITION, NO_POSITION])
    await context.close()
  })

  it('snaps to a grid until the user turns the grid off', async () => {
    await addDesk('Desk A', [0.3, 0.3])
    const { context, page } = await open()
    await drag(page, 'Desk A', await pointOf(page, 0.4037, 0.5034))
    await expectPositions([[0.4, 0.5]])
    await page.getByLabel('Snap to grid').uncheck()
    await drag(page, 'Desk A', await pointOf(page, 0.5545, 0.6045))
    await eventually(async () => expect((await positions())[0]?.[0]).to.be.closeTo(0.5545, 0.003))
    const [x] = (await positions())[0] ?? []
    expect(Math.abs((x ?? 0) * 100 - Math.round((x ?? 0) * 100)), `${x}`).to.be.above(0.1)
    await context.close()
  })

  it('undoes and redoes every step with keys and buttons, until a new step is made', async () => {
    await addDesk('Desk A', [0.3, 0.3])
    const { context, page } = await open()
    const redo = page.getByRole('button', { name: 'Redo' })
    await findCell(page, 'Desk A').focus()
    await page.keyboard.press('ArrowRight')
    await expectPositions([[0.31, 0.3]])
    // Unsaved moves by keys count as a step too.
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+Z')
    await expectPositions([[0.31, 0.3]])
    await page.keyboard.press('Control+Z')
    await expectPositions([[0.3, 0.3]])
    // The page receives the result a moment later, and would overwrite the next message.
    await page.getByText('Undone: Desk A saved.').waitFor()
    await page.keyboard.press('Control+Z')
    await page.getByText('Nothing to undo.').waitFor()
    await redo.click()
    await expectPositions([[0.31, 0.3]])
    await page.getByText('Redone: Desk A saved.').waitFor()
    await findCell(page, 'Desk A').focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await expectPositions([[0.29, 0.3]])
    expect(await redo.getAttribute('aria-disabled')).to.equal('true')
    await context.close()
  })

  it('moves none of the selected bookables if somebody else has moved one of them in the meantime', async () => {
    await addDesk('Desk A', [0.3, 0.3])
    const other = await addDesk('Desk B', [0.5, 0.3])
    const { context, page } = await open()
    await world.database('bookables').where({ id: other }).update({ position_x: 0.8 })
    await findCell(page, 'Desk A').click()
    await findCell(page, 'Desk B').click({ modifiers: ['Shift'] })
    await drag(page, 'Desk A', await pointOf(page, 0.3, 0.6))
    await page.getByText('Desk A, Desk B were not moved. Somebody else has moved Desk B.').waitFor()
    const stay: Position[] = [
      [0.3, 0.3],
      [0.8, 0.3],
    ]
    expect(await positions()).to.deep.equal(stay)
    expect(await findCell(page, 'Desk B').locator('title').textContent()).to.include('80 % from the left')
    await drag(page, 'Desk A', await pointOf(page, 0.3, 0.6))
    await expectPositions([
      [0.3, 0.6],
      [0.8, 0.6],
    ])
    await context.close()
  })

  it('loads the scripts of tools when the tools are used', async () => {
    await addDesk('Desk 1', [0.3, 0.3])
    const { context, page, complaints } = await open()
    const listLoaded = () =>
      page.evaluate(() =>
        performance.getEntriesByType('resource').flatMap(({ name }) => /[\w-]+(?=\.js$)/.exec(name) ?? []),
      )
    const first = await listLoaded()
    expect(first).to.include('arrange-floor-plan')
    const expectLoaded = (script: string) =>
      eventually(async () =>
        expect((await listLoaded()).filter((name) => !first.includes(name))).to.include(script),
      )
    for (const script of ['selection-handles', 'place-in-rows', 'place-in-rectangles', 'plan-shapes'])
      expect(first).to.not.include(script)
    await page.locator('summary', { hasText: 'Place in rows' }).click()
    await expectLoaded('place-in-rows')
    await page.locator('.cell', { hasText: 'Desk 1' }).click()
    await expectLoaded('selection-handles')
    await page.getByRole('button', { name: 'Draw wall' }).click()
    await expectLoaded('plan-shapes')
    expect(await listLoaded()).to.not.include('place-in-rectangles')
    expect(complaints).to.deep.equal([])
    await context.close()
  })

  it('is accessible in both themes, and on a phone', async () => {
    await addDesk('Desk A', [0.3, 0.3])
    await addDesk('Desk B')
    await addDesk('Desk C')
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const viewport of [DESKTOP, { width: 390, height: 844 }]) {
        const { context, page } = await open({ viewport, colorScheme })
        await page.locator('summary', { hasText: 'Place in rows' }).click()
        await page.getByText('Preview: 2 desks and rooms in 1 row.').waitFor()
        await findCell(page, 'Desk A').click()
        await expectAccessible(page)
        await expectNoSidewaysScroll(page)
        await context.close()
      }
    }
  })
})
