// Arranging a floor plan in a browser: many in rows, several together, on a grid, and every step undone and done again.

import { expect } from 'chai'
import type { Page } from 'playwright-core'
import {
  expectAccessible,
  expectNoSidewaysScroll,
  openWindow,
  useChromium,
} from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { cellOf, middleOf, pointOf } from '../../../../support/dashboard/floor-plan.ts'
import { drawnPng, floorPlanColumns } from '../../../../support/dashboard/pictures.ts'
import { createBookable, createLocation } from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

type Position = [x: number | null, y: number | null]
const DESKTOP = { width: 1440, height: 1200 }
const NOWHERE: Position = [null, null]

describe('the page that arranges a floor plan, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: ['writes'] })
  const signedIn = useSignedIn(world)
  let location_id: number

  beforeEach(async () => {
    location_id = await createLocation(world.database, floorPlanColumns(drawnPng(300, 200)))
  })

  const addDesk = (name: string, [position_x, position_y]: Position = NOWHERE) =>
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
    const from = await middleOf(page, name)
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y, { steps: 4 })
    await page.mouse.up()
  }

  it('places forty bookables in rows as the preview shows, in one step that can be undone and redone', async () => {
    for (let number = 1; number <= 40; number++) await addDesk(`Desk ${number}`)
    const { context, page, complaints } = await open()
    await page.locator('summary', { hasText: 'Place in rows' }).click()
    await page.getByText('Preview: 40 desks and rooms in 6 rows.').waitFor()
    expect(await page.locator('.preview rect').count()).to.equal(40)
    expect(await positions()).to.deep.equal(Array(40).fill(NOWHERE))
    await page.getByLabel('How many in a row').fill('5')
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
    await expectPositions(Array(40).fill(NOWHERE))
    await page.getByText('40 of 40 desks and rooms:').waitFor()
    await page.keyboard.press('Control+Shift+Z')
    await expectPositions(placed)
    expect(complaints).to.deep.equal([])
    await context.close()
  })

  it('moves several selected bookables together, and keeps their arrangement at the edge', async () => {
    await addDesk('Desk A', [0.3, 0.5])
    await addDesk('Desk B', [0.45, 0.55])
    await addDesk('Desk C', [0.6, 0.8])
    const { context, page } = await open()
    await cellOf(page, 'Desk A').click()
    await cellOf(page, 'Desk B').click({ modifiers: ['Shift'] })
    await page.getByText('2 selected: Desk A, Desk B.').waitFor()
    expect(await cellOf(page, 'Desk B').getAttribute('aria-pressed')).to.equal('true')
    await drag(page, 'Desk A', await pointOf(page, 0.4, 0.3))
    await expectPositions([
      [0.4, 0.3],
      [0.55, 0.35],
      [0.6, 0.8],
    ])
    await cellOf(page, 'Desk B').focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowDown')
    await expectPositions([
      [0.39, 0.31],
      [0.54, 0.36],
      [0.6, 0.8],
    ])
    // The other one reaches it first.
    await drag(page, 'Desk A', await pointOf(page, 0.9, 0.31))
    await eventually(async () => expect((await positions())[1]?.[0]).to.be.above(0.9))
    const [left, right] = await positions()
    expect((right?.[0] ?? 0) - (left?.[0] ?? 0)).to.be.closeTo(0.15, 0.000_03)
    // The page hears so a moment later, and says it where the next sentence will be.
    await page.getByText(/saved\.$/).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Nothing is selected.').waitFor()
    await context.close()
  })

  it('selects by a frame, by Space and by the list, and removes all selected bookables from the plan', async () => {
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
    await cellOf(page, 'Desk C').focus()
    await page.keyboard.press('Space')
    await page.getByText('3 selected: Desk A, Desk B, Desk C.').waitFor()
    await page.locator('summary', { hasText: 'Place in rows' }).click()
    await page.getByLabel('Desk A', { exact: true }).uncheck()
    await page.getByText('2 selected: Desk B, Desk C.').waitFor()
    await cellOf(page, 'Desk C').focus()
    await page.keyboard.press('Delete')
    await expectPositions([[0.3, 0.3], NOWHERE, NOWHERE])
    await context.close()
  })

  it('snaps to a grid until the switch is off', async () => {
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

  it('undoes and redoes each step, by keys and by buttons, until a new step', async () => {
    await addDesk('Desk A', [0.3, 0.3])
    const { context, page } = await open()
    const redo = page.getByRole('button', { name: 'Redo' })
    await cellOf(page, 'Desk A').focus()
    await page.keyboard.press('ArrowRight')
    await expectPositions([[0.31, 0.3]])
    // What the keys have not saved yet is a step too.
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+Z')
    await expectPositions([[0.31, 0.3]])
    await page.keyboard.press('Control+Z')
    await expectPositions([[0.3, 0.3]])
    // The page hears so a moment later, and would say it over the next sentence.
    await page.getByText('Undone: Desk A saved.').waitFor()
    await page.keyboard.press('Control+Z')
    await page.getByText('Nothing to undo.').waitFor()
    await redo.click()
    await expectPositions([[0.31, 0.3]])
    await page.getByText('Redone: Desk A saved.').waitFor()
    await cellOf(page, 'Desk A').focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await expectPositions([[0.29, 0.3]])
    expect(await redo.getAttribute('aria-disabled')).to.equal('true')
    await context.close()
  })

  it('moves none of several bookables if somebody else has moved one meanwhile', async () => {
    await addDesk('Desk A', [0.3, 0.3])
    const other = await addDesk('Desk B', [0.5, 0.3])
    const { context, page } = await open()
    await world.database('bookables').where({ id: other }).update({ position_x: 0.8 })
    await cellOf(page, 'Desk A').click()
    await cellOf(page, 'Desk B').click({ modifiers: ['Shift'] })
    await drag(page, 'Desk A', await pointOf(page, 0.3, 0.6))
    await page.getByText('Desk A, Desk B were not moved. Somebody else has moved Desk B.').waitFor()
    const stay: Position[] = [
      [0.3, 0.3],
      [0.8, 0.3],
    ]
    expect(await positions()).to.deep.equal(stay)
    expect(await cellOf(page, 'Desk B').locator('title').textContent()).to.include('80 % from the left')
    await drag(page, 'Desk A', await pointOf(page, 0.3, 0.6))
    await expectPositions([
      [0.3, 0.6],
      [0.8, 0.6],
    ])
    await context.close()
  })

  it('is accessible in both themes, on a phone too', async () => {
    await addDesk('Desk A', [0.3, 0.3])
    await addDesk('Desk B')
    await addDesk('Desk C')
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const viewport of [DESKTOP, { width: 390, height: 844 }]) {
        const { context, page } = await open({ viewport, colorScheme })
        await page.locator('summary', { hasText: 'Place in rows' }).click()
        await page.getByText('Preview: 2 desks and rooms in 1 row.').waitFor()
        await cellOf(page, 'Desk A').click()
        await expectAccessible(page)
        await expectNoSidewaysScroll(page)
        await context.close()
      }
    }
  })
})
