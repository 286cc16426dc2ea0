// Computes where each bookable is drawn in the picture of a location: on its floor plan, or in a grid.
import type { PlanShape } from '../../../shared/locations/plan-shapes.ts'
import { type Html, html } from '../../html/html.ts'
import { drawShapes } from './draw-shapes.ts'

/** The size of a bookable that has its own, as shares of the floor plan's width and height, and its turn in degrees. */
export type Shape = { width: number | null; height: number | null; rotation: number }

/** SQL: null for most bookables, which are as large as all others and upright. */
export const SHAPE_SQL = `
  CASE WHEN num_nonnulls(bookables.position_width, bookables.position_height, bookables.position_rotation) > 0
    THEN json_build_object('width', bookables.position_width, 'height', bookables.position_height,
      'rotation', coalesce(bookables.position_rotation, 0)) END`

/** Where a bookable is on the floor plan, as shares of its width and height; null if it has no position. */
export type BookablePosition = { id: number; x: number | null; y: number | null; shape?: Shape | null }

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
  /** The same for one with a size of its own, with the sides of its box before it is scaled. */
  sizeOf(bookable: BookablePosition): Size & { scale: number }
}

type Size = { width: number; height: number }

export const CELL = { width: 132, height: 64 }
export const MARGIN = 32

export const STEP = { x: CELL.width + 16, y: CELL.height + 16 }
const FLOOR_PLAN_WIDTH = 1_200
const COLUMNS_MIN = 3
const SCALE_MIN = 0.3

type Positioned = BookablePosition & Point

type TurnedPoint = Point & { shape?: Shape | null | undefined }

/** Chooses the scale of cells, given the middles of those on the floor plan and the number of all. */
export type ChooseScale = (points: TurnedPoint[], all: number) => number

/** Bookables without a position stand in a grid below the floor plan. */
export function layOutOnFloorPlan(
  picture: FloorPlanPicture,
  bookables: BookablePosition[],
  chooseScale: ChooseScale = scaleWithoutOverlap,
): MapLayout {
  const height = Math.round((FLOOR_PLAN_WIDTH * picture.height) / picture.width)
  const plan = { width: FLOOR_PLAN_WIDTH, height }
  const onFloorPlan = ({ x, y, shape }: Positioned, scale: number): TurnedPoint => ({
    ...keepInside({ x: x * FLOOR_PLAN_WIDTH, y: y * height, shape }, plan, scale),
    shape,
  })
  const positioned = bookables.filter(hasPosition)
  const scale = picture.cellWidth
    ? (picture.cellWidth * FLOOR_PLAN_WIDTH) / CELL.width
    : chooseFor(positioned.filter(isLikeOthers), bookables.length, onFloorPlan, chooseScale)
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
    sizeOf: ({ shape }) => sizeOf(shape, plan, scale),
    pointOf(bookable) {
      if (hasPosition(bookable)) return onFloorPlan(bookable, scale)
      const point = below.pointOf(bookable)
      return { x: point.x, y: height + point.y }
    },
  }
}

// Cells at the edge move inwards, smaller ones by less: what fits in the second pass fits in the end.
function chooseFor(
  positioned: Positioned[],
  all: number,
  pointAt: (one: Positioned, scale: number) => TurnedPoint,
  chooseScale: ChooseScale,
): number {
  const choose = (before: number) =>
    chooseScale(
      positioned.map((each) => pointAt(each, before)),
      all,
    )
  return [1, 2].reduce(choose, SCALE_MIN)
}

/** Text keeps its proportions: the scale is what both sides allow, and the longer side is drawn longer. */
function sizeOf(shape: Shape | null | undefined, plan: Size, scale: number): Size & { scale: number } {
  if (!shape?.width && !shape?.height) return { ...CELL, scale }
  const width = shape.width ? shape.width * plan.width : CELL.width * scale
  const height = shape.height ? shape.height * plan.height : CELL.height * scale
  const own = Math.min(width / CELL.width, height / CELL.height)
  return { width: width / own, height: height / own, scale: own }
}

const isLikeOthers = ({ shape }: Positioned) => !shape?.width && !shape?.height

const QUARTER = 90

/** What a turned cell with the space around it takes across and down, before it is scaled. */
export function extentOf(shape: Shape | null | undefined): Point {
  if (!shape || shape.rotation % (2 * QUARTER) === 0) return STEP
  if (shape.rotation % QUARTER === 0) return { x: STEP.y, y: STEP.x }
  const angle = (shape.rotation * Math.PI) / (2 * QUARTER)
  const [across, down] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))]
  return { x: across * STEP.x + down * STEP.y, y: down * STEP.x + across * STEP.y }
}

/** The scale at which the space around two cells touches. */
export function scaleBetween(one: TurnedPoint, other: TurnedPoint): number {
  const [a, b] = [extentOf(one.shape), extentOf(other.shape)]
  const across = (2 * Math.abs(one.x - other.x)) / (a.x + b.x)
  return Math.max(across, (2 * Math.abs(one.y - other.y)) / (a.y + b.y))
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
    sizeOf: () => ({ ...CELL, scale }),
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

const scaleWithoutOverlap = (points: TurnedPoint[]): number =>
  Math.max(
    SCALE_MIN,
    largestScale(points, 1, () => true),
  )

// What a cell takes across at most, however it is turned.
const REACH = Math.hypot(STEP.x, STEP.y)

/** The largest scale at which no two overlap, except for pairs that are left out. */
export function largestScale(
  points: TurnedPoint[],
  most: number,
  counts: (scale: number) => boolean,
): number {
  let scale = most
  const isTurned = points.some(({ shape }) => (shape?.rotation ?? 0) > 0)
  const reach = isTurned ? REACH : STEP.x
  const fromLeft = [...points].sort((one, other) => one.x - other.x)
  for (const [index, one] of fromLeft.entries()) {
    for (let next = index + 1; next < fromLeft.length; next++) {
      const other = fromLeft[next] as TurnedPoint
      // Cells further right are too far away to overlap at the present scale.
      if ((other.x - one.x) / reach >= scale) break
      const between = scaleBetween(one, other)
      if (counts(between)) scale = Math.min(scale, between)
    }
  }
  return scale
}

function keepInside({ x, y, shape }: TurnedPoint, { width, height }: Size, scale: number): Point {
  const extent = extentOf(shape)
  const half = { x: (extent.x / 2) * scale, y: (extent.y / 2) * scale }
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
  /** How wide cells are, as a share of its width; null for as wide as they have room for. */
  cellWidth?: number | null
  shapes?: PlanShape[] | null
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
  { address, orientation, shapes }: FloorPlanPicture,
  { width, height, opacity }: { width: number; height: number; opacity?: number },
): Html {
  const [across, down] = orientation >= 5 ? [height, width] : [width, height]
  const turn = TURNS[orientation]?.(width, height)
  const more = [
    turn && html` transform="matrix(${turn.join(' ')})"`,
    opacity !== undefined && html` opacity="${opacity}"`,
  ]
  return html`<image href="${address}" width="${across}" height="${down}" preserveAspectRatio="none"${more}/>${shapes && drawShapes(shapes, { width, height })}`
}
