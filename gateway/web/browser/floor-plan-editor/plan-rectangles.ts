// Finds rectangles in an SVG floor plan, such as desks: rectangles, polygons and paths with four corners. A repeated
// symbol or named group without any rectangle counts as one. The SVG is only parsed, never added to the page, because
// it comes from an uploaded file.
import type { Point } from '../shared/dom.ts'

/** A rectangle. All values are shares of the plan's width and height, except for the rotation in degrees. */
export type PlanRectangle = Point & { width: number; height: number; rotation: number }

const ELEMENTS_MAX = 50_000
const DEPTH_MAX = 50
// The limits on the sides of a desk, as shares of the plan's longer side. Larger rectangles are rooms, and smaller ones
// are screens and handles.
const SIDE_MIN = 0.008
const SIDE_MAX = 0.2
const RATIO_MAX = 4
const ELEMENTS_WITHOUT_DRAWING = new Set(['defs', 'symbol', 'clipPath', 'mask', 'pattern', 'marker', 'style'])

type Box = { corners: Point[] }
type Reading = { svg: Document; boxes: Box[]; elements: number }

/** Returns the rectangles in the SVG that may be desks. Returns none if the text is not an SVG. */
export function findPlanRectangles(text: string): PlanRectangle[] {
  const svg = new DOMParser().parseFromString(text, 'image/svg+xml')
  const root = svg.documentElement
  const [left = 0, top = 0, width = 0, height = 0] = readNumbers(root.getAttribute('viewBox'))
  if (root.nodeName !== 'svg' || !(width > 0 && height > 0)) return []
  const reading: Reading = { svg, boxes: [], elements: 0 }
  for (const child of root.children) readElement(child, new DOMMatrix(), reading, 0)
  const found = reading.boxes.flatMap(({ corners }) => toRectangle(corners) ?? [])
  const longest = Math.max(width, height)
  return found
    .filter(({ width: long, height: short }) => {
      const isDeskSized = short >= SIDE_MIN * longest && long <= SIDE_MAX * longest
      return isDeskSized && long <= RATIO_MAX * short
    })
    .map(({ x, y, rotation, ...size }) => ({
      x: (x - left) / width,
      y: (y - top) / height,
      width: size.width / width,
      height: size.height / height,
      rotation,
    }))
    .filter(({ x, y }) => x >= 0 && x <= 1 && y >= 0 && y <= 1)
}

/**
 * Adds the boxes that an element draws. Returns all points that it draws, from which the box around a group is
 * computed.
 */
function readElement(element: Element, outer: DOMMatrix, reading: Reading, depth: number): Point[] {
  if (++reading.elements > ELEMENTS_MAX || depth > DEPTH_MAX) return []
  if (ELEMENTS_WITHOUT_DRAWING.has(element.nodeName)) return []
  const matrix = outer.multiply(readTransform(element))
  const number = (name: string) => Number.parseFloat(element.getAttribute(name) ?? '0') || 0
  const children = (parent: Element, inner: DOMMatrix) =>
    [...parent.children].flatMap((child) => readElement(child, inner, reading, depth + 1))
  if (element.nodeName === 'use') {
    const used = findReferencedElement(element, reading.svg)
    const inner = matrix.translate(number('x'), number('y'))
    if (!used) return []
    return readWithOuterBox(reading, () =>
      used.nodeName === 'symbol'
        ? children(used, inner.multiply(readViewBox(used, number('width'), number('height'))))
        : readElement(used, inner, reading, depth + 1),
    )
  }
  if (element.nodeName === 'g' || element.nodeName === 'svg') {
    const inner =
      element.nodeName === 'svg'
        ? matrix
            .translate(number('x'), number('y'))
            .multiply(readViewBox(element, number('width'), number('height')))
        : matrix
    const read = () => children(element, inner)
    return element.id ? readWithOuterBox(reading, read) : read()
  }
  const own = readPoints(element, number)
  const points = own.map(({ x, y }) => toPoint(new DOMPoint(x, y).matrixTransform(matrix)))
  const corners = own.length > 4 && isSamePoint(own[0], own.at(-1)) ? points.slice(0, -1) : points
  if (corners.length === 4 && element.nodeName !== 'circle') reading.boxes.push({ corners })
  return points
}

/** Reads the content of a group or symbol. If it contains no rectangle, the box around it counts as one. */
function readWithOuterBox(reading: Reading, read: () => Point[]): Point[] {
  const before = reading.boxes.length
  const points = read()
  const hasBox = reading.boxes.slice(before).some(({ corners }) => toRectangle(corners))
  if (hasBox || points.length === 0) return points
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const corner = (x: number, y: number) => ({ x, y })
  reading.boxes.push({
    corners: [corner(left, top), corner(right, top), corner(right, bottom), corner(left, bottom)],
  })
  return points
}

function findReferencedElement(element: Element, svg: Document): Element | null {
  const link = element.getAttribute('href') ?? element.getAttribute('xlink:href') ?? ''
  const used = link.startsWith('#') ? svg.getElementById(link.slice(1)) : null
  return used?.contains(element) ? null : used
}

/** Returns the matrix that scales the viewBox of an element to its displayed size. */
function readViewBox(element: Element, width: number, height: number): DOMMatrix {
  const [left = 0, top = 0, across = 0, down = 0] = readNumbers(element.getAttribute('viewBox'))
  if (!(across > 0 && down > 0 && width > 0 && height > 0)) return new DOMMatrix()
  const scale = Math.min(width / across, height / down)
  return new DOMMatrix()
    .translate((width - across * scale) / 2, (height - down * scale) / 2)
    .scale(scale)
    .translate(-left, -top)
}

function readTransform(element: Element): DOMMatrix {
  const text = element.getAttribute('transform') ?? ''
  return [...text.matchAll(/(\w+)\s*\(([^)]*)\)/g)].reduce((matrix, [, name, list]) => {
    const [a = 0, b, c, d = 0, e = 0, f = 0] = readNumbers(list ?? '')
    if (name === 'matrix') return matrix.multiply(new DOMMatrix([a, b ?? 0, c ?? 0, d, e, f]))
    if (name === 'translate') return matrix.translate(a, b ?? 0)
    if (name === 'scale') return matrix.scale(a, b ?? a)
    if (name === 'rotate')
      return matrix
        .translate(b ?? 0, c ?? 0)
        .rotate(a)
        .translate(-(b ?? 0), -(c ?? 0))
    if (name === 'skewX') return matrix.skewX(a)
    return name === 'skewY' ? matrix.skewY(a) : matrix
  }, new DOMMatrix())
}

function readPoints(element: Element, number: (name: string) => number): Point[] {
  const box = (x: number, y: number, width: number, height: number) => [
    { x, y },
    { x: x + width, y },
    { x: x + width, y: y + height },
    { x, y: y + height },
  ]
  if (element.nodeName === 'rect') return box(number('x'), number('y'), number('width'), number('height'))
  if (element.nodeName === 'circle' || element.nodeName === 'ellipse') {
    const [across, down] = [number('rx') || number('r'), number('ry') || number('r')]
    return box(number('cx') - across, number('cy') - down, 2 * across, 2 * down)
  }
  if (element.nodeName === 'path') return readPath(element.getAttribute('d') ?? '')
  const numbers = readNumbers(element.getAttribute('points'))
  return Array.from({ length: Math.floor(numbers.length / 2) }, (_, index) => ({
    x: numbers[2 * index] ?? 0,
    y: numbers[2 * index + 1] ?? 0,
  }))
}

// The number of values of each path command. The last two values are the point to which the command draws.
const PATH_NUMBERS: Record<string, number> = { M: 2, L: 2, T: 2, H: 1, V: 1, C: 6, S: 4, Q: 4, A: 7 }

function readPath(d: string): Point[] {
  const points: Point[] = []
  let at = { x: 0, y: 0 }
  for (const [, command = '', list = ''] of d.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
    const kind = command.toUpperCase()
    const size = PATH_NUMBERS[kind]
    if (size === undefined) continue
    const from = () => (command === kind ? { x: 0, y: 0 } : at)
    const numbers = readNumbers(list)
    for (let index = 0; index + size <= numbers.length; index += size) {
      const [x = 0, y = 0] = numbers.slice(index + size - Math.min(2, size), index + size)
      if (kind === 'H') at = { x: from().x + x, y: at.y }
      else if (kind === 'V') at = { x: at.x, y: from().y + x }
      else at = { x: from().x + x, y: from().y + y }
      points.push(at)
    }
  }
  return points
}

const readNumbers = (text: string | null): number[] =>
  (text?.match(/[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?/gi) ?? []).map(Number)

const toPoint = ({ x, y }: DOMPoint): Point => ({ x, y })
const isSamePoint = (one?: Point, other?: Point) => one?.x === other?.x && one?.y === other?.y

/** Returns the rectangle with these corners. Its width is the longer side. Returns undefined for other shapes. */
function toRectangle([a, b, c, d]: Point[]): PlanRectangle | undefined {
  if (!a || !b || !c || !d) return undefined
  const [along, across] = [
    { x: b.x - a.x, y: b.y - a.y },
    { x: c.x - b.x, y: c.y - b.y },
  ]
  const [first, second] = [Math.hypot(along.x, along.y), Math.hypot(across.x, across.y)]
  const tolerance = 0.02 * Math.max(first, second)
  const isParallelogram = Math.hypot(a.x - b.x + c.x - d.x, a.y - b.y + c.y - d.y) <= tolerance
  const isRightAngled =
    Math.abs(along.x * across.x + along.y * across.y) <= tolerance * Math.min(first, second)
  if (!isParallelogram || !isRightAngled || first === 0 || second === 0) return undefined
  const [long, short, side] = first >= second ? [first, second, along] : [second, first, across]
  const degrees = Math.round((Math.atan2(side.y, side.x) * 180) / Math.PI)
  return {
    x: (a.x + c.x) / 2,
    y: (a.y + c.y) / 2,
    width: long,
    height: short,
    rotation: (degrees + 360) % 180,
  }
}

/** Groups rectangles of about the same size, with the most frequent size first. Leaves out repeated rectangles. */
export function groupBySize(rectangles: PlanRectangle[]): PlanRectangle[][] {
  const groups: PlanRectangle[][] = []
  const isClose = (one: number, other: number) => Math.abs(one - other) <= 0.08 * Math.max(one, other)
  for (const each of rectangles) {
    const group = groups.find(
      ([first]) => first && isClose(first.width, each.width) && isClose(first.height, each.height),
    )
    if (!group) groups.push([each])
    else if (!group.some(({ x, y }) => Math.hypot(x - each.x, y - each.y) < each.width / 4)) group.push(each)
  }
  return groups.sort((one, other) => other.length - one.length)
}

/** Sorts rectangles in reading order: row by row, and from left to right. A row is as high as a rectangle. */
export function sortForReading(rectangles: PlanRectangle[]): PlanRectangle[] {
  const rows: PlanRectangle[][] = []
  for (const each of [...rectangles].sort((one, other) => one.y - other.y)) {
    const row = rows.at(-1)
    if (row?.[0] && each.y - row[0].y < each.height / 2) row.push(each)
    else rows.push([each])
  }
  return rows.flatMap((row) => row.sort((one, other) => one.x - other.x))
}
