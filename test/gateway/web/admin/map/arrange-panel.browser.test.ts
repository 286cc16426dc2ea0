// Tests the panel beside a floor plan that an administrator arranges: its forms are always inside the window.
import { expect } from 'chai'
import { openWindow, useChromium } from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createFloorPlanColumns, drawPng } from '../../../../support/dashboard/pictures.ts'
import { createBookable, createLocation } from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const DESK_COUNT = 30

describe('the panel for arranging a floor plan', () => {
  useChromium()
  const world = useWorld({ workers: [] })
  const signedIn = useSignedIn(world)
  let path: string
  before(async () => {
    const location_id = await createLocation(world.database, createFloorPlanColumns(drawPng(300, 200)))
    for (let number = 1; number <= DESK_COUNT; number++)
      await createBookable(world.database, { location_id, name: `Desk ${number}` })
    path = `/dashboard/places/locations/${location_id}/arrange`
  })

  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 360, height: 640 },
  ])
    it(`opens its forms inside a window of ${viewport.width} by ${viewport.height}`, async () => {
      const { context, page } = await openWindow(signedIn, { viewport })
      await page.goto(path)
      await page.getByRole('button', { name: 'Undo' }).waitFor()
      const forms = page.locator('.map-list > details:not([hidden])')
      expect(await forms.count()).to.be.above(2)
      for (const form of await forms.all()) {
        const summary = form.locator('summary').first()
        await summary.click()
        await eventually(async () => {
          const [head, all] = [await summary.boundingBox(), await form.boundingBox()]
          if (!head || !all) return expect.fail()
          expect(head.y).to.be.at.least(0)
          expect(head.y + head.height).to.be.at.most(viewport.height)
          // A form that is higher than the window begins at its upper edge.
          const shown = Math.min(all.y + all.height, viewport.height) - all.y
          expect(shown).to.be.at.least(Math.min(all.height, viewport.height / 3) - 1)
        })
        await summary.click()
      }
      await context.close()
    })
})
