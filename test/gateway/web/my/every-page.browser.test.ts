// Every page of people in a real browser, including future ones, on a phone: under the content security policy, accessible,
// without scrolling sideways, light and dark, in both languages, and small.
import { expect } from 'chai'
import {
  findBarriers,
  measureWidth,
  openWindow,
  RULES_OF_COLOURS,
  useChromium,
} from '../../../support/dashboard/browser.ts'
import { Browser } from '../../../support/dashboard/dashboard.ts'
import { createFullPerson } from '../../../support/people/every-page.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

const PHONE = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true }
const BYTES_MAX = 30 * 1024

describe('every page of people, on a phone', function suite() {
  this.timeout(300_000)
  const world = useWorld()
  let person: Browser
  let addresses: string[]
  let open: string[]
  before(async () => {
    const full = await createFullPerson(world.database)
    ;({ addresses, open } = full)
    person = await signInAs(world, full.id)
  })

  it('answers with a small page and one main heading in both languages', async () => {
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

  describe('in a browser', () => {
    useChromium()

    // In German: its words are longer, and nothing else depends on the language.
    it('is accessible, fits the phone, and keeps to its policy', async () => {
      const found: string[] = []
      const options = { ...PHONE, extraHTTPHeaders: { 'Accept-Language': 'de' } }
      const windows = [
        { shown: addresses, ...(await openWindow(person, options)) },
        { shown: open, ...(await openWindow(new Browser(world.url), options)) },
      ]
      for (const { shown, page, complaints, context } of windows) {
        for (const address of shown) {
          complaints.length = 0
          await page.emulateMedia({ colorScheme: 'light' })
          const answer = await page.goto(address)
          if (answer?.status() === 200) found.push(...complaints)
          const { content, screen } = await measureWidth(page)
          if (content > screen) found.push(`${address}: ${content} wide`)
          found.push(...(await findBarriers(page)).map((each) => `${address}, light: ${each}`))
          await page.emulateMedia({ colorScheme: 'dark' })
          const dark = await findBarriers(page, RULES_OF_COLOURS)
          found.push(...dark.map((each) => `${address}, dark: ${each}`))
          // Buttons and links to sections are large enough for a thumb.
          const small = await page
            .locator('main button:visible, main a.button:visible, .my-sections a:visible')
            .evaluateAll((all) =>
              all.filter((each) => each.getBoundingClientRect().height < 43.5).map((each) => each.outerHTML),
            )
          found.push(...small.map((each) => `${address}, small: ${each.slice(0, 120)}`))
        }
        await context.close()
      }
      expect(found).to.deep.equal([])
    })
  })
})
