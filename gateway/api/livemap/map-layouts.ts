// Computes where each bookable is drawn in the picture of a location: on its floor plan, or in a grid.
import { type Html, html } from '../../http/html.ts'

/** Where a bookable is on the floor plan, as shares of its width and height; null if it has no position. */
export type BookablePosition = { id: number; x: number | null; y: number | null }

export type Point = { x: number; y: number }

export type MapLayout = {
  width: number
  height: number
  background: Html | undefined
  /** How much of the height the floor plan takes; bookables without a position stand below it. */
  floorPlanHeight: number
  pointOf(bookable: BookablePosition): Point
  /** How large cells are drawn: smaller on a crowded floor plan. */
  scale: number
}

export const CELL = { width: 132, height: 64 }
export const MARGIN = 32

export const STEP = { x: CELL.width + 16, y: CELL.height + 16 }
const FLOOR_PLAN_WIDTH = 1_200
const COLUMNS_MIN = 3
const SCALE_MIN = 0.3

type Positioned = BookablePosition & Point

/** Chooses the scale of cells, given the middles of those on the floor plan and the number of all. */
export type ChooseScale = (points: Point[], all: number) => number

/** Bookables without a position stand in a grid below the floor plan. */
export function layOutOnFloorPlan(
  picture: FloorPlanPicture,
  bookables: BookablePosition[],
  chooseScale: ChooseScale = scaleWithoutOverlap,
): MapLayout {
  const height = Math.round((FLOOR_PLAN_WIDTH * picture.height) / picture.width)
  const onFloorPlan = ({ x, y }: Positioned, scale: number): Point =>
    keepInside({ x: x * FLOOR_PLAN_WIDTH, y: y * height }, { width: FLOOR_PLAN_WIDTH, height }, scale)
  // Cells at the edge move inwards, smaller ones by less: what fits in the second pass fits in the end.
  const positioned = bookables.filter(hasPosition)
  const scale = [1, 2].reduce(
    (before) =>
      chooseScale(
        positioned.map((each) => onFloorPlan(each, before)),
        bookables.length,
      ),
    SCALE_MIN,
  )
  const below = layOutInGrid(
    bookables.filter((bookable) => !hasPosition(bookable)),
    Math.floor((FLOOR_PLAN_WIDTH - 2 * MARGIN + STEP.x - CELL.width) / STEP.x),
    scale,
  )
  return {
    width: FLOOR_PLAN_WIDTH,
    height: height + below.height,
    floorPlanHeight: height,
    background: drawFloorPlan(picture, { width: FLOOR_PLAN_WIDTH, height, opacity: 0.75 }),
    scale,
    pointOf(bookable) {
      if (hasPosition(bookable)) return onFloorPlan(bookable, scale)
      const point = below.pointOf(bookable)
      return { x: point.x, y: height + point.y }
    },
  }
}

export function layOutInGrid(
  bookables: BookablePosition[],
  columns = columnsFor(bookables),
  scale = 1,
): MapLayout {
  const indexes = new Map(bookables.map(({ id }, index) => [id, index]))
  const rows = Math.ceil(bookables.length / columns)
  return {
    width: 2 * MARGIN + columns * STEP.x - (STEP.x - CELL.width),
    height: rows === 0 ? 0 : (rows * STEP.y + (STEP.y - CELL.height)) * scale,
    background: undefined,
    floorPlanHeight: 0,
    scale,
    pointOf({ id }) {
      const index = indexes.get(id) ?? 0
      return {
        x: MARGIN + ((index % columns) * STEP.x + CELL.width / 2) * scale,
        y: ((STEP.y - CELL.height) / 2 + Math.floor(index / columns) * STEP.y + CELL.height / 2) * scale,
      }
    },
  }
}

function columnsFor(bookables: BookablePosition[]): number {
  return Math.max(COLUMNS_MIN, Math.ceil(Math.sqrt(bookables.length * 0.8)))
}

function hasPosition(bookable: BookablePosition): bookable is Positioned {
  return bookable.x !== null && bookable.y !== null
}

function scaleWithoutOverlap(points: Point[]): number {
  let scale = 1
  const fromLeft = [...points].sort((one, other) => one.x - other.x)
  for (const [index, one] of fromLeft.entries()) {
    for (let next = index + 1; next < fromLeft.length; next++) {
      const other = fromLeft[next] as Point
      const across = (other.x - one.x) / STEP.x
      // Cells further right are too far away to overlap at the present scale.
      if (across >= scale) break
      scale = Math.min(scale, Math.max(across, Math.abs(one.y - other.y) / STEP.y))
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

export type FloorPlanPicture = {
  address: string
  width: number
  height: number
  /** The EXIF orientation; from 5 on, the picture lies on its side. */
  orientation: number
}

// The matrix for each orientation, in a box of this width and height.
const TURNS: Record<number, (width: number, height: number) => number[]> = {
  2: (width) => [-1, 0, 0, 1, width, 0],
  3: (width, height) => [-1, 0, 0, -1, width, height],
  4: (_width, height) => [1, 0, 0, -1, 0, height],
  5: () => [0, 1, 1, 0, 0, 0],
  6: (width) => [0, 1, -1, 0, width, 0],
  7: (width, height) => [0, -1, -1, 0, width, height],
  8: (_width, height) => [0, -1, 1, 0, 0, height],
}

export function drawFloorPlan(
  { address, orientation }: FloorPlanPicture,
  { width, height, opacity }: { width: number; height: number; opacity?: number },
): Html {
  const [across, down] = orientation >= 5 ? [height, width] : [width, height]
  const turn = TURNS[orientation]?.(width, height)
  const more = [
    turn && html` transform="matrix(${turn.join(' ')})"`,
    opacity !== undefined && html` opacity="${opacity}"`,
  ]
  return html`<image href="${address}" width="${across}" height="${down}" preserveAspectRatio="none"${more}/>`
}
