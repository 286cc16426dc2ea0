// Draws the cells of a map that a person books on, and explains them. Each state has a shape and a colour. The
// stylesheet chooses what a cell shows: far away a dot with initials, nearer the name, and nearest who has it or its
// equipment (browser/shared/map-view.ts).
import { formatAttributes, type Html, html } from '../../../html/html.ts'
import { shortenToWidth } from '../../../reads/map/fit-text.ts'
import type { BookablePosition, MapLayout } from '../../../reads/map/map-layouts.ts'
import { computeTextRotation, formatCellAttributes } from '../../../reads/map/picture.ts'
import { showLinkOrText } from '../ui/parts.ts'
import { formatView } from './canvas.ts'

// The outlines of the dots, with a radius of about 12.
const MARKS = {
  /** A circle. */
  free: 'M0-10a10 10 0 1 1 0 20a10 10 0 1 1 0-20z',
  /** A star. */
  mine: 'M0-13 3.6-5.4 12-4.2 6 1.8 7.5 10.2 0 6.4-7.5 10.2-6 1.8-12-4.2-3.6-5.4z',
  /** A hexagon. */
  people: 'M0-12 10.4-6V6L0 12-10.4 6V-6z',
  /** A square. */
  occupied: 'M-8-12H8a4 4 0 0 1 4 4V8a4 4 0 0 1-4 4H-8a4 4 0 0 1-4-4V-8a4 4 0 0 1 4-4z',
  /** A cross. */
  blocked: 'M-5-7 0-2 5-7 7-5 2 0 7 5 5 7 0 2-5 7-7 5-2 0-7-5z',
  /** A shield. */
  assigned: 'M-10-10H10V1C10 7 5 11 0 12-5 11-10 7-10 1z',
} as const

export type CellState = keyof typeof MARKS

export type MapCell = BookablePosition & {
  name: string
  state: CellState
  /** The state in words, for screen readers and as a tooltip. */
  description: string
  /** The text that a near view shows below the name: the person who has it, or its equipment. */
  line: string
  /** The initials of the person who has it. */
  initials?: string | undefined
  /** The id of the person who has it. The page lays their picture over the initials (page/person-pictures.ts). */
  holderId?: number | null | undefined
  /** The address that the cell links to. Without it, the cell is not a link. */
  address: string | undefined
}

type CellOptions = {
  label: string
  marked: number | undefined
  /** Whether cells open the page they link to as a sheet. */
  opensSheet?: boolean
}

const TEXT_INSET = 12
const NAME_SIZE = 15
const LINE_SIZE = 12

/** Draws the cells. The title is the cell's name for screen readers, because the texts in a cell may be cut off. */
export function showMapCells(
  layout: MapLayout,
  cells: MapCell[],
  { label, marked, opensSheet = false }: CellOptions,
): Html {
  // Draws the cell that the viewer looks for last, so that nothing covers it on a crowded floor plan.
  const rank = ({ id, state }: MapCell) =>
    id === marked ? 3 : state === 'mine' ? 2 : state === 'people' ? 1 : 0
  const drawn = [...cells]
    .sort((one, other) => rank(one) - rank(other))
    .map((cell) => {
      const { x, y } = layout.pointOf(cell)
      const own = {
        class: 'cell',
        id: `cell-${cell.id}`,
        'data-bookable': cell.id,
        'data-state': cell.state,
        'data-marked': cell.id === marked && 'true',
        'data-sheet': opensSheet,
        transform: `translate(${round(x)} ${round(y)})`,
      }
      const content = html`<title>${cell.name}: ${cell.description}</title><g aria-hidden="true">${drawMapCell(layout, cell)}</g>`
      return cell.address === undefined
        ? html`<g${formatAttributes(own)}>${content}</g>`
        : showLinkOrText(cell.address, content, own)
    })
  // Texts have the same size on all cells, so that they are readable on small cells too.
  const shared = formatCellAttributes(round(NAME_SIZE * layout.scale))
  return html`<svg class="map-cells" viewBox="${formatView(layout, cells)}" role="group" aria-label="${label}"${shared}>${drawn}</svg>`
}

function formatSeat({ scale, ...size }: ReturnType<MapLayout['sizeOf']>): Html {
  const [width, height] = [round(size.width * scale), round(size.height * scale)]
  return formatAttributes({ x: -width / 2, y: -height / 2, width, height, rx: round(9 * scale) })
}

function drawMapCell(layout: MapLayout, cell: MapCell): Html {
  const size = layout.sizeOf(cell)
  const turn = computeTextRotation(cell.shape?.rotation ?? 0)
  const rotation = formatAttributes({ transform: turn === 0 ? undefined : `rotate(${turn})` })
  const initials =
    cell.initials !== undefined &&
    html`<text class="initials"${formatAttributes({ 'data-person': cell.holderId })}>${cell.initials}</text>`
  // The space for texts, in the units of texts, whose scale is the same on all cells.
  const ratio = size.scale / layout.scale
  const [width, height] = [size.width * ratio, size.height * ratio]
  const room = width - TEXT_INSET
  const line =
    height > 2 * TEXT_INSET + LINE_SIZE &&
    html`<text class="line" y="1.4em" font-size=".8em"${rotation}>${shortenToWidth(cell.line, room, LINE_SIZE)}</text>`
  // Each cell has its own outlines: browsers take twice as long to style and lay out shared ones (<use>).
  return html`<rect class="seat"${formatSeat(size)}${rotation}/><path class="mark" d="${MARKS[cell.state]}"/>${initials}<text class="name" y="-.2em"${rotation}>${shortenToWidth(cell.name, room, NAME_SIZE)}</text>${line}`
}

/** Explains the shapes and colours of the states in use. */
export function showMapLegend(label: string, words: Partial<Record<CellState, string>>): Html {
  const states = Object.entries(words) as Array<[CellState, string]>
  return html`<ul class="map-legend" aria-label="${label}">${states.map(
    ([state, word]) =>
      html`<li><svg class="legend-mark" viewBox="-14 -14 28 28" data-state="${state}" aria-hidden="true"><path class="mark" d="${MARKS[state]}"/></svg>${word}</li>`,
  )}</ul>`
}

const round = (value: number): number => Math.round(value * 100) / 100
