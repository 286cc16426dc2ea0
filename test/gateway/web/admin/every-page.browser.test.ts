// Every page of the dashboard in a real browser, including future ones: it works under the content security policy, is
// accessible, and fits a phone.
import { expect } from 'chai'
import {
  findBarriers,
  findCutOff,
  measureWidth,
  openWindow,
  useChromium,
  type Watched,
} from '../../../support/dashboard/browser.ts'
import { Browser as Stranger, useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { type Example, everyPage } from '../../../support/dashboard/every-page.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

// There are many.
const EVERY_PAGE_MS = 600_000
const VIEWPORTS = { phone: { width: 360, height: 780 }, screen: { width: 1440, height: 900 } }
// What else is to be seen does not depend on the colours.
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block']

type Seen = {
  example: Example
  status: number | undefined
  complaints: string[]
  title: string
  headings: number
  barriers: { light: string[]; dark: string[] }
  tooWide: string[]
  cutOff: string[]
}

describe('every page, in a browser', () => {
  useChromium()
  const world = useWorld()
  const signedIn = useSignedIn(world)
  const pages: Seen[] = []

  // Each is loaded once, in German: its words are longer, and nothing else depends on the language.
  before(async function () {
    this.timeout(EVERY_PAGE_MS)
    const german = { extraHTTPHeaders: { 'Accept-Language': 'de' } }
    const windows = {
      'signed-in': await openWindow(signedIn, german),
      everybody: await openWindow(new Stranger(world.url), german),
    }
    for (const example of await everyPage(world)) pages.push(await see(windows[example.page.access], example))
    for (const { context } of Object.values(windows)) await context.close()
  })

  async function see({ page, complaints }: Watched, example: Example): Promise<Seen> {
    await page.emulateMedia({ colorScheme: 'light' })
    complaints.length = 0
    const answer = await page.goto(example.path)
    const seen: Seen = {
      example,
      status: answer?.status(),
      complaints: [...complaints],
      title: await page.title(),
      headings: await page.locator('h1').count(),
      barriers: { light: [], dark: [] },
      tooWide: [],
      cutOff: [],
    }
    for (const [name, viewport] of Object.entries(VIEWPORTS)) {
      await page.setViewportSize(viewport)
      const { content, screen } = await measureWidth(page)
      if (content > screen) seen.tooWide.push(`${name}: ${content}`)
      seen.cutOff.push(...(await findCutOff(page)).map((each) => `${name}: ${each}`))
    }
    seen.barriers.light = await findBarriers(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    seen.barriers.dark = await findBarriers(page, RULES_OF_COLOURS)
    return seen
  }

  const findings = (of: (seen: Seen) => string[]) =>
    pages.flatMap((seen) => of(seen).map((each) => `${seen.example.path}: ${each}`))

  it('loads nothing that its policy forbids, and nothing from other hosts', () => {
    expect(pages).to.have.length.greaterThan(40)
    for (const { example, status, complaints } of pages) {
      // Chromium reports a failed page as a console error.
      const isSetup = ['/setup', '/password'].includes(example.page.path)
      expect(status, example.path).to.equal(isSetup ? 404 : 200)
      const told = complaints.filter((each) => !(isSetup && each.includes('404')))
      expect(told, example.path).to.deep.equal([])
    }
  })

  for (const colours of ['light', 'dark'] as const) {
    it(`is accessible in ${colours} colours`, () => {
      expect(findings(({ barriers }) => barriers[colours])).to.deep.equal([])
    })
  }

  it('fits a phone', () => {
    expect(findings(({ tooWide }) => tooWide)).to.deep.equal([])
  })

  it('shows every column and button in full', () => {
    expect(findings(({ cutOff }) => cutOff)).to.deep.equal([])
  })

  it('has a title, one main heading, and a skip link', async () => {
    for (const { title, headings, example } of pages) {
      expect(title, example.path).to.match(/\S · Berth$/)
      expect(headings, example.path).to.equal(1)
    }
    const { context, page } = await openWindow(signedIn)
    await page.goto('/dashboard/settings')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    // Chromium moves the focus when it draws next.
    await eventually(async () => expect(await page.evaluate('document.activeElement.id')).to.equal('main'))
    await context.close()
  })
})
