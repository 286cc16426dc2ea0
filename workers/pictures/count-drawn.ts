// Counts the shapes that a browser draws for an SVG. A browser draws an element once for each reference to it, so a few
// lines can mean billions of shapes. If an exact count is not possible, the count is too high.
import { SaxesParser } from 'saxes'
import { findReferences, type Reference, readRules } from './svg-references.ts'

type SvgShape = {
  name: string
  attributes: Record<string, string>
  references: Reference[]
  children: SvgShape[]
  parent: SvgShape | undefined
  drawn?: DrawCount
}
/** `vertices` is the number of points at which a browser may draw markers. */
type DrawCount = { shapes: number; vertices: number }

const INFINITE_COUNT: DrawCount = { shapes: Number.POSITIVE_INFINITY, vertices: Number.POSITIVE_INFINITY }
// The limit on the depth of references. Longer chains are refused like circular ones, because they would exhaust the
// stack, here and in browsers.
const DEPTH_MAX = 500

// The cost of drawing each of these elements or effects, as a number of plain shapes. Measured in Chromium
// with shapes that fill the picture.
const DRAWING_COSTS = { mask: 20, pattern: 20, filterStep: 200 }
/** The elements that browsers draw only where something refers to them. */
const ELEMENTS_DRAWN_ON_REFERENCE = new Set([
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
/** The properties that children do not inherit, so that they apply once to the whole element. */
const NOT_INHERITED_PROPERTIES = new Set(['mask', 'clip-path', 'filter'])
const LINK_ATTRIBUTES = new Set(['href', 'xlink:href'])

/** Counts the shapes that a browser draws. Returns undefined if the SVG is not well-formed. */
export function countDrawnShapes(svg: string): number | undefined {
  const read = readShapes(svg)
  if (!read) return undefined
  const { root, shapes, styles } = read
  addReferencesOfRules(shapes, styles)
  const byId = new Map<string, SvgShape[]>()
  for (const shape of shapes) {
    const { id } = shape.attributes
    // If several elements have the same id, browsers use the first one. Here all of them count.
    if (!id) continue
    const others = byId.get(id)
    if (others) others.push(shape)
    else byId.set(id, [shape])
  }
  return countShapes(root, { byId, inheritsAll: /\binherit\b/i.test(svg) }, 0).shapes
}

function readShapes(svg: string): { root: SvgShape; shapes: SvgShape[]; styles: string } | undefined {
  const shapes: SvgShape[] = []
  const open: SvgShape[] = []
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
    const shape: SvgShape = { name, attributes, references, children: [], parent }
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

function addReferencesOfRules(shapes: SvgShape[], styles: string): void {
  const rules = readRules(styles)
  if (rules.size === 0) return
  for (const shape of shapes) {
    const classes = (shape.attributes.class ?? '').split(/\s+/).map((each) => `.${each}`)
    const keys = new Set(['*', shape.name, `#${shape.attributes.id}`, ...classes])
    const found = [...keys].flatMap((key) => rules.get(key) ?? [])
    // Browsers ignore a reference from within the element that it refers to. Such references are common here, because
    // selectors are not matched exactly.
    shape.references.push(...found.filter(({ ids }) => !isWithinElement(shape, ids)))
  }
}

function isWithinElement(shape: SvgShape, ids: string[]): boolean {
  for (let each: SvgShape | undefined = shape; each; each = each.parent)
    if (each.attributes.id !== undefined && ids.includes(each.attributes.id)) return true
  return false
}

type SvgPicture = { byId: Map<string, SvgShape[]>; inheritsAll: boolean }

function countShapes(shape: SvgShape, picture: SvgPicture, depth: number): DrawCount {
  if (shape.drawn !== undefined) return shape.drawn
  if (depth > DEPTH_MAX) return INFINITE_COUNT
  // Until a shape is counted, its count is infinite, so that a shape that refers to itself has an infinite
  // count.
  shape.drawn = INFINITE_COUNT
  const referred = shape.references.map(({ property, ids }) => ({
    property,
    drawn: addCounts(
      ids.flatMap((id) => picture.byId.get(id) ?? []).map((each) => countShapes(each, picture, depth + 1)),
    ),
  }))
  const inside = addCounts([
    { shapes: getDrawingCost(shape.name), vertices: countVertices(shape.attributes) },
    ...shape.children
      .filter(({ name }) => !ELEMENTS_DRAWN_ON_REFERENCE.has(name))
      .map((each) => countShapes(each, picture, depth + 1)),
    ...referred.filter(({ property }) => LINK_ATTRIBUTES.has(property)).map(({ drawn }) => drawn),
  ])
  const others = referred.filter(({ property }) => !LINK_ATTRIBUTES.has(property))
  const shapes = others.reduce(
    (all, { property, drawn }) => all + drawn.shapes * countUses(property, inside, picture),
    inside.shapes,
  )
  shape.drawn = { shapes, vertices: inside.vertices }
  return shape.drawn
}

/** Returns how many times a browser draws what a property of an element refers to. */
function countUses(property: string, { shapes, vertices }: DrawCount, { inheritsAll }: SvgPicture): number {
  if (property.startsWith('marker')) return Math.max(1, vertices)
  // All elements inside may use a variable in several properties.
  if (property.startsWith('--')) return 4 * shapes + 3 * vertices
  return NOT_INHERITED_PROPERTIES.has(property) && !inheritsAll ? 1 : shapes
}

function getDrawingCost(name: string): number {
  if (name === 'mask') return DRAWING_COSTS.mask
  if (name === 'pattern') return DRAWING_COSTS.pattern
  return name.startsWith('fe') ? DRAWING_COSTS.filterStep : 1
}

// Returns an upper limit on the vertices of a shape. Every shape except a line has fewer vertices than numbers.
function countVertices({ d = '', points = '' }: Record<string, string>): number {
  return 2 + (`${d} ${points}`.match(/\d+/g)?.length ?? 0)
}

const addCounts = (all: DrawCount[]): DrawCount => ({
  shapes: all.reduce((total, { shapes }) => total + shapes, 0),
  vertices: all.reduce((total, { vertices }) => total + vertices, 0),
})
