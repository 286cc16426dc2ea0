// A real browser: Debian's Chromium, driven by playwright. It serves all files of a process and ends with it. Without one
// the suites are skipped with a notice. TEST_BROWSER names the program (/usr/bin/chromium), or is “none”.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect } from 'chai'
import {
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Browser as Driven,
  type Page,
} from 'playwright-core'
import { hooks, listOpen, without } from '../hooks.ts'
import type { Browser } from './dashboard.ts'

const PROGRAMS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
/** What else is to be seen does not depend on the colours. */
export const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block']
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let driven: Promise<Driven> | undefined
let toldMissing = false

export function chromiumProgram(): string | undefined {
  const { TEST_BROWSER: chosen } = process.env
  if (chosen === 'none') return undefined
  // If TEST_BROWSER names a missing program, the tests fail instead of being skipped.
  return chosen ?? PROGRAMS.find((program) => existsSync(program))
}

/** Starts the browser, or skips the suite. */
export function useChromium() {
  before(async function () {
    this.timeout(60_000)
    if (chromiumProgram()) return void (await browser())
    if (!toldMissing)
      console.log(
        '\n  NO CHROMIUM: the tests in a browser are SKIPPED (apt-get install chromium-headless-shell).\n',
      )
    toldMissing = true
    this.skip()
  })
}

export function browser(): Promise<Driven> {
  driven ??= launch()
  return driven
}

async function launch(): Promise<Driven> {
  const before = listOpen()
  const launched = await chromium.launch({ executablePath: chromiumProgram() ?? '', args: FLAGS })
  // Stays open for the next files.
  hooks.openBefore.push(...without(listOpen(), before))
  return launched
}

// Windows that a test which failed left open.
hooks.afterFile.browser = async () => {
  for (const context of (await driven)?.contexts() ?? []) await context.close()
}

export async function closeBrowser(): Promise<void> {
  await (await driven)?.close()
  driven = undefined
}

export type Watched = { context: BrowserContext; page: Page; complaints: string[] }

/** A window with the session of a browser that has signed in already, and everything that its console complains of. */
export async function openWindow(from: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  // Known by itself: the window of a test that has failed may outlive the browser of its suite.
  const home = new URL(from.url)
  const context = await (await browser()).newContext({ baseURL: from.url, ...options })
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

/** Serious violations of these rules, or of all. */
export async function findBarriers(page: Page, rules?: string[]): Promise<string[]> {
  // Not as a script of the page: its policy would not have it.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  // Colours on their way from one scheme to the other are nobody's.
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
  expect(await findBarriers(page), page.url()).to.deep.equal([])
}

/** Nothing is wider than the screen, apart from what scrolls in its own box. */
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
 * Tables wider than their box, and links and buttons that lie beyond it or beyond the screen. Plans of floors and days
 * scroll on purpose.
 */
export function findCutOff(page: Page): Promise<string[]> {
  return page.evaluate<
    string[]
  >(`[...document.querySelectorAll('main :is(.scroll, a, button, input, select, summary)')]
    .filter((each) => each.checkVisibility() && !each.closest('.timeline-scroll, .map-scroll, .unseen'))
    .flatMap((each) => {
      const name = each.getAttribute('aria-label') ?? each.textContent.trim()
      if (each.matches('.scroll'))
        return each.scrollWidth > each.clientWidth ? [name + ': ' + each.scrollWidth + ' of ' + each.clientWidth] : []
      const box = (each.closest('.scroll') ?? document.documentElement).getBoundingClientRect()
      const { left, right } = each.getBoundingClientRect()
      return left < box.left - 1 || right > box.right + 1 ? [name] : []
    })`)
}
