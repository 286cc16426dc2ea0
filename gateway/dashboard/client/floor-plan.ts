// The floor plan that is being arranged, and the cells on it. Positions are shares of its width and height;
// points are in its coordinates.
import { clamp, type Point } from './dom.ts'
import { t } from './translate.ts'

export const MIDDLE = { x: 0.5, y: 0.5 }
// The grid that positions snap to.
const GRID = 0.01

export class FloorPlan {
  readonly element: SVGSVGElement
  readonly width: number
  readonly height: number
  readonly scale: number
  readonly margin: Point
  snaps = true

  constructor(element: SVGSVGElement) {
    const read = (name: string) => Number(element.dataset[name])
    this.element = element
    this.width = read('width')
    this.height = read('height')
    this.scale = read('scale')
    this.margin = { x: read('marginX') / this.width, y: read('marginY') / this.height }
  }

  pointOf({ clientX, clientY }: MouseEvent): Point {
    return new DOMPoint(clientX, clientY).matrixTransform(this.element.getScreenCTM()?.inverse())
  }

  snap(share: number): number {
    return this.snaps ? Math.round(share / GRID) * GRID : share
  }

  pointAt({ x, y }: Point): Point {
    return { x: x * this.width, y: y * this.height }
  }

  /** Undefined below the floor plan, where cells are not on it. */
  shareAt({ x, y }: Point): Point | undefined {
    return y > this.height ? undefined : this.inside({ x: x / this.width, y: y / this.height })
  }

  /** The same, snapped to the grid. */
  snappedAt(point: Point): Point | undefined {
    const share = this.shareAt(point)
    return share && this.inside({ x: this.snap(share.x), y: this.snap(share.y) })
  }

  /** How far several cells can move together before one of them reaches the edge. */
  limit(shares: Point[], by: Point): Point {
    const along = (axis: 'x' | 'y') => {
      const values = shares.map((share) => share[axis])
      const edge = this.margin[axis]
      const least = Math.min(edge - Math.min(...values), 0)
      return clamp(by[axis], least, Math.max(1 - edge - Math.max(...values), 0))
    }
    return { x: along('x'), y: along('y') }
  }

  /** As the server draws it: completely on the floor plan. */
  inside({ x, y }: Point): Point {
    const along = (value: number, edge: number) =>
      Math.round(clamp(value, edge, Math.max(1 - edge, edge)) * 100_000) / 100_000
    return { x: along(x, this.margin.x), y: along(y, this.margin.y) }
  }
}

/** A position, and the turn in degrees: without one, the cell keeps the one it has. */
export type Share = Point & { rotation?: number }

export function readShare({ x, y, rotation }: DOMStringMap): Share | undefined {
  if (x === undefined || y === undefined) return undefined
  return { x: Number(x), y: Number(y), rotation: Number(rotation ?? 0) }
}

export class Cell {
  readonly element: SVGGElement
  readonly floorPlan: FloorPlan
  readonly id: string
  readonly name: string
  saved: Share | undefined
  shown: Share | undefined
  rotation: number
  /** The position after the last step, saved or not. While a key is held, only `shown` changes. */
  settled: Share | undefined
  step = 0
  /**
   * A cell that was on the floor plan when the page loaded has no place below it. If it is removed, it
   * appears only in the list.
   */
  readonly isBelow: boolean
  readonly #home: string
  readonly #scale: number

  constructor(element: SVGGElement, floorPlan: FloorPlan) {
    const { bookable = '', name = '' } = element.dataset
    this.element = element
    this.floorPlan = floorPlan
    this.id = bookable
    this.name = name
    this.#home = element.getAttribute('transform') ?? ''
    this.#scale = Number(/scale\(([\d.]+)\)/.exec(this.#home)?.[1] ?? floorPlan.scale)
    this.saved = readShare(element.dataset)
    this.rotation = this.saved?.rotation ?? 0
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

  show(share: Share | undefined) {
    this.rotation = share?.rotation ?? this.rotation
    this.shown = share && { ...share, rotation: this.rotation }
    this.drawAt(share && this.floorPlan.pointAt(share))
    this.#label()
  }

  drawAt(point: Point | undefined) {
    const turn = turnOf(this.rotation)
    const transform = point
      ? `translate(${point.x} ${point.y})${turn === 0 ? '' : ` rotate(${turn})`} scale(${this.#scale})`
      : this.#home
    this.element.setAttribute('transform', transform)
    this.element.toggleAttribute('hidden', !point && !this.isBelow)
  }

  #label() {
    const title = this.element.querySelector('title')
    if (title) title.textContent = describe(this.name, this.shown)
  }
}

/** A cell and its new position; undefined off the floor plan. */
export type Move = { cell: Cell; to: Share | undefined }

/** Text is never upside down: from -89 to 90 degrees, as the server draws it (gateway/api/livemap/picture.ts). */
function turnOf(rotation: number): number {
  const half = rotation % 180
  return half > 90 ? half - 180 : half
}

function describe(name: string, share: Point | undefined): string {
  if (!share) return t`${name}: not on the floor plan`
  const [left, top] = [Math.round(share.x * 100), Math.round(share.y * 100)]
  return t`${name}: ${left} % from the left, ${top} % from the top`
}
