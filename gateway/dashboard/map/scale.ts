// How large the cells of a floor plan are in the dashboard: as most of them have room for. A few that stand close together
// overlap, and shrink none of the others; and while desks are put in position, their cells keep their size.
import { type ChooseScale, type Point, STEP } from '../../api/livemap/map-layouts.ts'

// This share of the cells may overlap others.
const CROWDED_SHARE = 0.2
// Where so few stand, two of them say nothing of the rest.
const PAIR = 2
// A floor plan of 1,200 by 800, of which cells may cover this much when all of them stand on it.
const AREA = 1_200 * 800 * 0.5
// For a thousand of them; the interface's map, which nobody can zoom, draws none as small.
const SCALE_MIN = 0.18

export const scaleForMost: ChooseScale = (points, all) => {
  const room = points.map((point) => roomOf(point, points)).sort((one, other) => one - other)
  const scale = room[Math.max(PAIR, Math.floor(room.length * CROWDED_SHARE))] ?? 1
  return Math.max(SCALE_MIN, Math.min(scale, scaleForAll(all)))
}

function scaleForAll(all: number): number {
  return Math.min(1, Math.sqrt(AREA / (Math.max(1, all) * STEP.x * STEP.y)))
}

/** The scale at which it touches the next one. */
function roomOf(one: Point, points: readonly Point[]): number {
  let room = 1
  for (const other of points) {
    if (other === one) continue
    room = Math.min(room, Math.max(Math.abs(one.x - other.x) / STEP.x, Math.abs(one.y - other.y) / STEP.y))
  }
  return room
}

// The letters of a name are 15 units high, of which the floor plan is 1,200 wide. The style has the width of each class,
// at which they are 9 pixels high at least.
const CANVAS_CLASSES = [
  { scaleMin: 0.95, name: '' },
  { scaleMin: 0.6, name: 'crowded' },
  { scaleMin: 0.29, name: 'packed' },
  { scaleMin: 0, name: 'dense' },
]

/** Where cells are small the picture is drawn larger, and scrolls in its box: letters never get too small to be read. */
export function canvasClass(scale: number): string {
  return CANVAS_CLASSES.find(({ scaleMin }) => scale >= scaleMin)?.name ?? ''
}
