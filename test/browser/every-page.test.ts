// Every page of the dashboard in a real browser, those to come included: the policy lets it work, everybody can use it,
// and it fits a phone.
import { expect } from 'chai'
import { expectAccessible, expectNoSidewaysScroll, openWindow, requireBrowser } from '../support/browser.ts'
import { type Browser, createSignedIn, Browser as Stranger } from '../support/dashboard.ts'
import { type Example, everyPage } from '../support/every-page.ts'
import { createWorld, type World } from '../support/world.ts'

// Judging a page takes a second, twice.
const PAGE_MS = 8_000
const PHONE = { width: 390, height: 844 }

describe('every page, in a browser', () => {
  let world: World
  let examples: Example[]
  let signedIn: Browser
  before(async function () {
    await requireBrowser(this)
    world = await createWorld()
    examples = await everyPage(world.database)
    signedIn = await createSignedIn(world)
  })
  after(() => world?.close())

  const visitorOf = ({ page }: Example) => (page.access === 'admin' ? signedIn : new Stranger(world.url))

  it('has nothing that its policy forbids, and asks no other host', async () => {
    for (const example of examples) {
      const { context, page, complaints } = await openWindow(visitorOf(example))
      const answer = await page.goto(example.path)
      // Chromium tells of a failed page as an error of the console.
      const isSetup = example.page.path === '/setup'
      expect(answer?.status(), example.path).to.equal(isSetup ? 404 : 200)
      await page.waitForLoadState('load')
      const told = complaints.filter((each) => !(isSetup && each.includes('404')))
      expect(told, example.path).to.deep.equal([])
      await context.close()
    }
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`can be used by everybody, in ${colorScheme} colours`, async function () {
      this.timeout(PAGE_MS * examples.length)
      for (const example of examples) {
        for (const viewport of [PHONE, { width: 1280, height: 900 }]) {
          const { context, page } = await openWindow(visitorOf(example), {
            bypassCSP: true,
            colorScheme,
            viewport,
          })
          await page.goto(example.path)
          await expectAccessible(page)
          await expectNoSidewaysScroll(page)
          await context.close()
        }
      }
    })
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
