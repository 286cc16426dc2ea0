// Every page of people in a real browser, including future ones, on a phone: under the content security policy, accessible,
// without scrolling sideways, light and dark, in both languages, and small.
import { expect } from 'chai'
import { findBarriers, measureWidth, openWindow, useChromium } from '../../../support/dashboard/browser.ts'
import { Browser } from '../../../support/dashboard/dashboard.ts'
import { createFullPerson } from '../../../support/people/every-page.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

const PHONE = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true }
const BYTES_MAX = 30 * 1024

describe('every page of people, on a phone', function suite() {
  this.timeout(300_000)
  useChromium()
  const world = useWorld()
  let person: Browser
  let addresses: string[]
  let open: string[]
  before(async () => {
    const full = await createFullPerson(world.database)
    ;({ addresses, open } = full)
    person = await signInAs(world, full.id)
  })

  for (const language of ['en', 'de'])
    it(`works, in ${language}`, async () => {
      const found: string[] = []
      const options = { ...PHONE, extraHTTPHeaders: { 'Accept-Language': language } }
      const windows = {
        signedIn: await openWindow(person, options),
        everybody: await openWindow(new Browser(world.url), options),
      }
      const visits = [
        ...addresses.map((address) => ({ address, ...windows.signedIn })),
        ...open.map((address) => ({ address, ...windows.everybody })),
      ]
      for (const { address, page, complaints } of visits) {
        complaints.length = 0
        await page.emulateMedia({ colorScheme: 'light' })
        const answer = await page.goto(address)
        const bytes = (await answer?.body())?.length ?? 0
        const isShown = answer?.status() === 200
        // A number that nobody has, and a page that needs something in its address.
        const isRefused = /\/1\b/.test(address) || answer?.status() === 422
        if (!isShown && !isRefused) found.push(`${address}: ${answer?.status()}`)
        if (isShown) found.push(...complaints)
        if (bytes > BYTES_MAX) found.push(`${address}: ${bytes} bytes`)
        const { content, screen } = await measureWidth(page)
        if (content > screen) found.push(`${address}: ${content} wide`)
        const headings = await page.locator('h1').count()
        if (headings !== 1) found.push(`${address}: ${headings} headings`)
        found.push(...(await findBarriers(page)).map((each) => `${address}, light: ${each}`))
        await page.emulateMedia({ colorScheme: 'dark' })
        const dark = await findBarriers(page, ['color-contrast', 'link-in-text-block'])
        found.push(...dark.map((each) => `${address}, dark: ${each}`))
        // Buttons and links to sections are large enough for a thumb.
        const small = await page
          .locator('main button:visible, main a.button:visible, .my-sections a:visible')
          .evaluateAll((all) =>
            all.filter((each) => each.getBoundingClientRect().height < 43.5).map((each) => each.outerHTML),
          )
        found.push(...small.map((each) => `${address}, small: ${each.slice(0, 120)}`))
      }
      for (const { context } of Object.values(windows)) await context.close()
      expect(found).to.deep.equal([])
    })
})
