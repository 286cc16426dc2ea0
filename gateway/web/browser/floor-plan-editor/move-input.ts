// Moves cells of a floor plan: by dragging with any pointer, and with the keyboard. A selected cell moves
// together with the other selected ones.
import { ARROWS, createSvg, debounce, isShortcut, type Point, setAttributes } from '../shared/dom.ts'
import { watchDrags } from '../shared/drags.ts'
import { type Cell, MIDDLE, type Move } from './floor-plan.ts'
import { move, type Steps } from './move-save.ts'

const STEP = 0.01
const FINE_STEP = 0.002
const KEYS_DEBOUNCE_MS = 500

type Carried = { cell: Cell; start: Point }
/** `cells`: all on the page; `together`: those that move with this one. */
type Mover = { cells: Cell[]; steps: Steps; together(cell: Cell): Cell[] }

export function watchPointer(cell: Cell, { cells, steps, together }: Mover) {
  const { element, floorPlan } = cell
  let carried: Carried[] = []
  // With Alt, or without snapping, cells may stand anywhere, on each other too.
  const others = (moving: Carried[], { altKey }: PointerEvent): Standing[] | undefined =>
    altKey || !floorPlan.snaps
      ? undefined
      : cells
          .filter((each) => each.shown && moving.every((one) => one.cell !== each))
          .map((each) => ({ cell: each, point: each.point }))
  watchDrags(element, (start) => {
    steps.settle()
    const from = floorPlan.pointOf(start)
    const guides = createSvg('g')
    floorPlan.element.append(guides)
    carried = together(cell).map((each) => ({ cell: each, start: each.point }))
    const carry = (event: PointerEvent) => {
      const { x, y } = floorPlan.pointOf(event)
      return carryTo(cell, carried, { x: x - from.x, y: y - from.y }, others(carried, event))
    }
    return {
      move(event) {
        const moves = carry(event)
        for (const { cell: each, to, point } of moves) {
          each.element.classList.add('dragged')
          each.drawAt(to ? floorPlan.pointAt(to) : point)
        }
        guides.replaceChildren(...guidesOf(cell, others(carried, event) ?? []))
      },
      drop: (event) => move(carry(event), steps),
      end() {
        for (const { cell: each } of carried) {
          each.element.classList.remove('dragged')
          each.show(each.shown)
        }
        carried = []
        guides.remove()
      },
    }
  })
  // Keeps a finger from scrolling the page. Browsers ignore touch-action inside an SVG.
  const keepStill = (event: TouchEvent) => carried.length > 0 && event.preventDefault()
  element.addEventListener('touchmove', keepStill, { passive: false })
}

/**
 * The dragged cell snaps to its neighbours, else to the grid, and the others move by the same distance. They stand on no
 * other cell if there is room beside it. Below the floor plan all of them are removed from it.
 */
function carryTo(
  held: Cell,
  carried: Carried[],
  by: Point,
  others: Standing[] | undefined,
): Array<Move & { point: Point }> {
  const { floorPlan } = held
  const start = carried.find(({ cell }) => cell === held)?.start ?? held.point
  const target = others
    ? snapHeld(held, sum(start, by), others)
    : floorPlan.shareAt(sum(start, by), held.rotation)
  const snapped = target && floorPlan.pointAt(target)
  const offset = snapped ? { x: snapped.x - start.x, y: snapped.y - start.y } : by
  const standing = carried.flatMap(({ cell }) => cell.shown ?? [])
  const share = { x: offset.x / floorPlan.width, y: offset.y / floorPlan.height }
  const limited = target && standing.length > 0 ? floorPlan.pointAt(floorPlan.limit(standing, share)) : offset
  const moving = carried.map(({ cell, start: from }) => ({ cell, point: sum(from, limited) }))
  const isInside = (further: Point) =>
    moving.every(({ cell, point }) => floorPlan.contains(sum(point, further), cell.rotation))
  const clear = target && others ? keepClear(moving, others, isInside) : { x: 0, y: 0 }
  return moving.map(({ cell, point: before }) => {
    const point = sum(before, clear)
    return { cell, point, to: target && floorPlan.shareAt(point, cell.rotation) }
  })
}

/** Undefined below the floor plan. */
function snapHeld(held: Cell, point: Point, others: Standing[]): Point | undefined {
  const { floorPlan, rotation } = held
  const onGrid = floorPlan.snappedAt(point, rotation)
  if (!onGrid) return undefined
  const beside = snapBeside({ cell: held, point }, others)
  const at = { ...floorPlan.pointAt(onGrid), ...beside }
  return floorPlan.shareAt(at, rotation)
}

const sum = (one: Point, other: Point): Point => ({ x: one.x + other.x, y: one.y + other.y })

/** Several keys in a row are one step. */
export function watchKeys(cell: Cell, { steps, together }: Mover, onRemoved: () => void) {
  const { later, cancel } = debounce(KEYS_DEBOUNCE_MS, flush)
  cell.element.addEventListener('keydown', (event) => {
    const moves = movesOf(cell, together(cell), event)
    if (moves.length === 0) return
    event.preventDefault()
    later()
    for (const { cell: each, to } of moves) each.show(to)
    if (cell.shown) return
    flush()
    onRemoved()
  })
  cell.element.addEventListener('blur', flush)
  addEventListener('pagehide', flush)

  function flush() {
    cancel()
    steps.settle()
  }
}

/** The moves that a key causes; none for other keys. */
function movesOf(cell: Cell, together: Cell[], event: KeyboardEvent): Move[] {
  if (isShortcut(event)) return []
  const { key, shiftKey } = event
  const { shown, floorPlan } = cell
  const direction = ARROWS[key]
  if (!shown)
    return direction || key === 'Enter' || key === ' ' ? [{ cell, to: floorPlan.inside(MIDDLE) }] : []
  if (key === 'Delete' || key === 'Backspace') return together.map((each) => ({ cell: each, to: undefined }))
  if (!direction) return []
  // A small step with Shift, else to the next line of the grid.
  const stepOf = (share: number, sign: number) =>
    shiftKey || sign === 0 ? sign * FINE_STEP : floorPlan.snap(share + sign * STEP) - share
  const standing = together.flatMap(({ shown: share }) => share ?? [])
  const by = { x: stepOf(shown.x, direction[0]), y: stepOf(shown.y, direction[1]) }
  const limited = floorPlan.limit(standing, by)
  return together.flatMap((each) =>
    each.shown
      ? [{ cell: each, to: floorPlan.inside({ ...sum(each.shown, limited), rotation: each.rotation }) }]
      : [],
  )
}

// Where cells come to stand: in line with their neighbours, beside them, and on none of them.

/** A cell where it would stand. */
export type Standing = { cell: Cell; point: Point }

// Cells may touch, and positions are rounded.
const TOUCHING = 0.5
const TRIES_MAX = 60
const NEAR_PX = 7

const overlap = (one: Standing, other: Standing): boolean =>
  gap(one, other, 'x') < -TOUCHING && gap(one, other, 'y') < -TOUCHING

const gap = (one: Standing, other: Standing, axis: 'x' | 'y') =>
  Math.abs(one.point[axis] - other.point[axis]) - one.cell.half[axis] - other.cell.half[axis]

export const isFree = (one: Standing, others: Standing[]) => others.every((other) => !overlap(one, other))

/** The coordinates at which a cell is in line with a neighbour or touches it; undefined if none is near. */
export function snapBeside(held: Standing, others: Standing[]): Partial<Point> {
  const perPixel = 1 / (held.cell.floorPlan.element.getScreenCTM()?.a || 1)
  const along = (axis: 'x' | 'y') => {
    const here = held.point[axis]
    const half = held.cell.half[axis]
    let best: number | undefined
    for (const { cell, point } of others) {
      const [beside, inLine] = [cell.half[axis] + half, cell.half[axis] - half]
      for (const by of [0, inLine, -inLine, beside, -beside]) {
        const there = point[axis] + by
        if (Math.abs(there - here) < Math.abs((best ?? here + NEAR_PX * perPixel) - here)) best = there
      }
    }
    return best
  }
  const [x, y] = [along('x'), along('y')]
  return { ...(x !== undefined && { x }), ...(y !== undefined && { y }) }
}

/** The shortest further way on which cells that move together stand on no other; none if that is not found. */
export function keepClear(moving: Standing[], others: Standing[], fits: (by: Point) => boolean): Point {
  const open: Point[] = [{ x: 0, y: 0 }]
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    open.sort((one, other) => Math.hypot(one.x, one.y) - Math.hypot(other.x, other.y))
    const by = open.shift()
    if (!by) break
    const moved = moving.map(({ cell, point }) => ({ cell, point: { x: point.x + by.x, y: point.y + by.y } }))
    const met = findMet(moved, others)
    if (!met) return by
    for (const axis of ['x', 'y'] as const)
      for (const side of [-1, 1]) {
        const clear = met.other.point[axis] + side * (met.one.cell.half[axis] + met.other.cell.half[axis])
        const further = { ...by, [axis]: by[axis] + clear - met.one.point[axis] }
        if (fits(further)) open.push(further)
      }
  }
  return { x: 0, y: 0 }
}

function findMet(moved: Standing[], others: Standing[]) {
  for (const one of moved) {
    const other = others.find((each) => overlap(one, each))
    if (other) return { one, other }
  }
  return undefined
}

/** Lines to the nearest cell with which this one is in line, by its middle or an edge, across and down. */
function guidesOf(cell: Cell, others: Standing[]): SVGLineElement[] {
  const held = { cell, point: cell.point }
  return (['x', 'y'] as const).flatMap((axis) => {
    const other = axis === 'x' ? 'y' : 'x'
    const inLine = others.flatMap((standing) =>
      [-1, 0, 1].flatMap((side) => {
        const at = held.point[axis] + side * cell.half[axis]
        const there = standing.point[axis] + side * standing.cell.half[axis]
        const apart = Math.abs(standing.point[other] - held.point[other])
        return Math.abs(at - there) < TOUCHING ? [{ at, apart, to: standing.point[other] }] : []
      }),
    )
    const [nearest] = inLine.sort((one, next) => one.apart - next.apart)
    if (!nearest) return []
    const line = createSvg('line')
    line.classList.add('guide')
    setAttributes(line, { [`${axis}1`]: nearest.at, [`${axis}2`]: nearest.at })
    setAttributes(line, { [`${other}1`]: held.point[other], [`${other}2`]: nearest.to })
    return [line]
  })
}
