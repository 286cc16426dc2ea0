// Tests every page of people in a real browser on a phone, including future pages: under the content security
// policy, accessible, without scrolling sideways, in light and dark mode, in both languages, and small.
import { expect } from 'chai'
import {
  COLOUR_AND_TEXT_RULES,
  findAccessibilityViolations,
  findLostWithLargeText,
  measureWidth,
  openWindow,
  useChromium,
} from '../../../support/dashboard/browser.ts'
import { Browser } from '../../../support/dashboard/dashboard.ts'
import { createFullPerson } from '../../../support/people/every-page.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

const PHONE = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true }
const ORDINARY = { width: 640, height: 640 }
const BYTES_MAX = 30 * 1024

describe('every page of a person, on a phone', function suite() {
  this.timeout(600_000)
  const world = useWorld()
  let person: Browser
  let addresses: string[]
  let open: string[]
  before(async () => {
    const full = await createFullPerson(world.database)
    ;({ addresses, open } = full)
    person = await signInAs(world, full.id)
  })

  it('is small, and has one main heading, in both languages', async () => {
    const found: string[] = []
    const stranger = new Browser(world.url)
    for (const language of ['en', 'de'])
      for (const address of [...addresses, ...open]) {
        const browser = open.includes(address) ? stranger : person
        const { status, text } = await browser.open(address, { headers: { 'Accept-Language': language } })
        // The address may have an unknown id, or lack a parameter that the page requires.
        const isRefused = /\/1\b/.test(address) || status === 422
        if (status !== 200 && !isRefused) found.push(`${address}: ${status}`)
        const bytes = Buffer.byteLength(text)
        if (bytes > BYTES_MAX) found.push(`${address}: ${bytes} bytes`)
        const headings = text.match(/<h1\b/g)?.length
        if (headings !== 1) found.push(`${address}: ${headings} headings`)
      }
    expect(found).to.deep.equal([])
  })

  describe('every page of a person, in a browser', () => {
    useChromium()

    // Loads each page in German, because German words are longer, and once more in English for what depends on words.
    it('is accessible, fits a phone, and obeys the content security policy', async () => {
      const found: string[] = []
      const windows = [
        { shown: addresses, ...(await openWindow(person, PHONE)) },
        { shown: open, ...(await openWindow(new Browser(world.url), PHONE)) },
      ]
      for (const { shown, page, complaints, context } of windows) {
        for (const address of shown) {
          complaints.length = 0
          await page.emulateMedia({ colorScheme: 'light' })
          await page.setExtraHTTPHeaders({ 'Accept-Language': 'de' })
          const answer = await page.goto(address)
          if (answer?.status() === 200) found.push(...complaints)
          const { content, screen } = await measureWidth(page)
          if (content > screen) found.push(`${address}: ${content} wide`)
          found.push(...(await findAccessibilityViolations(page)).map((each) => `${address}, light: ${each}`))
          // Buttons and links to sections are large enough for a thumb.
          const small = await page
            .locator('main button:visible, main a.button:visible, .my-sections a:visible')
            .evaluateAll((all) =>
              all.filter((each) => each.getBoundingClientRect().height < 43.5).map((each) => each.outerHTML),
            )
          found.push(...small.map((each) => `${address}, small: ${each.slice(0, 120)}`))
          await page.setViewportSize(ORDINARY)
          const lost = await findLostWithLargeText(page)
          found.push(...lost.map((each) => `${address}, large text: ${each}`))
          await page.setViewportSize(PHONE.viewport)
          await page.emulateMedia({ colorScheme: 'dark' })
          await page.setExtraHTTPHeaders({ 'Accept-Language': 'en' })
          await page.goto(address)
          expect(await page.locator('html').getAttribute('lang'), address).to.equal('en')
          const dark = await findAccessibilityViolations(page, COLOUR_AND_TEXT_RULES)
          found.push(...dark.map((each) => `${address}, dark, in English: ${each}`))
        }
        await context.close()
      }
      expect(found.join('\n')).to.equal('')
    })
  })
})
