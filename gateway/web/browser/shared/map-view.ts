// A map that can be zoomed and moved (map-gestures.ts says by what). A movement changes only the transform of one layer,
// which browsers move without drawing it again. Once it ends, and no finger holds the map any more, the map becomes sharp,
// and its texts and dots get their size on the screen back.
import { clamp, type Point } from './dom.ts'

const ZOOM_STEP = 1.6
const SETTLE_MS = 140
// The time of the stylesheet's transition, and a little more.
const GLIDE_MS = 260
const FLING_FRAMES = 9
const FLING_PX_MIN = 4
const SCREEN_MARGIN_PX = 12
// The share of the box that may be empty at an edge when the viewer drags the map away.
const EMPTY_SHARE_MAX = 0.4

// What the map shows, from far to near. Texts are at least 11 pixels high: smaller ones are left out
// (test/gateway/web/admin/map/map.browser.test.ts). Lengths in cells are in the units of gateway/web/pages/map/cells.ts.
const TEXT_PX = 11
const SMALLEST_TEXT_UNITS = 12
const PLAN_TEXT_UNITS = 15
const DOT_PX = { min: 9, withInitials: 18, max: 32 }
const DOT_SHARE_OF_DISTANCE = 0.9
const DOT_UNITS = 24
const LABEL_DISTANCE_PX = 76
// At most, a cell is drawn twice as large as in a grid.
const CELL_ZOOM_MAX = 2
const CELL_ZOOM_FIT_MAX = 1.2

export type Finger = { clientX: number; clientY: number }
type Place = Point & { zoom: number }
type Size = { width: number; height: number }

export type Zoom = 'in' | 'out' | 'fit'

/** A map in a box. Everything that moves it goes through `move`. */
export class MapView {
  readonly #box: HTMLElement
  readonly #canvas: HTMLElement
  readonly #viewBox: string
  /** The size of what the map shows first, in the units of the drawing. */
  readonly #drawing: Size
  readonly #scale: number
  readonly #cellDistance: number
  #size: Size
  #place: Place
  #settling: ReturnType<typeof setTimeout> | undefined
  #shownZoom: number | undefined
  /** The sizes of texts and dots. As a property of the canvas, they would make browsers style every part of it again. */
  readonly #sizes = new CSSStyleSheet()

  constructor(box: HTMLElement, canvas: HTMLElement) {
    const { view = '', scale, cellDistance } = canvas.dataset
    const [, , width = 1, height = 1] = view.split(' ').map(Number)
    this.#box = box
    this.#canvas = canvas
    this.#viewBox = view
    this.#drawing = { width, height }
    this.#scale = Number(scale)
    this.#cellDistance = Number(cellDistance)
    box.style.setProperty('--floor-shape', String(width / height))
    box.classList.add('zoomable')
    document.adoptedStyleSheets.push(this.#sizes)
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
    this.#size = { width: box.clientWidth, height: box.clientHeight }
    this.#place = this.#findFit()
    this.settle()
    new ResizeObserver(() => this.#resize()).observe(box)
  }

  get isFitted() {
    return this.#place.zoom <= this.#findFit().zoom
  }

  canZoom(factor: number): boolean {
    return this.#limit({ ...this.#place, zoom: this.#place.zoom * factor }).zoom !== this.#place.zoom
  }

  /** Returns the place that shows everything in the middle of the box. */
  #findFit(): Place {
    const { width, height } = this.#size
    const across = (width - 2 * SCREEN_MARGIN_PX) / this.#drawing.width
    const down = (height - 2 * SCREEN_MARGIN_PX) / this.#drawing.height
    const zoom = Math.min(across, down, CELL_ZOOM_FIT_MAX / this.#scale)
    return {
      x: (width - this.#drawing.width * zoom) / 2,
      y: (height - this.#drawing.height * zoom) / 2,
      zoom,
    }
  }

  #limit({ x, y, zoom }: Place): Place {
    const least = this.#findFit().zoom
    const inside = clamp(zoom, least, Math.max(least * 2, CELL_ZOOM_MAX / this.#scale))
    const along = (at: number, length: number, room: number) => {
      const drawn = length * inside
      const empty = drawn <= room ? (room - drawn) / 2 : room * EMPTY_SHARE_MAX
      return clamp(at, room - drawn - empty, empty)
    }
    return {
      x: along(x, this.#drawing.width, this.#size.width),
      y: along(y, this.#drawing.height, this.#size.height),
      zoom: inside,
    }
  }

  #move(to: Place) {
    this.#place = this.#limit(to)
    this.#transform()
    this.#box.classList.add('moving')
    clearTimeout(this.#settling)
    const { classList } = this.#box
    // With a held map, the next step of the gesture would have to wait until all cells are drawn.
    if (classList.contains('held')) return
    const isGliding = classList.contains('gliding')
    this.#settling = setTimeout(() => this.settle(), isGliding ? GLIDE_MS : SETTLE_MS)
  }

  #transform() {
    const { x, y, zoom } = this.#place
    this.#canvas.style.transform = `translate(${x}px, ${y}px) scale(${zoom})`
  }

  /** Draws the map sharply after a movement. */
  settle() {
    clearTimeout(this.#settling)
    this.#transform()
    this.#box.classList.remove('moving', 'gliding')
    this.#box.classList.toggle('fitted', this.isFitted)
    this.#showDetail()
  }

  /** Chooses what the cells show, and gives texts and dots their size on the screen. */
  #showDetail() {
    const { dataset, classList } = this.#canvas
    const { zoom } = this.#place
    // After a drag, the same sizes would make browsers style every cell again.
    if (zoom === this.#shownZoom) return
    this.#shownZoom = zoom
    const dotPx = this.#computeDotPx()
    dataset.detail = this.#chooseDetail()
    const dot = dotPx / DOT_UNITS / zoom
    const found = Math.max(dotPx, DOT_PX.withInitials) / DOT_UNITS / zoom
    this.#sizes.replaceSync(
      `.cell :is(.mark, .initials, .portrait, .name) { --px: ${1 / zoom}; --dot: ${dot}; --dot-found: ${found} }`,
    )
    classList.toggle('plan-texts', zoom * PLAN_TEXT_UNITS >= TEXT_PX)
  }

  #computeDotPx = () =>
    clamp(this.#cellDistance * this.#place.zoom * DOT_SHARE_OF_DISTANCE, DOT_PX.min, DOT_PX.max)

  #chooseDetail() {
    const { zoom } = this.#place
    if (zoom * this.#scale * SMALLEST_TEXT_UNITS >= TEXT_PX) return 'cards'
    if (zoom * this.#cellDistance >= LABEL_DISTANCE_PX) return 'names'
    return this.#computeDotPx() >= DOT_PX.withInitials ? 'initials' : 'dots'
  }

  panBy({ x, y }: Point) {
    this.#move({ ...this.#place, x: this.#place.x + x, y: this.#place.y + y })
  }

  /** Zooms, and keeps the given point of the screen (by default the middle) in place. `by` moves the map too. */
  zoomBy(factor: number, around?: Finger, by: Point = { x: 0, y: 0 }) {
    const frame = around && this.#box.getBoundingClientRect()
    const x = frame ? around.clientX - frame.left : this.#size.width / 2
    const y = frame ? around.clientY - frame.top : this.#size.height / 2
    const place = this.#place
    const { zoom } = this.#limit({ ...place, zoom: place.zoom * factor })
    const grown = zoom / place.zoom
    this.#move({ x: x - (x - place.x) * grown + by.x, y: y - (y - place.y) * grown + by.y, zoom })
  }

  /** Zooms in one visible movement. */
  glide(by: Zoom, around?: Finger, factor = ZOOM_STEP) {
    this.#box.classList.add('gliding')
    if (by === 'fit') this.#move(this.#findFit())
    else this.zoomBy(by === 'in' ? factor : 1 / factor, around)
  }

  /** Lets the map move on in the direction of a finger that was fast. */
  fling({ x, y }: Point) {
    if (Math.hypot(x, y) < FLING_PX_MIN) return this.settle()
    this.#box.classList.add('gliding')
    this.panBy({ x: x * FLING_FRAMES, y: y * FLING_FRAMES })
  }

  /** Moves the map so that the cell is completely in the box. */
  reveal(cell: Element) {
    const frame = this.#box.getBoundingClientRect()
    const around = cell.getBoundingClientRect()
    const along = (from: number, to: number, start: number, end: number) =>
      from < start ? start - from + SCREEN_MARGIN_PX : Math.min(0, end - to - SCREEN_MARGIN_PX)
    const x = along(around.left, around.right, frame.left, frame.right)
    const y = along(around.top, around.bottom, frame.top, frame.bottom)
    if (x !== 0 || y !== 0) this.panBy({ x, y })
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.#box
    if (width === this.#size.width && height === this.#size.height) return
    const wasFitted = this.isFitted
    this.#size = { width, height }
    this.#place = wasFitted ? this.#findFit() : this.#limit(this.#place)
    this.settle()
  }

  /** Gives cells that were loaded later the same coordinates as the floor plan. */
  align(cells: Element) {
    cells.setAttribute('viewBox', this.#viewBox)
  }
}
