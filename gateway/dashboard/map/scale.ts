// Chooses the size of cells on a floor plan in the dashboard: what most of them have room for. A few cells
// close together overlap without shrinking the others, and cells keep their size while a user arranges them.
import { type ChooseScale, type Point, STEP } from '../../api/livemap/map-layouts.ts'

// This share of the cells may overlap others.
const CROWDED_SHARE = 0.2
// With so few cells, two of them say nothing about the rest.
const PAIR = 2
// Half of a floor plan of 1,200 by 800: what the cells may cover if all of them stand on it.
const AREA = 1_200 * 800 * 0.5
// Small enough for a thousand cells. The API's map, which cannot be zoomed, draws none this small.
const SCALE_MIN = 0.18

export const scaleForMost: ChooseScale = (points, all) => {
  const room = points.map((point) => scaleToNearest(point, points)).sort((one, other) => one - other)
  const scale = room[Math.max(PAIR, Math.floor(room.length * CROWDED_SHARE))] ?? 1
  return Math.max(SCALE_MIN, Math.min(scale, scaleForAll(all)))
}

function scaleForAll(all: number): number {
  return Math.min(1, Math.sqrt(AREA / (Math.max(1, all) * STEP.x * STEP.y)))
}

/** The scale at which the cell touches the next one. */
function scaleToNearest(one: Point, points: readonly Point[]): number {
  let room = 1
  for (const other of points) {
    if (other === one) continue
    room = Math.min(room, Math.max(Math.abs(one.x - other.x) / STEP.x, Math.abs(one.y - other.y) / STEP.y))
  }
  return room
}

// Letters are 15 units high on a floor plan that is 1,200 units wide. The stylesheet gives each class a width
// at which they are at least 9 pixels high.
const CANVAS_CLASSES = [
  { scaleMin: 0.95, name: '' },
  { scaleMin: 0.6, name: 'crowded' },
  { scaleMin: 0.29, name: 'packed' },
  { scaleMin: 0, name: 'dense' },
]

/** If cells are small, the picture is drawn larger and scrolls in its box, so that letters stay readable. */
export function canvasClass(scale: number): string {
  return CANVAS_CLASSES.find(({ scaleMin }) => scale >= scaleMin)?.name ?? ''
}
