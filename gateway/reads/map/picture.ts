// Draws the live map of a location: the floor plan if there is one, otherwise a grid, with every bookable and its
// state. Each state has its own word and line style in addition to a colour, and a title for screen readers.
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { formatAttributes, type Html, html } from '../../html/html.ts'
import { cleanText, shortenToWidth } from './fit-text.ts'
import {
  type BookablePosition,
  type BookableShape,
  CELL_SIZE,
  type FloorPlanPicture,
  layOutInGrid,
  layOutOnFloorPlan,
  MAP_MARGIN,
  type MapLayout,
} from './map-layouts.ts'

export type MapBookable = {
  id: number
  name: string
  status: number
  occupied: boolean
  /** The last day for which the owner lends the bookable, or null. */
  lentUntil?: string | null
  x: number | null
  y: number | null
  shape?: BookableShape | null
}

export type LivemapFacts = {
  building: string
  location: string
  locationId: number
  bookableId: number
  bookables: MapBookable[]
}

/** What is needed to draw a floor plan, without the large picture. The hash tells whether the picture is cached. */
export type FloorPlan = Omit<FloorPlanPicture, 'address'> & { hash: string; type: string }

export const MAP_STATES = {
  free: { fill: '#d9f0e3', line: '#1f7a4d', label: 'free' },
  occupied: { fill: '#fbdcd3', line: '#b23a16', label: 'occupied' },
  blocked: { fill: '#e4e5e8', line: '#5d6470', label: 'blocked' },
  assigned: { fill: '#dfe3fb', line: '#4452b8', label: 'assigned' },
} as const

const MARK_COLOUR = '#f2a900'

type MapStatus = Pick<MapBookable, 'status' | 'occupied' | 'lentUntil'>

/** Returns the state of a bookable. An assigned one is free for everybody while its owner lends it. */
export function findMapState({ status, occupied, lentUntil }: MapStatus) {
  if (occupied) return MAP_STATES.occupied
  if (status === BOOKABLE_STATUSES.blocked) return MAP_STATES.blocked
  if (status === BOOKABLE_STATUSES.assigned && !lentUntil) return MAP_STATES.assigned
  return MAP_STATES.free
}

/** Returns the transformation that puts a cell's centre at the bookable's position. */
export function formatTransform({ pointOf, sizeOf }: MapLayout, bookable: BookablePosition): string {
  const { x, y } = pointOf(bookable)
  const turn = computeTextRotation(bookable.shape?.rotation ?? 0)
  return `translate(${roundToHundredths(x)} ${roundToHundredths(y)})${turn === 0 ? '' : ` rotate(${turn})`} scale(${roundToHundredths(sizeOf(bookable).scale)})`
}

/** Returns the rotation of a cell's text, from -89 to 90 degrees, so that the text is never upside down. */
export const computeTextRotation = (rotation: number): number => {
  const half = rotation % 180
  return half > 90 ? half - 180 : half
}

/** Attributes that the texts and lines of all cells share. They are written once, on an element around all cells. */
export const formatCellAttributes = (fontSize = 15): Html =>
  formatAttributes({
    'text-anchor': 'middle',
    'font-size': fontSize,
    'font-weight': 600,
    fill: '#1c2430',
    'stroke-width': 1.5,
  })

/** Draws a cell. `words`, or other content instead of words, go below the name; `marked` highlights the
 * requested bookable. */
export function drawCell(
  bookable: MapStatus & { name: string },
  words: string | Html,
  marked: boolean,
  size = CELL_SIZE,
): Html {
  const { fill, line, label } = findMapState(bookable)
  return html`${marked ? html`${drawOpenBox(size, 6, 14)} fill="#ffffff" stroke="${MARK_COLOUR}" stroke-width="5"/>` : undefined}
${drawOpenBox(size, 0, 9)} fill="${fill}" stroke="${line}"${label === 'blocked' ? html` stroke-dasharray="5 4"` : undefined}/>
${drawName(bookable.name, size.width - 12)}
${typeof words === 'string' ? html`<text y="17" font-size="12" font-weight="400" fill="${line}">${words}</text>` : words}`
}

// Draws a name. If the name is too long, the letters get smaller; if that is not enough, the name is cut off.
function drawName(name: string, width: number): Html {
  const large = shortenToWidth(name, width, 15)
  const [size, shown] = large === cleanText(name) ? [undefined, large] : [12, shortenToWidth(name, width, 12)]
  return html`<text y="-3"${formatAttributes({ 'font-size': size })}>${shown}</text>`
}

/** Returns the beginning of a rectangle element that extends beyond a cell by `more` on every side. */
function drawOpenBox(size: typeof CELL_SIZE, more: number, radius: number): Html {
  const [width, height] = [
    roundToHundredths(size.width) + 2 * more,
    roundToHundredths(size.height) + 2 * more,
  ]
  return html`<rect x="${-width / 2}" y="${-height / 2}" width="${width}" height="${height}" rx="${radius}"`
}

const roundToHundredths = (value: number): number => Math.round(value * 100) / 100

const HEAD_HEIGHT = 76
const FOOT_HEIGHT = 56
const LEGEND_STEP = 92

/** Draws the live map. `address` is the URL of the floor plan's picture. */
export function drawLivemap(facts: LivemapFacts, floorPlan: FloorPlan | undefined, address: string): string {
  const layout = floorPlan
    ? layOutOnFloorPlan({ ...floorPlan, address }, facts.bookables)
    : layOutInGrid(facts.bookables)
  const { width } = layout
  const height = HEAD_HEIGHT + layout.height + FOOT_HEIGHT
  const isMarked = ({ id }: MapBookable) => id === facts.bookableId
  const title = `${facts.location}, ${facts.building}: ${facts.bookables.find(isMarked)?.name ?? ''} is booked`
  // Draws the marked bookable last, so that nothing covers it on a crowded floor plan.
  const inOrder = [...facts.bookables].sort((a, b) => Number(isMarked(a)) - Number(isMarked(b)))
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title" font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif">
<title id="title">${cleanText(title)}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="${MAP_MARGIN}" y="34" font-size="20" font-weight="600" fill="#1c2430">${shortenToWidth(facts.location, width - 2 * MAP_MARGIN, 20)}</text>
<text x="${MAP_MARGIN}" y="56" font-size="14" fill="#5b6675">${shortenToWidth(facts.building, width - 2 * MAP_MARGIN, 14)}</text>
<g transform="translate(0 ${HEAD_HEIGHT})">${layout.background}
<g${formatCellAttributes()}>${inOrder.map((bookable) => drawBookable(bookable, layout, isMarked(bookable)))}</g>
</g>
${drawLegend(height - FOOT_HEIGHT / 2)}
</svg>`.text
}

function drawBookable(bookable: MapBookable, layout: MapLayout, marked: boolean): Html {
  const { label } = findMapState(bookable)
  const words = label === 'free' && bookable.lentUntil ? 'free, lent' : label
  const own = html`data-bookable="${bookable.id}" data-state="${label}"${marked ? html` data-booked="true"` : undefined}`
  return html`<g ${own} transform="${formatTransform(layout, bookable)}">
<title>${cleanText(bookable.name)}: ${words}${marked ? ' (this booking)' : ''}</title>
${drawCell(bookable, marked ? `${words} · booked` : words, marked, layout.sizeOf(bookable))}
</g>
`
}

function drawLegend(y: number): Html {
  const entries = [
    ...Object.values(MAP_STATES).map(({ fill, line, label }) => ({ fill, line, label, lineWidth: 1 })),
    { fill: 'none', line: MARK_COLOUR, label: 'booked', lineWidth: 3 },
  ].map(
    (
      { fill, line, label, lineWidth },
      index,
    ) => html`<g transform="translate(${MAP_MARGIN + index * LEGEND_STEP} ${y})">
<rect x="0" y="-8" width="16" height="16" rx="4" fill="${fill}" stroke="${line}" stroke-width="${lineWidth}"/>
<text x="23" y="5" font-size="13" fill="#3b4552">${label}</text></g>
`,
  )
  return html`<g aria-hidden="true">${entries}</g>`
}
