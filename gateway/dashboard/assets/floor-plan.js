// @ts-check
// The floor plan that is arranged, and what stands on it: shares of its width and height, and points in it.

/** @typedef {{ x: number, y: number }} Point */

export const MIDDLE = { x: 0.5, y: 0.5 }

export class FloorPlan {
  /** @param {SVGSVGElement} element */
  constructor(element) {
    const given = (/** @type {string} */ name) => Number(element.dataset[name])
    this.element = element
    this.width = given('width')
    this.height = given('height')
    this.scale = given('scale')
    this.margin = { x: given('marginX') / this.width, y: given('marginY') / this.height }
  }

  /** @param {{ clientX: number, clientY: number }} event */
  pointOf({ clientX, clientY }) {
    return new DOMPoint(clientX, clientY).matrixTransform(this.element.getScreenCTM()?.inverse())
  }

  /**
   * What is below the floor plan is off it.
   * @param {Point} point
   */
  shareAt({ x, y }) {
    return y > this.height ? undefined : this.inside({ x: x / this.width, y: y / this.height })
  }

  /**
   * As the server draws it: wholly on the floor plan.
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
    // What was on the floor plan when the page came has no place of its own below it: off it, it waits in the list only.
    this.isBelow = this.saved === undefined
    element.setAttribute('tabindex', '0')
    element.setAttribute('role', 'button')
    this.label()
  }

  /** @param {Point | undefined} share */
  show(share) {
    const { width, height } = this.floorPlan
    this.shown = share
    this.drawAt(share && { x: share.x * width, y: share.y * height })
    this.label()
  }

  /** @param {Point | undefined} point */
  drawAt(point) {
    const transform = point ? `translate(${point.x} ${point.y}) scale(${this.floorPlan.scale})` : this.home
    this.element.setAttribute('transform', transform)
    this.element.toggleAttribute('hidden', !point && !this.isBelow)
  }

  label() {
    const words = this.shown
      ? `${Math.round(this.shown.x * 100)} % from the left, ${Math.round(this.shown.y * 100)} % from the top`
      : 'not on the floor plan'
    const title = this.element.querySelector('title')
    if (title) title.textContent = `${this.name}: ${words}`
  }
}

/**
 * @param {number} value
 * @param {number} edge
 */
function clamp(value, edge) {
  return Math.round(Math.min(Math.max(value, edge), Math.max(1 - edge, edge)) * 100_000) / 100_000
}
