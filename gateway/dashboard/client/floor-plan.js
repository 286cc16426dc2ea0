// @ts-check
// The floor plan that is being arranged, and the cells on it. Positions are shares of its width and height;
// points are in its coordinates.
import { t } from './translate.js'

/** @typedef {{ x: number, y: number }} Point */

export const MIDDLE = { x: 0.5, y: 0.5 }
// The grid that positions snap to.
const GRID = 0.01

export class FloorPlan {
  /** @param {SVGSVGElement} element */
  constructor(element) {
    const given = (/** @type {string} */ name) => Number(element.dataset[name])
    this.element = element
    this.width = given('width')
    this.height = given('height')
    this.scale = given('scale')
    this.margin = { x: given('marginX') / this.width, y: given('marginY') / this.height }
    this.snaps = true
  }

  /** @param {{ clientX: number, clientY: number }} event */
  pointOf({ clientX, clientY }) {
    return new DOMPoint(clientX, clientY).matrixTransform(this.element.getScreenCTM()?.inverse())
  }

  /** @param {number} share */
  snap(share) {
    return this.snaps ? Math.round(share / GRID) * GRID : share
  }

  /** @param {Point} share */
  pointAt({ x, y }) {
    return { x: x * this.width, y: y * this.height }
  }

  /**
   * Undefined below the floor plan, where cells are not on it.
   * @param {Point} point
   */
  shareAt({ x, y }) {
    return y > this.height ? undefined : this.inside({ x: x / this.width, y: y / this.height })
  }

  /**
   * The same, snapped to the grid.
   * @param {Point} point
   */
  snappedAt(point) {
    const share = this.shareAt(point)
    return share && this.inside({ x: this.snap(share.x), y: this.snap(share.y) })
  }

  /**
   * How far several cells can move together before one of them reaches the edge.
   * @param {Point[]} shares
   * @param {Point} by
   */
  limit(shares, by) {
    return {
      x: limited(
        shares.map(({ x }) => x),
        by.x,
        this.margin.x,
      ),
      y: limited(
        shares.map(({ y }) => y),
        by.y,
        this.margin.y,
      ),
    }
  }

  /**
   * As the server draws it: completely on the floor plan.
   * @param {Point} share
   */
  inside({ x, y }) {
    return { x: clamp(x, this.margin.x), y: clamp(y, this.margin.y) }
  }
}

export class Cell {
  /**
   * @param {SVGGElement} element
   * @param {FloorPlan} floorPlan
   */
  constructor(element, floorPlan) {
    const { bookable, name, x, y } = element.dataset
    this.element = element
    this.floorPlan = floorPlan
    this.id = bookable ?? ''
    this.name = name ?? ''
    this.home = element.getAttribute('transform') ?? ''
    /** @type {Point | undefined} */
    this.saved = x === undefined ? undefined : { x: Number(x), y: Number(y) }
    this.shown = this.saved
    // The position after the last step, saved or not. While a key is held, only `shown` changes.
    this.settled = this.saved
    this.step = 0
    // A cell that was on the floor plan when the page loaded has no place below it. If it is removed, it
    // appears only in the list.
    this.isBelow = this.saved === undefined
    element.setAttribute('tabindex', '0')
    element.setAttribute('role', 'button')
    this.label()
  }

  /** The point where the middle of the cell is drawn. */
  get point() {
    const { e, f } = this.element.transform.baseVal.getItem(0).matrix
    return { x: e, y: f }
  }

  /** @param {Point | undefined} share */
  show(share) {
    this.shown = share
    this.drawAt(share && this.floorPlan.pointAt(share))
    this.label()
  }

  /** @param {Point | undefined} point */
  drawAt(point) {
    const transform = point ? `translate(${point.x} ${point.y}) scale(${this.floorPlan.scale})` : this.home
    this.element.setAttribute('transform', transform)
    this.element.toggleAttribute('hidden', !point && !this.isBelow)
  }

  label() {
    const title = this.element.querySelector('title')
    if (title) title.textContent = describe(this.name, this.shown)
  }
}

/**
 * @param {string} name
 * @param {Point | undefined} share
 */
function describe(name, share) {
  if (!share) return t`${name}: not on the floor plan`
  const [left, top] = [Math.round(share.x * 100), Math.round(share.y * 100)]
  return t`${name}: ${left} % from the left, ${top} % from the top`
}

/**
 * @param {number} value
 * @param {number} edge
 */
function clamp(value, edge) {
  return Math.round(Math.min(Math.max(value, edge), Math.max(1 - edge, edge)) * 100_000) / 100_000
}

/**
 * @param {number[]} values
 * @param {number} by
 * @param {number} edge
 */
function limited(values, by, edge) {
  const [least, most] = [Math.min(edge - Math.min(...values), 0), Math.max(1 - edge - Math.max(...values), 0)]
  return Math.min(Math.max(by, least), most)
}
