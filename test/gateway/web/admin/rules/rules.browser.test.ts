// Tests opening hours and closed times in a browser: pickers, adding and removing rows, and copying Monday's
// times to every working day.
import { expect } from 'chai'
import {
  expectAccessible,
  expectNoSidewaysScroll,
  openWindow,
  useChromium,
} from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBuilding } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

describe('the form for the rules of a place, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: ['writes'] })
  const signedIn = useSignedIn(world)

  it('copies the hours of Monday to all working days, and adds and removes rows', async () => {
    const id = await createBuilding(world.database, { name: 'Harbour House', timezone: 'Europe/Berlin' })
    const { context, page, complaints } = await openWindow(signedIn)
    await page.goto(`/dashboard/places/buildings/${id}/rules`)
    const openGroup = (label: string) =>
      page.locator('.groups summary', { has: page.getByText(label, { exact: true }) }).click()
    await openGroup('Opening hours')
    await page.getByLabel('Monday from').first().fill('08:00')
    await page.getByLabel('Monday to').first().fill('18:00')
    expect(await page.getByText('closed', { exact: true }).filter({ visible: true }).count()).to.equal(6)
    await page.getByRole('button', { name: 'Copy Monday' }).click()
    expect(await page.getByText('closed', { exact: true }).filter({ visible: true }).count()).to.equal(2)
    await openGroup('Closed')
    expect(await page.locator('.groups > details[open]').count()).to.equal(1)
    for (const [index, day] of ['2031-12-24', '2031-12-27', '2031-12-31'].entries()) {
      if (index === 2) await page.getByRole('button', { name: 'Add a row' }).click()
      await page.getByLabel('First day').nth(index).fill(day)
      await page.getByLabel('Reason').nth(index).fill(`Reason ${index}`)
    }
    await page.getByRole('button', { name: 'Remove', exact: true }).nth(1).click()
    expect(await page.getByLabel('First day').nth(1).inputValue()).to.equal('2031-12-31')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save rules' }).click()
    await page.getByText('Mon–Fri 08:00–18:00').first().waitFor()
    expect(await page.locator('.groups > details[open]').count()).to.equal(0)
    const { rules } = await world.database('buildings').where({ id }).first()
    expect(rules.opening_hours.map((open: { day: number }) => open.day)).to.deep.equal([1, 2, 3, 4, 5])
    expect(rules.closed.map((each: { reason: string }) => each.reason)).to.deep.equal([
      'Reason 0',
      'Reason 2',
    ])
    for (const viewport of [
      { width: 360, height: 800 },
      { width: 1440, height: 900 },
    ]) {
      await page.setViewportSize(viewport)
      await expectNoSidewaysScroll(page)
      if (process.env.PICTURES)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await page.screenshot({ path: `/tmp/rules-${viewport.width}-${colorScheme}.png`, fullPage: true })
        }
    }
    expect(complaints).to.deep.equal([])
    await context.close()
  })
})
