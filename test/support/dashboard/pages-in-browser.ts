// Every page of the dashboard in a real browser, including future ones: it works under the content security policy, is
// accessible, and fits a phone. Each area has a test file of its own, so that they run at the same time.
import { expect } from 'chai'
import type { Page } from '../../../gateway/web/pages/page/page.ts'
import { useWorld } from '../world.ts'
import {
  findBarriers,
  findCutOff,
  measureWidth,
  openWindow,
  RULES_OF_COLOURS,
  useChromium,
  type Watched,
} from './browser.ts'
import { Browser as Stranger, useSignedIn } from './dashboard.ts'
import { everyPage } from './every-page.ts'

// There are many.
const EVERY_PAGE_MS = 600_000
const VIEWPORTS = { phone: { width: 360, height: 780 }, screen: { width: 1440, height: 900 } }
const AREAS = {
  places: /^\/(places|map|day)\b/,
  plans: /^\/(bookings|events|visitors|reports|undo|find)\b/,
  others: /^/,
}

type Area = keyof typeof AREAS
type Seen = { path: string } & Record<'complaints' | 'light' | 'dark' | 'tooWide' | 'cutOff', string[]>

/** The first area that has the page. */
const areaOf = ({ path }: Page) => Object.entries(AREAS).find(([, pattern]) => pattern.test(path))?.[0]

export function testPagesInBrowser(area: Area): void {
  describe(`every page of the area “${area}”, in a browser`, () => {
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
      const examples = await everyPage(world, (page) => areaOf(page) === area)
      for (const { page, path } of examples) pages.push(await see(windows[page.access], path))
      for (const { context } of Object.values(windows)) await context.close()
    })

    const findings = (of: keyof Omit<Seen, 'path'>) =>
      pages.flatMap((seen) => seen[of].map((each) => `${seen.path}: ${each}`))

    it('loads nothing that its policy forbids, and nothing from other hosts', () => {
      expect(pages).to.have.length.greaterThan(10)
      // Chromium reports an answer of 404 as an error: nobody sets Berth up twice.
      const isSetup = (each: string) => /\/(setup|password)\b.*404/.test(each)
      expect(findings('complaints').filter((each) => !isSetup(each))).to.deep.equal([])
    })

    for (const colours of ['light', 'dark'] as const)
      it(`is accessible in ${colours} colours`, () => {
        expect(findings(colours)).to.deep.equal([])
      })

    it('fits a phone', () => {
      expect(findings('tooWide')).to.deep.equal([])
    })

    it('shows every column and button in full', () => {
      expect(findings('cutOff')).to.deep.equal([])
    })
  })
}

async function see({ page, complaints }: Watched, path: string): Promise<Seen> {
  await page.emulateMedia({ colorScheme: 'light' })
  complaints.length = 0
  await page.goto(path)
  const seen: Seen = { path, complaints: [...complaints], light: [], dark: [], tooWide: [], cutOff: [] }
  for (const [name, viewport] of Object.entries(VIEWPORTS)) {
    await page.setViewportSize(viewport)
    const { content, screen } = await measureWidth(page)
    if (content > screen) seen.tooWide.push(`${name}: ${content}`)
    seen.cutOff.push(...(await findCutOff(page)).map((each) => `${name}: ${each}`))
  }
  seen.light = await findBarriers(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  seen.dark = await findBarriers(page, RULES_OF_COLOURS)
  return seen
}
