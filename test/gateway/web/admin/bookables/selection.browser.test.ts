// Tests a list of desks in a browser: how to select many desks with Shift and with the keyboard.

import { expect } from 'chai'
import {
  expectAccessible,
  expectNoSidewaysScroll,
  openWindow,
  useChromium,
} from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBookable, createLocation } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

describe('the list of desks in the dashboard, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: ['writes'] })
  const signedIn = useSignedIn(world)

  it('selects desks with Shift from one desk to another, and counts them', async () => {
    const location_id = await createLocation(world.database, { name: 'Deck' })
    for (let number = 1; number <= 9; number++)
      await createBookable(world.database, { location_id, name: `Desk ${number}` })
    const { context, page, complaints } = await openWindow(signedIn)
    await page.goto(`/dashboard/places/locations/${location_id}`)
    const box = (number: number) =>
      page.getByRole('checkbox', { name: `Select: Desk ${number}`, exact: true })
    const chosen = async () => {
      const checked = page.locator('input[name="ids"]:checked')
      return checked.evaluateAll((boxes) => boxes.map((each) => each.getAttribute('aria-label')))
    }
    const desks = (...numbers: number[]) => numbers.map((each) => `Select: Desk ${each}`)
    await box(3).click()
    await page.getByRole('button', { name: 'Change 1 selected' }).waitFor()
    await box(6).click({ modifiers: ['Shift'] })
    expect(await chosen()).to.deep.equal(desks(3, 4, 5, 6))
    await page.getByRole('button', { name: 'Change 4 selected' }).waitFor()
    await box(6).click()
    await box(5).click({ modifiers: ['Shift'] })
    expect(await chosen(), 'and taken back').to.deep.equal(desks(3, 4))
    await box(9).focus()
    await page.keyboard.press('Space')
    await box(7).focus()
    await page.keyboard.press('Shift+Space')
    expect(await chosen(), 'by keys').to.deep.equal(desks(3, 4, 7, 8, 9))
    await page.getByRole('button', { name: 'Change 5 selected' }).click()
    await page.getByRole('button', { name: 'Block', exact: true }).click()
    await page.getByText('5 desks and rooms blocked.').waitFor()
    expect(await world.database('bookables').where({ location_id, status: 1 })).to.have.length(5)
    expect(complaints).to.deep.equal([])
    await context.close()
  })

  it('uses one line per desk if the window is wide enough, and can be sorted on a phone', async () => {
    const location_id = await createLocation(world.database, { name: 'Long deck' })
    const description =
      'By the door, where the long description of a desk begins and goes on and on. '.repeat(3)
    await createBookable(world.database, { location_id, name: 'Desk 1', description, capacity: 1 })
    await createBookable(world.database, { location_id, name: 'Desk 2', capacity: 2 })
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      const { context, page } = await openWindow(signedIn, { viewport })
      await page.goto(`/dashboard/places/locations/${location_id}`)
      const cell = page.getByRole('rowheader').first()
      const fits = () => cell.evaluate((own) => own.scrollWidth <= own.clientWidth)
      const isPhone = viewport.width < 1000
      expect(await fits(), `${viewport.width}`).to.equal(isPhone)
      if (!isPhone) {
        await cell.hover()
        expect(await cell.getAttribute('title')).to.include('goes on and on')
        await page.getByRole('checkbox', { name: 'Select: Desk 1' }).focus()
        await page.keyboard.press('Tab')
        expect(await fits(), 'whole where the keyboard is').to.equal(true)
      }
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      const openFilters = async () => {
        if (isPhone) await page.getByText('Filter', { exact: true }).click()
      }
      await openFilters()
      await page.getByRole('link', { name: 'Capacity' }).click()
      await page.waitForURL('**sort=capacity')
      await openFilters()
      await page.getByRole('link', { name: 'Capacity' }).click()
      await page.waitForURL('**sort=-capacity')
      expect(await page.getByRole('rowheader').first().textContent()).to.include('Desk 2')
      await expectAccessible(page)
      await context.close()
    }
  })
})
