// Moves cells of a floor plan: by dragging with any pointer, and with the keyboard. A selected cell moves together with
// the other selected cells.
import {
  ARROW_DIRECTIONS,
  createSvg,
  debounce,
  hasShortcutModifier,
  type Point,
  setAttributes,
} from '../shared/dom.ts'
import { watchDrags } from '../shared/drags.ts'
import { type Cell, type CellMove, FLOOR_PLAN_MIDDLE } from './floor-plan.ts'
import { type MoveSteps, moveCells } from './move-save.ts'

const STEP_SHARE = 0.01
const FINE_STEP_SHARE = 0.002
const KEYS_DEBOUNCE_MS = 500

type DraggedCell = { cell: Cell; start: Point }
/** `cells` contains all cells on the page. `together` returns the cells that move with a given cell. */
type MoveContext = { cells: Cell[]; steps: MoveSteps; together(cell: Cell): Cell[] }

export function watchPointer(cell: Cell, { cells, steps, together }: MoveContext) {
  const { element, floorPlan } = cell
  let carried: DraggedCell[] = []
  // Returns the cells to avoid. With Alt, or if snapping is off, cells may be placed anywhere, even on top of each
  // other.
  const others = (moving: DraggedCell[], { altKey }: PointerEvent): PlacedCell[] | undefined =>
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
      return moveDragged(cell, carried, { x: x - from.x, y: y - from.y }, others(carried, event))
    }
    return {
      move(event) {
        const moves = carry(event)
        for (const { cell: each, to, point } of moves) {
          each.element.classList.add('dragged')
          each.drawAt(to ? floorPlan.pointAt(to) : point)
        }
        guides.replaceChildren(...createGuides(cell, others(carried, event) ?? []))
      },
      drop: (event) => moveCells(carry(event), steps),
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
  // Prevents a finger from scrolling the page. Browsers ignore touch-action inside an SVG.
  const keepStill = (event: TouchEvent) => carried.length > 0 && event.preventDefault()
  element.addEventListener('touchmove', keepStill, { passive: false })
}

/** Moves the dragged cell, which snaps to its neighbours, or else to the grid. The other cells move by the
 * same distance. The moved cells cover no other cells if there is room beside them. If they are dropped below
 * the floor plan, all of them are removed from the plan. */
function moveDragged(
  held: Cell,
  carried: DraggedCell[],
  by: Point,
  others: PlacedCell[] | undefined,
): Array<CellMove & { point: Point }> {
  const { floorPlan } = held
  const start = carried.find(({ cell }) => cell === held)?.start ?? held.point
  const target = others
    ? snapDraggedCell(held, addPoints(start, by), others)
    : floorPlan.shareAt(addPoints(start, by), held.rotation)
  const snapped = target && floorPlan.pointAt(target)
  const offset = snapped ? { x: snapped.x - start.x, y: snapped.y - start.y } : by
  const standing = carried.flatMap(({ cell }) => cell.shown ?? [])
  const share = { x: offset.x / floorPlan.width, y: offset.y / floorPlan.height }
  const limited = target && standing.length > 0 ? floorPlan.pointAt(floorPlan.limit(standing, share)) : offset
  const moving = carried.map(({ cell, start: from }) => ({ cell, point: addPoints(from, limited) }))
  const isInside = (further: Point) =>
    moving.every(({ cell, point }) => floorPlan.contains(addPoints(point, further), cell.rotation))
  const clear = target && others ? findClearDistance(moving, others, isInside) : { x: 0, y: 0 }
  return moving.map(({ cell, point: before }) => {
    const point = addPoints(before, clear)
    return { cell, point, to: target && floorPlan.shareAt(point, cell.rotation) }
  })
}

/** Returns the snapped point. Returns undefined for a point below the floor plan. */
function snapDraggedCell(held: Cell, point: Point, others: PlacedCell[]): Point | undefined {
  const { floorPlan, rotation } = held
  const onGrid = floorPlan.snappedAt(point, rotation)
  if (!onGrid) return undefined
  const beside = snapBeside({ cell: held, point }, others)
  const at = { ...floorPlan.pointAt(onGrid), ...beside }
  return floorPlan.shareAt(at, rotation)
}

const addPoints = (one: Point, other: Point): Point => ({ x: one.x + other.x, y: one.y + other.y })

/** Moves a cell with the keyboard. Several key presses in a row are one step. */
export function watchKeys(cell: Cell, { steps, together }: MoveContext, onRemoved: () => void) {
  const { later, cancel } = debounce(KEYS_DEBOUNCE_MS, flush)
  cell.element.addEventListener('keydown', (event) => {
    const moves = listKeyMoves(cell, together(cell), event)
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

/** Returns the moves that a key causes. Other keys cause none. */
function listKeyMoves(cell: Cell, together: Cell[], event: KeyboardEvent): CellMove[] {
  if (hasShortcutModifier(event)) return []
  const { key, shiftKey } = event
  const { shown, floorPlan } = cell
  const direction = ARROW_DIRECTIONS[key]
  if (!shown)
    return direction || key === 'Enter' || key === ' '
      ? [{ cell, to: floorPlan.inside(FLOOR_PLAN_MIDDLE) }]
      : []
  if (key === 'Delete' || key === 'Backspace') return together.map((each) => ({ cell: each, to: undefined }))
  if (!direction) return []
  // Shift makes the step small. Without Shift, the cell moves to the next line of the grid.
  const stepOf = (share: number, sign: number) =>
    shiftKey || sign === 0 ? sign * FINE_STEP_SHARE : floorPlan.snap(share + sign * STEP_SHARE) - share
  const standing = together.flatMap(({ shown: share }) => share ?? [])
  const by = { x: stepOf(shown.x, direction[0]), y: stepOf(shown.y, direction[1]) }
  const limited = floorPlan.limit(standing, by)
  return together.flatMap((each) =>
    each.shown
      ? [{ cell: each, to: floorPlan.inside({ ...addPoints(each.shown, limited), rotation: each.rotation }) }]
      : [],
  )
}

// Computes where cells are placed: aligned with their neighbours, beside them, and not on top of them.

/** A cell and the point where it would be placed. */
export type PlacedCell = { cell: Cell; point: Point }

// How far cells may overlap and still count as only touching. Some overlap is allowed because positions are
// rounded.
const TOUCHING_OVERLAP_MAX = 0.5
const CLEAR_ATTEMPTS_MAX = 60
const SNAP_DISTANCE_PX = 7

const doOverlap = (one: PlacedCell, other: PlacedCell): boolean =>
  measureGap(one, other, 'x') < -TOUCHING_OVERLAP_MAX && measureGap(one, other, 'y') < -TOUCHING_OVERLAP_MAX

const measureGap = (one: PlacedCell, other: PlacedCell, axis: 'x' | 'y') =>
  Math.abs(one.point[axis] - other.point[axis]) - one.cell.half[axis] - other.cell.half[axis]

export const isFree = (one: PlacedCell, others: PlacedCell[]) =>
  others.every((other) => !doOverlap(one, other))

/** Returns the coordinates at which a cell is aligned with a neighbour or touches it. Returns none if no
 * neighbour is near. */
export function snapBeside(held: PlacedCell, others: PlacedCell[]): Partial<Point> {
  const perPixel = 1 / (held.cell.floorPlan.element.getScreenCTM()?.a || 1)
  const along = (axis: 'x' | 'y') => {
    const here = held.point[axis]
    const half = held.cell.half[axis]
    let best: number | undefined
    for (const { cell, point } of others) {
      const [beside, inLine] = [cell.half[axis] + half, cell.half[axis] - half]
      for (const by of [0, inLine, -inLine, beside, -beside]) {
        const there = point[axis] + by
        if (Math.abs(there - here) < Math.abs((best ?? here + SNAP_DISTANCE_PX * perPixel) - here))
          best = there
      }
    }
    return best
  }
  const [x, y] = [along('x'), along('y')]
  return { ...(x !== undefined && { x }), ...(y !== undefined && { y }) }
}

/** Returns the shortest additional distance after which cells that move together cover no other cell, or no
 * additional distance if that is impossible. */
export function findClearDistance(
  moving: PlacedCell[],
  others: PlacedCell[],
  fits: (by: Point) => boolean,
): Point {
  const open: Point[] = [{ x: 0, y: 0 }]
  for (let tries = 0; tries < CLEAR_ATTEMPTS_MAX; tries++) {
    open.sort((one, other) => Math.hypot(one.x, one.y) - Math.hypot(other.x, other.y))
    const by = open.shift()
    if (!by) break
    const moved = moving.map(({ cell, point }) => ({ cell, point: { x: point.x + by.x, y: point.y + by.y } }))
    const met = findOverlap(moved, others)
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

function findOverlap(moved: PlacedCell[], others: PlacedCell[]) {
  for (const one of moved) {
    const other = others.find((each) => doOverlap(one, each))
    if (other) return { one, other }
  }
  return undefined
}

/** Returns lines to the nearest cells whose middle or edge is aligned with this cell, horizontally and vertically. */
function createGuides(cell: Cell, others: PlacedCell[]): SVGLineElement[] {
  const held = { cell, point: cell.point }
  return (['x', 'y'] as const).flatMap((axis) => {
    const other = axis === 'x' ? 'y' : 'x'
    const inLine = others.flatMap((standing) =>
      [-1, 0, 1].flatMap((side) => {
        const at = held.point[axis] + side * cell.half[axis]
        const there = standing.point[axis] + side * standing.cell.half[axis]
        const apart = Math.abs(standing.point[other] - held.point[other])
        return Math.abs(at - there) < TOUCHING_OVERLAP_MAX ? [{ at, apart, to: standing.point[other] }] : []
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
