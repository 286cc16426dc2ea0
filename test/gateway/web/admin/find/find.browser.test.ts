// Tests the global search as a dialog: it opens by a shortcut or the search field, suggests results while the
// user types, and opens the chosen result.
import { expect } from 'chai'
import { expectAccessible, openWindow, useChromium } from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createUser } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

describe('the global search of the dashboard, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: [] })
  const signedIn = useSignedIn(world)

  for (const [name, viewport] of Object.entries({
    screen: { width: 1440, height: 900 },
    phone: { width: 390, height: 844 },
  })) {
    it(`opens with a key except while the user types, and leads to the chosen result: ${name}`, async () => {
      const id = await createUser(world.database, { name: `Anna ${name}` })
      const { context, page, complaints } = await openWindow(signedIn, { viewport })
      await page.goto('/dashboard/bookings')
      const field = page.getByRole('combobox', { name: 'Find anything' })
      await page.keyboard.press('/')
      await page.keyboard.type('a/b')
      expect(await field.inputValue(), 'a slash is a slash there').to.equal('a/b')
      await page.keyboard.press('Escape')
      expect(await field.isVisible()).to.equal(false)
      if (name === 'phone') await page.getByText('Filter', { exact: true }).click()
      const other = page.locator('main input[type=search]').first()
      await other.focus()
      await page.keyboard.press('/')
      expect(await other.inputValue()).to.equal('/')
      await page.keyboard.press('Control+k')
      await page.keyboard.type(`anna ${name}`)
      await page.getByRole('option', { name: `Anna ${name}`, selected: true }).waitFor()
      await expectAccessible(page)
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/dashboard/people/${id}`)
      expect(complaints).to.deep.equal([])
      await context.close()
    })
  }

  it('opens from the search field by a click or by typing, and reaches actions with arrow keys', async () => {
    const { context, page } = await openWindow(signedIn)
    await page.goto('/dashboard/people')
    const field = page.getByRole('combobox', { name: 'Find anything' })
    await page.locator('.find input:visible').click()
    expect(await page.evaluate('document.activeElement.id')).to.equal('palette')
    await page.keyboard.press('Escape')
    await page.locator('.find input:visible').focus()
    await page.keyboard.type('new')
    expect(await field.inputValue()).to.equal('new')
    const options = page.getByRole('group', { name: 'Pages' }).getByRole('option')
    await options.first().waitFor()
    const wanted = await options.nth(1).getAttribute('data-address')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${wanted}`)
    await context.close()
  })

  it('shows suggestions only for the last words entered, whichever response comes first', async () => {
    await createUser(world.database, { name: 'Slow Petra' })
    await createUser(world.database, { name: 'Quick Quentin' })
    const { context, page } = await openWindow(signedIn)
    await page.goto('/dashboard/people')
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/q=slow/, async (route) => {
      await held
      await route.continue()
    })
    await page.keyboard.press('/')
    const asked = page.waitForRequest(/q=slow/)
    await page.keyboard.type('slow')
    await asked
    await page.getByRole('combobox', { name: 'Find anything' }).fill('quick')
    await page.getByRole('option', { name: 'Quick Quentin' }).waitFor()
    const answered = page.waitForResponse(/q=slow/)
    release()
    await answered
    const list = page.getByRole('listbox', { name: 'Find anything' })
    const shown = await list.getByRole('option').allInnerTexts()
    expect(shown.map((text) => text.split('\n')[0])).to.deep.equal(['Quick Quentin'])
    await context.close()
  })
})
