// Tests arranging a floor plan in a browser: dragging one desk into rows of desks, sizes, rotation, alignment
// and zoom.

import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { openWindow, useChromium } from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { findCell, findMiddle, pointOf } from '../../../../support/dashboard/floor-plan.ts'
import { createFloorPlanColumns, drawPng } from '../../../../support/dashboard/pictures.ts'
import { createBookable, createLocation } from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const DESKTOP = { width: 1440, height: 900 }
const PLAN_SIZE = { width: 1_200, height: 800 }
const CELL_SIZE = { width: 132, height: 64 }

type Desk = { name: string; x: number | null; y: number | null; rotation: number | null }

describe('arranging desks in rows, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: ['writes'] })
  const signedIn = useSignedIn(world)
  let location_id: number

  beforeEach(async () => {
    location_id = await createLocation(world.database, createFloorPlanColumns(drawPng(300, 200)))
  })

  const addDesk = (name: string, position_x: number | null = null, position_y: number | null = null) =>
    createBookable(world.database, { location_id, name, position_x, position_y })
  const desks = async (): Promise<Desk[]> => {
    const rows = await world.database('bookables').where({ location_id }).orderBy('id')
    return rows.map(({ name, position_x: x, position_y: y, position_rotation: rotation }) => ({
      name,
      x,
      y,
      rotation,
    }))
  }
  const widthOf = async () =>
    (await world.database('locations').where({ id: location_id }).first()).cell_width
  const open = async () => {
    const opened = await openWindow(signedIn, { viewport: DESKTOP })
    await opened.page.goto(`/dashboard/places/locations/${location_id}/arrange`)
    await opened.page.getByRole('button', { name: 'Undo' }).waitFor()
    return opened
  }
  const dragTo = async (page: Page, from: { x: number; y: number }, to: { x: number; y: number }) => {
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y, { steps: 5 })
    await page.mouse.up()
  }
  const handleOf = async (page: Page) => {
    const box = (await page.locator('.row-out').boundingBox()) ?? expect.fail('There is no handle')
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  }
  /** Returns the pairs of desks that overlap. */
  const overlaps = (placed: Desk[], width: number) => {
    const size = {
      x: width * PLAN_SIZE.width,
      y: (width * PLAN_SIZE.width * CELL_SIZE.height) / CELL_SIZE.width,
    }
    const pairs = placed.flatMap((one, index) =>
      placed.slice(index + 1).map((other) => [one, other] as const),
    )
    return pairs.filter(
      ([one, other]) =>
        Math.abs((one.x ?? 0) - (other.x ?? 0)) * PLAN_SIZE.width < size.x - 1 &&
        Math.abs((one.y ?? 0) - (other.y ?? 0)) * PLAN_SIZE.height < size.y - 1,
    )
  }

  it('takes six steps for forty desks in four rows without overlaps, and can be undone', async () => {
    for (let number = 1; number <= 40; number++) await addDesk(`Desk ${number}`)
    const { context, page, complaints } = await open()
    await page.locator('[data-size]').fill('6')
    await eventually(async () => expect(await widthOf()).to.equal(0.06))
    await page.locator('.waiting').getByText('Desk 1', { exact: true }).click()
    const first = await pointOf(page, 0.1, 0.2)
    await page.mouse.click(first.x, first.y)
    await findCell(page, 'Desk 1').click()
    const from = await handleOf(page)
    const across = ((await pointOf(page, 1, 0)).x - (await pointOf(page, 0, 0)).x) / PLAN_SIZE.width
    await dragTo(page, from, { x: from.x + 9 * 72 * 1.12 * across, y: from.y + 3 })
    await page.getByText('30 of 40 desks and rooms:').waitFor()
    const row = await handleOf(page)
    await dragTo(page, row, { x: row.x + 2, y: row.y + 3 * (35 + 8.7) * across })
    await page.getByText('Everything is on the floor plan.').waitFor()
    await eventually(async () => expect((await desks()).filter(({ x }) => x !== null)).to.have.length(40))
    const placed = await desks()
    expect(overlaps(placed, 0.06)).to.deep.equal([])
    expect([...new Set(placed.map(({ y }) => y))], 'four rows').to.have.length(4)
    const names = placed.filter(({ y }) => y === placed[0]?.y).map(({ name }) => name)
    expect(names).to.deep.equal(Array.from({ length: 10 }, (_, index) => `Desk ${index + 1}`))
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually(async () => expect((await desks()).filter(({ x }) => x !== null)).to.have.length(10))
    expect(complaints).to.deep.equal([])
    await context.close()
  })

  it('aligns a dragged desk with its neighbour, and allows an overlap only with Alt', async () => {
    await addDesk('Desk A', 0.303, 0.3)
    await addDesk('Desk B', 0.6, 0.6)
    const { context, page } = await open()
    const at = async () => (await desks())[1] ?? expect.fail()
    await dragTo(page, await findMiddle(page, 'Desk B'), await pointOf(page, 0.6, 0.304))
    await eventually(async () => expect((await at()).y).to.equal(0.3))
    await dragTo(page, await findMiddle(page, 'Desk B'), await pointOf(page, 0.34, 0.3))
    await eventually(async () => expect((await at()).x).to.be.below(0.5))
    expect(overlaps(await desks(), CELL_SIZE.width / PLAN_SIZE.width)).to.deep.equal([])
    await page.keyboard.down('Alt')
    await dragTo(page, await findMiddle(page, 'Desk B'), await pointOf(page, 0.31, 0.31))
    await page.keyboard.up('Alt')
    await eventually(async () =>
      expect(overlaps(await desks(), CELL_SIZE.width / PLAN_SIZE.width)).to.have.length(1),
    )
    await context.close()
  })

  it('shows a line to the neighbour with which a dragged desk aligns', async () => {
    await addDesk('Desk A', 0.3, 0.3)
    await addDesk('Desk B', 0.6, 0.6)
    const { context, page } = await open()
    const [from, to] = [await findMiddle(page, 'Desk B'), await pointOf(page, 0.6, 0.302)]
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y, { steps: 4 })
    expect(await page.locator('.guide').count()).to.equal(1)
    await page.mouse.up()
    expect(await page.locator('.guide').count()).to.equal(0)
    await context.close()
  })

  it('enlarges a desk or room by its corner, with mouse or keys, and can undo it', async () => {
    await addDesk('Room A', 0.3, 0.3)
    const { context, page } = await open()
    const expectSize = (size: object) =>
      eventually(async () =>
        expect(await world.database('bookables').where({ location_id }).first()).to.include(size),
      )
    await findCell(page, 'Room A').click()
    const corner = await page.locator('[data-cell-size]').boundingBox()
    const from = {
      x: (corner?.x ?? 0) + (corner?.width ?? 0) / 2,
      y: (corner?.y ?? 0) + (corner?.height ?? 0) / 2,
    }
    // The cell measures 132 by 64 on a plan of 1,200 by 800. Drags its lower right corner.
    await dragTo(page, from, await pointOf(page, 0.3 - 66 / 1_200 + 0.25, 0.3 - 32 / 800 + 0.2))
    await eventually(async () => {
      const room = await world.database('bookables').where({ location_id }).first()
      expect(room.position_width).to.be.closeTo(0.25, 0.003)
      expect(room.position_height).to.be.closeTo(0.2, 0.003)
      expect(room.position_x).to.be.closeTo(0.3 - 66 / 1_200 + 0.125, 0.003)
    })
    await page.getByRole('button', { name: 'Undo' }).click()
    await expectSize({ position_width: null, position_height: null, position_x: 0.3 })
    await page.getByRole('button', { name: 'Redo' }).click()
    await findCell(page, 'Room A').focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Shift+ArrowLeft')
    await eventually(async () => {
      const room = await world.database('bookables').where({ location_id }).first()
      expect(room.position_width).to.be.closeTo(0.248, 0.0009)
    })
    await page.reload()
    expect(await findCell(page, 'Room A').getAttribute('data-own-width')).to.match(/^0\.24/)
    await context.close()
  })

  it('rotates the selected desks with a key or a button, and can undo it', async () => {
    await addDesk('Desk A', 0.3, 0.3)
    const { context, page } = await open()
    const expectTurn = (turn: number) =>
      eventually(async () => expect((await desks())[0]?.rotation ?? 0).to.equal(turn))
    await findCell(page, 'Desk A').click()
    await page.keyboard.press('r')
    await expectTurn(90)
    expect(await findCell(page, 'Desk A').getAttribute('transform')).to.include('rotate(90)')
    await page.getByRole('button', { name: 'Rotate' }).click()
    await expectTurn(180)
    await page.keyboard.press('Control+Z')
    await expectTurn(90)
    await dragTo(page, await findMiddle(page, 'Desk A'), await pointOf(page, 0.5, 0.5))
    await eventually(async () => expect((await desks())[0]).to.deep.include({ x: 0.5, y: 0.5, rotation: 90 }))
    await context.close()
  })

  it('fits the plan to the window, zooms with the wheel, and fits it again', async () => {
    for (let number = 1; number <= 40; number++) await addDesk(`Desk ${number}`, (number % 20) / 20, 0.5)
    const { context, page } = await open()
    const boxOf = async () => (await page.locator('.map-floor-plan').boundingBox()) ?? expect.fail()
    const whole = await boxOf()
    expect(whole.x + whole.width).to.be.at.most(DESKTOP.width)
    expect(whole.y + whole.height).to.be.at.most(DESKTOP.height)
    const middle = await pointOf(page, 0.5, 0.25)
    await page.mouse.move(middle.x, middle.y)
    await page.mouse.wheel(0, -240)
    await eventually(async () => expect((await boxOf()).width).to.be.above(whole.width * 1.5))
    await page.getByRole('button', { name: 'Fit' }).click()
    await eventually(async () => expect((await boxOf()).width).to.be.closeTo(whole.width, 2))
    await context.close()
  })

  it('sets the size of all desks without scripts, and can return to the automatic size', async () => {
    await addDesk('Desk A', 0.3, 0.3)
    const { context, page } = await open()
    const save = async (width: string) => {
      await page.locator('summary', { hasText: 'Size of all desks and rooms' }).click()
      await page.getByLabel('Width (% of the floor plan)').fill(width)
      await page.getByRole('button', { name: 'Save size' }).click()
    }
    await save('5.5')
    await eventually(async () => expect(await widthOf()).to.equal(0.055))
    await page.waitForLoadState()
    expect(await findCell(page, 'Desk A').getAttribute('transform')).to.include('scale(0.5)')
    await save('')
    await eventually(async () => expect(await widthOf()).to.equal(null))
    await context.close()
  })
})
