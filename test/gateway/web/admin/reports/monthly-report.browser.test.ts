// Tests the printed monthly report: a single page without navigation, even with many floors.
import { expect } from 'chai'
import { createLog } from '../../../../../shared/utilities/log.ts'
import { updateDailyFigures } from '../../../../../workers/pollers/figures/update-daily-figures.ts'
import { expectAccessible, openWindow, useChromium } from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
} from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const NOW = '2026-11-18T12:00:00.000Z'
const FLOOR_COUNT = 12
const DESK_COUNT = 2

const LONG_NAME = 'The administration building at the eastern harbour, beside the park'

describe('the printed monthly report', () => {
  useChromium()
  const world = useWorld({ now: () => Date.parse(NOW) })
  const signedIn = useSignedIn(world)

  before(async () => {
    const { database } = world
    const created_at = '2026-06-01T00:00:00Z'
    const build = (name: string) => createBuilding(database, { name, timezone: 'Europe/Berlin' })
    const buildings = [await build(LONG_NAME), await build(`${LONG_NAME} 2`)]
    for (let floor = 1; floor <= FLOOR_COUNT; floor++) {
      const location_id = await createLocation(database, {
        building_id: buildings[floor % 2],
        name: `Floor ${floor}, Marketing and Sales`,
      })
      for (let desk = 1; desk <= DESK_COUNT; desk++) {
        const bookable_id = await createBookable(database, {
          location_id,
          name: `Desk ${floor}.${desk}`,
          created_at,
        })
        const day = String(floor + desk).padStart(2, '0')
        const times = { from: `2026-10-${day}T07:00:00Z`, to: `2026-10-${day}T16:00:00Z` }
        await createBooking(database, { bookable_id, ...times })
      }
    }
    await updateDailyFigures(database, createLog('test', 'silent'), { now: NOW })
  })

  for (const language of ['en', 'de'])
    it(`fits on one page of A4 (${language})`, async () => {
      const window = await openWindow(signedIn, { locale: language, colorScheme: 'dark' })
      const { page } = window
      await page.goto('/dashboard/reports/month')
      await expectAccessible(page)
      expect(await page.locator('button[data-print]').isVisible()).to.equal(true)
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      for (const part of ['.side', '.filters', '[data-print]'])
        expect(await page.locator(part).first().isVisible(), part).to.equal(false)
      expect(await page.locator('.chart svg').first().isVisible()).to.equal(true)
      const ground = 'getComputedStyle(document.querySelector(".report .card")).backgroundColor'
      expect(await page.evaluate(ground)).to.match(/oklch\(1 0 0\)|rgb\(255, 255, 255\)/)
      const paper = await page.pdf({ preferCSSPageSize: true })
      expect(paper.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)).to.have.length(1)
      await window.context.close()
    })
})
