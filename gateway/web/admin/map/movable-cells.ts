// Draws the cells of a location on the page that arranges them. A script makes them movable.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { formatAttributes, type Html, html } from '../../../html/html.ts'
import { GRID_STEP, type MapLayout } from '../../../reads/map/map-layouts.ts'
import { drawCell, formatCellAttributes, formatTransform } from '../../../reads/map/picture.ts'
import { formatBookableType } from '../../pages/ui/bookables.ts'
import type { PositionedBookable } from '../bookables/queries.ts'

// While cells are being arranged, they do not show who has the bookable.
const UNKNOWN_STATUS = { status: BOOKABLE_STATUSES.assigned, occupied: false }

/** Shows the cells. A script makes them movable, and saves their new positions. */
export function showMovableCells(layout: MapLayout, bookables: PositionedBookable[], label: string): Html {
  const cells = bookables.map((each) => {
    const own = formatAttributes({
      class: 'cell',
      'data-bookable': each.id,
      'data-name': each.name,
      'data-desk': each.type === BOOKABLE_TYPES.desk,
      'data-x': each.x,
      'data-y': each.y,
      'data-rotation': each.shape?.rotation,
      'data-own-width': each.shape?.width,
      'data-own-height': each.shape?.height,
      transform: formatTransform(layout, each),
    })
    return html`<g${own}><title>${each.name}</title><g aria-hidden="true">${drawCell({ ...each, ...UNKNOWN_STATUS }, formatBookableType(each.type), false, layout.sizeOf(each))}</g></g>\n`
  })
  const size = formatAttributes({
    'data-width': layout.width,
    'data-height': layout.floorPlanHeight,
    'data-margin-x': (GRID_STEP.x / 2) * layout.scale,
    'data-margin-y': (GRID_STEP.y / 2) * layout.scale,
    'data-scale': layout.scale,
  })
  return html`<svg class="map-cells" viewBox="0 0 ${layout.width} ${layout.height}" role="group" aria-label="${label}"${formatCellAttributes()}${size}>${cells}</svg>`
}
