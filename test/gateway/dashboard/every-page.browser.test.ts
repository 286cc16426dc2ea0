// Every page of the dashboard in a real browser, those to come included: the policy lets it work, everybody can use it,
// and it fits a phone.

import { expect } from 'chai'
import type { BrowserContextOptions } from 'playwright-core'
import {
  expectAccessible,
  expectNoSidewaysScroll,
  openWindow,
  useChromium,
  type Watched,
} from '../../support/dashboard/browser.ts'
import { Browser as Stranger, useSignedIn } from '../../support/dashboard/dashboard.ts'
import { type Example, everyPage } from '../../support/dashboard/every-page.ts'
import { useWorld } from '../../support/world.ts'

// There are many.
const EVERY_PAGE_MS = 300_000
const PHONE = { width: 390, height: 844 }

describe('every page, in a browser', () => {
  useChromium()
  const world = useWorld()
  const signedIn = useSignedIn(world)
  let examples: Example[]
  before(async () => {
    examples = await everyPage(world.database)
  })

  /** One window for administrators and one for strangers: each page is loaded once, and seen at every size. */
  async function forEach(
    options: BrowserContextOptions,
    look: (window: Watched, example: Example) => Promise<void>,
  ): Promise<void> {
    const windows = {
      admin: await openWindow(signedIn, options),
      everybody: await openWindow(new Stranger(world.url), options),
    }
    for (const example of examples) await look(windows[example.page.access], example)
    for (const { context } of Object.values(windows)) await context.close()
  }

  it('has nothing that its policy forbids, and asks no other host', async () => {
    await forEach({}, async ({ page, complaints }, example) => {
      complaints.length = 0
      const answer = await page.goto(example.path)
      // Chromium tells of a failed page as an error of the console.
      const isSetup = example.page.path === '/setup'
      expect(answer?.status(), example.path).to.equal(isSetup ? 404 : 200)
      const told = complaints.filter((each) => !(isSetup && each.includes('404')))
      expect(told, example.path).to.deep.equal([])
    })
  }).timeout(EVERY_PAGE_MS)

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`can be used by everybody, in ${colorScheme} colours`, async () => {
      await forEach({ bypassCSP: true, colorScheme }, async ({ page }, { path }) => {
        await page.goto(path)
        for (const viewport of [PHONE, { width: 1280, height: 900 }]) {
          await page.setViewportSize(viewport)
          await expectAccessible(page)
          await expectNoSidewaysScroll(page)
        }
      })
    }).timeout(EVERY_PAGE_MS)
  }

  it('has a title, one main heading, and a way past the navigation', async () => {
    const { context, page } = await openWindow(signedIn)
    for (const { path } of examples) {
      await page.goto(path)
      expect(await page.title(), path).to.match(/\S · Berth$/)
      expect(await page.locator('h1').count(), path).to.equal(1)
    }
    await page.goto('/dashboard/settings')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).to.equal('main')
    await context.close()
  })
})
