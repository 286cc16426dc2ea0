// Draws the cells of a location on the page that arranges them. A script makes them movable.
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { attributes, type Html, html } from '../../../html/html.ts'
import { type MapLayout, STEP } from '../../../reads/map/map-layouts.ts'
import { CELLS, drawCell, transformOf } from '../../../reads/map/picture.ts'
import { formatBookableType } from '../../pages/ui/bookables.ts'
import type { PositionedBookable } from '../bookables/queries.ts'

// Cells to arrange do not show who has the bookable.
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
      'data-rotation': each.shape?.rotation,
      'data-own-width': each.shape?.width,
      'data-own-height': each.shape?.height,
      transform: transformOf(layout, each),
    })
    return html`<g${own}><title>${each.name}</title><g aria-hidden="true">${drawCell({ ...each, ...UNKNOWN }, formatBookableType(each.type), false, layout.sizeOf(each))}</g></g>\n`
  })
  const size = attributes({
    'data-width': layout.width,
    'data-height': layout.floorPlanHeight,
    'data-margin-x': (STEP.x / 2) * layout.scale,
    'data-margin-y': (STEP.y / 2) * layout.scale,
    'data-scale': layout.scale,
  })
  return html`<svg class="map-cells" viewBox="0 0 ${layout.width} ${layout.height}" role="group" aria-label="${label}"${CELLS}${size}>${cells}</svg>`
}
