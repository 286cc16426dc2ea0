// Shows the map of a location on pages: the floor plan below and the cells above it, so that either can be updated
// without the other.
import { type Content, formatAttributes, type Html, html } from '../../../html/html.ts'
import { findCellDistance, findView } from '../../../reads/map/find-view.ts'
import {
  type BookablePosition,
  type ChooseScale,
  type FloorPlanPicture,
  findLargestScale,
  GRID_STEP,
  layOutInGrid,
  layOutOnFloorPlan,
  type MapLayout,
} from '../../../reads/map/map-layouts.ts'
import { t } from '../../locales/translate.ts'

export function createMapLayout(
  floorPlan: FloorPlanPicture | undefined,
  bookables: BookablePosition[],
): MapLayout {
  return floorPlan ? layOutOnFloorPlan(floorPlan, bookables, chooseMapScale) : layOutInGrid(bookables)
}

/**
 * Shows the box with the map. `above` is drawn on top of the floor plan. With `bookables`, the map shows them instead of
 * the whole floor plan, and a script lets the viewer zoom and drag the map (browser/shared/map-view.ts).
 */
export function showCanvas(
  layout: MapLayout,
  { label, above, bookables }: { label: string; above: Content; bookables?: BookablePosition[] },
): Html {
  const { width, background, scale } = layout
  const plan =
    background &&
    html`<svg class="map-floor-plan" viewBox="${formatView(layout, bookables)}" aria-hidden="true" focusable="false">${background}</svg>`
  const view = bookables && findView(layout, bookables)
  const own = formatAttributes({
    class: `map-canvas ${chooseCanvasClass(scale, view?.width ?? width)}`.trim(),
    'data-view': view && formatView(layout, bookables),
    'data-scale': view && Math.round(scale * 1_000) / 1_000,
    'data-cell-distance': view && findCellDistance(layout, bookables),
  })
  return html`<div class="map-scroll" role="region" aria-label="${label}" tabindex="0"><div${own}>
${plan}
${above}</div></div>`
}

/** Shows a map that the viewer can zoom and drag, with buttons in its corner. */
export const showZoomableMap = (
  layout: MapLayout,
  options: { label: string; above: Content; bookables: BookablePosition[] },
): Html => html`<div class="map-box">${showZoomTools()}${showCanvas(layout, options)}</div>`

/** Returns the `viewBox` of a drawing: the part with the bookables, or the floor plan without the cells below it. */
export function formatView(layout: MapLayout, bookables: BookablePosition[] | undefined): string {
  const { x, y, width, height } = bookables
    ? findView(layout, bookables)
    : { x: 0, y: 0, width: layout.width, height: layout.floorPlanHeight }
  return `${x} ${y} ${width} ${height}`
}

// Chooses the scale of cells. Cells on a floor plan are as large as the smallest distance between two of them
// allows, unless the location sets their size. Two cells that are almost at the same position may overlap, so
// that they do not shrink all other cells.

// The area that all cells together may cover: half of a floor plan of 1,200 by 800.
const CELLS_AREA_MAX = 1_200 * 800 * 0.5

// The minimum scale, which is small enough for a thousand cells. The API's map, which cannot be zoomed, uses
// a larger minimum.
const CELL_SCALE_MIN = 0.18

export const chooseMapScale: ChooseScale = (points, all) =>
  Math.max(
    CELL_SCALE_MIN,
    findLargestScale(points, computeAreaScale(all), (scale) => scale >= CELL_SCALE_MIN),
  )

function computeAreaScale(all: number): number {
  return Math.min(1, Math.sqrt(CELLS_AREA_MAX / (Math.max(1, all) * GRID_STEP.x * GRID_STEP.y)))
}

// The minimum widths of the canvas, in rem, which the stylesheet has as classes. Letters are 15 units high.
const CANVAS_WIDTHS = [46, 75, 100, 150, 200, 250]

const LETTER_UNITS = 15

const READABLE_REM = 9 / 16

/**
 * Returns the class of the canvas. If cells are small, the picture is drawn larger and scrolls in its box, so that the
 * letters are at least 9 pixels high. `width` is the width of the shown part.
 */
export function chooseCanvasClass(scale: number, width: number): string {
  const needed = (width * READABLE_REM) / (LETTER_UNITS * scale)
  return `wide-${CANVAS_WIDTHS.find((each) => each >= needed) ?? CANVAS_WIDTHS.at(-1)}`
}

export const showZoomTools =
  () => html`<div class="map-zoom" data-zoom role="group" aria-label="${t`Zoom`}" hidden>
<button type="button" data-by="out" aria-label="${t`Zoom out`}" title="${t`Zoom out (−)`}">−</button>
<button type="button" data-by="whole" title="${t`Fit to screen (0)`}">${t`Fit`}</button>
<button type="button" data-by="in" aria-label="${t`Zoom in`}" title="${t`Zoom in (+)`}">+</button></div>`
