// The handles beside the selection on a floor plan. Dragging one handle creates a row: it places bookables
// that are not on the floor plan yet along the drag. Another handle, at the corner, resizes a single cell. The editor loads
// this script with the first selection.
import '../every-script.ts'
import {
  ARROW_DIRECTIONS,
  clamp,
  createSvg,
  debounce,
  hasShortcutModifier,
  type Point,
  setAttributes,
} from '../shared/dom.ts'
import { watchDrags } from '../shared/drags.ts'
import { t } from '../shared/translate.ts'
import type { Cell, CellMove, FloorPlan } from './floor-plan.ts'
import type { isFree, PlacedCell } from './move-input.ts'
import type { MoveSteps } from './move-save.ts'
import type { Selection } from './select-cells.ts'

type HandleParts = {
  floorPlan: FloorPlan
  selection: Selection
  steps: MoveSteps
  gap: HTMLInputElement
  move(moves: CellMove[]): void
  // Is passed and not imported, because the build could not name a file that only this script shares with the editor.
  isFree: typeof isFree
}
type Announce = (sentence: string) => void

const HANDLE_PX = 11
const NEW_CELLS_MAX = 200
// The angle within which rows snap to a horizontal or vertical line.
const SNAP_ANGLE = 0.2
// The share of the way to the next position that a drag must cover to place a cell there.
const REACHED_SHARE = 0.6

/** Watches both handles. Returns a function that shows them beside the current selection. */
export function watchHandles(parts: HandleParts, say: Announce) {
  const [refreshRowHandle, refreshSizeHandle] = [watchRowHandle(parts, say), watchCellSize(parts)]
  return () => {
    refreshRowHandle()
    refreshSizeHandle()
  }
}

/** Watches the handle for rows. Returns a function that shows the handle beside the current selection. */
function watchRowHandle(parts: HandleParts, say: Announce) {
  const { floorPlan, selection } = parts
  const handle = createHandle()
  const preview = createSvg('g')
  preview.classList.add('preview')
  floorPlan.element.append(preview, handle)
  const refresh = () => {
    const source = listSelectedOnPlan(selection)
    const isShown = source.length > 0 && selection.cells.some(({ shown }) => !shown)
    handle.toggleAttribute('hidden', !isShown)
    if (!isShown) return
    const size = HANDLE_PX / (floorPlan.element.getScreenCTM()?.a || 1)
    const { right, y } = computeBounds(source)
    const x = Math.min(right + size * 1.5, floorPlan.width - size)
    handle.setAttribute('transform', `translate(${x} ${y}) scale(${size})`)
  }
  watchDrags(handle, (start) => {
    start.preventDefault()
    start.stopPropagation()
    const source = listSelectedOnPlan(selection)
    const from = floorPlan.pointOf(start)
    const plan = (event: PointerEvent) => {
      const { x, y } = floorPlan.pointOf(event)
      return planRow(parts, source, { x: x - from.x, y: y - from.y }, event.altKey)
    }
    return {
      move: (event) => preview.replaceChildren(...plan(event).map((each) => createOutline(floorPlan, each))),
      drop(event) {
        const moves = plan(event)
        if (moves.length === 0) return say(t`Drag further to place more.`)
        parts.move(moves)
        selection.set([...source, ...moves.map(({ cell }) => cell)])
      },
      end: () => preview.replaceChildren(),
    }
  })
  handle.addEventListener('click', (event) => event.stopPropagation())
  refresh()
  return refresh
}

/** Watches the handle that resizes a cell while the opposite corner stays. Returns a function that shows the
 * handle at the corner of a single selected cell. */
function watchCellSize({ floorPlan, selection, steps }: HandleParts) {
  const handle = createSvg('g')
  const circle = createSvg('circle')
  handle.append(circle)
  handle.classList.add('shape-handle')
  setAttributes(handle, { tabindex: 0, role: 'button', 'data-cell-size': '' })
  floorPlan.element.append(handle)
  const { later } = debounce(KEYS_DEBOUNCE_MS, steps.settle)
  const only = () => {
    const [cell, ...others] = selection.all()
    return cell?.shown && others.length === 0 ? cell : undefined
  }
  const refresh = () => {
    const cell = only()
    handle.toggleAttribute('hidden', !cell)
    if (!cell) return
    // The handle comes after the cell in the page, so that Tab moves the focus from the cell to its handle.
    if (cell.element.nextElementSibling !== handle) cell.element.after(handle)
    const corner = rotatePoint(cell.halfUpright, cell.rotation)
    const { x, y } = cell.point
    setAttributes(handle, { 'aria-label': t`Size of ${cell.name}` })
    const r = (HANDLE_PX * 0.8) / (floorPlan.element.getScreenCTM()?.a || 1)
    setAttributes(circle, { cx: x + corner.x, cy: y + corner.y, r })
  }
  const resize = (cell: Cell, from: CellOutline, by: Point) => {
    const local = rotatePoint(by, -cell.rotation)
    const [width, height] = [growSide(from.half.x, local.x), growSide(from.half.y, local.y)]
    const shift = rotatePoint({ x: width / 2 - from.half.x, y: height / 2 - from.half.y }, cell.rotation)
    const size = { width: width / floorPlan.width, height: height / floorPlan.height }
    cell.show({
      x: roundShare((from.point.x + shift.x) / floorPlan.width),
      y: roundShare((from.point.y + shift.y) / floorPlan.height),
      size: { width: roundShare(size.width), height: roundShare(size.height) },
    })
    refresh()
  }
  const begin = (cell: Cell): CellOutline => {
    // Sets the default size explicitly first, so that undoing the cell's first change has a size to return
    // to.
    if (!cell.size && cell.shown) {
      cell.show({ ...cell.shown, size: { width: 0, height: 0 } })
      cell.settled = cell.shown
    }
    return { point: cell.point, half: cell.halfUpright }
  }
  watchDrags(handle, (start) => {
    const cell = only()
    if (!cell) return undefined
    start.preventDefault()
    start.stopPropagation()
    steps.settle()
    const [outlined, from] = [begin(cell), floorPlan.pointOf(start)]
    return {
      move(event) {
        const { x, y } = floorPlan.pointOf(event)
        resize(cell, outlined, { x: x - from.x, y: y - from.y })
      },
      end: steps.settle,
    }
  })
  handle.addEventListener('click', (event) => event.stopPropagation())
  handle.addEventListener('keydown', (event) => {
    const [cell, direction] = [only(), ARROW_DIRECTIONS[event.key]]
    if (!cell || !direction || hasShortcutModifier(event)) return
    event.preventDefault()
    const step = (event.shiftKey ? 0.002 : 0.01) * floorPlan.width
    resize(cell, begin(cell), rotatePoint({ x: direction[0] * step, y: direction[1] * step }, cell.rotation))
    later()
  })
  refresh()
  return refresh
}

type CellOutline = { point: Point; half: Point }

const SIDE_MIN = 12
const KEYS_DEBOUNCE_MS = 500

const growSide = (half: number, by: number) => Math.max(2 * half + by, SIDE_MIN)
const roundShare = (share: number) => Math.round(clamp(share, 0, 1) * 100_000) / 100_000

function rotatePoint({ x, y }: Point, rotation: number): Point {
  const angle = (rotation * Math.PI) / 180
  return { x: x * Math.cos(angle) - y * Math.sin(angle), y: x * Math.sin(angle) + y * Math.cos(angle) }
}

/** Returns the selected cells on the floor plan, row by row from the top left. */
const listSelectedOnPlan = (selection: Selection): Cell[] =>
  selection
    .all()
    .filter(({ shown }) => shown)
    .sort(({ point: one }, { point: other }) => one.y - other.y || one.x - other.x)

function computeBounds(cells: Cell[]) {
  const right = Math.max(...cells.map(({ point, half }) => point.x + half.x))
  const left = Math.min(...cells.map(({ point, half }) => point.x - half.x))
  const bottom = Math.max(...cells.map(({ point, half }) => point.y + half.y))
  const top = Math.min(...cells.map(({ point, half }) => point.y - half.y))
  return { right, y: (top + bottom) / 2, width: right - left, height: bottom - top }
}

/** Places the waiting cells after the selected cells in the direction of the drag, in the order of the list. */
function planRow(
  { floorPlan, selection, gap, isFree }: HandleParts,
  source: Cell[],
  by: Point,
  anywhere: boolean,
): CellMove[] {
  const direction = computeDirection(by, floorPlan.snaps)
  const spacing = computeSpacing(source, direction, Number(gap.value) / 100)
  const copies = Math.floor(Math.hypot(by.x, by.y) / spacing + 1 - REACHED_SHARE)
  const waiting = selection.cells.filter(({ shown }) => !shown)
  const others: PlacedCell[] = selection.cells
    .filter(({ shown }) => shown)
    .map((cell) => ({ cell, point: cell.point }))
  const moves: CellMove[] = []
  for (let copy = 1; copy <= Math.min(copies, NEW_CELLS_MAX); copy++)
    for (const like of source) {
      const { point, rotation } = like
      const cell = waiting[moves.length]
      const at = { x: point.x + direction.x * spacing * copy, y: point.y + direction.y * spacing * copy }
      if (!cell) return moves
      const isPlace =
        floorPlan.contains(at, rotation) && (anywhere || isFree({ cell: like, point: at }, others))
      if (!isPlace) continue
      const share = floorPlan.shareAt(at, rotation)
      if (share) moves.push({ cell, to: { ...share, rotation } })
    }
  return moves
}

function computeDirection({ x, y }: Point, snaps: boolean): Point {
  const length = Math.hypot(x, y) || 1
  const [across, down] = [x / length, y / length]
  if (snaps && Math.abs(down) < SNAP_ANGLE) return { x: Math.sign(across), y: 0 }
  if (snaps && Math.abs(across) < SNAP_ANGLE) return { x: 0, y: Math.sign(down) }
  return { x: across, y: down }
}

/** Returns the distance to the next cell of the row: the distance of the last two selected cells in this
 * direction, or else the cell's size plus the gap in the form. */
function computeSpacing(source: Cell[], { x, y }: Point, gap: number): number {
  const along = [...new Set(source.map(({ point }) => Math.round(point.x * x + point.y * y)))].sort(
    (one, other) => one - other,
  )
  const [last, before] = [along.at(-1) ?? 0, along.at(-2)]
  if (before !== undefined) return last - (along[0] ?? 0) + (last - before)
  const { width, height } = computeBounds(source)
  const space = gap * Math.min(...source.map(({ half }) => 2 * Math.max(half.x, half.y)))
  const sides = [
    [width, Math.abs(x)],
    [height, Math.abs(y)],
  ].filter(([, share = 0]) => share > 0.001)
  return Math.min(...sides.map(([side = 0, share = 1]) => (side + space) / share))
}

function createHandle(): SVGGElement {
  const handle = createSvg('g')
  handle.classList.add('row-out')
  const [title, circle, arrow] = [createSvg('title'), createSvg('circle'), createSvg('path')]
  title.textContent = t`Drag to place a row of what is not on the floor plan yet`
  setAttributes(circle, { r: 1 })
  setAttributes(arrow, { d: 'M-.5 0H.5M.1-.4.5 0 .1.4' })
  handle.append(title, circle, arrow)
  return handle
}

function createOutline(floorPlan: FloorPlan, { cell, to }: CellMove): SVGRectElement {
  const { x, y } = floorPlan.pointAt(to ?? { x: 0, y: 0 })
  const { half } = cell
  const isTurned = (to?.rotation ?? 0) % 180 === 90
  const [across, down] = isTurned ? [half.y, half.x] : [half.x, half.y]
  const drawn = createSvg('rect')
  setAttributes(drawn, { x: x - across, y: y - down, width: 2 * across, height: 2 * down })
  return drawn
}
