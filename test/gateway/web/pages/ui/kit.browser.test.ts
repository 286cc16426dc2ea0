// Tests the layout of every page component in a browser: colours and sizes come from the design tokens, and boxes do
// not overlap. Does not depend on how a browser draws letters or smooths edges.
import { expect } from 'chai'
import type { BrowserContextOptions, Page } from 'playwright-core'
import {
  expectNoSidewaysScroll,
  findCutOffElements,
  openWindow,
  useChromium,
} from '../../../../support/dashboard/browser.ts'
import { createSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { useStage } from '../../../../support/dashboard/dashboard-stage.ts'
import { kitPage } from '../../../../support/dashboard/kit-page.ts'
import { useWorld } from '../../../../support/world.ts'

const DESKTOP = { viewport: { width: 1280, height: 900 } }
const PHONE = { viewport: { width: 360, height: 800 }, hasTouch: true, isMobile: true }
const LOOKS: Record<string, BrowserContextOptions> = {
  light: { ...DESKTOP, colorScheme: 'light' },
  dark: { ...DESKTOP, colorScheme: 'dark' },
  phone: { ...PHONE, colorScheme: 'light' },
}

/** The expected styles of each component, in tokens of tokens.css. */
const STYLES: Record<string, Record<string, string>> = {
  body: { 'background-color': 'var(--paper)', color: 'var(--ink)', 'font-size': 'var(--text-14)' },
  h1: { 'font-size': 'var(--text-20)', 'font-weight': 'var(--strong)' },
  '.card': { 'background-color': 'var(--card)', 'border-radius': 'var(--radius)' },
  '.card > h2': { 'font-size': 'var(--text-16)', 'font-weight': 'var(--strong)' },
  '.lead': { color: 'var(--soft)' },
  '.notice.good': { 'background-color': 'var(--good-soft)', color: 'var(--good)' },
  '.notice.warn': { 'background-color': 'var(--warn-soft)', color: 'var(--warn)' },
  '.notice.bad': { 'background-color': 'var(--bad-soft)', color: 'var(--bad)' },
  '.notice p': { color: 'var(--ink)' },
  '.badge.good': { 'background-color': 'var(--good-soft)', color: 'var(--good)' },
  '.badge.warn': { 'background-color': 'var(--warn-soft)', color: 'var(--warn)' },
  '.badge.bad': { 'background-color': 'var(--bad-soft)', color: 'var(--bad)' },
  '.badge.accent': { 'background-color': 'var(--accent-soft)', color: 'var(--accent)' },
  '.card:has(> #buttons) .button.primary': {
    'background-color': 'var(--accent)',
    color: 'var(--accent-ink)',
    opacity: '1',
  },
  '.card:has(> #buttons) .button.danger': { 'background-color': 'var(--bad)', color: 'var(--card)' },
  '.card:has(> #buttons) .button.quiet': { 'background-color': 'var(--card)', color: 'var(--ink)' },
  '.card:has(> #buttons) .button[aria-busy]': { opacity: '0.65' },
  '.page-tabs [aria-current]': { color: 'var(--ink)', 'border-bottom-color': 'var(--accent)' },
  '.tabs [aria-current]': { color: 'var(--accent)', 'background-color': 'var(--accent-soft)' },
  '.card:has(> #fields) [name="name"]': {
    'border-top-color': 'var(--line-strong)',
    'border-top-width': '1px',
  },
  '.card:has(> #fields) [name="wrong"]': { 'border-top-color': 'var(--bad)', 'border-top-width': '2px' },
  '.card:has(> #fields) .error p': { color: 'var(--bad)', 'font-weight': 'var(--strong)' },
  '.card:has(> #fields) .hint': { color: 'var(--soft)', 'font-size': 'var(--text-13)' },
  '.table tbody th': { 'font-weight': 'var(--strong)' },
  '.table tbody .number': { 'font-variant-numeric': 'tabular-nums' },
  '.figure strong': { 'font-size': 'var(--text-28)' },
  '.skeleton': { 'background-color': 'var(--hover)' },
  code: { 'background-color': 'var(--hover)' },
}

type Box = { left: number; right: number; top: number; bottom: number; width: number; height: number }

describe('the components of the pages, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: [] })
  const stage = useStage(world, [kitPage])

  for (const [name, options] of Object.entries(LOOKS))
    describe(name, () => {
      let page: Page
      let complaints: string[]
      before(async () => {
        const opened = await openWindow(await createSignedIn(stage), {
          ...options,
          reducedMotion: 'reduce',
          locale: 'en-GB',
        })
        page = opened.page
        complaints = opened.complaints
        await page.goto('/dashboard/kit')
        await page.evaluate('document.fonts.ready')
      })
      after(() => page.context().close())

      const boxesOf = (selector: string) =>
        page.evaluate<Box[]>(
          `[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.getBoundingClientRect().toJSON())`,
        )
      const boxOf = async (selector: string, index = 0) =>
        (await boxesOf(selector))[index] ?? expect.fail(`There is no ${selector}`)

      it('use the styles of the design tokens', async () => {
        expect(await findWrongStyles(page, STYLES)).to.deep.equal([])
      })

      it('are light or dark, as the browser prefers', async () => {
        const [paper, ink] = await readLightness(page, ['--paper', '--ink'])
        if (options.colorScheme === 'dark')
          expect(paper)
            .to.be.below(0.3)
            .and.below(ink as number)
        else
          expect(paper)
            .to.be.above(0.9)
            .and.above(ink as number)
      })

      it('use the font of the pages', async () => {
        const faces = `[...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family)`
        expect(await page.evaluate(faces)).to.include('Inter')
        const families = await page.evaluate<string[]>(
          `[...document.querySelectorAll('h1, p, input:not([type="checkbox"], [type="radio"]), .button, td')].map((each) => getComputedStyle(each).fontFamily.split(',')[0])`,
        )
        expect([...new Set(families)]).to.deep.equal(['Inter'])
      })

      it('fit on the screen, and cause no errors in the browser', async () => {
        await expectNoSidewaysScroll(page)
        expect(await findCutOffElements(page)).to.deep.equal([])
        expect(complaints).to.deep.equal([])
      })

      it('do not overlap each other', async () => {
        expect(await findOverlaps(page)).to.deep.equal([])
      })

      it('draw bars in proportion to their values', async () => {
        const shares = await page.evaluate<number[]>(
          `[...document.querySelectorAll('.figures .share')].map((each) =>
            each.querySelector('path').getBoundingClientRect().width / each.getBoundingClientRect().width)`,
        )
        for (const [index, value] of [122, 14, 43, 8].entries())
          expect(shares[index]).to.be.closeTo(value / 150, 0.02)
        const heights = (await boxesOf('.chart g path')).map(({ height }) => height)
        const [, , , highest = 0] = heights
        expect(heights.map((height) => Math.round((9 * height) / highest))).to.deep.equal([3, 8, 5, 9, 2])
      })

      if (options.isMobile) {
        it('are stacked on a phone, and large enough for a finger', async () => {
          const cards = await boxesOf('main .card:not(.figure)')
          expect(cards.length).to.be.above(4)
          for (const [index, card] of cards.entries()) {
            expect(card.width).to.be.within(300, 360)
            if (index > 0) expect(card.top).to.be.above(cards[index - 1]?.bottom as number)
          }
          const targets =
            'main :is(.button, select, input:not([type="checkbox"], [type="radio"], [type="hidden"]))'
          for (const { height } of (await boxesOf(targets)).filter(({ width }) => width > 0))
            expect(height).to.be.at.least(44)
        })

        it('keep a menu of five columns at the bottom of a phone’s screen', async () => {
          const columns = [...(await boxesOf('.sections .bar')), await boxOf('.sections .menu')]
          expect(columns).to.have.length(5)
          for (const { width, bottom } of columns) {
            expect(width).to.be.closeTo(360 / 5, 1)
            expect(bottom).to.be.closeTo(800, 1)
          }
        })

        it('show each row of a table as a block without column headings on a phone', async () => {
          expect((await boxOf('.table thead')).height).to.be.at.most(1)
          expect((await boxOf('.table tbody tr')).width).to.be.at.most(360)
          expect((await boxOf('.table tbody tr')).height).to.be.above(44)
        })
        return
      }

      it('are side by side on a large screen', async () => {
        const [side, main] = [await boxOf('.side'), await boxOf('main')]
        expect([side.left, side.width, side.height]).to.deep.equal([0, 14 * 16, 900])
        expect(main.left).to.equal(side.right)
        const [title, tools] = [await boxOf('h1'), await boxOf('.head .tools')]
        expect(tools.left).to.be.above(title.right)
        expect(tools.top).to.be.below(title.bottom)
        const [fields, buttons] = [await boxOf('.card:has(> #fields)'), await boxOf('.card:has(> #buttons)')]
        expect([buttons.top, buttons.left > fields.right]).to.deep.equal([fields.top, true])
        for (const [selector, count] of Object.entries({ '.grid.figures > *': 4, '.grid.charts > *': 3 })) {
          const boxes = await boxesOf(selector)
          expect(boxes).to.have.length(count)
          expect(new Set(boxes.map(({ top }) => top))).to.have.property('size', 1)
          for (const { width } of boxes) expect(width).to.be.closeTo(boxes[0]?.width as number, 1)
        }
      })

      it('align table cells with their headings, and numbers at the right', async () => {
        const headings = await boxesOf('.table thead :is(th, td)')
        const cells = await boxesOf('.table tbody tr:first-child > *')
        expect(cells.map(({ left, right }) => [left, right])).to.deep.equal(
          headings.map(({ left, right }) => [left, right]),
        )
        const alignments = await page.evaluate(
          `[...document.querySelectorAll('.table .number')].map((each) => getComputedStyle(each).textAlign)`,
        )
        expect(new Set(alignments as string[])).to.deep.equal(new Set(['right']))
      })
    })
})

/** Returns the styles that differ from the styles of a sibling element with the expected declaration. */
function findWrongStyles(page: Page, styles: typeof STYLES): Promise<string[]> {
  return page.evaluate<string[]>(`Object.entries(${JSON.stringify(styles)}).flatMap(([selector, wanted]) => {
    const element = document.querySelector(selector)
    if (!element) return [selector + ': missing']
    const probe = document.createElement('span')
    probe.style.border = '0 solid'
    ;(element === document.body ? element : element.parentElement).append(probe)
    const wrong = Object.entries(wanted).flatMap(([name, value]) => {
      probe.style.setProperty(name, value)
      const [expected, actual] = [probe, element].map((each) => getComputedStyle(each).getPropertyValue(name))
      return expected === actual ? [] : [selector + ' ' + name + ': ' + actual + ', not ' + expected]
    })
    probe.remove()
    return wrong
  })`)
}

/** Returns the lightness of colours, from 0 to 1. */
function readLightness(page: Page, tokens: string[]): Promise<number[]> {
  return page.evaluate<number[]>(`${JSON.stringify(tokens)}.map((token) => {
    const probe = document.body.appendChild(document.createElement('span'))
    probe.style.color = 'var(' + token + ')'
    const context = new OffscreenCanvas(1, 1).getContext('2d')
    context.fillStyle = getComputedStyle(probe).color
    probe.remove()
    context.fillRect(0, 0, 1, 1)
    const [red, green, blue] = context.getImageData(0, 0, 1, 1).data
    return (red + green + blue) / 3 / 255
  })`)
}

/** Returns pairs of components that overlap by more than a line of pixels although neither contains the other. */
function findOverlaps(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const pieces = [...document.querySelectorAll('main :is(.card, .notice, .scroll, .button, .field, .badge, .tabs, .page-tabs, .pager, h1, h2)')]
      .filter((each) => each.checkVisibility())
    const nameOf = (each) => each.tagName + '.' + each.className + ' ' + each.textContent.trim().slice(0, 20)
    return pieces.flatMap((one, index) => pieces.slice(index + 1).flatMap((other) => {
      if (one.contains(other) || other.contains(one)) return []
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()]
      const isApart = a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1
      return isApart ? [] : [nameOf(one) + ' and ' + nameOf(other)]
    }))
  })()`)
}
