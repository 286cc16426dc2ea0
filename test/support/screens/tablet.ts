// Simulates a tablet that shows a screen, with a page of Chromium. The world's clock starts at noon, so that the day
// does not end during a test.
import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { browser, useChromium } from '../dashboard/browser.ts'
import { eventually } from '../time.ts'
import { useWorld } from '../world.ts'

export const HOUR_MS = 3_600_000

/** `use` receives the page of each test. */
export function useTablet(use: (page: Page, context: BrowserContext) => void) {
  useChromium()
  const startMs = new Date().setUTCHours(12, 0, 0, 0)
  const begunMs = Date.now()
  let skippedMs = 0
  const now = () => startMs + skippedMs + Date.now() - begunMs
  const world = useWorld({ now, workersNow: now })
  let context: BrowserContext
  let page: Page
  beforeEach(async () => {
    context = await (await browser()).newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 } })
    page = await context.newPage()
    use(page, context)
  })
  afterEach(() => context.close())

  const words = () => page.innerText('body')
  return {
    world,
    now,
    words,
    at: (hours: number) => new Date(now() + hours * HOUR_MS).toISOString(),
    shows: (text: string) => eventually(async () => expect(await words()).to.include(text), 20_000),
    /** Advances the clock of the gateway and the workers. */
    skip(ms: number) {
      skippedMs += ms
    },
  }
}
