// Tests every page of the dashboard in a real browser, including future ones: it works under the content security
// policy, is accessible, and fits a phone. Each area has its own test file, so that they run at the same time.
import { expect } from 'chai'
import type { Page } from '../../../gateway/web/pages/page/page.ts'
import { useWorld } from '../world.ts'
import {
  type BrowserWindow,
  COLOUR_AND_TEXT_RULES,
  findAccessibilityViolations,
  findCutOffElements,
  findLostWithLargeText,
  measureWidth,
  openWindow,
  useChromium,
} from './browser.ts'
import { Browser as Stranger, useSignedIn } from './dashboard.ts'
import { listEveryPage } from './every-page.ts'

// A long timeout, because there are many pages.
const TIMEOUT_MS = 1_200_000
const VIEWPORTS = { phone: { width: 320, height: 780 }, screen: { width: 1440, height: 900 } }
const AREA_PATTERNS = {
  places: /^\/(places|map|day)\b/,
  plans: /^\/(bookings|events|visitors|reports|undo|find)\b/,
  others: /^/,
}

type Area = keyof typeof AREA_PATTERNS
type SeenPage = { path: string } & Record<
  'complaints' | 'light' | 'dark' | 'tooWide' | 'cutOff' | 'lost',
  string[]
>

/** Returns the first area that contains the page. */
const findArea = ({ path }: Page) =>
  Object.entries(AREA_PATTERNS).find(([, pattern]) => pattern.test(path))?.[0]

export function testPagesInBrowser(area: Area): void {
  describe(`every page of the area “${area}” in a browser`, () => {
    useChromium()
    const world = useWorld()
    const signedIn = useSignedIn(world)
    const pages: SeenPage[] = []

    // Loads each page in German, because German words are longer, and once more in English for what depends on words.
    before(async function () {
      this.timeout(TIMEOUT_MS)
      const windows = {
        'signed-in': await openWindow(signedIn),
        everybody: await openWindow(new Stranger(world.url)),
      }
      const examples = await listEveryPage(world, (page) => findArea(page) === area)
      for (const { page, path } of examples) pages.push(await loadPage(windows[page.access], path))
      for (const { context } of Object.values(windows)) await context.close()
    })

    const findings = (of: keyof Omit<SeenPage, 'path'>) =>
      pages.flatMap((seen) => seen[of].map((each) => `${seen.path}: ${each}`))

    it('loads nothing that the content security policy forbids, and nothing from other hosts', () => {
      expect(pages).to.have.length.greaterThan(10)
      // Chromium logs a 404 as an error: the setup page answers 404 because Berth is already set up.
      const isSetup = (each: string) => /\/(setup|password)\b.*404/.test(each)
      expect(findings('complaints').filter((each) => !isSetup(each))).to.deep.equal([])
    })

    for (const colours of ['light', 'dark'] as const)
      it(`has no accessibility violations in ${colours} colours`, () => {
        expect(findings(colours)).to.deep.equal([])
      })

    it('fits every page on the width of a phone', () => {
      expect(findings('tooWide')).to.deep.equal([])
    })

    it('shows every column and button of a page in full', () => {
      expect(findings('cutOff')).to.deep.equal([])
    })

    it('loses nothing with texts of twice the size', () => {
      expect(findings('lost')).to.deep.equal([])
    })
  })
}

async function loadPage({ page, complaints }: BrowserWindow, path: string): Promise<SeenPage> {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setExtraHTTPHeaders({ 'Accept-Language': 'de' })
  complaints.length = 0
  await page.goto(path)
  const none = { light: [], dark: [], tooWide: [], cutOff: [] }
  const seen: SeenPage = { path, complaints: [...complaints], lost: [], ...none }
  for (const [name, viewport] of Object.entries(VIEWPORTS)) {
    await page.setViewportSize(viewport)
    const { content, screen } = await measureWidth(page)
    if (content > screen) seen.tooWide.push(`${name}: ${content}`)
    seen.cutOff.push(...(await findCutOffElements(page)).map((each) => `${name}: ${each}`))
  }
  seen.lost = await findLostWithLargeText(page)
  seen.light = await findAccessibilityViolations(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setExtraHTTPHeaders({ 'Accept-Language': 'en' })
  await page.goto(path)
  expect(await page.locator('html').getAttribute('lang'), path).to.equal('en')
  seen.dark = await findAccessibilityViolations(page, COLOUR_AND_TEXT_RULES)
  return seen
}
