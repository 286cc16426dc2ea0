// Counts what a browser draws of an SVG: what others refer to is drawn once for each of them, so a few lines can mean
// billions of shapes. A count that cannot be exact is too high.
import { SaxesParser } from 'saxes'
import { findReferences, type Reference, readRules } from './svg-references.ts'

type Shape = {
  name: string
  attributes: Record<string, string>
  references: Reference[]
  children: Shape[]
  parent: Shape | undefined
  drawn?: Drawn
}
/** `vertices` are the places where markers may be drawn. */
type Drawn = { shapes: number; vertices: number }

const ENDLESS: Drawn = { shapes: Number.POSITIVE_INFINITY, vertices: Number.POSITIVE_INFINITY }
// Deeper chains of references are refused like endless ones: they would exhaust the stack, here and in browsers.
const DEPTH_MAX = 500

// How many plain shapes take as long to draw, measured in Chromium with shapes that fill the picture.
const COSTS = { mask: 20, pattern: 20, filterStep: 200 }
/** Elements that are drawn only where something refers to them. */
const ONLY_REFERRED = new Set([
  'defs',
  'symbol',
  'pattern',
  'mask',
  'clipPath',
  'marker',
  'filter',
  'linearGradient',
  'radialGradient',
])
/** Children do not inherit these properties, so they apply once to the whole element. */
const NOT_INHERITED = new Set(['mask', 'clip-path', 'filter'])
const LINKS = new Set(['href', 'xlink:href'])

/** Undefined if it is no well-formed SVG. */
export function countDrawn(svg: string): number | undefined {
  const read = readShapes(svg)
  if (!read) return undefined
  const { root, shapes, styles } = read
  addReferencesOfRules(shapes, styles)
  const byId = new Map<string, Shape[]>()
  for (const shape of shapes) {
    const { id } = shape.attributes
    // Browsers take the first of several with one id; all of them count here.
    if (!id) continue
    const others = byId.get(id)
    if (others) others.push(shape)
    else byId.set(id, [shape])
  }
  return count(root, { byId, inheritsAll: /\binherit\b/i.test(svg) }, 0).shapes
}

function readShapes(svg: string): { root: Shape; shapes: Shape[]; styles: string } | undefined {
  const shapes: Shape[] = []
  const open: Shape[] = []
  let styles = ''
  const parser = new SaxesParser({ position: false, xmlns: false })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length === 0 && name !== 'svg') throw new Error('Another root')
    const parent = open.at(-1)
    const references = Object.entries(attributes).flatMap(([property, value]) =>
      findReferences(property, value),
    )
    const shape: Shape = { name, attributes, references, children: [], parent }
    parent?.children.push(shape)
    shapes.push(shape)
    open.push(shape)
  })
  parser.on('closetag', () => open.pop())
  const readStyle = (text: string) => {
    if (open.at(-1)?.name === 'style') styles += text
  }
  parser.on('text', readStyle)
  parser.on('cdata', readStyle)
  try {
    parser.write(svg).close()
  } catch {
    return undefined
  }
  const [root] = shapes
  return root && { root, shapes, styles }
}

function addReferencesOfRules(shapes: Shape[], styles: string): void {
  const rules = readRules(styles)
  if (rules.size === 0) return
  for (const shape of shapes) {
    const classes = (shape.attributes.class ?? '').split(/\s+/).map((each) => `.${each}`)
    const keys = new Set(['*', shape.name, `#${shape.attributes.id}`, ...classes])
    const found = [...keys].flatMap((key) => rules.get(key) ?? [])
    // Browsers ignore a reference to an element that contains it. Selectors are not read exactly, so this is common.
    shape.references.push(...found.filter(({ ids }) => !isWithin(shape, ids)))
  }
}

function isWithin(shape: Shape, ids: string[]): boolean {
  for (let each: Shape | undefined = shape; each; each = each.parent)
    if (each.attributes.id !== undefined && ids.includes(each.attributes.id)) return true
  return false
}

type Picture = { byId: Map<string, Shape[]>; inheritsAll: boolean }

function count(shape: Shape, picture: Picture, depth: number): Drawn {
  if (shape.drawn !== undefined) return shape.drawn
  if (depth > DEPTH_MAX) return ENDLESS
  // Until it is counted: what refers to itself is never drawn to its end.
  shape.drawn = ENDLESS
  const referred = shape.references.map(({ property, ids }) => ({
    property,
    drawn: sum(
      ids.flatMap((id) => picture.byId.get(id) ?? []).map((each) => count(each, picture, depth + 1)),
    ),
  }))
  const inside = sum([
    { shapes: costOf(shape.name), vertices: countVertices(shape.attributes) },
    ...shape.children
      .filter(({ name }) => !ONLY_REFERRED.has(name))
      .map((each) => count(each, picture, depth + 1)),
    ...referred.filter(({ property }) => LINKS.has(property)).map(({ drawn }) => drawn),
  ])
  const others = referred.filter(({ property }) => !LINKS.has(property))
  const shapes = others.reduce(
    (all, { property, drawn }) => all + drawn.shapes * timesOf(property, inside, picture),
    inside.shapes,
  )
  shape.drawn = { shapes, vertices: inside.vertices }
  return shape.drawn
}

/** How often a property of an element draws what it refers to. */
function timesOf(property: string, { shapes, vertices }: Drawn, { inheritsAll }: Picture): number {
  if (property.startsWith('marker')) return Math.max(1, vertices)
  // A variable may be used by several properties of everything inside.
  if (property.startsWith('--')) return 4 * shapes + 3 * vertices
  return NOT_INHERITED.has(property) && !inheritsAll ? 1 : shapes
}

function costOf(name: string): number {
  if (name === 'mask') return COSTS.mask
  if (name === 'pattern') return COSTS.pattern
  return name.startsWith('fe') ? COSTS.filterStep : 1
}

// Every shape except a line has fewer vertices than numbers.
function countVertices({ d = '', points = '' }: Record<string, string>): number {
  return 2 + (`${d} ${points}`.match(/\d+/g)?.length ?? 0)
}

const sum = (all: Drawn[]): Drawn => ({
  shapes: all.reduce((total, { shapes }) => total + shapes, 0),
  vertices: all.reduce((total, { vertices }) => total + vertices, 0),
})
