// The picture of a location: its floor plan where there is one, else a tidy grid, with every bookable by its state.
// Colours never stand alone: each state has a word and a line of its own, and a title for screen readers.
import { BOOKABLE_STATUSES } from '../../shared/contracts/bookables.ts'
import { type Html, html } from '../html.ts'
import type { FloorPlan, LivemapFacts, MapBookable } from '../queries/livemap.ts'
import { CELL, type Frame, gridFrame, MARGIN, planFrame } from './frames.ts'
import { plain, shorten } from './text.ts'

const STATES = {
  free: { fill: '#d9f0e3', line: '#1f7a4d', label: 'free' },
  occupied: { fill: '#fbdcd3', line: '#b23a16', label: 'occupied' },
  blocked: { fill: '#e4e5e8', line: '#5d6470', label: 'blocked' },
  assigned: { fill: '#dfe3fb', line: '#4452b8', label: 'assigned' },
}

const MARK = '#f2a900'
const HEAD = 76
const FOOT = 56
const LEGEND_STEP = 92

export function drawLivemap(facts: LivemapFacts, plan: FloorPlan | undefined): string {
  const frame = plan ? planFrame(plan, facts.bookables) : gridFrame(facts.bookables)
  const { width } = frame
  const height = HEAD + frame.height + FOOT
  const isMarked = ({ id }: MapBookable) => id === facts.bookableId
  const title = `${facts.location}, ${facts.building}: ${facts.bookables.find(isMarked)?.name ?? ''} is booked`
  // The marked one comes last, so that nothing on a crowded plan can lie over it.
  const inOrder = [...facts.bookables].sort((a, b) => Number(isMarked(a)) - Number(isMarked(b)))
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title" font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif">
<title id="title">${plain(title)}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="${MARGIN}" y="34" font-size="20" font-weight="600" fill="#1c2430">${shorten(facts.location, width - 2 * MARGIN, 20)}</text>
<text x="${MARGIN}" y="56" font-size="14" fill="#5b6675">${shorten(facts.building, width - 2 * MARGIN, 14)}</text>
<g transform="translate(0 ${HEAD})">${frame.background}
${inOrder.map((bookable) => drawBookable(bookable, frame, isMarked(bookable)))}
</g>
${drawLegend(height - FOOT / 2)}
</svg>`.text
}

// Each is drawn around its own middle.
function drawBookable(bookable: MapBookable, { place, scale }: Frame, marked: boolean): Html {
  const { x, y } = place(bookable)
  const { fill, line, label } = stateOf(bookable)
  const attributes = html`data-bookable="${bookable.id}" data-state="${label}"${marked ? html` data-booked="true"` : undefined}`
  return html`<g ${attributes} transform="translate(${round(x)} ${round(y)}) scale(${round(scale)})">
<title>${plain(bookable.name)}: ${label}${marked ? ', the one that is booked' : ''}</title>
${marked ? html`${drawBox(6, 14)} fill="#ffffff" stroke="${MARK}" stroke-width="5"/>` : undefined}
${drawBox(0, 9)} fill="${fill}" stroke="${line}" stroke-width="1.5"${label === 'blocked' ? html` stroke-dasharray="5 4"` : undefined}/>
${drawName(bookable.name)}
<text y="17" text-anchor="middle" font-size="12" fill="${line}">${marked ? `${label} · booked` : label}</text>
</g>
`
}

// A name that is too long gets smaller letters before it is cut off.
function drawName(name: string): Html {
  const width = CELL.width - 12
  const size = shorten(name, width, 15) === plain(name) ? 15 : 12
  return html`<text y="-3" text-anchor="middle" font-size="${size}" font-weight="600" fill="#1c2430">${shorten(name, width, size)}</text>`
}

/** The beginning of a rectangle, so much larger than a cell on every side. */
function drawBox(more: number, radius: number): Html {
  const [width, height] = [CELL.width + 2 * more, CELL.height + 2 * more]
  return html`<rect x="${-width / 2}" y="${-height / 2}" width="${width}" height="${height}" rx="${radius}"`
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

function stateOf({ status, occupied }: MapBookable) {
  if (occupied) return STATES.occupied
  if (status === BOOKABLE_STATUSES.blocked) return STATES.blocked
  if (status === BOOKABLE_STATUSES.assigned) return STATES.assigned
  return STATES.free
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
