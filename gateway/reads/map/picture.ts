// Draws a location: its floor plan if it has one, otherwise a grid, with every bookable and its state.
// Colours never stand alone: each state also has its own word and line, and a title for screen readers.
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { attributes, type Html, html } from '../../html/html.ts'
import { plain, shorten } from './fit-text.ts'
import {
  type BookablePosition,
  CELL,
  type FloorPlanPicture,
  layOutInGrid,
  layOutOnFloorPlan,
  MARGIN,
  type MapLayout,
  type Shape,
} from './map-layouts.ts'

export type MapBookable = {
  id: number
  name: string
  status: number
  occupied: boolean
  x: number | null
  y: number | null
  shape?: Shape | null
}

export type LivemapFacts = {
  building: string
  location: string
  locationId: number
  bookableId: number
  bookables: MapBookable[]
}

/** What it takes to draw a floor plan, except the large picture: the hash tells whether that is cached. */
export type FloorPlan = Omit<FloorPlanPicture, 'address'> & { hash: string; type: string }

export const STATES = {
  free: { fill: '#d9f0e3', line: '#1f7a4d', label: 'free' },
  occupied: { fill: '#fbdcd3', line: '#b23a16', label: 'occupied' },
  blocked: { fill: '#e4e5e8', line: '#5d6470', label: 'blocked' },
  assigned: { fill: '#dfe3fb', line: '#4452b8', label: 'assigned' },
} as const

const MARK = '#f2a900'

type Status = { status: number; occupied: boolean }

export function stateOf({ status, occupied }: Status) {
  if (occupied) return STATES.occupied
  if (status === BOOKABLE_STATUSES.blocked) return STATES.blocked
  if (status === BOOKABLE_STATUSES.assigned) return STATES.assigned
  return STATES.free
}

/** Each cell is drawn around its middle. */
export function transformOf({ pointOf, sizeOf }: MapLayout, bookable: BookablePosition): string {
  const { x, y } = pointOf(bookable)
  const turn = turnOf(bookable.shape?.rotation ?? 0)
  return `translate(${round(x)} ${round(y)})${turn === 0 ? '' : ` rotate(${turn})`} scale(${round(sizeOf(bookable).scale)})`
}

/** The same box with its text never upside down: from -89 to 90 degrees. */
const turnOf = (rotation: number): number => {
  const half = rotation % 180
  return half > 90 ? half - 180 : half
}

/** What the texts and lines of all cells have in common, written once around them. */
export const CELLS = attributes({
  'text-anchor': 'middle',
  'font-size': 15,
  'font-weight': 600,
  fill: '#1c2430',
  'stroke-width': 1.5,
})

/** `words`, or what is drawn in their place, go below the name; `marked` highlights the requested bookable. */
export function drawCell(
  bookable: Status & { name: string },
  words: string | Html,
  marked: boolean,
  size = CELL,
): Html {
  const { fill, line, label } = stateOf(bookable)
  return html`${marked ? html`${drawBox(size, 6, 14)} fill="#ffffff" stroke="${MARK}" stroke-width="5"/>` : undefined}
${drawBox(size, 0, 9)} fill="${fill}" stroke="${line}"${label === 'blocked' ? html` stroke-dasharray="5 4"` : undefined}/>
${drawName(bookable.name, size.width - 12)}
${typeof words === 'string' ? html`<text y="17" font-size="12" font-weight="400" fill="${line}">${words}</text>` : words}`
}

// A name that is too long gets smaller letters first; if that is not enough, it is cut off.
function drawName(name: string, width: number): Html {
  const large = shorten(name, width, 15)
  const [size, shown] = large === plain(name) ? [undefined, large] : [12, shorten(name, width, 12)]
  return html`<text y="-3"${attributes({ 'font-size': size })}>${shown}</text>`
}

/** The beginning of a rectangle that is larger than a cell by `more` on every side. */
function drawBox(size: typeof CELL, more: number, radius: number): Html {
  const [width, height] = [round(size.width) + 2 * more, round(size.height) + 2 * more]
  return html`<rect x="${-width / 2}" y="${-height / 2}" width="${width}" height="${height}" rx="${radius}"`
}

const round = (value: number): number => Math.round(value * 100) / 100

const HEAD = 76
const FOOT = 56
const LEGEND_STEP = 92

/** `address` is the address of the floor plan's picture. */
export function drawLivemap(facts: LivemapFacts, floorPlan: FloorPlan | undefined, address: string): string {
  const layout = floorPlan
    ? layOutOnFloorPlan({ ...floorPlan, address }, facts.bookables)
    : layOutInGrid(facts.bookables)
  const { width } = layout
  const height = HEAD + layout.height + FOOT
  const isMarked = ({ id }: MapBookable) => id === facts.bookableId
  const title = `${facts.location}, ${facts.building}: ${facts.bookables.find(isMarked)?.name ?? ''} is booked`
  // The marked bookable comes last, so that nothing covers it on a crowded floor plan.
  const inOrder = [...facts.bookables].sort((a, b) => Number(isMarked(a)) - Number(isMarked(b)))
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title" font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif">
<title id="title">${plain(title)}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="${MARGIN}" y="34" font-size="20" font-weight="600" fill="#1c2430">${shorten(facts.location, width - 2 * MARGIN, 20)}</text>
<text x="${MARGIN}" y="56" font-size="14" fill="#5b6675">${shorten(facts.building, width - 2 * MARGIN, 14)}</text>
<g transform="translate(0 ${HEAD})">${layout.background}
<g${CELLS}>${inOrder.map((bookable) => drawBookable(bookable, layout, isMarked(bookable)))}</g>
</g>
${drawLegend(height - FOOT / 2)}
</svg>`.text
}

function drawBookable(bookable: MapBookable, layout: MapLayout, marked: boolean): Html {
  const { label } = stateOf(bookable)
  const own = html`data-bookable="${bookable.id}" data-state="${label}"${marked ? html` data-booked="true"` : undefined}`
  return html`<g ${own} transform="${transformOf(layout, bookable)}">
<title>${plain(bookable.name)}: ${label}${marked ? ' (this booking)' : ''}</title>
${drawCell(bookable, marked ? `${label} · booked` : label, marked, layout.sizeOf(bookable))}
</g>
`
}

function drawLegend(y: number): Html {
  const entries = [
    ...Object.values(STATES).map(({ fill, line, label }) => ({ fill, line, label, lineWidth: 1 })),
    { fill: 'none', line: MARK, label: 'booked', lineWidth: 3 },
  ].map(
    (
      { fill, line, label, lineWidth },
      index,
    ) => html`<g transform="translate(${MARGIN + index * LEGEND_STEP} ${y})">
<rect x="0" y="-8" width="16" height="16" rx="4" fill="${fill}" stroke="${line}" stroke-width="${lineWidth}"/>
<text x="23" y="5" font-size="13" fill="#3b4552">${label}</text></g>
`,
  )
  return html`<g aria-hidden="true">${entries}</g>`
}
