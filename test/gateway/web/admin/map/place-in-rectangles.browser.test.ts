// Tests putting desks where an SVG floor plan has rectangles: however a drawing program writes them, in reading order,
// with a preview, and undone in one step.
import { expect } from 'chai'
import { expectAccessible, openWindow, useChromium } from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createFloorPlanColumns, drawPng } from '../../../../support/dashboard/pictures.ts'
import { createBookable, createLocation } from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

// Six desks of 100 × 50 in two rows and one that stands upright, a room, and a symbol without rectangles.
const PLAN = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 1200 600" width="1200" height="600">
<defs><g id="desk"><rect x="-50" y="-25" width="100" height="50"/><circle r="12" cy="40"/></g>
<symbol id="round" viewBox="0 0 20 10"><ellipse cx="10" cy="5" rx="10" ry="5"/></symbol></defs>
<rect x="20" y="20" width="700" height="500" fill="none"/>
<rect x="50" y="75" width="100" height="50"/><rect x="50" y="75" width="100" height="50" fill="none" stroke="#000"/>
<g transform="translate(300 100)"><use xlink:href="#desk"/></g>
<polygon points="450,80 550,80 550,130 450,130"/>
<path d="M50 275h100v50h-100z"/>
<use href="#desk" transform="matrix(-1 0 0 -1 300 300)"/>
<use href="#round" x="450" y="275" width="100" height="50"/>
<use href="#desk" transform="translate(700 300) rotate(90)"/>
</svg>`

const EXPECTED = [
  [100, 100, 0],
  [300, 100, 0],
  [500, 105, 0],
  [100, 300, 0],
  [300, 300, 0],
  [500, 300, 0],
  [700, 300, 90],
]

describe('placing desks where the floor plan has rectangles, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: ['writes'] })
  const signedIn = useSignedIn(world)

  async function createFloor(plan: Buffer, floor_plan_type: string, numbers = [10, 2, 1, 3, 4, 5, 6, 7]) {
    const columns = { ...createFloorPlanColumns(plan), floor_plan_type }
    const location_id = await createLocation(world.database, columns)
    for (const nth of numbers) await createBookable(world.database, { location_id, name: `Desk ${nth}` })
    await createBookable(world.database, { location_id, name: 'A room', type: 2 })
    return location_id
  }
  const findPlaces = async (location_id: number) =>
    world.database('bookables').where({ location_id }).whereNotNull('position_x').orderBy('name')

  it('offers rectangles by size, previews them, and places desks in reading order, with undo', async () => {
    const location = await createFloor(Buffer.from(PLAN), 'image/svg+xml')
    const { context, page, complaints } = await openWindow(signedIn, {
      viewport: { width: 1440, height: 900 },
    })
    await page.goto(`/dashboard/places/locations/${location}/arrange`)
    await page.locator('summary', { hasText: 'Place where the plan has rectangles' }).click()
    await page.getByText('Preview: 7 desks, from Desk 1.').waitFor()
    expect(await page.locator('.preview rect').count()).to.equal(7)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Place desks' }).click()
    await eventually(async () => expect(await findPlaces(location)).to.have.length(7))
    const places = (await findPlaces(location)).map(({ name, position_x, position_y, position_rotation }) => [
      name,
      [Math.round(position_x * 1_200), Math.round(position_y * 600), position_rotation ?? 0],
    ])
    expect(places).to.deep.equal(EXPECTED.map((place, index) => [`Desk ${index + 1}`, place]))
    for (const { position_width, position_height } of await findPlaces(location)) {
      expect(position_width).to.be.closeTo(100 / 1_200, 0.001)
      expect(position_height).to.be.closeTo(50 / 600, 0.001)
    }
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually(async () => expect(await findPlaces(location)).to.deep.equal([]))
    expect(complaints).to.deep.equal([])
    await context.close()
  })

  it('says that the form could not be loaded, and loads it when somebody opens it after the connection is back', async () => {
    const location = await createFloor(Buffer.from(PLAN), 'image/svg+xml')
    for (const failing of ['**/place-in-rectangles*.js*', '**/floor-plans/**']) {
      const { context, page } = await openWindow(signedIn, { viewport: { width: 1440, height: 900 } })
      await page.route(failing, (route) => route.abort())
      await page.goto(`/dashboard/places/locations/${location}/arrange`)
      await page.getByText('A tool could not be loaded. Check the connection, and try again.').waitFor()
      const summary = page.locator('summary', { hasText: 'Place where the plan has rectangles' })
      await page.unroute(failing)
      await summary.click()
      await page.getByText('Preview: 7 desks, from Desk 1.').waitFor()
      expect(await page.locator('.preview rect').count()).to.equal(7)
      await context.close()
    }
  })

  it('previews rectangles immediately if there are as many as desks', async () => {
    const location = await createFloor(Buffer.from(PLAN), 'image/svg+xml', [1, 2, 3, 4, 5, 6, 7])
    const { context, page } = await openWindow(signedIn, { viewport: { width: 1440, height: 900 } })
    await page.goto(`/dashboard/places/locations/${location}/arrange`)
    await page.getByText('Preview: 7 desks, from Desk 1.').waitFor()
    await page.getByRole('button', { name: 'Place desks' }).click()
    await eventually(async () => expect(await findPlaces(location)).to.have.length(7))
    await context.close()
  })

  it('offers nothing if the floor plan is not an SVG', async () => {
    const location = await createFloor(drawPng(300, 200), 'image/png')
    const { context, page } = await openWindow(signedIn, { viewport: { width: 1440, height: 900 } })
    await page.goto(`/dashboard/places/locations/${location}/arrange`)
    await page.locator('summary', { hasText: 'Place in rows' }).waitFor()
    expect(await page.locator('[data-rectangles]').isVisible()).to.equal(false)
    await context.close()
  })
})
