// Computes which part of a map is visible at first: all bookables with some space around them, and not the whole floor
// plan. Also computes the distance between bookables, which limits how large a map can draw them.
import type { BookablePosition, MapLayout, MapPoint } from './map-layouts.ts'

/** A part of a map, in the units of the layout. */
export type MapView = MapPoint & { width: number; height: number }

// The space around the outermost bookables.
const VIEW_MARGIN = 24
// The minimum size of a view, so that a map with a single desk also shows the surroundings of the desk.
const VIEW_WIDTH_MIN = 600
const VIEW_HEIGHT_MIN = 360
// Ignores the closest tenth of the distances, because two bookables may be almost at the same position.
const IGNORED_SHARE = 0.1

/** Returns the part of the map with all bookables. Returns the whole map if there are none. */
export function findView(layout: MapLayout, bookables: BookablePosition[]): MapView {
  const boxes = bookables.map((each) => findBox(layout, each))
  if (boxes.length === 0) return { x: 0, y: 0, width: layout.width, height: layout.height }
  const along = (centre: 'x' | 'y', half: 'halfWidth' | 'halfHeight', min: number) => {
    const from = Math.min(...boxes.map((box) => box[centre] - box[half])) - VIEW_MARGIN
    const to = Math.max(...boxes.map((box) => box[centre] + box[half])) + VIEW_MARGIN
    const missing = Math.max(0, min - (to - from))
    return { from: Math.floor(from - missing / 2), length: Math.ceil(to - from + missing) }
  }
  const across = along('x', 'halfWidth', VIEW_WIDTH_MIN)
  const down = along('y', 'halfHeight', VIEW_HEIGHT_MIN)
  return { x: across.from, y: down.from, width: across.length, height: down.length }
}

function findBox(layout: MapLayout, bookable: BookablePosition) {
  const { width, height, scale } = layout.sizeOf(bookable)
  const angle = ((bookable.shape?.rotation ?? 0) * Math.PI) / 180
  const [cos, sin] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))]
  return {
    ...layout.pointOf(bookable),
    halfWidth: ((cos * width + sin * height) * scale) / 2,
    halfHeight: ((sin * width + cos * height) * scale) / 2,
  }
}

/** Returns the distance that nine out of ten bookables have at least from their nearest neighbour. */
export function findCellDistance(layout: MapLayout, bookables: BookablePosition[]): number {
  const points = bookables.map((each) => layout.pointOf(each)).sort((one, other) => one.x - other.x)
  const nearest = points.map((point, index) =>
    Math.min(findNearestDistance(points, point, index, 1), findNearestDistance(points, point, index, -1)),
  )
  const sorted = nearest.filter(Number.isFinite).sort((one, other) => one - other)
  return Math.round(sorted[Math.floor(sorted.length * IGNORED_SHARE)] ?? layout.width)
}

/** Searches in one direction, until all further points are too far away. */
function findNearestDistance(points: MapPoint[], from: MapPoint, start: number, step: 1 | -1): number {
  let least = Number.POSITIVE_INFINITY
  for (let index = start + step; ; index += step) {
    const other = points[index]
    if (!other || Math.abs(other.x - from.x) >= least) return least
    least = Math.min(least, Math.hypot(other.x - from.x, other.y - from.y))
  }
}
