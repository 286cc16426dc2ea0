// Draws a location: its floor plan if it has one, otherwise a grid, with every bookable and its state.
// Colours never stand alone: each state also has its own word and line, and a title for screen readers.
import { type Html, html } from '../../http/html.ts'
import { drawCell, MARK, plain, STATES, shorten, stateOf, transformOf } from './cells.ts'
import type { FloorPlan, LivemapFacts, MapBookable } from './livemap-queries.ts'
import { layOutInGrid, layOutOnFloorPlan, MARGIN, type MapLayout } from './map-layouts.ts'

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
${inOrder.map((bookable) => drawBookable(bookable, layout, isMarked(bookable)))}
</g>
${drawLegend(height - FOOT / 2)}
</svg>`.text
}

function drawBookable(bookable: MapBookable, layout: MapLayout, marked: boolean): Html {
  const { label } = stateOf(bookable)
  const attributes = html`data-bookable="${bookable.id}" data-state="${label}"${marked ? html` data-booked="true"` : undefined}`
  return html`<g ${attributes} transform="${transformOf(layout, bookable)}">
<title>${plain(bookable.name)}: ${label}${marked ? ' (this booking)' : ''}</title>
${drawCell(bookable, marked ? `${label} · booked` : label, marked)}
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
