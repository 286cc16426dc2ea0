// Where cells come to stand: in line with their neighbours, beside them, and on none of them.
import type { Point } from './dom.ts'
import type { Cell } from './floor-plan.ts'

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
