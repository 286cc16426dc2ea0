// The picture of a location: its floor plan where there is one, else a tidy grid, with every bookable by its state.
// Colours never stand alone: each state has a word and a shape of its own, and a title for screen readers.
import { BOOKABLE_STATUSES } from '../../shared/contracts/bookables.ts'
import { type Html, html } from '../html.ts'
import type { FloorPlan, LivemapFacts, MapBookable } from '../queries/livemap.ts'
import { imageSize } from './image-size.ts'

type Point = { x: number; y: number }
type Frame = {
  width: number
  height: number
  background: Html | undefined
  place(bookable: MapBookable): Point
}

const STATES = {
  free: { fill: '#d9f0e3', line: '#1f7a4d', label: 'free' },
  occupied: { fill: '#fbdcd3', line: '#b23a16', label: 'occupied' },
  blocked: { fill: '#e4e5e8', line: '#5d6470', label: 'blocked' },
  assigned: { fill: '#dfe3fb', line: '#4452b8', label: 'assigned' },
}

const CELL = { width: 132, height: 64, gap: 16 }
const MARGIN = 32
const HEAD = 56
const FOOT = 48
const PLAN_WIDTH = 1_200
const NAME_LENGTH_MAX = 16

export function drawLivemap(facts: LivemapFacts, plan: FloorPlan | undefined): string {
  const frame = plan ? planFrame(plan, facts.bookables) : gridFrame(facts.bookables)
  const height = HEAD + frame.height + FOOT
  const booked = facts.bookables.find(({ id }) => id === facts.bookableId)
  const title = `${facts.location}, ${facts.building}: ${booked?.name ?? ''} is booked`
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${frame.width} ${height}" width="${frame.width}" height="${height}" role="img" aria-labelledby="title" font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif">
<title id="title">${plain(title)}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="${MARGIN}" y="36" font-size="20" font-weight="600" fill="#1c2430">${plain(facts.location)}<tspan font-size="14" font-weight="400" fill="#5b6675" dx="10">${plain(facts.building)}</tspan></text>
<g transform="translate(0 ${HEAD})">${frame.background}
${facts.bookables.map((bookable) => drawBookable(bookable, frame.place(bookable), bookable.id === facts.bookableId))}
</g>
${drawLegend(height - FOOT / 2)}
</svg>`.text
}

function drawBookable(bookable: MapBookable, { x, y }: Point, marked: boolean): Html {
  const { fill, line, label } = stateOf(bookable)
  const left = x - CELL.width / 2
  const top = y - CELL.height / 2
  return html`<g data-bookable="${bookable.id}"${marked ? html` data-booked="true"` : undefined}>
<title>${plain(bookable.name)}: ${label}${marked ? ', the one that is booked' : ''}</title>
${
  marked
    ? html`<rect x="${left - 6}" y="${top - 6}" width="${CELL.width + 12}" height="${CELL.height + 12}" rx="14" fill="none" stroke="#f2a900" stroke-width="5"/>`
    : undefined
}
<rect x="${left}" y="${top}" width="${CELL.width}" height="${CELL.height}" rx="9" fill="${fill}" stroke="${line}" stroke-width="1.5"${
    label === 'blocked' ? html` stroke-dasharray="5 4"` : undefined
  }/>
<text x="${x}" y="${y - 3}" text-anchor="middle" font-size="15" font-weight="600" fill="#1c2430">${plain(shorten(bookable.name))}</text>
<text x="${x}" y="${y + 17}" text-anchor="middle" font-size="12" fill="${line}">${marked ? `${label} · booked` : label}</text>
</g>
`
}

function drawLegend(y: number): Html {
  const entries = Object.values(STATES).map(
    ({ fill, line, label }, index) => html`<g transform="translate(${MARGIN + index * 104} ${y})">
<rect x="0" y="-8" width="16" height="16" rx="4" fill="${fill}" stroke="${line}"/>
<text x="24" y="5" font-size="13" fill="#3b4552">${label}</text></g>
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

// Bookables that have no place on the plan stand in a grid below it.
function planFrame(plan: FloorPlan, bookables: MapBookable[]): Frame {
  const size = imageSize(plan.data)
  const height = Math.round((PLAN_WIDTH * (size?.height ?? 3)) / (size?.width ?? 4))
  const homeless = bookables.filter(({ x, y }) => x === null || y === null)
  const below = gridFrame(homeless, PLAN_WIDTH)
  const address = `data:${plan.type};base64,${plan.data.toString('base64')}`
  return {
    width: PLAN_WIDTH,
    height: height + (homeless.length > 0 ? below.height : 0),
    background: html`<image href="${address}" width="${PLAN_WIDTH}" height="${height}" preserveAspectRatio="none" opacity="0.75"/>`,
    place(bookable) {
      const { x, y } = bookable
      if (x !== null && y !== null) return { x: x * PLAN_WIDTH, y: y * height }
      const point = below.place(bookable)
      return { x: point.x, y: height + point.y }
    },
  }
}

function gridFrame(bookables: MapBookable[], width?: number): Frame {
  const step = { x: CELL.width + CELL.gap, y: CELL.height + CELL.gap }
  const fitting = width ? Math.floor((width - 2 * MARGIN + CELL.gap) / step.x) : undefined
  const columns = fitting ?? Math.max(3, Math.ceil(Math.sqrt(bookables.length * 0.8)))
  const rows = Math.ceil(bookables.length / columns)
  const places = new Map(bookables.map(({ id }, index) => [id, index]))
  return {
    width: width ?? 2 * MARGIN + columns * step.x - CELL.gap,
    height: rows * step.y + CELL.gap,
    background: undefined,
    place({ id }) {
      const index = places.get(id) ?? 0
      return {
        x: MARGIN + (index % columns) * step.x + CELL.width / 2,
        y: CELL.gap / 2 + Math.floor(index / columns) * step.y + CELL.height / 2,
      }
    },
  }
}

function shorten(name: string): string {
  const letters = [...name]
  return letters.length > NAME_LENGTH_MAX ? `${letters.slice(0, NAME_LENGTH_MAX - 1).join('')}…` : name
}

// XML takes no control characters, not even escaped.
function plain(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ').toWellFormed()
}
