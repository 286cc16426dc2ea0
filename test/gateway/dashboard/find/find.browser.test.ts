// The global search by its keyboard shortcuts, on a wide screen and on a phone.
import { expect } from 'chai'
import { expectAccessible, openWindow, useChromium } from '../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { createUser } from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

describe('the global search, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: [] })
  const signedIn = useSignedIn(world)

  for (const [name, viewport] of Object.entries({
    screen: { width: 1440, height: 900 },
    phone: { width: 390, height: 844 },
  })) {
    it(`opens by a key, except while typing: ${name}`, async () => {
      const id = await createUser(world.database, { name: `Anna ${name}` })
      const { context, page, complaints } = await openWindow(signedIn, { viewport })
      await page.goto('/dashboard/bookings')
      const field = page.locator('.find input:visible')
      await page.keyboard.press('/')
      expect(await page.evaluate('document.activeElement.name')).to.equal('q')
      await page.keyboard.type('a/b')
      expect(await field.inputValue(), 'a slash is a slash there').to.equal('a/b')
      await expectAccessible(page)
      const other = page.locator('main input[type=search]').first()
      await other.focus()
      await page.keyboard.press('/')
      expect(await other.inputValue()).to.equal('/')
      await page.keyboard.press('Control+k')
      await page.keyboard.type(`anna ${name}`)
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/dashboard/people/${id}`)
      expect(complaints).to.deep.equal([])
      await context.close()
    })
  }
})
