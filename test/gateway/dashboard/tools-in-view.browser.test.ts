// What can be done with a row stays in view, however long its texts are.
import { expect } from 'chai'
import { openWindow, useChromium } from '../../support/dashboard/browser.ts'
import { useSignedIn } from '../../support/dashboard/dashboard.ts'
import { createBuilding, createLocation } from '../../support/factories.ts'
import { useWorld } from '../../support/world.ts'

const LONG = 'Donaudampfschifffahrtsgesellschaft'

describe('the tools of a table', () => {
  useChromium()
  const world = useWorld({ workers: ['writes'] })
  const signedIn = useSignedIn(world)

  it('are in view at 1440 pixels, in English and German', async () => {
    const building_id = await createBuilding(world.database, { name: 'Haus' })
    for (const name of ['Nord', 'Süd']) {
      await createLocation(world.database, { building_id, name: `${name} ${LONG}`, code: LONG.repeat(3) })
    }
    const { context, page } = await openWindow(signedIn, { viewport: { width: 1440, height: 900 } })
    for (const language of ['en', 'de']) {
      await page.goto(`/dashboard/language/${language}`)
      await page.goto(`/dashboard/places/buildings/${building_id}`)
      const table = await page.locator('.scroll').first().boundingBox()
      const tools = await page.locator('.scroll td.tools').first().boundingBox()
      if (!table || !tools) expect.fail('There is no table with tools')
      expect(tools.x + tools.width, language).to.be.at.most(table.x + table.width + 1)
    }
    await context.close()
  })
})
