// The floor plan that is being arranged, and the cells on it. Positions are shares of the plan's width and
// height; points are in the plan's coordinates.
import { clamp, type Point, setAttributes } from '../shared/dom.ts'
import { t } from '../shared/translate.ts'

export const FLOOR_PLAN_MIDDLE = { x: 0.5, y: 0.5 }
// The spacing of the grid that positions snap to.
const GRID_SPACING = 0.01

export class FloorPlan {
  readonly element: SVGSVGElement
  readonly width: number
  readonly height: number
  scale: number
  /** Half the size of an unscaled cell with the space around it. */
  readonly #half: Point
  snaps = true

  constructor(element: SVGSVGElement) {
    const read = (name: string) => Number(element.dataset[name])
    this.element = element
    this.width = read('width')
    this.height = read('height')
    this.scale = read('scale')
    this.#half = { x: read('marginX') / this.scale, y: read('marginY') / this.scale }
  }

  pointOf({ clientX, clientY }: MouseEvent): Point {
    return new DOMPoint(clientX, clientY).matrixTransform(this.element.getScreenCTM()?.inverse())
  }

  snap(share: number): number {
    return this.snaps ? Math.round(share / GRID_SPACING) * GRID_SPACING : share
  }

  /** Returns half the size of a cell with the space around it, as shares of the plan. A rotated cell covers more. */
  marginOf(rotation = 0): Point {
    const half = computeExtent(this.#half, rotation)
    return { x: (half.x * this.scale) / this.width, y: (half.y * this.scale) / this.height }
  }

  pointAt({ x, y }: Point): Point {
    return { x: x * this.width, y: y * this.height }
  }

  /** Returns the position of a point. Returns undefined for a point below the floor plan. */
  shareAt({ x, y }: Point, rotation = 0): Point | undefined {
    return y > this.height ? undefined : this.inside({ x: x / this.width, y: y / this.height, rotation })
  }

  /** Returns the position of a point, snapped to the grid. */
  snappedAt(point: Point, rotation = 0): Point | undefined {
    const share = this.shareAt(point, rotation)
    return share && this.inside({ x: this.snap(share.x), y: this.snap(share.y), rotation })
  }

  /** Returns whether a cell is completely on the floor plan. */
  contains({ x, y }: Point, rotation: number): boolean {
    const margin = this.pointAt(this.marginOf(rotation))
    const [right, bottom] = [this.width - margin.x, this.height - margin.y]
    return x >= margin.x && x <= right && y >= margin.y && y <= bottom
  }

  /** Returns how far several cells can move together before one of them reaches the edge. */
  limit(shares: CellPosition[], by: Point): Point {
    const along = (axis: 'x' | 'y') => {
      const before = shares.map((share) => this.marginOf(share.rotation)[axis] - share[axis])
      const after = shares.map((share) => 1 - this.marginOf(share.rotation)[axis] - share[axis])
      return clamp(by[axis], Math.min(Math.max(...before), 0), Math.max(Math.min(...after), 0))
    }
    return { x: along('x'), y: along('y') }
  }

  /** Returns the position at which the server draws the cell: completely on the floor plan. */
  inside({ x, y, rotation = 0 }: CellPosition): Point {
    const margin = this.marginOf(rotation)
    const along = (value: number, edge: number) =>
      Math.round(clamp(value, edge, Math.max(1 - edge, edge)) * 100_000) / 100_000
    return { x: along(x, margin.x), y: along(y, margin.y) }
  }
}

/** The size of a cell that has its own size, as shares of the plan’s size. 0 means the default size. */
export type CellSize = { width: number; height: number }

/** A position, with the rotation in degrees and the cell's own size. If the rotation or the size is missing,
 * the cell keeps its current one. */
export type CellPosition = Point & { rotation?: number; size?: CellSize | undefined }

export function readCellPosition({
  x,
  y,
  rotation,
  ownWidth,
  ownHeight,
}: DOMStringMap): CellPosition | undefined {
  if (x === undefined || y === undefined) return undefined
  const size = { width: Number(ownWidth ?? 0), height: Number(ownHeight ?? 0) }
  const own = ownWidth === undefined && ownHeight === undefined ? {} : { size }
  return { x: Number(x), y: Number(y), rotation: Number(rotation ?? 0), ...own }
}

// The default size of an unscaled cell, as in gateway/reads/map/map-layouts.ts.
const CELL_SIZE = { x: 132, y: 64 }

export class Cell {
  readonly element: SVGGElement
  readonly floorPlan: FloorPlan
  readonly id: string
  readonly name: string
  saved: CellPosition | undefined
  shown: CellPosition | undefined
  rotation: number
  /** The position after the last step, saved or not. While a key is held, only `shown` changes. */
  settled: CellPosition | undefined
  step = 0
  /** Whether the cell has a place below the floor plan. A cell that was on the plan when the page loaded has
   * no such place: if it is removed from the plan, it appears only in the list. */
  readonly isBelow: boolean
  readonly #home: string
  size: CellSize | undefined

  constructor(element: SVGGElement, floorPlan: FloorPlan) {
    const { bookable = '', name = '' } = element.dataset
    this.element = element
    this.floorPlan = floorPlan
    this.id = bookable
    this.name = name
    this.#home = element.getAttribute('transform') ?? ''
    this.saved = readCellPosition(element.dataset)
    this.rotation = this.saved?.rotation ?? 0
    this.size = this.saved?.size
    this.shown = this.saved
    this.settled = this.saved
    this.isBelow = this.saved === undefined
    element.setAttribute('tabindex', '0')
    element.setAttribute('role', 'button')
    this.#label()
  }

  /** The point where the middle of the cell is drawn. */
  get point(): Point {
    const { e, f } = this.element.transform.baseVal.getItem(0).matrix
    return { x: e, y: f }
  }

  /** Half of the cell's width and height before it is rotated. */
  get halfUpright(): Point {
    const { floorPlan } = this
    const { width = 0, height = 0 } = this.size ?? {}
    const x = width > 0 ? width * floorPlan.width : CELL_SIZE.x * floorPlan.scale
    const y = height > 0 ? height * floorPlan.height : CELL_SIZE.y * floorPlan.scale
    return { x: x / 2, y: y / 2 }
  }

  /** Half of the cell's width and height as it is drawn. */
  get half(): Point {
    return computeExtent(this.halfUpright, this.rotation)
  }

  show(share: CellPosition | undefined) {
    this.rotation = share?.rotation ?? this.rotation
    this.size = share?.size ?? this.size
    this.shown = share && { ...share, rotation: this.rotation, ...(this.size && { size: this.size }) }
    this.drawAt(share && this.floorPlan.pointAt(share))
    this.#label()
  }

  drawAt(point: Point | undefined) {
    const turn = computeTextRotation(this.rotation)
    const { x, y } = this.halfUpright
    // Text keeps its proportions: it is scaled to fit both sides of the cell.
    const scale = 2 * Math.min(x / CELL_SIZE.x, y / CELL_SIZE.y)
    const transform = point
      ? `translate(${point.x} ${point.y})${turn === 0 ? '' : ` rotate(${turn})`} scale(${scale})`
      : this.#home
    const box = this.element.querySelector('rect')
    if (box && this.size)
      setAttributes(box, { x: -x / scale, y: -y / scale, width: (2 * x) / scale, height: (2 * y) / scale })
    this.element.setAttribute('transform', transform)
    this.element.toggleAttribute('hidden', !point && !this.isBelow)
  }

  #label() {
    const title = this.element.querySelector('title')
    if (title) title.textContent = describePosition(this.name, this.shown)
  }
}

/** A cell and its new position, which is undefined if the cell leaves the floor plan. */
export type CellMove = { cell: Cell; to: CellPosition | undefined }

/** Returns half of the width and height that a rotated box covers. */
function computeExtent({ x, y }: Point, rotation: number): Point {
  const angle = (rotation * Math.PI) / 180
  const [across, down] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))]
  return { x: across * x + down * y, y: down * x + across * y }
}

/**
 * Returns the rotation of a cell's text, from -89 to 90 degrees, so that the text is never upside down. The server
 * draws it the same way (gateway/reads/map/picture.ts).
 */
function computeTextRotation(rotation: number): number {
  const half = rotation % 180
  return half > 90 ? half - 180 : half
}

function describePosition(name: string, share: Point | undefined): string {
  if (!share) return t`${name}: not on the floor plan`
  const [left, top] = [Math.round(share.x * 100), Math.round(share.y * 100)]
  return t`${name}: ${left} % from the left, ${top} % from the top`
}
