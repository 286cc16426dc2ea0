// A real browser: Debian's Chromium, driven by playwright. All test files of a process share it. If it is missing, the
// suites are skipped with a notice. TEST_BROWSER names the program (/usr/bin/chromium), or is “none”.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect } from 'chai'
import {
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Browser as Driven,
  type Page,
  type Request,
} from 'playwright-core'
import { hooks, listOpen, without } from '../hooks.ts'
import { promised } from '../time.ts'
import type { Browser } from './dashboard.ts'

const CHROMIUM_PROGRAMS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
/** How long a page may take to load. */
const LOAD_MS = 10_000
/** The sizes of texts in the settings of a browser that nobody has changed. */
const [TEXT_PX, MONOSPACE_PX] = [16, 13]
/** The accessibility rules that depend on colours or on the language. */
export const COLOUR_AND_TEXT_RULES = [
  'color-contrast',
  'link-in-text-block',
  'aria-command-name',
  'aria-dialog-name',
  'aria-input-field-name',
  'button-name',
  'document-title',
  'html-has-lang',
  'html-lang-valid',
  'image-alt',
  'input-button-name',
  'label',
  'link-name',
  'role-img-alt',
  'select-name',
  'summary-name',
  'svg-img-alt',
  'valid-lang',
]
const AXE_SCRIPT = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let driven: Promise<Driven> | undefined
let hasReportedMissing = false

export function findChromium(): string | undefined {
  const { TEST_BROWSER: chosen } = process.env
  if (chosen === 'none') return undefined
  // If TEST_BROWSER names a missing program, the tests fail instead of being skipped.
  return chosen ?? CHROMIUM_PROGRAMS.find((program) => existsSync(program))
}

/** Starts the browser, or skips the suite. */
export function useChromium() {
  before(async function () {
    this.timeout(60_000)
    if (findChromium()) return void (await browser())
    if (!hasReportedMissing)
      console.log(
        '\n  NO CHROMIUM: the tests in a browser are SKIPPED (apt-get install chromium-headless-shell).\n',
      )
    hasReportedMissing = true
    this.skip()
  })
}

export function browser(): Promise<Driven> {
  driven ??= launch()
  return driven
}

async function launch(): Promise<Driven> {
  const before = listOpen()
  const launched = await chromium.launch({ executablePath: findChromium() ?? '', args: CHROMIUM_FLAGS })
  // The browser stays open for the next files.
  hooks.openBefore.push(...without(listOpen(), before))
  return launched
}

// Closes windows that a failed test left open.
hooks.afterFile.browser = async () => {
  for (const context of (await driven)?.contexts() ?? []) await context.close()
}

export async function closeBrowser(): Promise<void> {
  await (await driven)?.close()
  driven = undefined
}

export type BrowserWindow = { context: BrowserContext; page: Page; complaints: string[] }

/** Opens a window with the session of a signed-in browser, and records all errors in the console. */
export async function openWindow(from: Browser, options: BrowserContextOptions = {}): Promise<BrowserWindow> {
  // Copies the URL, because the window of a failed test may outlive the browser of its suite.
  const home = new URL(from.url)
  // Without the transitions from page to page: they ignore the mouse, and report that they were skipped if the next page
  // is slow.
  const still = { reducedMotion: 'reduce' } as const
  const context = await (await browser()).newContext({ baseURL: from.url, ...still, ...options })
  await context.addCookies(
    [...from.cookies].map(([name, value]) => ({
      name,
      value,
      domain: home.hostname,
      path: from.page.path.startsWith('/my') ? '/my' : '/dashboard',
      httpOnly: true,
      sameSite: 'Lax' as const,
    })),
  )
  const page = await context.newPage()
  page.setDefaultNavigationTimeout(promised(LOAD_MS))
  nameUnansweredRequests(page)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${page.url()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`))
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol !== 'data:' && origin !== home.origin) complaints.push(`Asks ${request.url()}`)
  })
  return { context, page, complaints }
}

/** Makes a page that does not load name the unanswered requests, which show whether the server failed to answer. */
function nameUnansweredRequests(page: Page): void {
  const load = page.goto.bind(page)
  page.goto = async (url, options) => {
    const unanswered = new Set<string>()
    const add = (request: Request) => void unanswered.add(request.url())
    const remove = (request: Request) => void unanswered.delete(request.url())
    page.on('request', add).on('requestfinished', remove).on('requestfailed', remove)
    try {
      return await load(url, options)
    } catch (error) {
      throw new Error(`${error} Unanswered requests: ${[...unanswered].join(', ') || 'none'}`, {
        cause: error,
      })
    } finally {
      page.off('request', add).off('requestfinished', remove).off('requestfailed', remove)
    }
  }
}

/** Returns serious violations of the given accessibility rules, or of all rules. */
export async function findAccessibilityViolations(page: Page, rules?: string[]): Promise<string[]> {
  // Lets playwright inject the script, because the page's content security policy forbids it.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE_SCRIPT)
  // Ends colour transitions, whose intermediate colours are not part of the design.
  await page.evaluate(
    'document.getAnimations().filter((each) => each instanceof CSSTransition).forEach((each) => each.finish())',
  )
  return page.evaluate(async (only) => {
    type Violation = { id: string; impact: string; nodes: Array<{ html: string; failureSummary: string }> }
    type Axe = { run(options: object): Promise<{ violations: Violation[] }> }
    const { axe } = globalThis as unknown as { axe: Axe }
    const { violations } = await axe.run({ resultTypes: ['violations'], ...(only ? { runOnly: only } : {}) })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join(' | ')}`,
      )
  }, rules)
}

export async function expectAccessible(page: Page): Promise<void> {
  expect(await findAccessibilityViolations(page), page.url()).to.deep.equal([])
}

/** Expects nothing to be wider than the screen, except for content that scrolls in its own box. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const { content, screen } = await measureWidth(page)
  expect(content, `${page.url()} at ${screen}`).to.be.at.most(screen)
}

export async function measureWidth(page: Page): Promise<{ content: number; screen: number }> {
  const sides = '[document.documentElement.scrollWidth, document.documentElement.clientWidth]'
  const [content = 0, screen = 0] = await page.evaluate<number[]>(sides)
  return { content, screen }
}

/**
 * Doubles the size of texts, as readers may in the settings of their browser, and finds what is lost then: content beside
 * the screen, except in boxes that scroll, and buttons that cut off their texts. Needs a window of an ordinary width: WCAG
 * asks for texts of twice the size (1.4.4) and for a width of 320 pixels (1.4.10), but not for both at once.
 */
export async function findLostWithLargeText(page: Page): Promise<string[]> {
  const tools = await page.context().newCDPSession(page)
  await tools.send('Page.setFontSizes', { fontSizes: { standard: 2 * TEXT_PX, fixed: 2 * MONOSPACE_PX } })
  const size = await page.evaluate<string>('getComputedStyle(document.documentElement).fontSize')
  expect(size).to.equal(`${2 * TEXT_PX}px`)
  const { content, screen } = await measureWidth(page)
  const lost = await page.evaluate<
    string[]
  >(`[...document.querySelectorAll('main :is(button, a.button, summary)')]
    .filter((each) => each.checkVisibility() && !each.closest('.unseen'))
    .filter((each) => getComputedStyle(each).overflowX !== 'visible' && each.scrollWidth > each.clientWidth + 1)
    .map((each) => each.outerHTML.slice(0, 120))`)
  await tools.send('Page.setFontSizes', { fontSizes: { standard: TEXT_PX, fixed: MONOSPACE_PX } })
  await tools.detach()
  return content > screen ? [`${content} of ${screen}`, ...lost] : lost
}

/**
 * Finds tables that are wider than their box, and links and buttons outside of their box or the screen. Floor plans, day
 * plans and, on phones, the tabs of a page scroll on purpose.
 */
export function findCutOffElements(page: Page): Promise<string[]> {
  return page.evaluate<
    string[]
  >(`[...document.querySelectorAll('main :is(.scroll, a, button, input, select, summary)')]
    .filter((each) => each.checkVisibility() && !each.closest('.timeline-scroll, .map-scroll, .page-tabs, .unseen'))
    .flatMap((each) => {
      const name = each.getAttribute('aria-label') ?? each.textContent.trim()
      if (each.matches('.scroll'))
        return each.scrollWidth > each.clientWidth ? [name + ': ' + each.scrollWidth + ' of ' + each.clientWidth] : []
      const box = (each.closest('.scroll') ?? document.documentElement).getBoundingClientRect()
      const { left, right } = each.getBoundingClientRect()
      return left < box.left - 1 || right > box.right + 1 ? [name] : []
    })`)
}
