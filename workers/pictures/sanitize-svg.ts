// Makes an SVG harmless with sanitize-html: only elements that draw, nothing that runs, nothing from other addresses.
// Browsers show it as an image, in which none of that would run anyway.
import sanitizeHtml from 'sanitize-html'
import { message } from '../../shared/messages/message.ts'
import { countDrawn } from './count-drawn.ts'
import { type ConvertedPicture, fitSize, type PictureSize, refusePicture } from './picture.ts'

const DRAWN_MAX = 1_000_000
const NESTED_MAX = 256
// Files of drawing programs need two rounds.
const ROUNDS_MAX = 10

const ELEMENTS = [
  'svg',
  'g',
  'defs',
  'symbol',
  'use',
  'switch',
  'title',
  'desc',
  'image',
  'path',
  'rect',
  'circle',
  'ellipse',
  'line',
  'polyline',
  'polygon',
  'text',
  'tspan',
  'textPath',
  'linearGradient',
  'radialGradient',
  'stop',
  'pattern',
  'clipPath',
  'mask',
  'marker',
  'filter',
  'feBlend',
  'feColorMatrix',
  'feComposite',
  'feFlood',
  'feGaussianBlur',
  'feMerge',
  'feMergeNode',
  'feOffset',
]
// Their texts go too. Those of others are only never drawn.
const WITHOUT_TEXT = ['script', 'foreignObject', 'metadata']
// Styles have this name until they are safe: the library does not escape what is called a style.
const STYLE = 'safe-style'

const NAMESPACES = { xmlns: 'http://www.w3.org/2000/svg', 'xmlns:xlink': 'http://www.w3.org/1999/xlink' }

export function sanitizeSvg(file: Buffer): ConvertedPicture {
  const given = withoutDoctype(decode(file))
  // The parser would add what is missing.
  if (!/<\/svg\s*>\s*(<!--[^>]*-->\s*)*$/.test(given)) throw damaged()
  const { size, text } = cleanUntilClean(given)
  const drawn = countDrawn(text)
  if (!size || drawn === undefined) throw damaged()
  // Also refuses NaN.
  if (!(drawn <= DRAWN_MAX))
    throw refusePicture(
      message`The SVG draws more than a million shapes, with all that its patterns, masks, markers and filters repeat. Save the plan as a PNG.`,
    )
  return { ...size, data: Buffer.from(text) }
}

type Cleaned = { size: PictureSize | undefined; text: string }

/** Removing something may join its surroundings into something forbidden, so cleaning repeats until it changes nothing. */
function cleanUntilClean(given: string): Cleaned {
  let cleaned = clean(given)
  for (let rounds = 1; rounds < ROUNDS_MAX; rounds++) {
    const again = clean(cleaned.text)
    if (again.text === cleaned.text) return cleaned
    cleaned = again
  }
  throw damaged()
}

function clean(given: string): Cleaned {
  let size: PictureSize | undefined
  const text = sanitizeHtml(given, {
    allowedTags: [...ELEMENTS, STYLE],
    allowedAttributes: false,
    // Ours are stricter.
    allowedSchemesAppliedToAttributes: [],
    nonTextTags: WITHOUT_TEXT,
    nestingLimit: NESTED_MAX,
    parser: { xmlMode: true },
    parseStyleAttributes: false,
    transformTags: {
      '*': (name, own) => {
        const attributes = Object.fromEntries(Object.entries(own).filter(isHarmless))
        if (name === 'style') return { tagName: STYLE, attribs: {} }
        if (name !== 'svg' || size) return { tagName: name, attribs: attributes }
        size = sizeOf(attributes)
        return { tagName: name, attribs: { ...NAMESPACES, ...attributes, ...withSize(attributes, size) } }
      },
    },
    textFilter: (text, name) => (name === 'style' ? withoutOutside(text) : text),
  })
  return { size, text: text.trim().replaceAll(`<${STYLE}>`, '<style>').replaceAll(`</${STYLE}>`, '</style>') }
}

const damaged = () => refusePicture(message`The SVG is damaged and cannot be read.`)

function decode(file: Buffer): string {
  const declared = /^<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)["']/.exec(file.toString('latin1', 0, 200))?.[1]
  const isWide = (file[0] === 0xff && file[1] === 0xfe) || (file[0] === 0xfe && file[1] === 0xff)
  const wide = file[0] === 0xff ? 'utf-16le' : 'utf-16be'
  try {
    return new TextDecoder(isWide ? wide : (declared ?? 'utf-8'), { fatal: true }).decode(file)
  } catch {
    throw damaged()
  }
}

// Drawing programs declare entities there only for namespaces, which are removed too.
const withoutDoctype = (text: string): string => text.replace(/<!DOCTYPE[^[>]*(\[[\s\S]*?\]\s*)?>/, '')

const NAME = /^[a-z][a-z\d-]*$/i
const HREF = /^(xlink:)?href$/

function isHarmless([name, value]: [string, string]): boolean {
  if (value === '') return false
  if (HREF.test(name)) return /^(#|data:image\/(png|jpeg|webp|gif);base64,)/.test(value)
  const isKnown = (NAME.test(name) && !/^(on|xmlns)/i.test(name)) || name === 'xml:space'
  return isKnown && withoutOutside(value) === value
}

/**
 * Removes everything from CSS that could load something or hide it behind an escape. Also removes shapes from
 * elsewhere in the drawing (`context-fill`, paths in styles), because they are not counted.
 */
function withoutOutside(css: string): string {
  if (css.includes('\\')) return ''
  const without = css
    .replace(/@import[^;]*(;|$)/gi, ' ')
    .replace(/(url|src|image-set|path)\(\s*(?!\s*(["']|&quot;)?\s*#)[^)]*\)?/gi, 'none')
    .replace(/context-(fill|stroke)/gi, 'none')
  return without === css ? css : withoutOutside(without)
}

const PIXELS: Record<string, number> = { px: 1, pt: 4 / 3, pc: 16, mm: 96 / 25.4, cm: 96 / 2.54, in: 96 }

function lengthOf(value = ''): number {
  const [, number, unit = 'px'] = /^\s*([\d.e+]+)\s*([a-z]+)?\s*$/i.exec(value) ?? []
  return Number(number) * (PIXELS[unit] ?? Number.NaN)
}

const isSize = ({ width, height }: PictureSize) => width > 0 && height > 0

function boxOf({ viewBox = '' }: Record<string, string>): PictureSize {
  const [, , width = 0, height = 0, ...more] = viewBox
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  return more.length > 0 ? { width: 0, height: 0 } : { width, height }
}

const ownSize = ({ width, height }: Record<string, string>) => ({
  width: lengthOf(width),
  height: lengthOf(height),
})

function sizeOf(attributes: Record<string, string>): PictureSize {
  const size = [ownSize(attributes), boxOf(attributes)].find(isSize)
  if (size) return fitSize(size)
  throw refusePicture(
    message`The SVG does not say how large it is: it needs a viewBox, or a width and a height.`,
  )
}

/** Browsers need both: the size for its proportions, and the viewBox to stretch it. */
function withSize(
  attributes: Record<string, string>,
  { width, height }: PictureSize,
): Record<string, string> {
  const own = ownSize(attributes)
  const { viewBox = '' } = attributes
  const box = isSize(boxOf(attributes)) ? viewBox : `0 0 ${own.width} ${own.height}`
  return { viewBox: box, width: String(width), height: String(height) }
}
