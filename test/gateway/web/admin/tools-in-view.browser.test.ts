// Tests that lists show every column and all buttons of each row, even if texts are long.
import { expect } from 'chai'
import { seedDemo } from '../../../../commands/seed/demo.ts'
import { pages } from '../../../../gateway/web/admin/pages.ts'
import { findCutOffElements, openWindow, useChromium } from '../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { createBuilding, createLocation } from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

const LONG_WORD = 'Donaudampfschifffahrtsgesellschaft'
const SCREEN = { viewport: { width: 1440, height: 900 } }
const LIST_PATHS = ['/places/buildings/1', '/places/locations/2', '/people/1'].concat(
  pages
    .filter(({ path, access }) => access === 'signed-in' && !path.includes('{') && !path.endsWith('/new'))
    .map(({ path }) => path),
)
// Allows more time, because the test loads about forty pages.
const TIMEOUT_MS = 120_000

describe('tables of the dashboard', () => {
  useChromium()
  const world = useWorld({ workers: ['writes'] })
  const signedIn = useSignedIn(world)
  before(() => seedDemo(world.database))

  it('show their buttons at a width of 1440 pixels, in English and German', async () => {
    const building_id = await createBuilding(world.database, { name: 'Haus' })
    for (const name of ['Nord', 'Süd']) {
      await createLocation(world.database, {
        building_id,
        name: `${name} ${LONG_WORD}`,
        code: LONG_WORD.repeat(3),
      })
    }
    const { context, page } = await openWindow(signedIn, SCREEN)
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

  it('show all columns at a width of 1440 pixels, in English and German', async function () {
    this.timeout(TIMEOUT_MS)
    await addLongEntries()
    const { context, page } = await openWindow(signedIn, SCREEN)
    const found: string[] = []
    for (const language of ['en', 'de']) {
      await page.goto(`/dashboard/language/${language}`)
      for (const path of LIST_PATHS) {
        await page.goto(`/dashboard${path}`)
        found.push(...(await findCutOffElements(page)).map((each) => `${path} in ${language}: ${each}`))
      }
    }
    expect(found).to.deep.equal([])
    await context.close()
  })

  const addLongEntries = async () => {
    const entry = {
      actor_type: 'admin',
      actor_name: `${LONG_WORD.toLowerCase()}@harbour.example`,
      request_id: 'r',
    }
    const change = {
      resource: 'bookables',
      before: { name: 'Desk' },
      after: { name: `${LONG_WORD} ${LONG_WORD}` },
    }
    await world.database('audit_log').insert(
      ['bookables.unassign-all', 'bookables.update', 'bookables.delete'].map((action, index) => ({
        ...entry,
        ...change,
        action,
        resource_id: 2_147_483_640 + index,
      })),
    )
  }
})
