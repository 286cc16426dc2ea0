// Draws a location in the dashboard: the floor plan below and the cells above it, so that each can be updated
// without the other.
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { drawCell, stateOf, transformOf } from '../../api/livemap/cells.ts'
import type { FloorPlanPicture } from '../../api/livemap/floor-plan-image.ts'
import {
  type BookablePosition,
  layOutInGrid,
  layOutOnFloorPlan,
  type MapLayout,
  STEP,
} from '../../api/livemap/map-layouts.ts'
import { attributes, type Content, type Html, html } from '../../http/html.ts'
import type { PositionedBookable } from '../bookables/queries.ts'
import { formatBookableType } from '../ui/bookables.ts'
import { showLinkOrText } from '../ui/links.ts'
import type { MapBookable } from './queries.ts'
import { canvasClass, scaleForMost } from './scale.ts'

export function layoutOf(floorPlan: FloorPlanPicture | undefined, bookables: BookablePosition[]): MapLayout {
  return floorPlan ? layOutOnFloorPlan(floorPlan, bookables, scaleForMost) : layOutInGrid(bookables)
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

type CellOptions = {
  marked: number | undefined
  label: string
  describe(one: MapBookable): string
  /** The text below the name. */
  format(one: MapBookable): string
  addressOf(one: MapBookable): string
}

// The title is the cell's name for screen readers: the text in a cell may be cut off.
/** Each cell links to a page that describes its bookable. */
export function showCells(
  layout: MapLayout,
  bookables: MapBookable[],
  { marked, label, describe, format, addressOf }: CellOptions,
): Html {
  // The marked cell comes last, so that nothing covers it on a crowded floor plan.
  const inOrder = [...bookables].sort((a, b) => Number(a.id === marked) - Number(b.id === marked))
  const cells = inOrder.map((each) => {
    const isMarked = each.id === marked
    const text = html`<title>${each.name}: ${describe(each)}</title><g aria-hidden="true">${drawCell(each, format(each), isMarked)}</g>`
    return showLinkOrText(addressOf(each), text, {
      class: 'cell',
      id: `cell-${each.id}`,
      'data-bookable': each.id,
      'data-state': stateOf(each).label,
      'data-marked': isMarked && 'true',
      transform: transformOf(layout, each),
    })
  })
  return html`<svg class="map-cells" viewBox="0 0 ${layout.width} ${layout.height}" role="group" aria-label="${label}">${cells}</svg>`
}

// While a user moves a cell, it does not matter who has the bookable.
const UNKNOWN = { status: BOOKABLE_STATUSES.assigned, occupied: false }

/** Cells to arrange: a script makes them movable and saves their new positions. */
export function showMovableCells(layout: MapLayout, bookables: PositionedBookable[], label: string): Html {
  const cells = bookables.map((each) => {
    const own = attributes({
      class: 'cell',
      'data-bookable': each.id,
      'data-name': each.name,
      'data-x': each.x,
      'data-y': each.y,
      transform: transformOf(layout, each),
    })
    return html`<g${own}><title>${each.name}</title><g aria-hidden="true">${drawCell({ ...each, ...UNKNOWN }, formatBookableType(each.type), false)}</g></g>\n`
  })
  const size = attributes({
    'data-width': layout.width,
    'data-height': layout.floorPlanHeight,
    'data-margin-x': (STEP.x / 2) * layout.scale,
    'data-margin-y': (STEP.y / 2) * layout.scale,
    'data-scale': layout.scale,
  })
  return html`<svg class="map-cells" viewBox="0 0 ${layout.width} ${layout.height}" role="group" aria-label="${label}"${size}>${cells}</svg>`
}
