// Tests SVG files that hide what they draw or load: a cleaned file is harmless, and a file that draws too much is
// refused.
import { expect } from 'chai'
import fc from 'fast-check'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { writeEnglish } from '../../../shared/messages/write-message.ts'
import { countDrawnShapes } from '../../../workers/pictures/count-drawn.ts'
import { sanitizeSvg } from '../../../workers/pictures/sanitize-svg.ts'
import { testSeed } from '../../support/seed.ts'

const wrapInSvg = (content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 300 200">${content}</svg>`
const cleanSvg = (svg: string) => sanitizeSvg(Buffer.from(svg)).data.toString()
const FORBIDDEN_PATTERN =
  /@import|evil|javascript:|<script|<foreignObject|<iframe|<animate|\son\w+=|context-(fill|stroke)|<!ENTITY|\\/i

/** Nested levels of elements, each of which refers ten times to the level below. */
const levels = (number: number, one: (id: string, below: string) => string) =>
  Array.from({ length: number }, (_, level) => one(`l${level + 1}`, `l${level}`)).join('')
const ten = (shape: string) => shape.repeat(10)
const LOWEST_PATTERN = '<pattern id="l0" width="1" height="1"><rect width="1" height="1"/></pattern>'

const SVG_BOMBS: Record<string, string> = {
  'patterns in attributes': `${LOWEST_PATTERN}${levels(7, (id, below) => `<pattern id="${id}">${ten(`<rect fill="url(#${below})"/>`)}</pattern>`)}<rect fill="url(#l7)"/>`,
  'patterns in style attributes': `${LOWEST_PATTERN}${levels(7, (id, below) => `<pattern id="${id}">${ten(`<rect style="x:1;fill:url(#${below})"/>`)}</pattern>`)}<rect style="stroke: url( '#l7' )"/>`,
  'patterns in style elements': `<style>${levels(7, (id, below) => `.${id} rect, .${id}{fill:url(#${below})}`)}</style>${LOWEST_PATTERN}${levels(7, (id) => `<pattern id="${id}">${ten(`<rect class="big ${id}"/>`)}</pattern>`)}<rect fill="url(#l7)"/>`,
  'patterns in a style element that is never closed': `<style>@media all{.a{fill:red;stroke:url(#l6)</style>${LOWEST_PATTERN}${levels(6, (id, below) => `<pattern id="${id}">${ten(`<rect fill="url(#${below})"/>`)}</pattern>`)}<rect class="a"/>`,
  'patterns in a CSS variable': `<style>.a{--p:url(#l5)} rect{fill:var(--p)}</style>${LOWEST_PATTERN}${levels(5, (id, below) => `<pattern id="${id}">${ten(`<rect fill="url(#${below})"/>`)}</pattern>`)}<g class="a">${ten('<rect/>')}</g>`,
  'patterns that a group passes on to its children': `${LOWEST_PATTERN}${levels(5, (id, below) => `<pattern id="${id}"><g fill="url(#${below})">${ten('<rect/>')}</g></pattern>`)}<g fill="url(#l5)">${ten('<rect/>')}</g>`,
  'nested masks': `<mask id="l0"><rect/></mask>${levels(6, (id, below) => `<mask id="${id}">${ten(`<rect style="mask:url(#${below})"/>`)}</mask>`)}<rect mask="url(#l6)"/>`,
  'nested clip paths': `<clipPath id="l0"><rect/></clipPath>${levels(7, (id, below) => `<clipPath id="${id}">${ten(`<rect clip-path="url(#${below})"/>`)}</clipPath>`)}<rect clip-path="url(#l7)"/>`,
  'markers on many points': `<marker id="l0"><rect/></marker>${levels(4, (id, below) => `<marker id="${id}"><path marker-mid="url(#${below})" d="M0 0${'l1 1'.repeat(30)}"/></marker>`)}<path style="marker:url(#l4)" d="M0 0${'l1 1'.repeat(30)}"/>`,
  'filters on many shapes': `<filter id="f">${ten('<feGaussianBlur stdDeviation="9"/>')}</filter>${'<rect filter="url(#f)"/>'.repeat(600)}`,
  'an encoded id': `${LOWEST_PATTERN}${levels(7, (id, below) => `<pattern id="${id}">${ten(`<rect fill="url(#%6C${below.slice(1)})"/>`)}</pattern>`)}<rect fill="url(#l7)"/>`,
  'a very long chain of references': `${LOWEST_PATTERN}${Array.from({ length: 5_000 }, (_, level) => `<pattern id="l${level + 1}" xlink:href="#l${level}"/>`).join('')}<rect fill="url(#l5000)"/>`,
}

describe('a hostile SVG', () => {
  for (const [title, content] of Object.entries(SVG_BOMBS)) {
    it(`is refused with ${title}`, () => {
      let found: unknown
      try {
        cleanSvg(wrapInSvg(content))
      } catch (error) {
        found = error
      }
      expect(found).to.be.instanceOf(Refusal)
      const problem = (found as Refusal).errors?.file?.[0]
      expect(problem && writeEnglish(problem)).to.match(/^The SVG draws more than a million shapes/)
    })
  }

  it('is accepted if it is a plan with few patterns, masks, shadows and symbols', () => {
    const plan = wrapInSvg(`<style>.wall{fill:url(#hatch)} g > .desk:hover{filter:url(#shadow)}</style>
      <defs><pattern id="hatch" width="4" height="4"><path d="M0 0L4 4"/></pattern>
      <filter id="shadow"><feGaussianBlur stdDeviation="2"/><feOffset dx="1"/></filter>
      <symbol id="desk"><rect/><rect/></symbol></defs>
      ${'<rect class="wall"/>'.repeat(500)}${'<use class="desk" href="#desk" filter="url(#shadow)"/>'.repeat(300)}`)
    const drawn = countDrawnShapes(cleanSvg(plan)) ?? 0
    expect(drawn).to.be.within(500 + 300 * 2, 1_000_000)
  })

  it('may define any number of shapes that it does not draw', () => {
    const mask = '<mask id="m"><rect/></mask>'
    expect(countDrawnShapes(wrapInSvg(`<defs>${mask}</defs>${mask}<rect/>`))).to.equal(2)
  })

  for (const css of [
    '@im@import;port "https://evil.example/1.css";',
    '@im@im@import;port;port "https://evil.example/2.css";',
    '.a{fill:url(url(https://evil.example/3))}',
    '.a{fill:uurl(#a)rl(https://evil.example/4)}',
    '.a{fill:u/**/rl(https://evil.example/5)}@import url(//evil.example/6)',
    '.a{fill:contextcontext-fill-fill}',
  ]) {
    it(`loses everything forbidden in ${css}`, () => {
      const text = cleanSvg(wrapInSvg(`<style>${css}</style><rect/>`))
      expect(text).to.not.match(/@import|context-fill/)
      expect(text.replace(/u\/\*\*\/rl/g, '')).to.not.match(/url\((?!["']?#)/)
      expect(cleanSvg(text)).to.equal(text)
    })
  }

  // Generates hostile files from pieces in any order and nesting.
  const piece = fc.oneof(
    fc.constantFrom(
      '@import',
      '@im',
      'port',
      ';',
      '"https://evil.example"',
      'url(',
      '#a',
      ')',
      'src(',
      'image-set(',
      '{',
      '}',
      '.a',
      'fill:',
      '/*',
      '*/',
      '&#117;rl(',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      '&amp;',
      '&quot;',
      '<style>',
      '</style>',
      '<script>',
      '</script>',
      '<foreignObject>',
      '</foreignObject>',
      '<g>',
      '</g>',
      '<rect onload="evil()"/>',
      '<rect style="fill:url(#a)"/>',
      '<a href="javascript:evil()">',
      '</a>',
      '<rect fill="url(https://evil.example/)"/>',
      '<animate attributeName="href"/>',
      '\\75rl(',
      'context-fill',
    ),
    fc.string({ maxLength: 4 }),
  )
  const hostile = fc.array(piece, { maxLength: 30 }).map((pieces) => wrapInSvg(pieces.join('')))
  const cleaned = (svg: string): string | undefined => {
    try {
      return cleanSvg(svg)
    } catch (error) {
      // A refused file has no result to check.
      if (error instanceof Refusal) return undefined
      throw error
    }
  }

  it('does not change if it is cleaned a second time', () => {
    fc.assert(
      fc.property(hostile, (svg) => {
        const text = cleaned(svg)
        if (text !== undefined) expect(cleanSvg(text)).to.equal(text)
      }),
      { seed: testSeed, numRuns: 1_000 },
    )
  })

  it('never keeps a script, an event handler or a style that loads a file', () => {
    fc.assert(
      fc.property(hostile, (svg) => {
        const text = cleaned(svg) ?? ''
        const styles = [...text.matchAll(/<style>([\s\S]*?)<\/style>|\sstyle="([^"]*)"/g)].map(
          ([, inside = '', own = '']) => inside + own,
        )
        for (const each of styles)
          expect(each).to.not.match(/@import|(url|src|image-set)\(\s*(?!["']?\s*#|&quot;\s*#)/i)
        const tags = text.match(/<[^>]*>/g)?.join('') ?? ''
        expect(tags).to.not.match(FORBIDDEN_PATTERN)
      }),
      { seed: testSeed, numRuns: 1_000 },
    )
  })
})
