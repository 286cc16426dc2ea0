// Makes an SVG harmless with sanitize-html: keeps only elements that draw, nothing that runs code, and nothing from
// other addresses. Pages show an SVG as an image, for which browsers prevent most of that anyway.
import sanitizeHtml from 'sanitize-html'
import { message } from '../../shared/messages/message.ts'
import { countDrawnShapes } from './count-drawn.ts'
import { type ConvertedPicture, createPictureRefusal, fitSize, type PictureSize } from './picture.ts'

const DRAWN_SHAPES_MAX = 1_000_000
const NESTING_DEPTH_MAX = 256
// The limit on rounds of cleaning. Files from drawing programs usually need two rounds.
const CLEANING_ROUNDS_MAX = 10

const ALLOWED_ELEMENTS = [
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
// The elements that are removed with their texts. Texts in other removed elements stay, but browsers never draw them.
const ELEMENTS_REMOVED_WITH_TEXT = ['script', 'foreignObject', 'metadata']
// The name of style elements while the SVG is being sanitized. The library does not escape the content of an element
// with the name `style`.
const SAFE_STYLE_NAME = 'safe-style'

const NAMESPACES = { xmlns: 'http://www.w3.org/2000/svg', 'xmlns:xlink': 'http://www.w3.org/1999/xlink' }

export function sanitizeSvg(file: Buffer): ConvertedPicture {
  const given = removeDoctype(decodeSvg(file))
  // Refuses a truncated file. Otherwise the parser would add the missing closing tags.
  if (!/<\/svg\s*>\s*(<!--[^>]*-->\s*)*$/.test(given)) throw createDamagedRefusal()
  const { size, text } = cleanRepeatedly(given)
  const drawn = countDrawnShapes(text)
  if (!size || drawn === undefined) throw createDamagedRefusal()
  // Negated, because a comparison with NaN is always false.
  if (!(drawn <= DRAWN_SHAPES_MAX))
    throw createPictureRefusal(
      message`The SVG draws more than a million shapes, including those repeated by patterns, masks, markers and filters. Save the plan as a PNG.`,
    )
  return { ...size, data: Buffer.from(text) }
}

type CleanedSvg = { size: PictureSize | undefined; text: string }

/** Cleans the SVG until nothing changes, because removing a piece of text may join the text around it into
 * something forbidden. */
function cleanRepeatedly(given: string): CleanedSvg {
  let cleaned = cleanOnce(given)
  for (let rounds = 1; rounds < CLEANING_ROUNDS_MAX; rounds++) {
    const again = cleanOnce(cleaned.text)
    if (again.text === cleaned.text) return cleaned
    cleaned = again
  }
  throw createDamagedRefusal()
}

function cleanOnce(given: string): CleanedSvg {
  let size: PictureSize | undefined
  const text = sanitizeHtml(given, {
    allowedTags: [...ALLOWED_ELEMENTS, SAFE_STYLE_NAME],
    allowedAttributes: false,
    // The library's check of schemes is turned off, because the checks in this file are stricter.
    allowedSchemesAppliedToAttributes: [],
    nonTextTags: ELEMENTS_REMOVED_WITH_TEXT,
    nestingLimit: NESTING_DEPTH_MAX,
    parser: { xmlMode: true },
    parseStyleAttributes: false,
    transformTags: {
      '*': (name, own) => {
        const attributes = Object.fromEntries(Object.entries(own).filter(isHarmless))
        if (name === 'style') return { tagName: SAFE_STYLE_NAME, attribs: {} }
        if (name !== 'svg' || size) return { tagName: name, attribs: attributes }
        size = findSize(attributes)
        return { tagName: name, attribs: { ...NAMESPACES, ...attributes, ...addSize(attributes, size) } }
      },
    },
    textFilter: (text, name) => (name === 'style' ? removeExternalReferences(text) : text),
  })
  return {
    size,
    text: text
      .trim()
      .replaceAll(`<${SAFE_STYLE_NAME}>`, '<style>')
      .replaceAll(`</${SAFE_STYLE_NAME}>`, '</style>'),
  }
}

const createDamagedRefusal = () => createPictureRefusal(message`The SVG is damaged and cannot be read.`)

function decodeSvg(file: Buffer): string {
  const declared = /^<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)["']/.exec(file.toString('latin1', 0, 200))?.[1]
  const isWide = (file[0] === 0xff && file[1] === 0xfe) || (file[0] === 0xfe && file[1] === 0xff)
  const wide = file[0] === 0xff ? 'utf-16le' : 'utf-16be'
  try {
    return new TextDecoder(isWide ? wide : (declared ?? 'utf-8'), { fatal: true }).decode(file)
  } catch {
    throw createDamagedRefusal()
  }
}

// Removes the DOCTYPE. Drawing programs use it only to declare entities for namespaces, which are removed too.
const removeDoctype = (text: string): string => text.replace(/<!DOCTYPE[^[>]*(\[[\s\S]*?\]\s*)?>/, '')

const NAME_PATTERN = /^[a-z][a-z\d-]*$/i
const HREF_PATTERN = /^(xlink:)?href$/

function isHarmless([name, value]: [string, string]): boolean {
  if (value === '') return false
  if (HREF_PATTERN.test(name)) return /^(#|data:image\/(png|jpeg|webp|gif);base64,)/.test(value)
  const isKnown = (NAME_PATTERN.test(name) && !/^(on|xmlns)/i.test(name)) || name === 'xml:space'
  return isKnown && removeExternalReferences(value) === value
}

/** Removes everything from CSS that could load something, or that could hide such content behind an escape.
 * Also removes references that count-drawn.ts does not count: `context-fill`, and paths in styles. */
function removeExternalReferences(css: string): string {
  if (css.includes('\\')) return ''
  const without = css
    .replace(/@import[^;]*(;|$)/gi, ' ')
    .replace(/(url|src|image-set|path)\(\s*(?!\s*(["']|&quot;)?\s*#)[^)]*\)?/gi, 'none')
    .replace(/context-(fill|stroke)/gi, 'none')
  return without === css ? css : removeExternalReferences(without)
}

const PIXELS_PER_UNIT: Record<string, number> = {
  px: 1,
  pt: 4 / 3,
  pc: 16,
  mm: 96 / 25.4,
  cm: 96 / 2.54,
  in: 96,
}

function parseLength(value = ''): number {
  const [, number, unit = 'px'] = /^\s*([\d.e+]+)\s*([a-z]+)?\s*$/i.exec(value) ?? []
  return Number(number) * (PIXELS_PER_UNIT[unit] ?? Number.NaN)
}

const isPositiveSize = ({ width, height }: PictureSize) => width > 0 && height > 0

function parseViewBox({ viewBox = '' }: Record<string, string>): PictureSize {
  const [, , width = 0, height = 0, ...more] = viewBox
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  return more.length > 0 ? { width: 0, height: 0 } : { width, height }
}

const parseOwnSize = ({ width, height }: Record<string, string>) => ({
  width: parseLength(width),
  height: parseLength(height),
})

function findSize(attributes: Record<string, string>): PictureSize {
  const size = [parseOwnSize(attributes), parseViewBox(attributes)].find(isPositiveSize)
  if (size) return fitSize(size)
  throw createPictureRefusal(
    message`The SVG does not say how large it is: it needs a viewBox, or a width and a height.`,
  )
}

/**
 * Adds the size and the viewBox to an SVG. Browsers need the size for the proportions of the picture, and the viewBox
 * to scale it.
 */
function addSize(attributes: Record<string, string>, { width, height }: PictureSize): Record<string, string> {
  const own = parseOwnSize(attributes)
  const { viewBox = '' } = attributes
  const box = isPositiveSize(parseViewBox(attributes)) ? viewBox : `0 0 ${own.width} ${own.height}`
  return { viewBox: box, width: String(width), height: String(height) }
}
