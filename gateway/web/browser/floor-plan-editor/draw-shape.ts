// Draws new areas and walls on a floor plan that is being arranged, and shows all shapes, with handles on the
// selected one.
import { createSvg, type Point, setAttributes } from '../shared/dom.ts'
import { watchDrags } from '../shared/drags.ts'
import { t } from '../shared/translate.ts'
import type { FloorPlan } from './floor-plan.ts'

export type Shape = {
  kind: 'area' | 'wall'
  tone: string
  x1: number
  y1: number
  x2: number
  y2: number
  name: string
}

/** The coordinates that a handle changes: `12` means x1 and y2. */
export type ShapeEnd = '11' | '12' | '21' | '22'

const SHAPE_SIZE_MIN = 0.005
// The angle within which walls snap to a horizontal or vertical line.
const SNAP_ANGLE = 0.12
const SHARE_UNITS = 100_000
const HANDLE_PX = 9
const TEXT_INSET = 8
const LETTER_HEIGHT = 15
const WALL_WIDTH = 6
const WALL_COLOUR = '#3b4552'

type ShapeLook = { index: number; isChosen: boolean }

/** Draws a shape, with the colours of gateway/reads/map/draw-shapes.ts. */
export function drawShape(
  floorPlan: FloorPlan,
  tones: HTMLSelectElement | null | undefined,
  shape: Shape,
  { index, isChosen }: ShapeLook,
): SVGGElement {
  const drawn = createSvg('g')
  const { left, top, right, bottom } = toPoints(floorPlan, shape)
  drawn.classList.add('shape')
  drawn.classList.toggle('chosen', isChosen)
  Object.assign(drawn.dataset, { index, key: `shape ${index}` })
  const label = shape.kind === 'wall' ? t`Wall` : shape.name || t`Room or zone`
  setAttributes(drawn, { tabindex: 0, role: 'button', 'aria-pressed': String(isChosen), 'aria-label': label })
  if (shape.kind === 'wall') {
    const ends = { x1: left, y1: top, x2: right, y2: bottom, 'stroke-linecap': 'round' }
    const [line, wide] = [createSvg('line'), createSvg('line')]
    setAttributes(line, { ...ends, stroke: WALL_COLOUR, 'stroke-width': WALL_WIDTH })
    // A transparent line that is wider than the wall, and so easier to hit.
    setAttributes(wide, { ...ends, stroke: 'transparent', 'stroke-width': 4 * WALL_WIDTH })
    drawn.append(line, wide)
    return drawn
  }
  const option = [...(tones?.options ?? [])].find(({ value }) => value === shape.tone)
  const { fill = '', line: ink = '' } = option?.dataset ?? {}
  const [box, text] = [createSvg('rect'), createSvg('text')]
  const stroke = shape.tone === 'room' ? WALL_WIDTH : 2
  setAttributes(box, {
    x: left,
    y: top,
    width: right - left,
    height: bottom - top,
    fill,
    'fill-opacity': 0.6,
  })
  setAttributes(box, { stroke: ink, 'stroke-width': stroke })
  setAttributes(text, {
    x: left + TEXT_INSET,
    y: top + TEXT_INSET + LETTER_HEIGHT,
    'font-size': LETTER_HEIGHT,
    'font-weight': 600,
    fill: ink,
  })
  text.textContent = shape.name
  drawn.append(box, text)
  return drawn
}

export function createHandles(floorPlan: FloorPlan, shape: Shape): SVGGElement[] {
  const { left, top, right, bottom } = toPoints(floorPlan, shape)
  const size = HANDLE_PX / (floorPlan.element.getScreenCTM()?.a || 1)
  const places: Array<[end: ShapeEnd, x: number, y: number, label: string]> =
    shape.kind === 'wall'
      ? [
          ['11', left, top, t`Beginning of the wall`],
          ['22', right, bottom, t`End of the wall`],
        ]
      : [
          ['11', left, top, t`Top left corner`],
          ['21', right, top, t`Top right corner`],
          ['12', left, bottom, t`Bottom left corner`],
          ['22', right, bottom, t`Bottom right corner`],
        ]
  return places.map(([end, x, y, label]) => {
    const handle = createSvg('g')
    const circle = createSvg('circle')
    handle.classList.add('shape-handle')
    Object.assign(handle.dataset, { end, key: `handle ${end}` })
    setAttributes(handle, { tabindex: 0, role: 'button', 'aria-label': label })
    setAttributes(circle, { cx: x, cy: y, r: size })
    handle.append(circle)
    return handle
  })
}

const toPoints = ({ width, height }: FloorPlan, { x1, y1, x2, y2 }: Shape) => ({
  left: x1 * width,
  top: y1 * height,
  right: x2 * width,
  bottom: y2 * height,
})

/** Draws a shape with the next drag on the floor plan. If the tool was chosen with the keyboard, the shape
 * begins in the middle of the plan. */
export function watchDrawing(page: Element, floorPlan: FloorPlan, add: (shape: Shape) => void) {
  const { element } = floorPlan
  const buttons = [...page.querySelectorAll<HTMLButtonElement>('[data-draw]')]
  const setKind = (kind: string | undefined) => {
    if (kind === undefined) delete element.dataset.drawing
    else element.dataset.drawing = kind
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.draw === kind))
  }
  for (const button of buttons)
    button.addEventListener('click', (event) => {
      const kind = button.dataset.draw
      if (event.detail === 0)
        return add({ ...createShape(kind), x1: 0.4, y1: 0.4, x2: 0.6, y2: kind === 'wall' ? 0.4 : 0.6 })
      setKind(kind === element.dataset.drawing ? undefined : kind)
    })
  addEventListener('keydown', ({ key }) => key === 'Escape' && setKind(undefined))
  const preview = createSvg('g')
  preview.classList.add('preview')
  element.append(preview)
  watchDrags(element, (start) => {
    const kind = element.dataset.drawing
    if (kind === undefined) return undefined
    start.preventDefault()
    const from = toCorner(floorPlan, floorPlan.pointOf(start))
    let drawn: Shape | undefined
    return {
      move(event) {
        drawn = createDrawnShape(floorPlan, kind, from, toCorner(floorPlan, floorPlan.pointOf(event)))
        const { x1, y1, x2, y2 } = drawn
        const line = createSvg(kind === 'wall' ? 'line' : 'rect')
        const [width, height] = [floorPlan.width, floorPlan.height]
        if (kind === 'wall')
          setAttributes(line, { x1: x1 * width, y1: y1 * height, x2: x2 * width, y2: y2 * height })
        else
          setAttributes(line, {
            x: x1 * width,
            y: y1 * height,
            width: (x2 - x1) * width,
            height: (y2 - y1) * height,
          })
        preview.replaceChildren(line)
      },
      drop() {
        if (
          !drawn ||
          (Math.abs(drawn.x2 - drawn.x1) < SHAPE_SIZE_MIN && Math.abs(drawn.y2 - drawn.y1) < SHAPE_SIZE_MIN)
        )
          return
        // After drawing a wall, the user can draw the next one. After drawing an area, the user enters its
        // name.
        if (kind === 'area') setKind(undefined)
        add(drawn)
      },
      end: () => preview.replaceChildren(),
    }
  })
  // Prevents the page from scrolling while a finger draws.
  element.addEventListener(
    'touchmove',
    (event) => element.dataset.drawing !== undefined && event.preventDefault(),
    { passive: false },
  )
}

const createShape = (kind: string | undefined) => ({
  kind: kind === 'wall' ? ('wall' as const) : ('area' as const),
  tone: kind === 'wall' ? 'room' : 'blue',
  name: '',
})

const toCorner = (floorPlan: FloorPlan, { x, y }: Point): Point => ({
  x: roundShare(floorPlan.snap(x / floorPlan.width)),
  y: roundShare(floorPlan.snap(y / floorPlan.height)),
})

function createDrawnShape({ snaps, width, height }: FloorPlan, kind: string, from: Point, to: Point): Shape {
  const shape = { ...createShape(kind), x1: from.x, y1: from.y, x2: to.x, y2: to.y }
  if (kind !== 'wall') return sortCorners(shape)
  const [across, down] = [Math.abs(to.x - from.x) * width, Math.abs(to.y - from.y) * height]
  if (snaps && down < across * SNAP_ANGLE) shape.y2 = from.y
  if (snaps && across < down * SNAP_ANGLE) shape.x2 = from.x
  return shape
}

const sortCorners = (shape: Shape): Shape => ({
  ...shape,
  x1: Math.min(shape.x1, shape.x2),
  y1: Math.min(shape.y1, shape.y2),
  x2: Math.max(shape.x1, shape.x2),
  y2: Math.max(shape.y1, shape.y2),
})

const roundShare = (share: number) => Math.round(Math.min(Math.max(share, 0), 1) * SHARE_UNITS) / SHARE_UNITS

type SnapGrid = { snap(share: number): number }

export function moveShape(grid: SnapGrid, { x1, y1, x2, y2 }: Shape, by: Point): Partial<Shape> {
  const along = (one: number, other: number, way: number) => {
    const [least, most] = [Math.min(one, other), Math.max(one, other)]
    const offset = Math.min(Math.max(grid.snap(one + way) - one, -least), 1 - most)
    return [roundShare(one + offset), roundShare(other + offset)] as const
  }
  const [left, right] = along(x1, x2, by.x)
  const [top, bottom] = along(y1, y2, by.y)
  return { x1: left, y1: top, x2: right, y2: bottom }
}

/** Moves one corner or end of a shape. The corners of an area keep their order. */
export function stretchShape(grid: SnapGrid, shape: Shape, end: ShapeEnd, by: Point): Partial<Shape> {
  const [xName, yName] = [`x${end[0]}`, `y${end[1]}`] as ['x1' | 'x2', 'y1' | 'y2']
  const [x, y] = [roundShare(grid.snap(shape[xName] + by.x)), roundShare(grid.snap(shape[yName] + by.y))]
  if (shape.kind === 'wall') return { [xName]: x, [yName]: y }
  return {
    [xName]: xName === 'x1' ? Math.min(x, shape.x2 - SHAPE_SIZE_MIN) : Math.max(x, shape.x1 + SHAPE_SIZE_MIN),
    [yName]: yName === 'y1' ? Math.min(y, shape.y2 - SHAPE_SIZE_MIN) : Math.max(y, shape.y1 + SHAPE_SIZE_MIN),
  }
}

// Formats shapes for the server (see shared/locations/plan-shapes.ts).
export function formatShapes(shapes: Shape[]): string[] {
  return shapes.map(({ kind, tone, x1, y1, x2, y2, name }) => {
    const corners = [x1, y1, x2, y2].map((share) => Math.round(share * SHARE_UNITS))
    return `${kind} ${tone} ${corners.join(' ')} ${name}`
  })
}

export function parseShape(line: string): Shape {
  const [kind, tone = '', x1, y1, x2, y2, ...words] = line.split(' ')
  const share = (step: string | undefined) => Number(step) / SHARE_UNITS
  const corners = { x1: share(x1), y1: share(y1), x2: share(x2), y2: share(y2) }
  return { kind: kind === 'wall' ? 'wall' : 'area', tone, ...corners, name: words.join(' ') }
}
