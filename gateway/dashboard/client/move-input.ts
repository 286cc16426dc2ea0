// Moves cells of a floor plan: by dragging with any pointer, and with the keyboard. A selected cell moves
// together with the other selected ones.
import { ARROWS, debounce, isShortcut, type Point } from './dom.ts'
import { watchDrags } from './drags.ts'
import { type Cell, MIDDLE, type Move } from './floor-plan.ts'
import { move, type Steps } from './move-save.ts'

const STEP = 0.01
const FINE_STEP = 0.002
const KEYS_DEBOUNCE_MS = 500

type Carried = { cell: Cell; start: Point }
/** `together`: the cells that move with this one. */
type Mover = { steps: Steps; together(cell: Cell): Cell[] }

export function watchPointer(cell: Cell, { steps, together }: Mover) {
  const { element, floorPlan } = cell
  let carried: Carried[] = []
  watchDrags(element, (start) => {
    steps.settle()
    const from = floorPlan.pointOf(start)
    carried = together(cell).map((each) => ({ cell: each, start: each.point }))
    const carry = (event: PointerEvent) => {
      const { x, y } = floorPlan.pointOf(event)
      return carryTo(cell, carried, { x: x - from.x, y: y - from.y })
    }
    return {
      move(event) {
        for (const { cell: each, to, point } of carry(event)) {
          each.element.classList.add('dragged')
          each.drawAt(to ? floorPlan.pointAt(to) : point)
        }
      },
      drop: (event) => move(carry(event), steps),
      end() {
        for (const { cell: each } of carried) {
          each.element.classList.remove('dragged')
          each.show(each.shown)
        }
        carried = []
      },
    }
  })
  // Keeps a finger from scrolling the page. Browsers ignore touch-action inside an SVG.
  const keepStill = (event: TouchEvent) => carried.length > 0 && event.preventDefault()
  element.addEventListener('touchmove', keepStill, { passive: false })
}

/**
 * The dragged cell snaps to the grid, and the others move by the same distance. Below the floor plan all of
 * them are removed from it.
 */
function carryTo(held: Cell, carried: Carried[], by: Point): Array<Move & { point: Point }> {
  const { floorPlan } = held
  const start = carried.find(({ cell }) => cell === held)?.start ?? held.point
  const target = floorPlan.snappedAt(sum(start, by))
  const snapped = target && floorPlan.pointAt(target)
  const offset = snapped ? { x: snapped.x - start.x, y: snapped.y - start.y } : by
  const standing = carried.flatMap(({ cell }) => cell.shown ?? [])
  const share = { x: offset.x / floorPlan.width, y: offset.y / floorPlan.height }
  const limited = target && standing.length > 0 ? floorPlan.pointAt(floorPlan.limit(standing, share)) : offset
  return carried.map(({ cell, start: from }) => {
    const point = sum(from, limited)
    return { cell, point, to: target && floorPlan.shareAt(point) }
  })
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
    each.shown ? [{ cell: each, to: floorPlan.inside(sum(each.shown, limited)) }] : [],
  )
}
