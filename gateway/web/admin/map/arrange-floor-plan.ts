// The page that arranges a location's bookables on its floor plan.
import * as yup from 'yup'
import { BOOKABLES_PER_WRITE_MAX } from '../../../../shared/bookables/bookables.ts'
import { formatShape, type PlanShape } from '../../../../shared/locations/plan-shapes.ts'
import { message } from '../../../../shared/messages/message.ts'
import { turnOffTypeConversion } from '../../../../shared/messages/strict.ts'
import { list, object, pathId, queryId, required } from '../../../../shared/schemas/fields.ts'
import { notEmpty } from '../../../../shared/schemas/inputs.ts'
import { formatAttributes, type Html, html } from '../../../html/html.ts'
import { findFloorPlanFacts } from '../../../reads/map/floor-plans.ts'
import { plural, sentence, t, tHtml } from '../../locales/translate.ts'
import { createMapLayout, showCanvas, showZoomTools } from '../../pages/map/canvas.ts'
import { createFloorPlanPicture } from '../../pages/map/floor-plan-pictures.ts'
import { type ActionCall, type Call, definePage } from '../../pages/page/page.ts'
import { form } from '../../pages/ui/forms.ts'
import { formatNumber, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmptyState, showNotice } from '../../pages/ui/states.ts'
import {
  parsePercent,
  parsePosition,
  percentSchema,
  positionShape,
  showPositionFields,
} from '../bookables/form.ts'
import { listPositions, type PositionedBookable } from '../bookables/queries.ts'
import { missingLocation, requireLocation } from '../places/location-pages.ts'
import { showMovableCells } from './movable-cells.ts'
import { showRectanglesCard } from './place-in-rectangles.ts'
import { placeInRows, rowsForm, showRowsForm } from './place-in-rows.ts'
import {
  newShapeForm,
  oldShapeForm,
  parseNewShape,
  parseShapes,
  shapesForm,
  showShapeForms,
  showShapeTools,
} from './plan-shapes.ts'

// Matches moves that the page's script sends (browser/floor-plan-editor/move-save.ts): what moved, and from
// where to where. Positions have the same format as in versions: steps of a hundred-thousandth
// (shared/schemas/versions.ts). Sizes come after the rotation; 0 means the default size.
const POSITION_PATTERN = '(?:none|\\d{1,6} \\d{1,6}(?: \\d{1,3}(?: \\d{1,6} \\d{1,6})?)?)'
const MOVE_PATTERN = new RegExp(`^(\\d{1,15})/(${POSITION_PATTERN})/(${POSITION_PATTERN})$`)
const SHARE_UNITS = 100_000
// The maximum cell width, in percent of the floor plan's width. This is the width of an unscaled cell.
const CELL_WIDTH_PERCENT_MAX = 11

const move = () =>
  turnOffTypeConversion(yup.string()).matches(
    MOVE_PATTERN,
    () => message`A move needs an ID, a new position and the old position.`,
  )

const movesForm = object({
  moves: required(notEmpty(list(required(move()), { max: BOOKABLES_PER_WRITE_MAX }))),
})

function parseMove(move: string) {
  const [, id = '', to = '', version = ''] = MOVE_PATTERN.exec(move) ?? []
  if (to === 'none') return { id: Number(id), version, x: null, y: null }
  const [x = 0, y = 0, rotation = 0, ...sides] = to.split(' ').map(Number)
  const [width, height] = sides.map((side) => (side === 0 ? null : side / SHARE_UNITS))
  return { id: Number(id), version, x: x / SHARE_UNITS, y: y / SHARE_UNITS, rotation, width, height }
}

export const arrangeFloorPlanPage = definePage({
  path: '/places/locations/{id}/arrange',
  title: sentence`Arrange floor plan`,
  section: 'Places',
  params: object({ id: pathId() }),
  missing: missingLocation,
  actions: (action) => ({
    'set-position': action(object({ ...positionShape, bookable: required(queryId()) }), async (call) => {
      const { bookable, ...position } = call.form
      await call.dispatch('bookables.set-position', {
        id: bookable,
        version: call.version,
        ...parsePosition(position),
      })
      return { redirectTo: call.linkHere() }
    }),
    // Saves one or more moves from the script: either all of them or none of them.
    'set-positions': action(movesForm, async (call) => {
      await call.dispatch('bookables.set-positions', { positions: call.form.moves.map(parseMove) })
      return { redirectTo: call.linkHere() }
    }),
    'set-cell-width': action(object({ cell_width: percentSchema() }), async (call) => {
      const { cell_width } = call.form
      await call.dispatch('locations.set-cell-width', {
        id: call.params.id,
        cell_width: cell_width === undefined ? null : parsePercent(cell_width),
      })
      return { redirectTo: call.linkHere() }
    }),
    'draw-plan': action(object({}), async (call) => {
      await call.dispatch('locations.set-blank-floor-plan', { id: call.params.id })
      return { redirectTo: call.linkHere() }
    }),
    // Saves the shapes. The script sends all shapes as they are now and as it loaded them.
    'set-shapes': action(shapesForm, async (call) => {
      const { shapes, before } = call.form
      return setShapes(call, parseShapes(before), () => parseShapes(shapes))
    }),
    'add-shape': action(newShapeForm, async (call) =>
      setShapes(call, await listShapes(call), (shapes) => [...shapes, parseNewShape(call.form)]),
    ),
    'remove-shape': action(oldShapeForm, async (call) =>
      setShapes(call, await listShapes(call), (shapes) =>
        shapes.filter((shape) => formatShape(shape) !== call.form.shape),
      ),
    ),
    'place-in-rows': action(rowsForm, async (call) => {
      const bookables = await listPositions(call.services.primary, call.params.id)
      const positions = placeInRows(call.form, bookables)
      await call.dispatch('bookables.set-positions', { positions })
      return {
        redirectTo: call.linkHere(),
        notice: plural(
          positions.length,
          '# desk or room placed in rows.',
          '# desks and rooms placed in rows.',
        ),
      }
    }),
  }),
  async show(call) {
    const { id } = call.params
    // The script's saves leave no notice, so this page reads from the primary: a replica might show the old positions.
    const { primary } = call.services
    const [location, floorPlan, bookables] = await Promise.all([
      requireLocation(primary, id),
      findFloorPlanFacts(primary, id),
      listPositions(primary, id),
    ])
    const back = `/places/locations/${id}`
    const layout = floorPlan && createMapLayout(createFloorPlanPicture(call, id, floorPlan), bookables)
    return {
      title: t`Arrange ${location.name}`,
      breadcrumbs: [
        [t`Places`, '/places'],
        [location.building, `/places/buildings/${location.buildingId}`],
        [location.name, back],
      ],
      tools: showLink(call.link('/map', { location: id }), t`Done`, { class: 'button primary' }),
      script: 'arrange-floor-plan',
      content: layout
        ? html`<div class="map" data-arrange><div class="map-main">
${showNotice('neutral', t`Every move is saved immediately and can be undone.`, null, { 'data-saved': true, hidden: true })}
${showTools()}${showCanvas(layout, { label: t`Floor plan of ${location.name}`, above: showMovableCells(layout, bookables, t`Desks, rooms and parking of ${location.name}`) })}</div>
<div class="map-list">${bookables.length === 0 && showNoBookables(call, back)}${showWithoutPosition(call, bookables)}${showRectanglesCard()}${showRowsForm(call, bookables, layout)}${showPositionForm(call, bookables)}${showSizeForm(call, floorPlan?.cellWidth)}${showShapeForms(call, floorPlan?.shapes ?? [])}${bookables.length > 0 && showInstructions()}${showMovesForm(call)}</div></div>`
        : showNoFloorPlan(call, back),
    }
  },
})

type ArrangeCall = ActionCall<{ id: number }>

async function listShapes({ services, params }: ArrangeCall): Promise<PlanShape[]> {
  return (await findFloorPlanFacts(services.primary, params.id))?.shapes ?? []
}

async function setShapes(
  call: ArrangeCall,
  before: PlanShape[],
  change: (shapes: PlanShape[]) => PlanShape[],
) {
  await call.dispatch('locations.set-plan-shapes', { id: call.params.id, before, shapes: change(before) })
  return { redirectTo: call.linkHere() }
}

const showInstructions =
  () => html`<details class="card" data-with-script hidden><summary>${t`How it works`}</summary>
<p>${t`Drag each desk, room or parking spot into place, or tap it and then tap its position. With the keyboard, use the arrow keys (with Shift for small steps), R to rotate it, and Delete to take it off the floor plan.`}</p>
<p>${t`To place a whole row, click its first desk and drag the arrow beside it. Drag the arrow of a row down for more rows.`}</p>
<p>${t`Desks line up with their neighbours and do not overlap. Hold Alt to place one freely.`}</p>
<p>${t`To move several together, select them first: Shift and click, draw a frame with the mouse, press Space, or use the list under “Place in rows”.`}</p></details>`

const showTools = () => html`<div class="map-bar" data-with-script hidden>
${showZoomTools()}<div class="map-zoom"><button type="button" data-undo>${t`Undo`}</button><button type="button" data-redo>${t`Redo`}</button></div>
<div class="map-zoom"><button type="button" data-rotate aria-disabled="true" title="${t`Rotate (R, with Shift by 15°)`}">${t`Rotate`}</button></div>
<label class="choice tool"><span>${t`Size`}</span> <input type="range" data-size min="1" max="${CELL_WIDTH_PERCENT_MAX}" step="0.1"></label>
<label class="choice tool"><span>${t`Gap in a row (%)`}</span> <input type="number" data-gap min="0" max="500" value="12"></label>
${showShapeTools()}<label class="choice"><input type="checkbox" data-snap checked> <span>${t`Snap to grid`}</span></label></div>`

/** Sets the size of all cells on the floor plan. Without a value, cells are as large as the space allows. */
function showSizeForm(call: Call, cellWidth: number | null | undefined): Html {
  const value = cellWidth ? formatNumber(Math.round(cellWidth * 100_000) / 1_000) : ''
  const isOpen = call.refusedForm?.action === 'set-cell-width'
  return html`<details class="card" data-cell-width${isOpen ? html` open` : ''}><summary>${t`Size of all desks and rooms`}</summary>
${form(call, { action: 'set-cell-width', submit: t`Save size`, tone: 'quiet' }, (fields) => [
  fields.text('cell_width', t`Width (% of the floor plan)`, {
    value,
    hint: t`Leave empty to make them as large as the space allows.`,
  }),
])}</details>`
}

function showNoFloorPlan(call: Call, back: string): Html {
  return showEmptyState(
    t`There is no floor plan yet.`,
    html`${tHtml`${showLinkOrText(call.link(`${back}/plan`), t`Upload a floor plan`)}, then put everything in place. Or draw the rooms and walls on an empty sheet.`}
${form(call, { action: 'draw-plan', submit: t`Draw a floor plan`, tone: 'quiet' })}`,
  )
}

function showNoBookables(call: Call, back: string): Html {
  return html`<h2>${t`There is nothing to place on this floor plan yet`}</h2>
<p>${tHtml`${showLinkOrText(call.link(`${back}/add`), t`Add desks, rooms or parking`)}, then put them in place.`}</p>`
}

function showWithoutPosition(call: Call, bookables: PositionedBookable[]): Html {
  const waiting = bookables.filter(({ x }) => x === null)
  const entries = waiting.map(
    ({ id, name }) =>
      html`<li data-waiting="${id}">${showLinkOrText(`${call.link(`/places/bookables/${id}`)}#position`, name)}</li>`,
  )
  return html`<section aria-labelledby="waiting"${formatAttributes({ hidden: bookables.length === 0 })}><h2 id="waiting">${t`Not on the floor plan`}</h2>
<p data-count>${bookables.length > 0 && describeCount(waiting)}</p>
<ul class="names waiting">${entries}</ul></section>`
}

function describeCount(waiting: PositionedBookable[]): string {
  if (waiting.length === 0) return t`Everything is on the floor plan.`
  return plural(
    waiting.length,
    '# desk or room, shown below the floor plan:',
    '# desks and rooms, shown below the floor plan:',
  )
}

function showPositionForm(call: Call, bookables: PositionedBookable[]): Html {
  const options = bookables.map(({ id, name }) => ({ value: id, label: name }))
  return html`<details class="card" data-place${call.refusedForm?.action === 'set-position' ? html` open` : ''}><summary>${t`Enter a position`}</summary>
${form(call, { action: 'set-position', submit: t`Save position`, tone: 'quiet' }, (fields) => [
  fields.select('bookable', t`Desk, room or parking spot`, { options, required: true }),
  showPositionFields(fields, { x: null, y: null }),
])}</details>`
}

/** Shows a hidden form, whose address and CSRF token the script needs. */
const showMovesForm = (call: Call): Html =>
  html`<div data-moves hidden>${form(call, { action: 'set-positions', submit: t`Save` })}</div>`
