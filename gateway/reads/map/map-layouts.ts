// Computes where each bookable is drawn in the live map of a location: on the floor plan, or in a grid.
import type { PlanShape } from '../../../shared/locations/plan-shapes.ts'
import { type Html, html } from '../../html/html.ts'
import { drawShapes } from './draw-shapes.ts'

/**
 * The shape of a bookable: its own width and height as shares of the floor plan's width and height, and its rotation in
 * degrees.
 */
export type BookableShape = { width: number | null; height: number | null; rotation: number }

/** SQL for the shape of a bookable. The shape is null for most bookables, which are upright and have the
 * default size. */
export const BOOKABLE_SHAPE_SQL = `
  CASE WHEN num_nonnulls(bookables.position_width, bookables.position_height, bookables.position_rotation) > 0
    THEN json_build_object('width', bookables.position_width, 'height', bookables.position_height,
      'rotation', coalesce(bookables.position_rotation, 0)) END`

/** Where a bookable is on the floor plan, as shares of the plan's width and height; null if it has no position. */
export type BookablePosition = {
  id: number
  x: number | null
  y: number | null
  shape?: BookableShape | null
}

export type MapPoint = { x: number; y: number }

export type MapLayout = {
  width: number
  height: number
  background: Html | undefined
  /** The share of the map's height that the floor plan takes. Bookables without a position are drawn below the plan. */
  floorPlanHeight: number
  pointOf(bookable: BookablePosition): MapPoint
  /** The scale of cells, which is smaller on a crowded floor plan. */
  scale: number
  /** Returns the size and scale of a bookable's cell. If the bookable has its own size, the returned sides
   * are not scaled yet. */
  sizeOf(bookable: BookablePosition): MapSize & { scale: number }
}

type MapSize = { width: number; height: number }

export const CELL_SIZE = { width: 132, height: 64 }
export const MAP_MARGIN = 32

export const GRID_STEP = { x: CELL_SIZE.width + 16, y: CELL_SIZE.height + 16 }
const FLOOR_PLAN_WIDTH = 1_200
const COLUMNS_MIN = 3
const SCALE_MIN = 0.3

type PositionedBookable = BookablePosition & MapPoint

type TurnedPoint = MapPoint & { shape?: BookableShape | null | undefined }

/** Chooses the scale of cells from the centres of the cells on the floor plan and the total number of cells. */
export type ChooseScale = (points: TurnedPoint[], all: number) => number

/** Lays out bookables on the floor plan. Bookables without a position are drawn in a grid below the plan. */
export function layOutOnFloorPlan(
  picture: FloorPlanPicture,
  bookables: BookablePosition[],
  chooseScale: ChooseScale = chooseScaleWithoutOverlap,
): MapLayout {
  const height = Math.round((FLOOR_PLAN_WIDTH * picture.height) / picture.width)
  const plan = { width: FLOOR_PLAN_WIDTH, height }
  const onFloorPlan = ({ x, y, shape }: PositionedBookable, scale: number): TurnedPoint => ({
    ...keepInside({ x: x * FLOOR_PLAN_WIDTH, y: y * height, shape }, plan, scale),
    shape,
  })
  const positioned = bookables.filter(hasPosition)
  const scale = picture.cellWidth
    ? (picture.cellWidth * FLOOR_PLAN_WIDTH) / CELL_SIZE.width
    : chooseCellSize(positioned.filter(hasDefaultSize), bookables.length, onFloorPlan, chooseScale)
  const below = layOutInGrid(
    bookables.filter((bookable) => !hasPosition(bookable)),
    Math.floor((FLOOR_PLAN_WIDTH - 2 * MAP_MARGIN + GRID_STEP.x - CELL_SIZE.width) / GRID_STEP.x),
    scale,
  )
  return {
    width: FLOOR_PLAN_WIDTH,
    height: height + below.height,
    floorPlanHeight: height,
    background: drawFloorPlan(picture, { width: FLOOR_PLAN_WIDTH, height, opacity: 0.75 }),
    scale,
    sizeOf: ({ shape }) => computeCellSize(shape, plan, scale),
    pointOf(bookable) {
      if (hasPosition(bookable)) return onFloorPlan(bookable, scale)
      const point = below.pointOf(bookable)
      return { x: point.x, y: height + point.y }
    },
  }
}

// Cells at the edge move inwards, and small cells move less. So cells that fit in the second pass also fit in
// the end.
function chooseCellSize(
  positioned: PositionedBookable[],
  all: number,
  pointAt: (one: PositionedBookable, scale: number) => TurnedPoint,
  chooseScale: ChooseScale,
): number {
  const choose = (before: number) =>
    chooseScale(
      positioned.map((each) => pointAt(each, before)),
      all,
    )
  return [1, 2].reduce(choose, SCALE_MIN)
}

/** Returns the size and scale of a cell. Text keeps its proportions: it is scaled to fit both sides, and the
 * longer side of the cell is drawn longer. */
function computeCellSize(
  shape: BookableShape | null | undefined,
  plan: MapSize,
  scale: number,
): MapSize & { scale: number } {
  if (!shape?.width && !shape?.height) return { ...CELL_SIZE, scale }
  const width = shape.width ? shape.width * plan.width : CELL_SIZE.width * scale
  const height = shape.height ? shape.height * plan.height : CELL_SIZE.height * scale
  const own = Math.min(width / CELL_SIZE.width, height / CELL_SIZE.height)
  return { width: width / own, height: height / own, scale: own }
}

const hasDefaultSize = ({ shape }: PositionedBookable) => !shape?.width && !shape?.height

const QUARTER_TURN_DEGREES = 90

/** Returns the width and height of a rotated cell with the space around it, before it is scaled. */
export function computeRotatedExtent(shape: BookableShape | null | undefined): MapPoint {
  if (!shape || shape.rotation % (2 * QUARTER_TURN_DEGREES) === 0) return GRID_STEP
  if (shape.rotation % QUARTER_TURN_DEGREES === 0) return { x: GRID_STEP.y, y: GRID_STEP.x }
  const angle = (shape.rotation * Math.PI) / (2 * QUARTER_TURN_DEGREES)
  const [across, down] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))]
  return { x: across * GRID_STEP.x + down * GRID_STEP.y, y: down * GRID_STEP.x + across * GRID_STEP.y }
}

/** Returns the scale at which two cells, with the space around them, touch. */
export function computeTouchingScale(one: TurnedPoint, other: TurnedPoint): number {
  const [a, b] = [computeRotatedExtent(one.shape), computeRotatedExtent(other.shape)]
  const across = (2 * Math.abs(one.x - other.x)) / (a.x + b.x)
  return Math.max(across, (2 * Math.abs(one.y - other.y)) / (a.y + b.y))
}

export function layOutInGrid(
  bookables: BookablePosition[],
  columns = chooseColumns(bookables),
  scale = 1,
): MapLayout {
  const indexes = new Map(bookables.map(({ id }, index) => [id, index]))
  const rows = Math.ceil(bookables.length / columns)
  return {
    width: 2 * MAP_MARGIN + columns * GRID_STEP.x - (GRID_STEP.x - CELL_SIZE.width),
    height: rows === 0 ? 0 : (rows * GRID_STEP.y + (GRID_STEP.y - CELL_SIZE.height)) * scale,
    background: undefined,
    floorPlanHeight: 0,
    scale,
    sizeOf: () => ({ ...CELL_SIZE, scale }),
    pointOf({ id }) {
      const index = indexes.get(id) ?? 0
      return {
        x: MAP_MARGIN + ((index % columns) * GRID_STEP.x + CELL_SIZE.width / 2) * scale,
        y:
          ((GRID_STEP.y - CELL_SIZE.height) / 2 +
            Math.floor(index / columns) * GRID_STEP.y +
            CELL_SIZE.height / 2) *
          scale,
      }
    },
  }
}

function chooseColumns(bookables: BookablePosition[]): number {
  return Math.max(COLUMNS_MIN, Math.ceil(Math.sqrt(bookables.length * 0.8)))
}

function hasPosition(bookable: BookablePosition): bookable is PositionedBookable {
  return bookable.x !== null && bookable.y !== null
}

const chooseScaleWithoutOverlap = (points: TurnedPoint[]): number =>
  Math.max(
    SCALE_MIN,
    findLargestScale(points, 1, () => true),
  )

// The maximum width of a cell at any rotation.
const CELL_REACH = Math.hypot(GRID_STEP.x, GRID_STEP.y)

/** Returns the largest scale at which no two cells overlap. Ignores pairs that are left out. */
export function findLargestScale(
  points: TurnedPoint[],
  most: number,
  counts: (scale: number) => boolean,
): number {
  let scale = most
  const isTurned = points.some(({ shape }) => (shape?.rotation ?? 0) > 0)
  const reach = isTurned ? CELL_REACH : GRID_STEP.x
  const fromLeft = [...points].sort((one, other) => one.x - other.x)
  for (const [index, one] of fromLeft.entries()) {
    for (let next = index + 1; next < fromLeft.length; next++) {
      const other = fromLeft[next] as TurnedPoint
      // All further cells are too far to the right to overlap at the current scale.
      if ((other.x - one.x) / reach >= scale) break
      const between = computeTouchingScale(one, other)
      if (counts(between)) scale = Math.min(scale, between)
    }
  }
  return scale
}

function keepInside({ x, y, shape }: TurnedPoint, { width, height }: MapSize, scale: number): MapPoint {
  const extent = computeRotatedExtent(shape)
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
  /** The EXIF orientation of the picture. For orientations from 5 on, the picture lies on its side. */
  orientation: number
  /** The width of cells as a share of the plan's width; null if cells are as wide as they have room for. */
  cellWidth?: number | null
  shapes?: PlanShape[] | null
}

// The matrix for each EXIF orientation, in a box of the given width and height.
const EXIF_MATRICES: Record<number, (width: number, height: number) => number[]> = {
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
  const turn = EXIF_MATRICES[orientation]?.(width, height)
  const more = [
    turn && html` transform="matrix(${turn.join(' ')})"`,
    opacity !== undefined && html` opacity="${opacity}"`,
  ]
  return html`<image href="${address}" width="${across}" height="${down}" preserveAspectRatio="none"${more}/>${shapes && drawShapes(shapes, { width, height })}`
}
