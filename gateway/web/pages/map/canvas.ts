// Draws a location for pages: the floor plan below and the cells above it, so that each can be updated without the other.
import { attributes, type Content, type Html, html } from '../../../html/html.ts'
import {
  type BookablePosition,
  type ChooseScale,
  type FloorPlanPicture,
  largestScale,
  layOutInGrid,
  layOutOnFloorPlan,
  type MapLayout,
  STEP,
} from '../../../reads/map/map-layouts.ts'
import { CELLS, drawCell, type MapBookable, stateOf, transformOf } from '../../../reads/map/picture.ts'
import { t } from '../../locales/translate.ts'
import { showLinkOrText } from '../ui/parts.ts'

export function layoutOf(floorPlan: FloorPlanPicture | undefined, bookables: BookablePosition[]): MapLayout {
  return floorPlan ? layOutOnFloorPlan(floorPlan, bookables, scaleThatFits) : layOutInGrid(bookables)
}

/** The box that scrolls; `above` is what stands on the floor plan. */
export function showCanvas(
  { width, floorPlanHeight, background, scale }: MapLayout,
  label: string,
  above: Content,
): Html {
  return html`<div class="map-scroll" role="region" aria-label="${label}" tabindex="0"><div class="${`map-canvas ${canvasClass(scale)}`.trim()}">
${background && html`<svg class="map-floor-plan" viewBox="0 0 ${width} ${floorPlanHeight}" aria-hidden="true" focusable="false">${background}</svg>`}
${above}</div></div>`
}

type CellOptions<One> = {
  marked: number | undefined
  label: string
  describe(one: One): string
  /** What stands below the name. */
  format(one: One): string | Html
  /** Undefined: the cell leads nowhere. */
  addressOf(one: One): string | undefined
}

/**
 * Draws the cells, each of which links to a page about its bookable. The title is the cell's name for screen readers, because
 * the text in a cell may be cut off.
 */
export function showCells<One extends MapBookable>(
  layout: MapLayout,
  bookables: One[],
  { marked, label, describe, format, addressOf }: CellOptions<One>,
): Html {
  // The marked cell comes last, so that nothing covers it on a crowded floor plan.
  const inOrder = [...bookables].sort((a, b) => Number(a.id === marked) - Number(b.id === marked))
  const cells = inOrder.map((each) => {
    const isMarked = each.id === marked
    const text = html`<title>${each.name}: ${describe(each)}</title><g aria-hidden="true">${drawCell(each, format(each), isMarked, layout.sizeOf(each))}</g>`
    const own = {
      class: 'cell',
      id: `cell-${each.id}`,
      'data-bookable': each.id,
      'data-state': stateOf(each).label,
      'data-marked': isMarked && 'true',
      transform: transformOf(layout, each),
    }
    const address = addressOf(each)
    return address === undefined ? html`<g${attributes(own)}>${text}</g>` : showLinkOrText(address, text, own)
  })
  return html`<svg class="map-cells ${namesClass(layout.scale)}" viewBox="0 0 ${layout.width} ${layout.height}" role="group" aria-label="${label}"${CELLS}>${cells}</svg>`
}

// A name is 14 units high on a floor plan that is 1,200 units wide. The stylesheet shows names in cells from the width
// of the canvas, in rem, at which they are at least 9 pixels high, and initials below it.
const NAME_WIDTHS = [52, 75, 100, 150, 200, 250]

const REM_FOR_NAMES = (9 * 1_200) / 14 / 16

export function namesClass(scale: number): string {
  const width = NAME_WIDTHS.find((each) => each * scale >= REM_FOR_NAMES)
  return width === undefined ? '' : `names-${width}`
}

// Cells on a floor plan are as large as the smallest distance between two of them allows, unless their location says how
// large they are. Where two stand almost on one spot, they overlap without shrinking the others.

// Half of a floor plan of 1,200 by 800: what the cells may cover if all of them stand on it.
const AREA = 1_200 * 800 * 0.5

// Small enough for a thousand cells. The API's map, which cannot be zoomed, draws none this small.
const SCALE_MIN = 0.18

export const scaleThatFits: ChooseScale = (points, all) =>
  Math.max(
    SCALE_MIN,
    largestScale(points, scaleForAll(all), (scale) => scale >= SCALE_MIN),
  )

function scaleForAll(all: number): number {
  return Math.min(1, Math.sqrt(AREA / (Math.max(1, all) * STEP.x * STEP.y)))
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

export const zoomTools =
  () => html`<div class="map-zoom" data-zoom role="group" aria-label="${t`Zoom`}" hidden>
<button type="button" data-by="out" aria-label="${t`Zoom out`}" title="${t`Zoom out (−)`}">−</button>
<button type="button" data-by="whole" title="${t`Fit to screen (0)`}">${t`Fit`}</button>
<button type="button" data-by="in" aria-label="${t`Zoom in`}" title="${t`Zoom in (+)`}">+</button></div>`
