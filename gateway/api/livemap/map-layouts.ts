// Where everything stands in the picture of a location: on its floor plan, or in a tidy grid.
import type { ImageSize } from '../../../shared/image-size.ts'
import { type Html, html } from '../../http/html.ts'

/** Something with a place on the plan, as a share of its width and height, or with none yet. */
export type Standing = { id: number; x: number | null; y: number | null }

/** The picture of a plan: an address that browsers know, and its size where it is known. */
export type PlanPicture = { address: string; size: ImageSize | undefined }

/** The middle of a bookable's cell. */
export type Point = { x: number; y: number }

export type Frame = {
  width: number
  height: number
  background: Html | undefined
  /** What of the height the plan takes; below it stands what has no place on it. */
  planHeight: number
  place(bookable: Standing): Point
  /** How large cells are drawn: smaller where a plan is crowded. */
  scale: number
}

export const CELL = { width: 132, height: 64 }
export const MARGIN = 32

export const STEP = { x: CELL.width + 16, y: CELL.height + 16 }
const PLAN_WIDTH = 1_200
const COLUMNS_MIN = 3
const SCALE_MIN = 0.3

type Placed = Standing & Point

/** Bookables that have no place on the plan stand in a grid below it. */
export function planFrame({ address, size }: PlanPicture, bookables: Standing[]): Frame {
  const height = Math.round((PLAN_WIDTH * (size?.height ?? 3)) / (size?.width ?? 4))
  const onPlan = ({ x, y }: Placed, scale: number): Point =>
    keepInside({ x: x * PLAN_WIDTH, y: y * height }, { width: PLAN_WIDTH, height }, scale)
  // Cells at the edge are moved in, the less the smaller they are: what fits in the second look fits in the end.
  const placed = bookables.filter(isPlaced)
  const scale = [1, 2].reduce((before) => scaleOf(placed.map((each) => onPlan(each, before))), SCALE_MIN)
  const below = gridFrame(
    bookables.filter((bookable) => !isPlaced(bookable)),
    Math.floor((PLAN_WIDTH - 2 * MARGIN + STEP.x - CELL.width) / STEP.x),
    scale,
  )
  return {
    width: PLAN_WIDTH,
    height: height + below.height,
    planHeight: height,
    background: html`<image href="${address}" width="${PLAN_WIDTH}" height="${height}" preserveAspectRatio="none" opacity="0.75"/>`,
    scale,
    place(bookable) {
      if (isPlaced(bookable)) return onPlan(bookable, scale)
      const point = below.place(bookable)
      return { x: point.x, y: height + point.y }
    },
  }
}

export function gridFrame(bookables: Standing[], columns = columnsFor(bookables), scale = 1): Frame {
  const places = new Map(bookables.map(({ id }, index) => [id, index]))
  const rows = Math.ceil(bookables.length / columns)
  return {
    width: 2 * MARGIN + columns * STEP.x - (STEP.x - CELL.width),
    height: rows === 0 ? 0 : (rows * STEP.y + (STEP.y - CELL.height)) * scale,
    background: undefined,
    planHeight: 0,
    scale,
    place({ id }) {
      const index = places.get(id) ?? 0
      return {
        x: MARGIN + ((index % columns) * STEP.x + CELL.width / 2) * scale,
        y: ((STEP.y - CELL.height) / 2 + Math.floor(index / columns) * STEP.y + CELL.height / 2) * scale,
      }
    },
  }
}

function columnsFor(bookables: Standing[]): number {
  return Math.max(COLUMNS_MIN, Math.ceil(Math.sqrt(bookables.length * 0.8)))
}

function isPlaced(bookable: Standing): bookable is Placed {
  return bookable.x !== null && bookable.y !== null
}

/** Such that no two cells overlap, as long as anything can be read. */
function scaleOf(points: Point[]): number {
  let scale = 1
  for (const [index, one] of points.entries()) {
    for (const other of points.slice(index + 1)) {
      scale = Math.min(
        scale,
        Math.max(Math.abs(one.x - other.x) / STEP.x, Math.abs(one.y - other.y) / STEP.y),
      )
      if (scale <= SCALE_MIN) return SCALE_MIN
    }
  }
  return scale
}

function keepInside(
  { x, y }: Point,
  { width, height }: { width: number; height: number },
  scale: number,
): Point {
  const half = { x: (STEP.x / 2) * scale, y: (STEP.y / 2) * scale }
  return {
    x: Math.min(Math.max(x, half.x), width - half.x),
    y: Math.min(Math.max(y, half.y), height - half.y),
  }
}
